/**
 * Arithmetic and comparisons of numerics that are carried as doubles (`Decimals`), exactly: where a result
 * could have too many digits, the rows are computed one by one instead, as they are for all other numerics.
 */
import type { Datum, NumericDatum } from '../../types/datum.ts';
import {
  DECIMAL_SCALE_MAX,
  type Decimals,
  ObjectVector,
  UNITS_MAX,
} from '../../types/column/object-vector.ts';
import { BoolVector, type Vector, vectorOf } from '../../types/column/vector.ts';
import { eitherNull, type Outcomes } from '../value/comparison-kernels.ts';

type Kernel = (args: readonly Vector[], length: number) => Vector;
type Step = (a: NumericDatum, b: NumericDatum) => Datum;
/** Null where a double cannot hold a result. */
type Whole = (a: Decimals, b: Decimals) => Decimals | null;

const decimalsOf = (vector: Vector | undefined): Decimals | null =>
  vector?.kind === 'object' ? vector.decimals() : null;

/** @param step for rows that need the general way. */
export function decimalKernel(operator: '+' | '-' | '*', step: Step): Kernel {
  const whole: Whole = operator === '*' ? product : (a, b) => sum(a, b, operator === '+' ? 1 : -1);
  return ([left, right], length) => {
    const [a, b] = [decimalsOf(left), decimalsOf(right)];
    const result = a === null || b === null ? null : whole(a, b);
    const nulls = eitherNull((left as Vector).nulls, (right as Vector).nulls, length);
    if (result !== null) return ObjectVector.fromDecimals(result, nulls);
    return vectorOf('object', rowByRow(left as Vector, right as Vector, step));
  };
}

function rowByRow(left: Vector, right: Vector, step: Step): Datum[] {
  const values = new Array<Datum>(left.length);
  for (let row = 0; row < values.length; row++) {
    const [a, b] = [left.get(row), right.get(row)];
    values[row] = a === null || b === null ? null : step(a as NumericDatum, b as NumericDatum);
  }
  return values;
}

function product(a: Decimals, b: Decimals): Decimals | null {
  const scale = a.scale + b.scale;
  if (scale > DECIMAL_SCALE_MAX) return null;
  const units = new Float64Array(a.units.length);
  let largest = 0;
  for (let row = 0; row < units.length; row++) {
    const unit = (a.units[row] as number) * (b.units[row] as number);
    units[row] = unit;
    largest = Math.max(largest, Math.abs(unit));
  }
  return largest <= UNITS_MAX ? { units, scale } : null;
}

function sum(a: Decimals, b: Decimals, sign: 1 | -1): Decimals | null {
  const scale = Math.max(a.scale, b.scale);
  const [left, right] = [10 ** (scale - a.scale), sign * 10 ** (scale - b.scale)];
  const units = new Float64Array(a.units.length);
  let largest = 0;
  for (let row = 0; row < units.length; row++) {
    const first = (a.units[row] as number) * left;
    const second = (b.units[row] as number) * right;
    const unit = first + second;
    units[row] = unit;
    largest = Math.max(largest, Math.abs(first), Math.abs(second), Math.abs(unit));
  }
  return largest <= UNITS_MAX ? { units, scale } : null;
}

/** @param compare for rows that need the general way: negative, 0 or positive. */
export function decimalComparison(
  [less, equal, greater]: Outcomes,
  compare: (a: NumericDatum, b: NumericDatum) => number,
): Kernel {
  const step: Step = (a, b) => [less, equal, greater][Math.sign(compare(a, b)) + 1] === 1;
  return ([left, right], length) => {
    const [a, b] = [decimalsOf(left), decimalsOf(right)];
    const difference = a === null || b === null ? null : sum(a, b, -1);
    if (difference === null) return vectorOf('bool', rowByRow(left as Vector, right as Vector, step));
    const values = new Uint8Array(length);
    for (let row = 0; row < length; row++) {
      const order = difference.units[row] as number;
      values[row] = order < 0 ? less : order > 0 ? greater : equal;
    }
    return new BoolVector(values, eitherNull((left as Vector).nulls, (right as Vector).nulls, length));
  };
}
