/**
 * Rows that a relation's policies show. A scan with a rule reads a snapshot that has no others: searches, counts, bounds,
 * statistics of words and what is kept of a part hold the policies without knowing of them. A row that is found by its
 * key, or looked at again, is asked by itself.
 */
import { findPosition } from '../../binary-search.ts';
import { emptyBits, setBit } from '../../types/column/bitset.ts';
import type { Part, RowMask, Snapshot } from '../../engine/engine.ts';
import type { Scan } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Float64Vector } from '../../types/column/vector.ts';
import { filterMask } from './filter-mask.ts';
import type { Steps } from '../plan-rows.ts';
import { asksOthersOnly, ruleKeyOf, wholeMask } from './kept-rows.ts';
import type { Run } from '../state.ts';

export type Rule = NonNullable<Scan['rule']>;
/** A relation or a partition, with the rule for its rows. */
export type Ruled = Pick<Scan, 'relation' | 'partition' | 'rule'>;

type Of = Pick<Ruled, 'relation' | 'partition'>;

/** Steps over the rows that are shown. */
export function* overShown(of: Ruled, run: Run, steps: (run: Run) => Steps): Steps {
  if (of.rule === null) {
    yield* steps(run);
    return;
  }
  using snapshot = yield* shownSnapshot(of, of.rule, run);
  yield* steps({ ...run, snapshot, whole: run.snapshot });
}

/** To be released by itself. */
export function* shownSnapshot(of: Of, rule: Rule, run: Run): Task<Snapshot> {
  const parts = run.snapshot.parts(of.relation, of.partition, true);
  const shown = yield* masksOf(parts, of, rule, run);
  return run.snapshot.narrowed(of.relation, of.partition, shown);
}

/** True when the rule shows that row of the snapshot. */
export function* isShown(
  { plan, mark }: Rule,
  { snapshot, rowNumber }: { readonly snapshot: Snapshot; readonly rowNumber: number },
  run: Run,
): Task<boolean> {
  const pins = new Map(run.pins).set(mark, { snapshot, rowNumber });
  const rows = run.execute(plan, { ...run, pins, memo: new Map() });
  try {
    for (;;) {
      const batch = yield* wait(rows.next());
      if (batch === null) return false;
      if (batch.length > 0) return true;
    }
  } finally {
    yield* wait(rows.close());
  }
}

/** The scan of a rule that is a filter on columns and facts of the session, and no more. */
export function filterOf({ plan }: Rule): Scan | null {
  if (plan.kind !== 'scan' || plan.request.kind !== 'rows' || plan.rule !== null) return null;
  return plan.maskKey === null ? null : plan;
}

function* masksOf(parts: readonly Part[], of: Of, rule: Rule, run: Run): Task<ReadonlyMap<Part, RowMask>> {
  const { plan } = rule;
  const masks = new Map<Part, RowMask>();
  const filter = filterOf(rule);
  if (filter !== null) {
    for (const part of parts) masks.set(part, yield* filterMask({ plan: filter, arms: [], run }, part));
    return masks;
  }
  const key = parts.length === 0 ? null : yield* ruleKeyOf(rule, run);
  if (key === null) return yield* masksOfRows(parts, plan, run);
  const unknown: Part[] = [];
  for (const part of parts) {
    const known = part.masks.get(key);
    if (known === undefined) unknown.push(part);
    else masks.set(part, known);
  }
  if (unknown.length === 0) return masks;
  for (const [part, mask] of yield* masksOfSome(unknown, of, rule, run)) {
    part.masks.set(key, mask);
    masks.set(part, mask);
  }
  return masks;
}

/** By a rule that is more than a filter: it asks other relations. What is known of other parts is not asked again. */
function* masksOfSome(
  parts: readonly Part[],
  { relation, partition }: Of,
  rule: Rule,
  run: Run,
): Task<ReadonlyMap<Part, RowMask>> {
  if (!asksOthersOnly(rule, relation)) return yield* masksOfRows(parts, rule.plan, run);
  const some = new Map(parts.map((part) => [part, wholeMask(part)]));
  using snapshot = run.snapshot.narrowed(relation, partition, some);
  return yield* masksOfRows(parts, rule.plan, { ...run, snapshot });
}

function* masksOfRows(
  parts: readonly Part[],
  plan: Rule['plan'],
  run: Run,
): Task<ReadonlyMap<Part, RowMask>> {
  const found = parts.map((part) => ({ part, bits: emptyBits(part.rowCount), count: 0 }));
  const rows = run.execute(plan, run);
  try {
    for (;;) {
      const batch = yield* wait(rows.next());
      if (batch === null) break;
      const { values } = batch.columns.at(-1) as Float64Vector;
      for (let row = 0; row < batch.length; row++) mark(found, values[row] as number);
    }
  } finally {
    yield* wait(rows.close());
  }
  return new Map(found.map(({ part, bits, count }) => [part, { bits, count }]));
}

interface Found {
  readonly part: Part;
  readonly bits: Uint32Array;
  count: number;
}

function mark(found: readonly Found[], rowNumber: number): void {
  for (const one of found) {
    const position = findPosition(one.part.rowNumbers, one.part.rowCount, rowNumber);
    if (position < 0) continue;
    setBit(one.bits, position);
    one.count++;
    return;
  }
}
