/**
 * A join with its right side in memory: in a hash table when there are equal keys, else as one long batch for a nested
 * loop. Every left batch gives pairs of rows, slice by slice; what is left of the ON clause picks among them.
 */
import type { Expression } from '../../plan/expression.ts';
import type { Join } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import { typeByOid } from '../../types/registry.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { concatSliced, nullColumns } from '../batches.ts';
import { evaluateAll, rowsWhere } from '../expression/evaluate.ts';
import { columnsOf } from '../../plan/columns-read.ts';
import type { HeldRows } from '../held-rows.ts';
import { asKind } from '../expression/cast.ts';
import { KeyNumbers } from './key-numbers.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';

/** The right side's rows are gathered, then put together. */
export const RIGHT_COPIES = 2;
/** Keys put into the hash table between two looks at the clock. */
const BUILD_ROWS = 16 * 1024;

/** Pairs looked at together. */
const PAIRS_MAX = 4_096;

/** True when a left row without a right one gives nothing. */
export const needsRight = ({ join }: Join): boolean =>
  join === 'inner' || join === 'cross' || join === 'semi';

/** True when a right row without a left one gives nothing. */
export const needsLeft = ({ join }: Join): boolean => join !== 'right' && join !== 'full';

/** @param right all rows of the right side; null where no left row is wanted. @param held what its table is counted to. */
export function* joinerOf(
  plan: Join,
  right: readonly Batch[],
  { run, held }: { readonly run: Run; readonly held: HeldRows },
): Task<Joiner | null> {
  const batch = yield* concatSliced(plan.right.output, right, run);
  if (batch.length === 0 && (needsRight(plan) || plan.join === 'right')) return null;
  return new Joiner(plan, yield* buildSide(plan.hashed, batch, { run, held }), run);
}

interface BuildSide {
  readonly batch: Batch;
  readonly keys: Join['hashed'];
  /** Null for a nested loop: every right row is a candidate of every left row. */
  readonly table: KeyNumbers | null;
  /** First right row of each key and, for each right row, the next one of its key; -1 ends. */
  readonly heads: Int32Array;
  readonly next: Int32Array;
}

function* buildSide(
  keys: Join['hashed'],
  batch: Batch,
  { run, held }: { readonly run: Run; readonly held: HeldRows },
): Task<BuildSide> {
  if (keys.length === 0) {
    return { batch, keys, table: null, heads: new Int32Array(0), next: new Int32Array(0) };
  }
  const columns = yield* keyColumns(keys, 'right', batch, run);
  const table = new KeyNumbers(
    keys.map((key) => key.right.type),
    false,
    held,
  );
  const numbers = yield* insertKeys(table, columns, batch.length, run);
  const heads = new Int32Array(table.size).fill(-1);
  const next = new Int32Array(batch.length);
  for (let row = batch.length - 1; row >= 0; row--) {
    const number = numbers[row] as number;
    if (number < 0) continue;
    next[row] = heads[number] as number;
    heads[number] = row;
  }
  return { batch, keys, table, heads, next };
}

/** Slice by slice, so that others have their turns. */
export function* insertKeys(
  table: KeyNumbers,
  columns: readonly Vector[],
  length: number,
  run: Run,
): Task<Int32Array> {
  const numbers = new Int32Array(length);
  for (let start = 0; start < length; start += BUILD_ROWS) {
    const end = Math.min(length, start + BUILD_ROWS);
    const slice = columns.map((column) => column.slice(start, end));
    numbers.set(table.insert(slice, end - start), start);
    yield* turn(run);
  }
  return numbers;
}

/** Integers of unlike width are compared as bigint. */
export function* keyColumns(
  keys: Join['hashed'],
  side: 'left' | 'right',
  batch: Batch,
  run: Run,
): Task<Vector[]> {
  const expressions = keys.map((key) => key[side]);
  const columns = yield* wait(evaluateAll(expressions, batch, run));
  return columns.map((column, i) => (isMixed(keys[i]) ? asInt64(column) : column));
}

const isMixed = (key: Join['hashed'][number] | undefined): boolean =>
  key !== undefined && typeByOid(key.left.type.oid).vector !== typeByOid(key.right.type.oid).vector;

function asInt64(column: Vector): Vector {
  return column.kind === 'int32' ? asKind(column, 'int64') : column;
}

export class Joiner {
  readonly #plan: Join;
  readonly #condition: Expression | null;
  readonly #build: BuildSide;
  readonly #run: Run;
  readonly #matchedRight: Uint8Array | null;

  /** Made by `joinerOf`. */
  constructor(plan: Join, build: BuildSide, run: Run) {
    this.#plan = plan;
    this.#condition = plan.rest;
    this.#build = build;
    this.#run = run;
    const keepsRight = plan.join === 'right' || plan.join === 'full';
    this.#matchedRight = keepsRight ? new Uint8Array(build.batch.length) : null;
  }

  /** @param place of each left row; then pairs have it as their last column. */
  *join(left: Batch, place: Vector | null = null): Steps {
    if (left.length === 0) return;
    const { join } = this.#plan;
    const matched = new Uint8Array(left.length);
    const exists = join === 'semi' || join === 'anti';
    const candidates = yield* this.#candidates(left, exists ? matched : null);
    for (const found of candidates) {
      yield* turn(this.#run);
      const pairs = yield* this.#filter(left, found);
      this.#mark(pairs, matched);
      if (!exists && pairs.length > 0) {
        yield withColumns(this.#combine(left, pairs), place === null ? [] : [place.take(pairs.left)]);
      }
    }
    const places = place === null ? [] : [place];
    if (exists) yield* pickRows(withColumns(left, places), matched, join === 'semi' ? 1 : 0);
    if (join !== 'left' && join !== 'full') return;
    const width = left.columns.length;
    for (const { length, columns } of pickRows(withColumns(left, places), matched, 0)) {
      const nulls = nullColumns(this.#plan.right.output, length);
      yield { length, columns: [...columns.slice(0, width), ...nulls, ...columns.slice(width)] };
    }
  }

  /** Right rows that no left row met, for RIGHT and FULL JOIN. */
  *unmatchedRight(): Generator<Batch> {
    if (this.#matchedRight === null) return;
    for (const batch of pickRows(this.#build.batch, this.#matchedRight, 0)) {
      const nulls = nullColumns(this.#plan.left.output, batch.length);
      yield { length: batch.length, columns: [...nulls, ...batch.columns] };
    }
  }

  /** @param done left rows to leave out as soon as they are marked. */
  *#candidates(left: Batch, done: Uint8Array | null): Task<Iterable<Pairs>> {
    const { table, keys } = this.#build;
    if (table === null) return this.#pairs(left, null, done);
    const columns = yield* keyColumns(keys, 'left', left, this.#run);
    return this.#pairs(left, table.find(columns, left.length), done);
  }

  /** @param numbers of each left row's key; null where every right row is a candidate. */
  *#pairs(left: Batch, numbers: Int32Array | null, done: Uint8Array | null): Generator<Pairs> {
    const { heads, next, batch } = this.#build;
    const buffer = new PairBuffer();
    for (let row = 0; row < left.length; row++) {
      let candidate = 0;
      if (numbers !== null) {
        const number = numbers[row] as number;
        if (number < 0) continue;
        candidate = heads[number] as number;
      }
      while (candidate >= 0 && candidate < batch.length) {
        buffer.add(row, candidate);
        candidate = numbers === null ? candidate + 1 : (next[candidate] as number);
        if (buffer.length < PAIRS_MAX) continue;
        yield buffer.take();
        if (done !== null && done[row] === 1) break;
      }
    }
    if (buffer.length > 0) yield buffer.take();
  }

  *#filter(left: Batch, pairs: Pairs): Task<Pairs> {
    const condition = this.#condition;
    if (condition === null) return pairs;
    const { deferred } = this.#run.cache.get(condition);
    const used = deferred.length > 0 ? null : columnsOf(condition);
    const combined = this.#combine(left, pairs, used);
    const kept = yield* wait(rowsWhere(condition, combined, this.#run));
    if (kept.length === pairs.length) return pairs;
    return {
      length: kept.length,
      left: pickPairs(pairs.left, kept),
      right: pickPairs(pairs.right, kept),
    };
  }

  /** @param used columns to take; others are left as they are, never to be looked at. */
  #combine(left: Batch, pairs: Pairs, used: ReadonlySet<number> | null = null): Batch {
    const width = left.columns.length;
    const columns = [
      ...left.columns.map((column, i) => (used === null || used.has(i) ? column.take(pairs.left) : column)),
      ...this.#build.batch.columns.map((column, i) =>
        used === null || used.has(width + i) ? column.take(pairs.right) : column,
      ),
    ];
    return { length: pairs.length, columns };
  }

  #mark(pairs: Pairs, matched: Uint8Array): void {
    for (let i = 0; i < pairs.length; i++) {
      matched[pairs.left[i] as number] = 1;
      if (this.#matchedRight !== null) this.#matchedRight[pairs.right[i] as number] = 1;
    }
  }
}

const withColumns = ({ length, columns }: Batch, more: readonly Vector[]): Batch => ({
  length,
  columns: [...columns, ...more],
});

function pickPairs(rows: Uint32Array, kept: Uint32Array): Uint32Array {
  const picked = new Uint32Array(kept.length);
  for (let i = 0; i < kept.length; i++) picked[i] = rows[kept[i] as number] as number;
  return picked;
}

interface Pairs {
  readonly length: number;
  readonly left: Uint32Array;
  readonly right: Uint32Array;
}

class PairBuffer {
  readonly #left = new Uint32Array(PAIRS_MAX);
  readonly #right = new Uint32Array(PAIRS_MAX);
  length = 0;

  add(left: number, right: number): void {
    this.#left[this.length] = left;
    this.#right[this.length] = right;
    this.length++;
  }

  take(): Pairs {
    const { length } = this;
    this.length = 0;
    return { length, left: this.#left.slice(0, length), right: this.#right.slice(0, length) };
  }
}

/** Rows whose mark is `wanted`, as a batch; none when there are none. */
function* pickRows(batch: Batch, marks: Uint8Array, wanted: number): Generator<Batch> {
  const rows = new Uint32Array(batch.length);
  let count = 0;
  for (let row = 0; row < batch.length; row++) if (marks[row] === wanted) rows[count++] = row;
  if (count === 0) return;
  const picked = rows.subarray(0, count);
  yield { length: count, columns: batch.columns.map((column) => column.take(picked)) };
}
