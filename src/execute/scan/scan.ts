/**
 * The scan of a stored relation: its visible rows part by part, filtered as early as possible (conditions on
 * columns before any score is computed), arms scored exactly. The best rows only are `ranking/top-k.ts`'s.
 */
import { joinNumbers } from '../../types/column/numbers.ts';
import { present } from '../../assert.ts';
import type { Part, RowAddress, Snapshot } from '../../engine/engine.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Scan } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { type Batch, BoolVector } from '../../types/column/vector.ts';
import { prepareArms } from '../arms/arms.ts';
import { concatBatches } from '../batches.ts';
import { evaluateConstant, isTrueOf } from '../expression/evaluate.ts';
import { rowOrder, sortRows } from '../rows/order.ts';
import { rememberScan } from './remembered-scan.ts';
import { firstCount, firstRows } from './order-access.ts';
import { applyFilter, checkPartition, partsOf, scanPart, scanRows, slices } from './part-rows.ts';
import { ScanRows, type ScanSource } from './scan-rows.ts';
import { knownShown } from './kept-rows.ts';
import { filterOf, isShown, type Rule } from './shown-rows.ts';
import type { Steps } from '../plan-rows.ts';
import type { Run } from '../state.ts';
import { findRows } from './stored-rows.ts';

export function* runScan(plan: Scan, run: Run): Steps {
  checkPartition(plan, run);
  const pin = plan.mark === undefined ? undefined : run.pins?.get(plan.mark);
  if (pin !== undefined) {
    const isThere = plan.rule === null || pin.rowNumber < 0 || (yield* isShown(plan.rule, pin, run));
    if (isThere) yield* pinnedRow(plan, pin, run);
    return;
  }
  const arms = plan.arms.length === 0 ? [] : yield* prepareArms(plan, run);
  if (plan.request.kind === 'key') {
    yield yield* lookUp({ plan, arms, run });
    return;
  }
  yield* rememberScan(plan, run);
  const source: ScanSource = { plan, arms, run, remembered: true };
  if (plan.request.kind === 'rows by key') yield* inKeyOrder(source);
  else if (plan.request.kind === 'first rows') yield* inOrder(source);
  else yield* scanRows(source, given);
}

function* given(rows: ScanRows): Steps {
  yield withMask(yield* wait(rows.all()), rows.mask);
}

/** The first rows of every part by the order of an index, and those of parts that keep no order. */
function* inOrder(source: ScanSource): Steps {
  const count = yield* firstCount(source);
  const filter = source.plan.conditions.map(({ expression }) => expression);
  for (const part of partsOf(source)) {
    const passing = (rows: Uint32Array): Task<Uint32Array> => passingRows(source, part, rows);
    const first = count === null ? null : yield* firstRows(source, part, { filter, count }, passing);
    if (first === null) yield* scanPart(source, part, null, given);
    else for (const rows of slices(source, part, first)) yield* given(rows);
  }
}

function* passingRows(source: ScanSource, part: Part, among: Uint32Array): Task<Uint32Array> {
  const kept: Uint32Array[] = [];
  yield* scanPart(source, part, among, ({ rows }) => {
    kept.push(rows);
  });
  return joinNumbers(kept);
}

const withMask = (batch: Batch, mask: Uint8Array | null): Batch =>
  mask === null ? batch : { length: batch.length, columns: [...batch.columns, new BoolVector(mask)] };

/** The row, if it is one of the scan's; conditions see of other relations what the statement sees. */
function* pinnedRow(
  plan: Scan,
  { snapshot, rowNumber }: { readonly snapshot: Snapshot; readonly rowNumber: number },
  run: Run,
): Steps {
  if (rowNumber < 0) return;
  const source: ScanSource = { plan, arms: yield* prepareArms(plan, { ...run, snapshot }), run };
  const named = plan.lookup === null ? null : yield* keyAddresses(source, snapshot);
  if (named?.every((address) => address.rowNumber !== rowNumber)) return;
  const [found] = findRows(snapshot, plan, Float64Array.of(rowNumber));
  if (found !== undefined) yield yield* rowsAt(source, [found]);
}

/** The row of a unique key; all that share it where the key is deferrable and not checked yet. */
function* lookUp(source: ScanSource): Task<Batch> {
  const { plan } = source;
  const found = yield* shownOf(source, yield* keyAddresses(source, source.run.snapshot));
  if (found.length < 2 || found.every(({ part }) => part === found[0]?.part))
    return yield* rowsAt(source, found);
  const batches: Batch[] = [];
  for (const part of new Set(found.map((address) => address.part))) {
    const rows = found.filter((address) => address.part === part);
    batches.push(yield* rowsAt(source, rows));
  }
  return concatBatches(plan.output, batches);
}

function* keyAddresses({ plan, run }: ScanSource, snapshot: Snapshot): Task<readonly RowAddress[]> {
  const { index, key: expressions } = present(plan.lookup, 'lookup');
  const key: Datum[] = [];
  for (const expression of expressions) key.push(yield* wait(evaluateConstant(expression, run)));
  return key.includes(null) ? [] : snapshot.lookupAll(plan.relation, plan.partition, index, key);
}

/** Rows that the relation's policies show. */
function* shownOf(
  { plan: { rule }, run }: ScanSource,
  found: readonly RowAddress[],
): Task<readonly RowAddress[]> {
  if (rule === null) return found;
  const shown: RowAddress[] = [];
  for (const address of found) if (yield* isAddressShown(rule, address, run)) shown.push(address);
  return shown;
}

function* isAddressShown(rule: Rule, address: RowAddress, run: Run): Task<boolean> {
  const filter = filterOf(rule);
  if (filter !== null) return yield* passes(filter, address, run);
  const isKnown = yield* knownShown(rule, address, run);
  return isKnown ?? (yield* isShown(rule, { snapshot: run.snapshot, rowNumber: address.rowNumber }, run));
}

/** One row by a filter on columns, without the steps of a scan. */
function* passes({ columns, conditions }: Scan, { part, row }: RowAddress, run: Run): Task<boolean> {
  const reading = part.readRows(columns, Uint32Array.of(row));
  const vectors = reading instanceof Promise ? yield* wait(reading) : reading;
  const batch = { length: 1, columns: vectors };
  for (const { expression } of conditions) {
    const passing = isTrueOf(expression, batch, run);
    if (!(passing instanceof Promise ? yield* wait(passing) : passing)) return false;
  }
  return true;
}

/** Rows of one part that pass the filter. */
function* rowsAt(source: ScanSource, found: readonly RowAddress[]): Task<Batch> {
  const [first] = found;
  if (first === undefined) return concatBatches(source.plan.output, []);
  const places = new Uint32Array(found.length);
  for (let i = 0; i < found.length; i++) places[i] = (found[i] as RowAddress).row;
  const rows = new ScanRows(source, first.part, places);
  yield* applyFilter(source, rows, source.plan.conditions);
  return yield* wait(rows.all());
}

/** All rows ordered by primary key, so that a stable sort above breaks ties by it. */
function* inKeyOrder(source: ScanSource): Steps {
  const { attributes, order } = source.plan.key;
  const gathered: Batch[] = [];
  yield* scanRows(source, function* (rows): Task<void> {
    const batch = yield* wait(rows.all());
    const keys = yield* wait(rows.part.readRows(attributes, rows.rows));
    gathered.push({ length: batch.length, columns: [...batch.columns, ...keys] });
  });
  if (gathered.length === 0) return;
  const all = concatBatches([], gathered);
  const width = source.plan.output.length;
  const sorted = yield* sortRows(all.length, rowOrder(order, all.columns.slice(width)), source.run);
  const columns = all.columns.slice(0, width);
  for (let start = 0; start < sorted.length; start += BATCH_ROWS_MAX) {
    const rows = sorted.subarray(start, start + BATCH_ROWS_MAX);
    yield { length: rows.length, columns: columns.map((column) => column.take(rows)) };
  }
}
