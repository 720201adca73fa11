/**
 * Comparison of column vectors. Every kernel puts `outcomes[order + 1]` in its result, so one loop serves
 * all six operators; texts are compared as UTF-8 bytes (code point order) and never decoded.
 */
import { BoolVector, type TextVector, type Vector } from '../../types/column/vector.ts';

/** Results of an operator for less, equal, greater. */
export type Outcomes = readonly [0 | 1, 0 | 1, 0 | 1];

type Kernel = (args: readonly Vector[], length: number) => Vector;
type Numbers = Int32Array | Float64Array | Uint8Array;

/** 1 where either side is NULL; null when no row is. */
export function eitherNull(a: Uint8Array | null, b: Uint8Array | null, length: number): Uint8Array | null {
  if (a === null || b === null) return (a ?? b)?.subarray(0, length) ?? null;
  const nulls = new Uint8Array(length);
  for (let i = 0; i < length; i++) nulls[i] = (a[i] as number) | (b[i] as number);
  return nulls;
}

export function comparisonKernel(outcomes: Outcomes): Kernel {
  return ([left, right], length) => {
    const [a, b] = [left as Vector, right as Vector];
    const nulls = eitherNull(a.nulls, b.nulls, length);
    return new BoolVector(compareVectors(a, b, length, outcomes), nulls);
  };
}

function compareVectors(a: Vector, b: Vector, length: number, outcomes: Outcomes): Uint8Array {
  if (a.kind === 'text' && b.kind === 'text') return compareTexts(a, b, length, outcomes);
  if (a.kind === 'int64' && b.kind === 'int64') return compareLongs(a.values, b.values, length, outcomes);
  if (a.kind === 'int32' && b.kind === 'int32') return compareInts(a.values, b.values, length, outcomes);
  if (a.kind === 'float64' && b.kind === 'float64')
    return compareFloats(a.values, b.values, length, outcomes);
  return compareMixed(a, b, length, outcomes);
}

function compareInts(a: Int32Array, b: Int32Array, length: number, outcomes: Outcomes): Uint8Array {
  const [less, equal, greater] = outcomes;
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const order = (a[i] as number) - (b[i] as number);
    out[i] = order === 0 ? equal : order < 0 ? less : greater;
  }
  return out;
}

function compareLongs(a: BigInt64Array, b: BigInt64Array, length: number, outcomes: Outcomes): Uint8Array {
  const [less, equal, greater] = outcomes;
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a[i] as bigint, b[i] as bigint];
    out[i] = x === y ? equal : x < y ? less : greater;
  }
  return out;
}

/** NaN equals itself and is greater than every number. */
function compareFloats(a: Numbers, b: Numbers, length: number, outcomes: Outcomes): Uint8Array {
  const [less, equal, greater] = outcomes;
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    if (x < y) out[i] = less;
    else if (x > y) out[i] = greater;
    else if (x === y) out[i] = equal;
    else if (Number.isNaN(x)) out[i] = Number.isNaN(y) ? equal : greater;
    else out[i] = less;
  }
  return out;
}

/** int64 beside int32: JavaScript compares bigint with number exactly. Booleans: false < true. */
function compareMixed(a: Vector, b: Vector, length: number, outcomes: Outcomes): Uint8Array {
  const [less, equal, greater] = outcomes;
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const [x, y] = [a.get(i) as number | bigint | null, b.get(i) as number | bigint | null];
    if (x === null || y === null) continue;
    out[i] = x < y ? less : x > y ? greater : equal;
  }
  return out;
}

function compareTexts(a: TextVector, b: TextVector, length: number, outcomes: Outcomes): Uint8Array {
  const [less, equal, greater] = outcomes;
  const [left, right] = [a.utf8(), b.utf8()];
  const onlyEquality = less === greater;
  const out = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const start = left.offsets[i] as number;
    const other = right.offsets[i] as number;
    const size = (left.offsets[i + 1] as number) - start;
    const otherSize = (right.offsets[i + 1] as number) - other;
    if (onlyEquality && size !== otherSize) {
      out[i] = less;
      continue;
    }
    const shared = Math.min(size, otherSize);
    let at = 0;
    while (at < shared && left.bytes[start + at] === right.bytes[other + at]) at++;
    const order =
      at < shared
        ? (left.bytes[start + at] as number) - (right.bytes[other + at] as number)
        : size - otherSize;
    out[i] = order === 0 ? equal : order < 0 ? less : greater;
  }
  return out;
}
