/**
 * States of an aggregate for all groups at once. The frequent ones over plain numbers live in typed arrays;
 * every other aggregate keeps one state object a group and is stepped row by row.
 */
import { checkFloat } from '../../functions/number/arithmetic-kernels.ts';
import { addMoment } from '../../functions/float-moments.ts';
import type { AggregateFunction, FunctionContext } from '../../functions/function.ts';
import { type TypedState, typedStateOf } from '../../functions/aggregate/typed-state.ts';
import { aggregateById } from '../../functions/registry.ts';
import { functionId } from '../../functions/signature.ts';
import { CALL_INLINE_BYTES_MAX } from '../../limits.ts';
import type { AggregateCall } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import {
  Float64Vector,
  Int32Vector,
  Int64Vector,
  type Vector,
  type VectorKind,
  vectorOf,
} from '../../types/column/vector.ts';
import { checkValueBytes, weightOf } from '../../types/weight.ts';
import { type Accumulator, grown } from './accumulator.ts';
import { listOf } from '../expression/callee.ts';
import { DecimalSum } from './decimal-sum.ts';
import { kindOf } from '../expression/compiled.ts';
import { Pace } from '../pace.ts';
import type { Run } from '../state.ts';

export function accumulatorOf(call: AggregateCall, context: FunctionContext): Accumulator {
  return (
    typedAccumulator(call) ?? new ObjectAccumulator(aggregateById(call.function), kindOf(call.type), context)
  );
}

/** True when its states are in typed arrays: then it may be stepped for rows that do not count. */
export const isTyped = (call: AggregateCall): boolean => stateOf(call) !== null;

const stateOf = ({ function: id, args }: AggregateCall): TypedState | null =>
  typedStateOf(
    id,
    args.map(({ type }) => type.oid),
  );

function typedAccumulator(call: AggregateCall): Accumulator | null {
  const sign = aggregateById(call.function).name === 'max' ? 1 : -1;
  const state = stateOf(call);
  switch (state) {
    case 'count':
      return new Count();
    case 'integer sum':
      return new IntegerSum();
    case 'integer extreme':
      return new IntegerExtreme(sign);
    case 'float extreme':
      return new FloatExtreme(sign);
    case 'decimal mean':
      return new DecimalSum(true);
    case 'decimal sum':
      return new DecimalSum(false);
    case 'float sum':
      return new FloatSum();
    case 'float mean':
      return new FloatMean();
    default:
      return state;
  }
}

const WORD = 2 ** 32;

/** Whole numbers below 2^53 as int64, written as words: no BigInt is made. */
function longsOf(values: Float64Array): BigInt64Array {
  const words = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    const high = Math.floor(value / WORD);
    words[2 * i] = value - high * WORD;
    words[2 * i + 1] = high;
  }
  return new BigInt64Array(words.buffer);
}

class Count implements Accumulator {
  #counts = new Float64Array(0);
  #length = 0;

  grow(count: number): void {
    this.#counts = grown(this.#counts, count);
    this.#length = count;
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const counts = this.#counts;
    const nulls = arg?.nulls ?? null;
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      counts[group] = (counts[group] as number) + 1;
    }
  }

  result(): Vector {
    return new Int64Vector(longsOf(this.#counts.subarray(0, this.#length)));
  }
}

/** Sums of integers below 2^53 are exact in doubles; beyond, a bigint carries on. */
class IntegerSum implements Accumulator {
  #sums = new Float64Array(0);
  #seen = new Uint8Array(0);
  readonly #carried = new Map<number, bigint>();
  #length = 0;

  grow(count: number): void {
    this.#sums = grown(this.#sums, count);
    this.#seen = grown(this.#seen, count);
    this.#length = count;
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const { values, nulls } = arg as Int32Vector;
    const [sums, seen] = [this.#sums, this.#seen];
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      const sum = (sums[group] as number) + (values[row] as number);
      sums[group] = sum;
      seen[group] = 1;
      if (sum > 4e15 || sum < -4e15) this.#carry(group);
    }
  }

  #carry(group: number): void {
    const sum = BigInt(this.#sums[group] as number);
    this.#carried.set(group, (this.#carried.get(group) ?? 0n) + sum);
    this.#sums[group] = 0;
  }

  result(): Vector {
    const sums = longsOf(this.#sums.subarray(0, this.#length));
    for (const [group, carried] of this.#carried) sums[group] = (sums[group] as bigint) + carried;
    return new Int64Vector(sums, missing(this.#seen, this.#length));
  }
}

/** A value of each group that has one. */
class Kept<T extends Float64Array | Int32Array> {
  values: T;
  seen = new Uint8Array(0);
  #length = 0;

  constructor(none: T) {
    this.values = none;
  }

  grow(count: number): void {
    this.values = grown(this.values, count);
    this.seen = grown(this.seen, count);
    this.#length = count;
  }

  known(): T {
    return this.values.slice(0, this.#length) as T;
  }

  missing(): Uint8Array | null {
    return missing(this.seen, this.#length);
  }
}

/** NaN is greater than every number; of 0 and -0 the last one counts, as in PostgreSQL. */
class FloatExtreme implements Accumulator {
  readonly #sign: 1 | -1;
  readonly #kept = new Kept(new Float64Array(0));

  /** @param sign 1 for max, -1 for min. */
  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  grow(count: number): void {
    this.#kept.grow(count);
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const { values, nulls } = arg as Float64Vector;
    const { values: extremes, seen } = this.#kept;
    const sign = this.#sign;
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      const value = values[row] as number;
      const known = extremes[group] as number;
      if (seen[group] === 0) {
        extremes[group] = value;
        seen[group] = 1;
      } else if (sign === 1 ? value >= known || Number.isNaN(value) : value <= known || Number.isNaN(known)) {
        extremes[group] = value;
      }
    }
  }

  result(): Vector {
    return new Float64Vector(this.#kept.known(), this.#kept.missing());
  }
}

class IntegerExtreme implements Accumulator {
  readonly #sign: 1 | -1;
  readonly #kept = new Kept(new Int32Array(0));

  /** @param sign 1 for max, -1 for min. */
  constructor(sign: 1 | -1) {
    this.#sign = sign;
  }

  grow(count: number): void {
    this.#kept.grow(count);
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const { values, nulls } = arg as Int32Vector;
    const { values: extremes, seen } = this.#kept;
    const sign = this.#sign;
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      const value = values[row] as number;
      const better = sign * (value - (extremes[group] as number)) > 0;
      if (better || seen[group] === 0) extremes[group] = value;
      seen[group] = 1;
    }
  }

  result(): Vector {
    return new Int32Vector(this.#kept.known(), this.#kept.missing());
  }
}

/** @throws SqlError 22003 in `step` when a sum of finite values is none. */
class FloatSum implements Accumulator {
  #sums = new Float64Array(0);
  #seen = new Uint8Array(0);
  #length = 0;
  #first = 0;

  hideFirst(): void {
    this.#first = 1;
  }

  grow(count: number): void {
    this.#sums = grown(this.#sums, count);
    // A sum of negative zeros is one.
    this.#sums.fill(-0, this.#length, count);
    this.#seen = grown(this.#seen, count);
    this.#length = count;
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const { values, nulls } = arg as Float64Vector;
    const [sums, seen] = [this.#sums, this.#seen];
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      const [before, value] = [sums[group] as number, values[row] as number];
      const sum = before + value;
      if (!Number.isFinite(sum) && group >= this.#first) {
        checkFloat(sum, Number.isFinite(before) && Number.isFinite(value));
      }
      sums[group] = sum;
      seen[group] = 1;
    }
  }

  result(): Vector {
    return new Float64Vector(this.#sums.slice(0, this.#length), missing(this.#seen, this.#length));
  }
}

/** The squares of smaller values, and their sum, are far from overflow. */
const PLAIN_BELOW = 1e130;

/** A mean overflows where the variance would (`addMoment`): squares are kept of groups that large values reached. */
class FloatMean implements Accumulator {
  #sums = new Float64Array(0);
  #counts = new Float64Array(0);
  readonly #squares = new Map<number, number>();
  #length = 0;
  #first = 0;

  hideFirst(): void {
    this.#first = 1;
  }

  grow(count: number): void {
    this.#sums = grown(this.#sums, count);
    this.#counts = grown(this.#counts, count);
    this.#length = count;
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const { values, nulls } = arg as Float64Vector;
    const [sums, counts] = [this.#sums, this.#counts];
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      const [before, value] = [sums[group] as number, values[row] as number];
      const plain = Math.abs(before) + Math.abs(value) < PLAIN_BELOW;
      if (!plain && group >= this.#first) this.#addSquare(group, value);
      sums[group] = before + value;
      counts[group] = (counts[group] as number) + 1;
    }
  }

  /** @throws SqlError 22003 */
  #addSquare(group: number, value: number): void {
    const [count, sum] = [this.#counts[group] as number, this.#sums[group] as number];
    const { squares } = addMoment({ count, sum, squares: this.#squares.get(group) ?? 0 }, value);
    this.#squares.set(group, squares);
  }

  result(): Vector {
    const sums = this.#sums.slice(0, this.#length);
    const means = sums.map((sum, group) => sum / (this.#counts[group] as number));
    return new Float64Vector(means, missing(this.#counts, this.#length));
  }
}

/** NULL for groups that no value reached. */
function missing(seen: ArrayLike<number>, length: number): Uint8Array | null {
  let any = false;
  const nulls = new Uint8Array(length);
  for (let group = 0; group < length; group++) {
    if (seen[group] !== 0) continue;
    nulls[group] = 1;
    any = true;
  }
  return any ? nulls : null;
}

/** The state of an aggregate that gathers. */
interface Gathered {
  readonly rows: readonly Datum[];
}

const GROUPS_A_LOOK = 16;

class ObjectAccumulator implements Accumulator {
  readonly #aggregate: AggregateFunction;
  readonly #kind: VectorKind;
  readonly #context: FunctionContext;
  readonly #states: unknown[] = [];

  constructor(aggregate: AggregateFunction, kind: VectorKind, context: FunctionContext) {
    this.#aggregate = aggregate;
    this.#kind = kind;
    this.#context = context;
  }

  grow(count: number): void {
    while (this.#states.length < count) this.#states.push(this.#aggregate.init());
  }

  step(groups: Int32Array, args: readonly Vector[]): void {
    const strict = this.#aggregate.strict !== false;
    const values = new Array<Datum>(args.length);
    for (let row = 0; row < groups.length; row++) {
      let anyNull = false;
      for (let i = 0; i < args.length; i++) {
        const value = (args[i] as Vector).get(row);
        if (value === null) anyNull = true;
        values[i] = value;
      }
      if (strict && anyNull) continue;
      const group = groups[row] as number;
      this.#states[group] = this.#aggregate.step(this.#states[group], ...values);
    }
  }

  result(): Vector {
    return vectorOf(
      this.#kind,
      this.#states.map((state) => this.#aggregate.final(state, this.#context)),
    );
  }

  async resultLater(run: Run): Promise<Vector> {
    const values = new Array<Datum>(this.#states.length);
    const pace = new Pace(run, GROUPS_A_LOOK);
    for (const [group, state] of this.#states.entries()) {
      const value = this.#aggregate.gathers ? await this.#ofRows(state as Gathered, run) : this.#final(state);
      checkValueBytes(weightOf(value));
      values[group] = value;
      const pause = pace.after(1);
      if (pause !== null) await pause;
    }
    return vectorOf(this.#kind, values);
  }

  #final(state: unknown): Datum {
    return this.#aggregate.final(state, this.#context);
  }

  async #ofRows(state: Gathered, { context }: Run): Promise<Datum> {
    const list = listOf(state.rows);
    if (weightOf(list) <= CALL_INLINE_BYTES_MAX) return this.#final(state);
    const { helpers, signal, account } = context;
    const callee = { kind: 'final', aggregate: functionId(this.#aggregate) } as const;
    const result = await helpers.call({ callee, args: [list], context: this.#context, signal, account });
    return result === 'refused' ? this.#final(state) : result.value;
  }
}
