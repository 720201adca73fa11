/**
 * Rows found by the order that an index keeps of its column (`Scan.access`): those in the runs that the filter's
 * conditions allow, or the first of the order. They are a superset of what the filter keeps, ascending by position,
 * so that the rest of the plan sees what it would see without the index.
 */
import { assert } from '../../assert.ts';
import type { Part, ValueOrder } from '../../engine/engine.ts';
import type { Expression } from '../../plan/expression.ts';
import type { OrderAccess } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { hasBit } from '../../types/column/bitset.ts';
import type { KeyBounds } from '../../types/column/key-bounds.ts';
import { GUARDS } from '../guards.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import { isEverything, keyBounds, type PlaceRun, placeRuns } from './order-bounds.ts';
import type { ScanSource } from './scan-rows.ts';

/**
 * Ascending visible positions of all rows that can meet the conditions on the column; null where looking at
 * every row is as good.
 */
export function* orderedRows(
  source: ScanSource,
  { access, part, filter }: { access: OrderAccess; part: Part; filter: readonly Expression[] },
): Task<Uint32Array | null> {
  if (part.order === undefined) return null;
  const bounds = yield* boundsOf(source, access, filter);
  if (bounds === null || isEverything(bounds)) return null;
  const order = yield* wait(part.order(access.attribute));
  if (order === null) return null;
  const runs = placeRuns(order, bounds);
  const pieces = runs.map(([start, end]) => order.rows.subarray(start, end));
  if (bounds.nulls === 'only') pieces.push(order.nulls);
  const count = pieces.reduce((sum, { length }) => sum + length, 0);
  return count * GUARDS.rowsPerFetch > part.rowCount ? null : ascendingVisible(part, pieces, count);
}

function boundsOf(
  { plan, run }: ScanSource,
  { attribute }: OrderAccess,
  filter: readonly Expression[],
): Task<KeyBounds | null> {
  return keyBounds(filter, plan.columns.indexOf(attribute), run);
}

function ascendingVisible(part: Part, pieces: readonly Uint32Array[], count: number): Uint32Array {
  const { visible } = part;
  const rows = new Uint32Array(count);
  let kept = 0;
  for (const piece of pieces) {
    for (const row of piece) if (visible === null || hasBit(visible, row)) rows[kept++] = row;
  }
  return rows.subarray(0, kept).sort();
}

/** How many rows of the order the plan above uses; null: all. */
export function* firstCount({ plan, run }: ScanSource): Task<number | null> {
  if (plan.access?.kind !== 'order' || plan.access.first === undefined) return null;
  const count = yield* wait(evaluateConstant(plan.access.first.count, run));
  return count === null ? null : Number(count);
}

/**
 * The part's first rows of the order that pass the filter, `count` of them and all that are equal to the last.
 *
 * @param passing keeps of ascending positions those that pass the filter.
 * @returns ascending positions; null where more rows had to be looked at than is worth it.
 */
export function* firstRows(
  source: ScanSource,
  part: Part,
  { filter, count }: { readonly filter: readonly Expression[]; readonly count: number },
  passing: (rows: Uint32Array) => Task<Uint32Array>,
): Task<Uint32Array | null> {
  const { access } = source.plan;
  assert(access?.kind === 'order', 'rows are asked for by an order');
  const order = (yield* wait(part.order?.(access.attribute))) ?? null;
  const bounds = order && (yield* boundsOf(source, access, filter));
  if (order === null || bounds === null) return null;
  const sequence = new Sequence(order, access, placeRuns(order, bounds), bounds.nulls !== 'never');
  const kept: Uint32Array[] = [];
  let found = 0;
  let looked = 0;
  for (let size = Math.max(GUARDS.firstRows, 2 * count); found < count; size *= 2) {
    const rows = sequence.next(size);
    if (rows === null) break;
    looked += rows.length;
    if (looked * GUARDS.rowsPerFetch > part.rowCount) return null;
    const passed = yield* passing(ascendingVisible(part, [rows], rows.length));
    kept.push(passed);
    found += passed.length;
  }
  return ascendingVisible(part, kept, found);
}

/** Rows of some runs of an order in the direction asked for; ties are not torn apart. */
class Sequence {
  readonly #order: ValueOrder;
  readonly #descending: boolean;
  /** In the direction. */
  readonly #runs: PlaceRun[];
  readonly #nullsAt: 'start' | 'end' | null;
  #begun = false;
  #ended = false;

  constructor(order: ValueOrder, { first }: OrderAccess, runs: readonly PlaceRun[], nulls: boolean) {
    this.#order = order;
    this.#descending = first?.descending === true;
    this.#runs = this.#descending ? [...runs].reverse() : [...runs];
    this.#nullsAt = nulls && order.nulls.length > 0 ? (first?.nullsFirst === true ? 'start' : 'end') : null;
  }

  /** At least `size` more rows, or a whole run; null: there are no more. */
  next(size: number): Uint32Array | null {
    if (!this.#begun) {
      this.#begun = true;
      if (this.#nullsAt === 'start') return this.#order.nulls;
    }
    const run = this.#runs.shift();
    if (run !== undefined) return this.#take(run, size);
    if (this.#ended || this.#nullsAt !== 'end') return null;
    this.#ended = true;
    return this.#order.nulls;
  }

  #take([start, end]: PlaceRun, size: number): Uint32Array {
    const { rows } = this.#order;
    if (end - start <= size) return rows.subarray(start, end);
    if (this.#descending) {
      const from = Math.max(start, this.#order.ties(end - size).start);
      if (from > start) this.#runs.unshift([start, from]);
      return rows.subarray(from, end);
    }
    const to = Math.min(end, this.#order.ties(start + size - 1).end);
    if (to < end) this.#runs.unshift([to, end]);
    return rows.subarray(start, to);
  }
}
