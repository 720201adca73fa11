/**
 * Greatest common divisor and least common multiple of exact decimals. Of long numbers several quotients at once are
 * found from their leading bits: D. E. Knuth, The Art of Computer Programming, volume 2, 4.5.2, algorithm L.
 */
import type { NumericDatum } from '../datum.ts';
import { checked, magnitude, NUMERIC_NAN, numericOf, pow10 } from './numeric.ts';

/** As many bits as a double holds exactly, one left for carries. */
const LEADING_BITS = 52;

const lengthOf = (value: bigint): number => value.toString(2).length;

/** `value`'s length, which is `most` or a little less. */
function lengthBelow(value: bigint, most: number): number {
  const below = Math.max(most - 4 * LEADING_BITS, 0);
  const top = value >> BigInt(below);
  return top === 0n ? lengthOf(value) : below + lengthOf(top);
}

/** Rows of the matrix by which both numbers become smaller ones with the same divisors; null: no quotient is sure. */
function quotients(a: number, b: number): readonly [number, number, number, number] | null {
  let [x, y] = [a, b];
  let [first, second, third, fourth] = [1, 0, 0, 1];
  while (y + third !== 0 && y + fourth !== 0) {
    const quotient = Math.floor((x + first) / (y + third));
    if (quotient !== Math.floor((x + second) / (y + fourth))) break;
    [first, third] = [third, first - quotient * third];
    [second, fourth] = [fourth, second - quotient * fourth];
    [x, y] = [y, x - quotient * y];
  }
  return second === 0 ? null : [first, second, third, fourth];
}

function commonDivisor(one: bigint, other: bigint): bigint {
  let [a, b] = one > other ? [one, other] : [other, one];
  let length = lengthOf(a);
  while (b !== 0n && length > LEADING_BITS) {
    const shift = BigInt(length - LEADING_BITS);
    const found = quotients(Number(a >> shift), Number(b >> shift));
    if (found === null) [a, b] = [b, a % b];
    else {
      const [first, second, third, fourth] = found.map(BigInt) as [bigint, bigint, bigint, bigint];
      [a, b] = [first * a + second * b, third * a + fourth * b];
    }
    length = lengthBelow(a, length);
  }
  while (b !== 0n) [a, b] = [b, a % b];
  return a;
}

interface Aligned {
  readonly a: bigint;
  readonly b: bigint;
  readonly scale: number;
}

function aligned(a: NumericDatum, b: NumericDatum): Aligned {
  const scale = Math.max(a.scale, b.scale);
  const digits = (value: NumericDatum): bigint => magnitude(value.digits) * pow10(scale - value.scale);
  return { a: digits(a), b: digits(b), scale };
}

const isSpecial = (a: NumericDatum, b: NumericDatum): boolean =>
  a.special !== undefined || b.special !== undefined;

export function gcdNumeric(one: NumericDatum, other: NumericDatum): NumericDatum {
  if (isSpecial(one, other)) return NUMERIC_NAN;
  const { a, b, scale } = aligned(one, other);
  return numericOf(commonDivisor(a, b), scale);
}

/** @throws SqlError 22003 */
export function lcmNumeric(one: NumericDatum, other: NumericDatum): NumericDatum {
  if (isSpecial(one, other)) return NUMERIC_NAN;
  const { a, b, scale } = aligned(one, other);
  if (a === 0n || b === 0n) return numericOf(0n, scale);
  return checked((a / commonDivisor(a, b)) * b, scale);
}
