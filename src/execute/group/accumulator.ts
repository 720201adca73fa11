/** The states of one aggregate for all groups, and how their arrays grow. */
import type { Vector } from '../../types/column/vector.ts';
import type { Run } from '../state.ts';

export interface Accumulator {
  /** Makes room for groups 0..count-1. */
  grow(count: number): void;
  /** Group 0 is that of rows that do not count: nothing in it is an error. */
  hideFirst?(): void;
  /** Row i of the arguments belongs to group `groups[i]`. */
  step(groups: Int32Array, args: readonly Vector[]): void;
  /** One value a group. */
  result(): Vector;
  /** The same, with turns for others: where a group's value may take long. */
  resultLater?(run: Run): Promise<Vector>;
}

/** A longer copy of a typed array; doubles, so that growing by one group is cheap. */
export function grown<T extends Float64Array | Int32Array | Uint8Array>(values: T, count: number): T {
  if (values.length >= count) return values;
  const Constructor = values.constructor as new (length: number) => T;
  const copy = new Constructor(Math.max(count, values.length * 2, 16));
  copy.set(values as never);
  return copy;
}
