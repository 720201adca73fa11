/**
 * Trigonometry in degrees, exact at multiples of 30 and 45. Source: PostgreSQL 18, section 9.3, and dsind and
 * its kin of src/backend/utils/adt/float.c.
 */
import { SqlError } from '../../errors.ts';
import type { ScalarFunction } from '../function.ts';
import { scalar } from '../row.ts';

const RADIAN = Math.PI / 180;
const SIN_30 = Math.sin(30 * RADIAN);
const ONE_MINUS_COS_60 = 1 - Math.cos(60 * RADIAN);

const sineTo30 = (x: number): number => Math.sin(x * RADIAN) / SIN_30 / 2;
const cosineTo60 = (x: number): number => 1 - (1 - Math.cos(x * RADIAN)) / ONE_MINUS_COS_60 / 2;
/** 0 to 90. */
const sine = (x: number): number => (x <= 30 ? sineTo30(x) : cosineTo60(90 - x));
const cosine = (x: number): number => (x <= 60 ? cosineTo60(x) : sineTo30(90 - x));
const TAN_45 = sine(45) / cosine(45);
const COT_45 = cosine(45) / sine(45);

/** An angle folded into the first quadrant, with the signs of its sine and cosine. */
function folded(degrees: number): { readonly angle: number; readonly sin: number; readonly cos: number } {
  if (!Number.isFinite(degrees) && !Number.isNaN(degrees)) throw outOfRange();
  let angle = degrees % 360;
  let [sin, cos] = [1, 1];
  if (angle < 0) [angle, sin] = [-angle, -sin];
  if (angle > 180) [angle, sin] = [360 - angle, -sin];
  if (angle > 90) [angle, cos] = [180 - angle, -cos];
  return { angle, sin, cos };
}

function outOfRange(): SqlError {
  return new SqlError('numeric_value_out_of_range', 'input is out of range');
}

function sind(degrees: number): number {
  const { angle, sin } = folded(degrees);
  return sin * sine(angle);
}

function cosd(degrees: number): number {
  const { angle, cos } = folded(degrees);
  return cos * cosine(angle);
}

/** `+ 0` makes the negative zero positive. */
function tand(degrees: number): number {
  const { angle, sin, cos } = folded(degrees);
  return sin * cos * (sine(angle) / cosine(angle) / TAN_45) + 0;
}

function cotd(degrees: number): number {
  const { angle, sin, cos } = folded(degrees);
  return sin * cos * (cosine(angle) / sine(angle) / COT_45) + 0;
}

const arcSine = (x: number): number =>
  x <= 0.5 ? (Math.asin(x) / Math.asin(0.5)) * 30 : 90 - (Math.acos(x) / Math.acos(0.5)) * 60;
const arcCosine = (x: number): number =>
  x <= 0.5 ? 90 - (Math.asin(x) / Math.asin(0.5)) * 30 : (Math.acos(x) / Math.acos(0.5)) * 60;

/** @throws SqlError 22003 outside -1 to 1. */
function checkUnit(x: number): number {
  if (x < -1 || x > 1) throw outOfRange();
  return x;
}

const asind = (x: number): number => (checkUnit(x) >= 0 ? arcSine(x) : -arcSine(-x));
const acosd = (x: number): number => (checkUnit(x) >= 0 ? arcCosine(x) : 90 + arcSine(-x));
const atand = (x: number): number => (Math.atan(x) / Math.atan(1)) * 45;

const ROWS: readonly (readonly [string, string, string, (x: number) => number])[] = [
  ['sind', '30', '0.5', sind],
  ['cosd', '60', '0.5', cosd],
  ['tand', '45', '1', tand],
  ['cotd', '45', '1', cotd],
  ['asind', '0.5', '30', asind],
  ['acosd', '0.5', '60', acosd],
  ['atand', '1', '45', atand],
];

export const DEGREE_FUNCTIONS: readonly ScalarFunction[] = [
  ...ROWS.map(([name, given, result, evaluate]) =>
    scalar(`${name}(float8) float8`, {
      summary: `${name.slice(0, -1)} in degrees.`,
      example: [`SELECT ${name}(${given})`, result],
      evaluate,
    }),
  ),
  scalar('atan2d(float8, float8) float8', {
    summary: 'The angle of y and x in degrees.',
    example: ['SELECT atan2d(1, 0)', '90'],
    evaluate: (y: number, x: number) => (Math.atan2(y, x) / Math.atan(1)) * 45,
  }),
];
