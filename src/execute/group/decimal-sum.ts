/**
 * Sums and means that are numerics: of numerics, bigints and (the mean) smaller integers. As long as values are
 * whole numbers of one scale they are added up in doubles, exactly; what a double cannot hold is carried into
 * a numeric.
 */
import type { Datum, NumericDatum } from '../../types/datum.ts';
import { addNumeric, divideNumeric, numericOf } from '../../types/number/numeric.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import { type Accumulator, grown } from './accumulator.ts';
import { checkpoint, type Run } from '../state.ts';

/** Before a sum of doubles reaches it, it is carried: one more value keeps it exact. */
const CARRY_FROM = 2 ** 52;
const VALUE_MAX = 2 ** 51;
const WORD = 2 ** 32;
/** Values of a million groups are objects that take a third of a second to make. */
const GROUPS_A_TURN = 4 * 1024;

export class DecimalSum implements Accumulator {
  readonly #mean: boolean;
  #sums = new Float64Array(0);
  #counts = new Float64Array(0);
  /** The scale of `#sums`. */
  #scale = 0;
  /** 1 where `#sums` holds values that are not carried yet: a sum of none has no scale to give. */
  #added = new Float64Array(0);
  readonly #carried: (NumericDatum | undefined)[] = [];
  #length = 0;

  constructor(mean: boolean) {
    this.#mean = mean;
  }

  grow(count: number): void {
    this.#sums = grown(this.#sums, count);
    this.#counts = grown(this.#counts, count);
    this.#added = grown(this.#added, count);
    this.#length = count;
  }

  step(groups: Int32Array, [arg]: readonly Vector[]): void {
    const vector = arg as Vector;
    const decimals = decimalsOf(vector);
    if (decimals === null) {
      this.#stepRows(groups, vector);
      return;
    }
    if (decimals.scale !== this.#scale) this.#carryAll(decimals.scale);
    this.#add(groups, decimals.units, vector.nulls);
  }

  #add(groups: Int32Array, units: ArrayLike<number>, nulls: Uint8Array | null): void {
    const [sums, counts, added] = [this.#sums, this.#counts, this.#added];
    for (let row = 0; row < groups.length; row++) {
      if (nulls !== null && nulls[row] === 1) continue;
      const group = groups[row] as number;
      const unit = units[row] as number;
      counts[group] = (counts[group] as number) + 1;
      if (unit > VALUE_MAX || unit < -VALUE_MAX) {
        this.#carry(group, numericOf(BigInt(unit), this.#scale));
        continue;
      }
      const sum = (sums[group] as number) + unit;
      sums[group] = sum;
      added[group] = 1;
      if (sum > CARRY_FROM - VALUE_MAX || sum < VALUE_MAX - CARRY_FROM) this.#carrySum(group);
    }
  }

  #stepRows(groups: Int32Array, vector: Vector): void {
    for (let row = 0; row < groups.length; row++) {
      const value = vector.get(row);
      if (value === null) continue;
      const group = groups[row] as number;
      this.#counts[group] = (this.#counts[group] as number) + 1;
      this.#carry(group, typeof value === 'bigint' ? numericOf(value) : (value as NumericDatum));
    }
  }

  #carry(group: number, value: NumericDatum): void {
    const before = this.#carried[group];
    this.#carried[group] = before === undefined ? value : addNumeric(before, value);
  }

  #carrySum(group: number): void {
    this.#carry(group, numericOf(BigInt(this.#sums[group] as number), this.#scale));
    this.#sums[group] = 0;
    this.#added[group] = 0;
  }

  /** Values of another scale follow. */
  #carryAll(scale: number): void {
    for (let group = 0; group < this.#length; group++) {
      if (this.#added[group] === 1) this.#carrySum(group);
    }
    this.#scale = scale;
  }

  result(): Vector {
    return vectorOf('object', this.#values(0, this.#length));
  }

  async resultLater(run: Run): Promise<Vector> {
    const values: Datum[] = [];
    for (let start = 0; start < this.#length; start += GROUPS_A_TURN) {
      for (const value of this.#values(start, Math.min(start + GROUPS_A_TURN, this.#length)))
        values.push(value);
      const pause = checkpoint(run);
      if (pause !== null) await pause;
    }
    return vectorOf('object', values);
  }

  /** Results of groups `start..end - 1`. */
  #values(start: number, end: number): Datum[] {
    return Array.from({ length: end - start }, (_, i) => {
      const group = start + i;
      if (this.#added[group] === 1) this.#carrySum(group);
      const sum = this.#carried[group];
      if (sum === undefined || !this.#mean) return sum ?? null;
      return divideNumeric(sum, numericOf(BigInt(this.#counts[group] as number)));
    });
  }
}

interface Units {
  readonly units: ArrayLike<number>;
  readonly scale: number;
}

/** Null where the general way is needed. */
function decimalsOf(vector: Vector): Units | null {
  switch (vector.kind) {
    case 'int32':
      return { units: vector.values, scale: 0 };
    case 'int64':
      return longUnits(vector.values);
    case 'object':
      return vector.decimals();
    default:
      return null;
  }
}

/** Read as words, so that no BigInt is made. */
function longUnits(values: BigInt64Array): Units | null {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const units = new Float64Array(values.length);
  for (let row = 0; row < units.length; row++) {
    const unit = (words[2 * row + 1] as number) * WORD + ((words[2 * row] as number) >>> 0);
    if (unit > VALUE_MAX || unit < -VALUE_MAX) return null;
    units[row] = unit;
  }
  return { units, scale: 0 };
}
