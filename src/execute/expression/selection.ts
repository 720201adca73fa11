/**
 * Rows for which `column op constant` is TRUE, without a boolean vector in between: the filters of most
 * scans. Numbers are compared in typed loops; int64 as pairs of 32-bit words, so that no BigInt is made a
 * row; repeated texts once a word of their dictionary.
 */
import { functionById } from '../../functions/registry.ts';
import type { Call, Expression } from '../../plan/expression.ts';
import type { Datum } from '../../types/datum.ts';
import {
  type BoolVector,
  constantVector,
  type Int64Vector,
  type TextVector,
  type Vector,
} from '../../types/column/vector.ts';
import { type Comparison, columnComparison } from '../../plan/column-comparison.ts';
import type { Evaluator, Selector } from './compiled.ts';
import { compileValue, oneValue } from './constant.ts';

/** Positions at which the mask is 1. Written without a branch a row. */
export function markedRows(mask: Uint8Array): Uint32Array {
  const rows = new Uint32Array(mask.length);
  let n = 0;
  for (let i = 0; i < mask.length; i++) {
    rows[n] = i;
    n += mask[i] as number;
  }
  return rows.subarray(0, n);
}

/** @returns null for expressions of another shape. */
export function compileSelection(
  expression: Expression,
  compile: (part: Expression) => Evaluator,
): Selector | null {
  if (expression.kind === 'and' || expression.kind === 'or') return compileChain(expression, compile);
  const found = columnComparison(expression);
  if (found === null || expression.kind !== 'call') return null;
  const { column, comparison, constant } = found;
  const slow = compile(constant);
  const value = compileValue(constant, slow) ?? oneValue(slow);
  const words = wordTest(expression, constant === expression.args[1]);
  return (batch, frame, mask) => {
    const vector = batch.columns[column] as Vector;
    const datum = value(frame);
    if (datum === null) mask.fill(0);
    else if (vector.kind === 'text') {
      if (!words(vector, datum, mask)) return false;
    } else if (!selectNumbers(vector, comparison, { datum, mask })) return false;
    const { nulls } = vector;
    if (nulls !== null) for (let i = 0; i < mask.length; i++) if (nulls[i] === 1) mask[i] = 0;
    return true;
  };
}

/** AND and OR of what can be selected; no row is looked at again once it is decided. */
function compileChain(
  { kind, args }: Extract<Expression, { kind: 'and' | 'or' }>,
  compile: (part: Expression) => Evaluator,
): Selector | null {
  const parts: Selector[] = [];
  for (const arg of args) {
    const part = compileSelection(arg, compile);
    if (part === null) return null;
    parts.push(part);
  }
  return kind === 'and' ? selectAll(parts) : selectAny(parts);
}

function selectAll(parts: readonly Selector[]): Selector {
  return (batch, frame, mask) => {
    const passes = mask.slice();
    for (const part of parts) if (!part(batch, frame, passes)) return false;
    mask.set(passes);
    return true;
  };
}

/** How many parts of an OR are tried before it is looked whether a row is left. */
const PARTS_A_LOOK = 64;

function selectAny(parts: readonly Selector[]): Selector {
  return (batch, frame, mask) => {
    const open = mask.slice();
    const tried = new Uint8Array(mask.length);
    for (const [i, part] of parts.entries()) {
      if (i % PARTS_A_LOOK === 0 && !open.includes(1)) break;
      tried.set(open);
      if (!part(batch, frame, tried)) return false;
      for (let row = 0; row < open.length; row++) open[row] = (open[row] as number) & ~(tried[row] as number);
    }
    for (let row = 0; row < mask.length; row++) mask[row] = (mask[row] as number) & ~(open[row] as number);
    return true;
  };
}

function selectNumbers(
  vector: Vector,
  comparison: Comparison,
  { datum, mask }: { datum: Datum; mask: Uint8Array },
): boolean {
  if (typeof datum === 'number' && !Number.isNaN(datum)) {
    if (vector.kind === 'int32' || vector.kind === 'float64') {
      compareNumbers(vector.values, comparison, datum, mask);
      return true;
    }
  }
  if (vector.kind !== 'int64') return false;
  if (typeof datum !== 'bigint' && !Number.isSafeInteger(datum)) return false;
  compareLongs(vector, comparison, BigInt(datum as number | bigint), mask);
  return true;
}

type Numbers = Int32Array | Float64Array;

/** NaN is greater than every number, hence the negations. */
function compareNumbers(values: Numbers, comparison: Comparison, wanted: number, mask: Uint8Array): void {
  const length = mask.length;
  switch (comparison) {
    case '=':
      for (let i = 0; i < length; i++)
        mask[i] = (mask[i] as number) & ((values[i] as number) === wanted ? 1 : 0);
      break;
    case '<>':
      for (let i = 0; i < length; i++)
        mask[i] = (mask[i] as number) & ((values[i] as number) !== wanted ? 1 : 0);
      break;
    case '<':
      for (let i = 0; i < length; i++)
        mask[i] = (mask[i] as number) & ((values[i] as number) < wanted ? 1 : 0);
      break;
    case '<=':
      for (let i = 0; i < length; i++)
        mask[i] = (mask[i] as number) & ((values[i] as number) <= wanted ? 1 : 0);
      break;
    case '>':
      for (let i = 0; i < length; i++)
        mask[i] = (mask[i] as number) & ((values[i] as number) <= wanted ? 0 : 1);
      break;
    case '>=':
      for (let i = 0; i < length; i++)
        mask[i] = (mask[i] as number) & ((values[i] as number) < wanted ? 0 : 1);
      break;
  }
}

/** Results of `comparison` for less, equal, greater. */
const OUTCOMES: Readonly<Record<Comparison, readonly [number, number, number]>> = {
  '=': [0, 1, 0],
  '<>': [1, 0, 1],
  '<': [1, 0, 0],
  '<=': [1, 1, 0],
  '>': [0, 0, 1],
  '>=': [0, 1, 1],
};

function compareLongs(
  { values }: Int64Vector,
  comparison: Comparison,
  wanted: bigint,
  mask: Uint8Array,
): void {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const wantedHigh = Number(BigInt.asIntN(32, wanted >> 32n));
  const wantedLow = Number(BigInt.asUintN(32, wanted));
  const [less, equal, greater] = OUTCOMES[comparison];
  for (let i = 0; i < mask.length; i++) {
    const high = words[2 * i + 1] as number;
    const low = (words[2 * i] as number) >>> 0;
    const order = high === wantedHigh ? low - wantedLow : high - wantedHigh;
    mask[i] = (mask[i] as number) & (order < 0 ? less : order > 0 ? greater : equal);
  }
}

/** Compares words once for a constant, then looks at codes; one row by itself at once. */
function wordTest(
  { function: operator }: Call,
  columnFirst: boolean,
): (vector: TextVector, datum: Datum, mask: Uint8Array) => boolean {
  const { kernel } = functionById(operator);
  const compare = (texts: TextVector, datum: string, by: NonNullable<typeof kernel>): Uint8Array => {
    const constant = constantVector('text', datum, texts.length);
    return (by(columnFirst ? [texts, constant] : [constant, texts], texts.length) as BoolVector).values;
  };
  let known: { words: TextVector; datum: Datum; passes: Uint8Array } | null = null;
  return (texts, datum, mask) => {
    if (typeof datum !== 'string' || kernel === undefined) return false;
    if (texts.dictionary === null) {
      if (mask.length > 1) return false;
      mask[0] = (mask[0] as number) & (compare(texts, datum, kernel)[0] as number);
      return true;
    }
    const { codes, words } = texts.dictionary;
    if (known === null || known.words !== words || known.datum !== datum) {
      known = { words, datum, passes: compare(words, datum, kernel) };
    }
    const { passes } = known;
    for (let i = 0; i < mask.length; i++) {
      mask[i] = (mask[i] as number) & (passes[codes[i] as number] as number);
    }
    return true;
  };
}
