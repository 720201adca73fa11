/**
 * The rows of a scan's parts that pass its filter, run by run: found by an index where one is worth it, else looked at
 * one after the other, in batches that grow while they are dealt with quickly.
 */
import type { Part, Snapshot } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { BATCH_ROWS_MAX, SCAN_ROWS_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Condition, Scan } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import { GUARDS } from '../guards.ts';
import { rowsWhere, selectRows } from '../expression/evaluate.ts';
import { markedRows } from '../expression/selection.ts';
import { type Run, turn } from '../state.ts';
import { listedRows } from './key-list.ts';
import { orderedRows } from './order-access.ts';
import { ScanRows, type ScanSource } from './scan-rows.ts';
import { rowsWithText } from './text-access.ts';
import { type OpenZones, openZones } from './zone-filter.ts';

/** @throws SqlError 42P01: a partition is there from its first write on. */
export function checkPartition({ relation, partition }: Scan, { snapshot }: Run): void {
  if (partition !== null && !hasPartition(snapshot, relation, partition)) {
    throw unknownPartition(snapshot, relation, partition);
  }
}

export const hasPartition = (snapshot: Snapshot, relation: number, partition: string): boolean =>
  snapshot.parts(relation, partition, true).length > 0 || snapshot.hasPartition(relation, partition);

export function unknownPartition(snapshot: Snapshot, relation: number, partition: string): SqlError {
  const name = snapshot.catalog.relations.get(relation)?.name;
  return new SqlError('undefined_table', `relation "${name}$${partition}" does not exist`, {
    routine: 'partition_not_found',
    hint: `Collection "${name}" has no partition "${partition}"; its first write makes it.`,
  });
}

export const partsOf = ({ plan, run, remembered }: ScanSource): readonly Part[] =>
  run.snapshot.parts(plan.relation, plan.partition, remembered);

/** The work on some rows of a scan, at once or in steps. */
type RowsStep<Y> = (rows: ScanRows) => Generator<Y, void, unknown> | void;

/** Gives `step` every row that passes the filter, up to BATCH_ROWS_MAX at a time. */
export function* scanRows<Y = never>(
  source: ScanSource,
  step: RowsStep<Y>,
): Generator<Y | Promise<unknown>, void, unknown> {
  const parts = partsOf(source);
  const listed = yield* listedRows(source, parts);
  for (const part of parts) {
    if (listed === null) yield* scanPart(source, part, null, step);
    else if (listed.has(part)) yield* scanPart(source, part, listed.get(part) ?? null, step);
  }
}

/** The same of one part. @param among ascending positions; null: all rows. */
export function* scanPart<Y = never>(
  source: ScanSource,
  part: Part,
  among: Uint32Array | null,
  step: RowsStep<Y>,
): Generator<Y | Promise<unknown>, void, unknown> {
  const { conditions } = source.plan;
  const pace: Pace = { rows: BATCH_ROWS_MAX };
  const { now } = source.run.context;
  const matched = among ? null : yield* matchedRows(source, part);
  const left = conditions.filter(({ expression }) => expression !== matched?.condition);
  const given = among ?? matched?.rows;
  const runs = given ? slices(source, part, given) : yield* startRows(source, part, pace);
  for (const rows of runs) {
    const began = now();
    yield* turn(source.run);
    const { statistics } = source.run.context;
    const node = statistics?.get(source.plan);
    if (node !== undefined) node.scanned += rows.length;
    yield* applyFilter(source, rows, left);
    const made = rows.length > 0 ? step(rows) : undefined;
    if (made !== undefined) yield* made;
    keepPace(pace, now() - began);
  }
}

/** How many rows the next batch has. */
interface Pace {
  rows: number;
}

/** @param spentMs on the last batch, by the scan and by all above it. */
function keepPace(pace: Pace, spentMs: number): void {
  if (spentMs < GUARDS.quickBatchMs) pace.rows = Math.min(2 * pace.rows, SCAN_ROWS_MAX);
  else if (spentMs > GUARDS.slowBatchMs) pace.rows = Math.max(pace.rows / 2, BATCH_ROWS_MAX);
}

/** Comparisons that follow each other mark rows in one mask, and only then are rows picked. */
export function* applyFilter(source: ScanSource, rows: ScanRows, filter: readonly Condition[]): Task<void> {
  const { run } = source;
  let mask: Uint8Array | null = null;
  for (const { expression: condition, reads } of filter) {
    if (rows.length === 0) return;
    const { select } = run.cache.get(condition);
    if (select !== null) {
      mask ??= new Uint8Array(rows.length).fill(1);
      const batch = yield* wait(rows.batch(reads));
      if (yield* wait(selectRows(select, batch, { mask, run }))) continue;
    }
    if (mask !== null) rows.keep(markedRows(mask));
    mask = null;
    if (rows.length === 0) return;
    const batch = yield* wait(rows.batch(reads));
    rows.keep(yield* wait(rowsWhere(condition, batch, run)));
  }
  if (mask === null) return;
  const { request } = source.plan;
  if (request.kind === 'rows' && request.masked && areMany(mask)) rows.mask = mask;
  else rows.keep(markedRows(mask));
}

function areMany(mask: Uint8Array): boolean {
  let count = 0;
  for (let row = 0; row < mask.length; row++) count += mask[row] as number;
  return count > GUARDS.maskedShareMin * mask.length;
}

/** The rows that a keyword predicate of the filter matches, ascending; null where none drives the scan. */
function* matchedRows(
  { plan, arms, run }: ScanSource,
  part: Part,
): Task<{ readonly condition: Expression; readonly rows: Uint32Array } | null> {
  for (const way of plan.ways) {
    if (way.kind !== 'keyword') continue;
    const { condition } = way;
    const prepared = arms[way.arm] ?? null;
    if (prepared === null) return { condition, rows: new Uint32Array(0) };
    const { rows } = yield* wait(prepared.search(part, part.rowCount, null, run.context.signal));
    return { condition, rows: rows.slice().sort() };
  }
  return null;
}

/** Runs of rows to start from: those an index finds, else every visible one. */
function* startRows(source: ScanSource, part: Part, pace: Pace): Task<Iterable<ScanRows>> {
  const filter = source.plan.conditions.map(({ expression }) => expression);
  const found = yield* accessedRows(source, part, filter);
  if (found !== null) return slices(source, part, found);
  return visibleRuns(source, part, pace, yield* openZones(source, part));
}

/** Null where no index finds them, or looking at every row is as good. */
function* accessedRows(
  source: ScanSource,
  part: Part,
  filter: readonly Expression[],
): Task<Uint32Array | null> {
  for (const access of source.plan.ways) {
    if (access.kind === 'text') return yield* rowsWithText(source, { access, part, filter });
    if (access.kind === 'order') return yield* orderedRows(source, { access, part, filter });
  }
  return null;
}

export function* slices(source: ScanSource, part: Part, rows: Uint32Array): Generator<ScanRows> {
  for (let start = 0; start < rows.length; start += BATCH_ROWS_MAX) {
    yield new ScanRows(source, part, rows.subarray(start, start + BATCH_ROWS_MAX));
  }
}

/** Runs of rows with those that are visible, passing over closed zones. */
function* visibleRuns(
  source: ScanSource,
  part: Part,
  pace: Pace,
  zones: OpenZones | null,
): Generator<ScanRows> {
  const { rowCount } = part;
  for (let start = 0, end = 0; start < rowCount; start = end) {
    if (zones !== null) start = nextOpen(zones, start);
    if (start >= rowCount) return;
    end = Math.min(start + pace.rows, zones === null ? rowCount : nextClosed(zones, start), rowCount);
    const rows = new ScanRows(source, part, visiblePlaces(part, start, end), { start, size: end - start });
    if (rows.length > 0) yield rows;
  }
}

/** Null when all rows of the run are visible. */
function visiblePlaces({ visible }: Part, start: number, end: number): Uint32Array | null {
  if (visible === null) return null;
  const places = new Uint32Array(end - start);
  let count = 0;
  for (let row = start; row < end; row++) {
    places[count] = row - start;
    count += ((visible[row >> 5] as number) >>> (row & 31)) & 1;
  }
  return count === end - start ? null : places.subarray(0, count);
}

/** First row at or after `row` whose zone is open; Infinity when there is none. */
function nextOpen({ rows, open }: OpenZones, row: number): number {
  const zone = Math.floor(row / rows);
  if (open[zone] === 1) return row;
  const next = open.indexOf(1, zone);
  return next < 0 ? Number.POSITIVE_INFINITY : next * rows;
}

function nextClosed({ rows, open }: OpenZones, row: number): number {
  const next = open.indexOf(0, Math.floor(row / rows));
  return next < 0 ? Number.POSITIVE_INFINITY : next * rows;
}
