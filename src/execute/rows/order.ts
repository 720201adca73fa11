/**
 * Ordering rows by sort keys: comparators over whole key columns, a stable sort that is sliced so that
 * others get their turns, and the best N rows of a stream.
 */
import { compareFloats } from '../../types/number/float.ts';
import type { SortKey } from '../../plan/plan.ts';
import { typeByOid } from '../../types/registry.ts';
import type { Datum } from '../../types/datum.ts';
import type { Float64Vector, Int32Vector, Int64Vector, Vector } from '../../types/column/vector.ts';
import type { Task } from '../../task.ts';
import { type Run, turn } from '../state.ts';

/** How rows of one key column compare: negative when row `a` comes before row `b`. */
export type RowOrder = (a: number, b: number) => number;

/** Sorted at once; above this, runs of this size are merged with turns for others between. */
const RUN_ROWS = 8_192;

/**
 * @param columns one per key, each holding all rows that will be compared.
 * @param others of the same kinds, where the second row of a comparison is one of theirs.
 */
export function rowOrder(keys: readonly SortKey[], columns: readonly Vector[], others = columns): RowOrder {
  const orders = keys.map((key, i) => keyOrder(key, columns[i] as Vector, others[i] as Vector));
  const [first, second] = orders;
  if (first === undefined) return () => 0;
  if (second === undefined) return first;
  return (a, b) => {
    for (const order of orders) {
      const result = order(a, b);
      if (result !== 0) return result;
    }
    return 0;
  };
}

function keyOrder(key: SortKey, column: Vector, other: Vector): RowOrder {
  const values = valueOrder(column, other, key.expression.type.oid);
  const sign = key.descending ? -1 : 1;
  const [nulls, otherNulls] = [column.nulls, other.nulls];
  if (nulls === null && otherNulls === null) return sign === 1 ? values : (a, b) => -values(a, b);
  const nullSign = key.nullsFirst ? -1 : 1;
  return (a, b) => {
    const aNull = nulls !== null && nulls[a] === 1;
    const bNull = otherNulls !== null && otherNulls[b] === 1;
    if (aNull || bNull) return aNull === bNull ? 0 : aNull ? nullSign : -nullSign;
    return sign * values(a, b);
  };
}

function valueOrder(column: Vector, other: Vector, oid: number): RowOrder {
  switch (column.kind) {
    case 'bool':
    case 'int32': {
      const { values } = column as Int32Vector;
      const { values: others } = other as Int32Vector;
      return (a, b) => (values[a] as number) - (others[b] as number);
    }
    case 'int64': {
      const { values } = column as Int64Vector;
      const { values: others } = other as Int64Vector;
      return (a, b) => {
        const x = values[a] as bigint;
        const y = others[b] as bigint;
        return x < y ? -1 : x > y ? 1 : 0;
      };
    }
    case 'float64': {
      const { values } = column as Float64Vector;
      const { values: others } = other as Float64Vector;
      return (a, b) => compareFloats(values[a] as number, others[b] as number);
    }
    default: {
      const compare = typeByOid(oid).compare ?? compareAnything;
      return (a, b) => compare(column.get(a), other.get(b));
    }
  }
}

/** For types without an order, which the binder rejects in ORDER BY. */
const compareAnything = (a: Datum, b: Datum): number => (String(a) < String(b) ? -1 : 1);

/** Positions 0..length-1 in order; equal rows keep theirs. */
export function* sortRows(length: number, order: RowOrder, run: Run): Task<Uint32Array> {
  const rows = new Uint32Array(length);
  for (let i = 0; i < length; i++) rows[i] = i;
  if (length > RUN_ROWS) return yield* sortRuns(rows, order, run);
  rows.sort(order);
  yield* turn(run);
  return rows;
}

function* sortRuns(unsorted: Uint32Array, order: RowOrder, run: Run): Task<Uint32Array> {
  let rows = unsorted;
  const { length } = rows;
  for (let start = 0; start < length; start += RUN_ROWS) {
    rows.subarray(start, Math.min(start + RUN_ROWS, length)).sort(order);
    yield* turn(run);
  }
  let target: Uint32Array = new Uint32Array(length);
  for (let width = RUN_ROWS; width < length; width *= 2) {
    for (let start = 0; start < length; start += 2 * width) {
      const merge = new Merge(rows, target, { start, width, length });
      while (merge.step(order)) yield* turn(run);
    }
    [rows, target] = [target, rows];
  }
  return rows;
}

/** Merges two neighbouring sorted runs, a slice at a time. */
class Merge {
  readonly #from: Uint32Array;
  readonly #to: Uint32Array;
  readonly #middle: number;
  readonly #end: number;
  #left: number;
  #right: number;
  #at: number;

  constructor(
    from: Uint32Array,
    to: Uint32Array,
    { start, width, length }: { start: number; width: number; length: number },
  ) {
    this.#from = from;
    this.#to = to;
    this.#middle = Math.min(start + width, length);
    this.#end = Math.min(start + 2 * width, length);
    this.#left = start;
    this.#right = this.#middle;
    this.#at = start;
  }

  /** Writes up to RUN_ROWS rows; false when the merge is complete. */
  step(order: RowOrder): boolean {
    const from = this.#from;
    const to = this.#to;
    const stop = Math.min(this.#at + RUN_ROWS, this.#end);
    while (this.#at < stop) {
      const takeLeft =
        this.#right >= this.#end ||
        (this.#left < this.#middle && order(from[this.#left] as number, from[this.#right] as number) <= 0);
      to[this.#at++] = from[takeLeft ? this.#left++ : this.#right++] as number;
    }
    return this.#at < this.#end;
  }
}
