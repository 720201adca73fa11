/**
 * Vectors of datums. Numerics of one scale with few digits, which most columns of money are, are carried as
 * doubles instead (`Decimals`), exactly: kernels then never make a BigInt, and datums are made when asked for.
 */
import type { Datum, NumericDatum } from '../datum.ts';
import { type Nulls, sliceNulls, takeNulls, takeValues } from './vector-rows.ts';

/** `units[i]` × 10^-scale; whole numbers within ±UNITS_MAX. Under a NULL the unit is any such number. */
export interface Decimals {
  readonly units: Float64Array;
  /** Scale that PostgreSQL displays: the same for every row. */
  readonly scale: number;
}

export const UNITS_MAX = Number.MAX_SAFE_INTEGER;
/** 10^scale is exact in a double up to here, and such columns are all that matter. */
export const DECIMAL_SCALE_MAX = 15;

export class ObjectVector {
  readonly kind = 'object';
  readonly length: number;
  readonly nulls: Nulls;
  #values: readonly Datum[] | null;
  /** Undefined until somebody asked. */
  #decimals: Decimals | null | undefined;

  constructor(values: readonly Datum[], nulls: Nulls = null) {
    this.length = values.length;
    this.nulls = nulls;
    this.#values = values;
  }

  static fromDecimals(decimals: Decimals, nulls: Nulls = null): ObjectVector {
    const vector = new ObjectVector([], nulls);
    (vector as { length: number }).length = decimals.units.length;
    vector.#values = null;
    vector.#decimals = decimals;
    return vector;
  }

  get values(): readonly Datum[] {
    this.#values ??= Array.from({ length: this.length }, (_, row) => this.get(row));
    return this.#values;
  }

  /** Carried as doubles, with no datums made so far. */
  get isDecimal(): boolean {
    return this.#values === null;
  }

  /** The numerics as doubles; null for other datums, unlike scales and many digits. */
  decimals(): Decimals | null {
    if (this.#decimals === undefined) this.#decimals = decimalsOf(this.#values ?? [], this.nulls);
    return this.#decimals;
  }

  get(row: number): Datum {
    if (this.nulls !== null && this.nulls[row] === 1) return null;
    if (this.#values !== null) return this.#values[row] as Datum;
    const { units, scale } = this.#decimals as Decimals;
    return { datum: 'numeric', digits: BigInt(units[row] as number), scale };
  }

  slice(start: number, end: number): ObjectVector {
    const nulls = sliceNulls(this.nulls, start, end);
    if (!this.#decimals) return new ObjectVector(this.values.slice(start, end), nulls);
    const { units, scale } = this.#decimals;
    return ObjectVector.fromDecimals({ units: units.subarray(start, end), scale }, nulls);
  }

  take(rows: ArrayLike<number>): ObjectVector {
    const nulls = takeNulls(this.nulls, rows);
    if (this.#decimals) {
      const units = takeValues(this.#decimals.units, new Float64Array(rows.length), rows);
      return ObjectVector.fromDecimals({ units, scale: this.#decimals.scale }, nulls);
    }
    const from = this.values;
    const values = new Array<Datum>(rows.length);
    for (let i = 0; i < rows.length; i++) values[i] = from[rows[i] as number] as Datum;
    return new ObjectVector(values, nulls);
  }
}

function isNumeric(datum: Datum | undefined): datum is NumericDatum {
  return typeof datum === 'object' && datum !== null && 'datum' in datum && datum.datum === 'numeric';
}

function decimalsOf(values: readonly Datum[], nulls: Nulls): Decimals | null {
  const units = new Float64Array(values.length);
  let scale = -1;
  for (let row = 0; row < values.length; row++) {
    if (nulls !== null && nulls[row] === 1) continue;
    const datum = values[row];
    if (!isNumeric(datum) || datum.special !== undefined) return null;
    if (scale < 0) scale = datum.scale;
    const unit = Number(datum.digits);
    if (datum.scale !== scale || unit > UNITS_MAX || unit < -UNITS_MAX) return null;
    units[row] = unit;
  }
  return scale > DECIMAL_SCALE_MAX ? null : { units, scale: Math.max(scale, 0) };
}

/** The same datum in every row. */
export function constantObjects(datum: Datum, length: number): ObjectVector {
  const decimals = datum === null ? null : decimalsOf([datum], null);
  if (decimals !== null) {
    const units = new Float64Array(length).fill(decimals.units[0] as number);
    return ObjectVector.fromDecimals({ units, scale: decimals.scale });
  }
  const nulls = datum === null ? new Uint8Array(length).fill(1) : null;
  return new ObjectVector(new Array<Datum>(length).fill(datum), nulls);
}

/** All rows of several vectors; null when they are not decimals of one scale. */
export function concatDecimals(parts: readonly ObjectVector[], length: number): Decimals | null {
  const units = new Float64Array(length);
  const scale = parts[0]?.decimals()?.scale;
  let at = 0;
  for (const part of parts) {
    const decimals = part.decimals();
    if (decimals === null || decimals.scale !== scale) return null;
    units.set(decimals.units, at);
    at += decimals.units.length;
  }
  return scale === undefined ? null : { units, scale };
}
