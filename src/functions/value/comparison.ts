/**
 * Comparison operators: six for every type that has `comparison`, and int2/int4/int8 and float4/float8 among each other.
 * Types with a column vector of their own are compared by kernel, the others by their type's `compare`.
 */
import { SqlError } from '../../errors.ts';
import { allTypes, arrayOf, findType, formatType, typeByOid, typeRef } from '../../types/registry.ts';
import type { ArrayDatum, Datum, RangeDatum, RecordDatum } from '../../types/datum.ts';
import type { Comparison } from '../../types/type.ts';
import { compareRanges } from '../../types/composite/range.ts';
import { compareNumeric } from '../../types/number/numeric.ts';
import { comparisonKernel, type Outcomes } from './comparison-kernels.ts';
import { decimalComparison } from '../number/decimal-kernels.ts';
import type { Operator } from '../function.ts';

interface Comparator {
  readonly name: string;
  readonly outcomes: Outcomes;
  readonly commutator: string;
  readonly negator: string;
  readonly words: string;
}

const COMPARATORS: readonly Comparator[] = [
  { name: '=', outcomes: [0, 1, 0], commutator: '=', negator: '<>', words: 'equal' },
  { name: '<>', outcomes: [1, 0, 1], commutator: '<>', negator: '=', words: 'not equal' },
  { name: '<', outcomes: [1, 0, 0], commutator: '>', negator: '>=', words: 'less than' },
  { name: '<=', outcomes: [1, 1, 0], commutator: '>=', negator: '>', words: 'less than or equal' },
  { name: '>', outcomes: [0, 0, 1], commutator: '<', negator: '<=', words: 'greater than' },
  { name: '>=', outcomes: [0, 1, 1], commutator: '<=', negator: '<', words: 'greater than or equal' },
];

const POLYMORPHIC_SAMPLES: Readonly<Record<string, string>> = {
  anyarray: 'ARRAY[1,2]',
  record: "ROW(1, 'a')",
  anyenum: "'sad'::mood",
  anyrange: "'[1,2)'::int4range",
};

/** A literal of each type, for the examples: every comparison of it with itself. */
const SAMPLES: Readonly<Record<string, string>> = {
  ...Object.fromEntries(allTypes().flatMap(({ name, comparison }) => sampleOf(name, comparison))),
  ...POLYMORPHIC_SAMPLES,
};

function sampleOf(type: string, comparison: Comparison | undefined): (readonly [string, string])[] {
  const name = type === 'char' ? '"char"' : type;
  return comparison === undefined ? [] : [[type, `'${comparison.samples[0]}'::${name}`]];
}

const KERNEL_TYPES: ReadonlySet<string> = new Set(
  'bool int2 int4 int8 float4 float8 text name uuid oid date time timestamp timestamptz anyenum'.split(' '),
);
const NUMBER_FAMILIES = [
  ['int2', 'int4', 'int8'],
  ['float4', 'float8'],
];

function sameType(type: string): readonly (readonly [string, string])[] {
  const family = NUMBER_FAMILIES.find((members) => members.includes(type)) ?? [type];
  return family.map((other) => [type, other] as const);
}

export const COMPARISON_OPERATORS: readonly Operator[] = Object.keys(SAMPLES)
  .flatMap(sameType)
  .flatMap(([left, right]) => COMPARATORS.map((comparator) => row(comparator, left, right)));

function row(
  { name, outcomes, commutator, negator, words }: Comparator,
  left: string,
  right: string,
): Operator {
  const holds = outcomes[1] === 1;
  const lacking = name === '=' || name === '<>' ? 'an equality operator' : 'a comparison function';
  return {
    name,
    left,
    right,
    returns: 'bool',
    commutator,
    negator,
    summary: `Whether the left value is ${words} ${words.endsWith('equal') ? 'to ' : ''}the right one.`,
    example: [`SELECT ${SAMPLES[left]} ${name} ${SAMPLES[right]}`, holds ? 't' : 'f'],
    ...(left === 'numeric' ? { kernel: decimalComparison(outcomes, compareNumeric) } : {}),
    ...(KERNEL_TYPES.has(left)
      ? { kernel: comparisonKernel(outcomes) }
      : { evaluate: (a: Datum, b: Datum) => outcomes[Math.sign(compareAs(left, a, b, lacking)) + 1] === 1 }),
  };
}

/** Function that a type of elements or fields lacks. */
type Lacking = 'an equality operator' | 'a comparison function';

function compareAs(type: string, a: Datum, b: Datum, lacking: Lacking): number {
  if (type === 'anyarray') return compareArrays(a as ArrayDatum, b as ArrayDatum, lacking);
  if (type === 'anyrange') return compareRanges(a as RangeDatum, b as RangeDatum);
  if (type === 'record') return compareRecords(a as RecordDatum, b as RecordDatum, lacking);
  return findType(type)?.compare?.(a, b) ?? 0;
}

/** btree's order of two arrays of one element type. @throws SqlError 42883 for elements that have none. */
export function compareArrays(
  a: ArrayDatum,
  b: ArrayDatum,
  lacking: Lacking = 'a comparison function',
): number {
  const compare = arrayOf(a.elementType)?.compare;
  if (compare === undefined) throw unordered(a.elementType, lacking);
  return compare(a, b);
}

const unordered = (type: number, lacking: Lacking): SqlError =>
  new SqlError('undefined_function', `could not identify ${lacking} for type ${formatType(typeRef(type))}`);

/** @throws SqlError 42804 for fields of different types, 42883 for those without order. */
function compareRecords(a: RecordDatum, b: RecordDatum, lacking: Lacking): number {
  for (const [i, left] of a.fields.entries()) {
    const right = b.fields[i] ?? null;
    const [type, other] = [a.types[i] as number, b.types[i] ?? (a.types[i] as number)];
    if (type !== other) throw dissimilar(type, other, i + 1);
    const { compare } = typeByOid(type);
    if (compare === undefined) throw unordered(type, lacking);
    if (left === null || right === null) {
      if (left !== right) return left === null ? 1 : -1;
      continue;
    }
    const order = compare(left, right);
    if (order !== 0) return order;
  }
  return a.fields.length - b.fields.length;
}

function dissimilar(left: number, right: number, column: number): SqlError {
  const types = [left, right].map((oid) => formatType(typeRef(oid))).join(' and ');
  return new SqlError(
    'datatype_mismatch',
    `cannot compare dissimilar column types ${types} at record column ${column}`,
  );
}
