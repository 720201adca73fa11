/**
 * Small functions of several types: parse_ident, num_nulls, string_to_table, trim_array, random in a range.
 * Source: PostgreSQL 18, chapter 9.
 */
import { crc32 } from 'node:zlib';
import { SqlError } from '../errors.ts';
import { arrayDatum } from '../types/composite/array.ts';
import type { ArrayDatum, NumericDatum, RecordDatum } from '../types/datum.ts';
import { compareNumeric, numericOf, pow10, subtractNumeric } from '../types/number/numeric.ts';
import { OID } from '../types/oids.ts';
import { quoteLiteral } from '../types/text/quote.ts';
import { typeByOid } from '../types/registry.ts';
import type { FunctionContext, ScalarFunction, SetFunction } from './function.ts';
import { scalar } from './row.ts';
import { stringToArray } from './text/text-edits.ts';

/** @throws SqlError 22023 */
function parseIdentifier(text: string, strict: boolean): ArrayDatum {
  const part = /\s*(?:"((?:[^"]|"")*)"|([\p{L}_][\p{L}\p{N}_$]*))\s*(\.)?/uy;
  const parts: string[] = [];
  const wrong = (detail?: string): SqlError =>
    new SqlError('invalid_parameter_value', `string is not a valid identifier: "${text}"`, { detail });
  for (let more = true; more; ) {
    const from = part.lastIndex;
    const match = part.exec(text);
    if (match === null) {
      if (/^\s*\./.test(text.slice(from))) throw wrong('No valid identifier before ".".');
      throw parts.length > 0 ? wrong('No valid identifier after ".".') : wrong();
    }
    if (match[1] === '') throw wrong('Quoted identifier must not be empty.');
    parts.push(match[1]?.replaceAll('""', '"') ?? (match[2] as string).toLowerCase());
    more = match[3] !== undefined;
    if (!more && strict && part.lastIndex < text.length) throw wrong();
    if (!more) break;
  }
  return arrayDatum(OID.text, parts);
}

/** @throws SqlError 2202E */
function trimArray(array: ArrayDatum, count: number): ArrayDatum {
  const [first, ...inner] = array.dimensions;
  const length = first?.length ?? 0;
  if (count < 0 || count > length) {
    throw new SqlError('array_subscript_error', `number of elements to trim must be between 0 and ${length}`);
  }
  const width = inner.reduce((product, dimension) => product * dimension.length, 1);
  const elements = array.elements.slice(0, (length - count) * width);
  if (first === undefined || elements.length === 0) return arrayDatum(array.elementType, []);
  const lengths = [length - count, ...inner.map((dimension) => dimension.length)];
  return { ...array, elements, dimensions: lengths.map((size) => ({ length: size, lowerBound: 1 })) };
}

/** @throws SqlError 22023 */
function checkRange(ordered: boolean): void {
  if (ordered) return;
  throw new SqlError('invalid_parameter_value', 'lower bound must be less than or equal to upper bound');
}

/** A whole number below `size`, from 53 random bits at a time. */
function randomBelow(context: FunctionContext, size: bigint): bigint {
  let value = 0n;
  for (let bits = size; bits > 0n; bits >>= 52n)
    value = (value << 53n) + BigInt(Math.floor(context.random() * 2 ** 53));
  return value % size;
}

function randomNumeric(context: FunctionContext, low: NumericDatum, high: NumericDatum): NumericDatum {
  checkRange(compareNumeric(low, high) <= 0);
  const scale = Math.max(low.scale, high.scale);
  const units = ({ digits, scale: own }: NumericDatum): bigint => digits * pow10(scale - own);
  const span = units(subtractNumeric(high, low));
  return numericOf(units(low) + randomBelow(context, span + 1n), scale);
}

/** The parts of the first dimension in opposite order. */
function reversed(array: ArrayDatum): ArrayDatum {
  const [, ...inner] = array.dimensions;
  const size = inner.reduce((product, { length }) => product * length, 1);
  const rows = Array.from({ length: array.elements.length / size }, (_, i) => {
    return array.elements.slice(i * size, (i + 1) * size);
  });
  return { ...array, elements: rows.toReversed().flat() };
}

/** NULL for VARIADIC NULL. */
function countFields(record: RecordDatum | null, wantsNull: boolean): number | null {
  if (record === null) return null;
  return record.fields.filter((field) => (field === null) === wantsNull).length;
}

export const VARIOUS_FUNCTIONS: readonly ScalarFunction[] = [
  {
    ...scalar('parse_ident(text, bool) _text', {
      summary: 'The parts of a qualified name.',
      example: ['SELECT parse_ident(\'"SomeSchema".someTable\')', '{SomeSchema,sometable}'],
      evaluate: parseIdentifier,
    }),
    defaults: ['true'],
  },
  ...(['num_nulls', 'num_nonnulls'] as const).map((name) =>
    scalar(`${name}(...any) int4`, {
      strict: false,
      summary: `How many arguments are ${name === 'num_nulls' ? '' : 'not '}NULL.`,
      example: [`SELECT ${name}(1, NULL, 2)`, name === 'num_nulls' ? '1' : '2'],
      evaluate: (record: RecordDatum | null) => countFields(record, name === 'num_nulls'),
    }),
  ),
  {
    ...scalar('quote_literal(...any) text', {
      volatility: 'stable',
      strict: false,
      summary: 'The value as a literal of SQL.',
      example: ['SELECT quote_literal(42.5)', "'42.5'"],
      evaluateIn: ({ settings }, { fields: [field], types: [type] }: RecordDatum) =>
        field === null || field === undefined
          ? null
          : quoteLiteral(typeByOid(type ?? OID.text).format(field, settings)),
    }),
    argsMax: 1,
  },
  scalar('trim_array(anyarray, int4) anyarray', {
    summary: 'The array without its last elements.',
    example: ['SELECT trim_array(ARRAY[1, 2, 3, 4], 2)', '{1,2}'],
    evaluate: trimArray,
  }),
  scalar('crc32(bytea) int8', {
    summary: 'The CRC-32 checksum.',
    example: ["SELECT crc32('abc'::bytea)", '891568578'],
    evaluate: (bytes: Uint8Array) => BigInt(crc32(bytes)),
  }),
  scalar('array_reverse(anyarray) anyarray', {
    summary: 'The elements in opposite order.',
    example: ['SELECT array_reverse(ARRAY[1, 2, 3])', '{3,2,1}'],
    evaluate: reversed,
  }),
  scalar('random(int4, int4) int4', {
    volatility: 'volatile',
    summary: 'A random number of a range, both ends included.',
    example: ['SELECT random(3, 3)', '3'],
    evaluateIn: (context, low: number, high: number) => {
      checkRange(low <= high);
      return low + Number(randomBelow(context, BigInt(high - low + 1)));
    },
  }),
  scalar('random(int8, int8) int8', {
    volatility: 'volatile',
    summary: 'A random number of a range, both ends included.',
    example: ['SELECT random(3::int8, 3::int8)', '3'],
    evaluateIn: (context, low: bigint, high: bigint) => {
      checkRange(low <= high);
      return low + randomBelow(context, high - low + 1n);
    },
  }),
  scalar('random(numeric, numeric) numeric', {
    effort: 1,
    volatility: 'volatile',
    summary: 'A random number of a range, both ends included.',
    example: ['SELECT random(0.5, 0.5)', '0.5'],
    evaluateIn: randomNumeric,
  }),
];

export const VARIOUS_SETS: readonly SetFunction[] = [
  ...[2, 3].map(
    (count): SetFunction => ({
      name: 'string_to_table',
      args: new Array<string>(count).fill('text'),
      returns: 'text',
      strict: false,
      summary: 'The parts between delimiters as rows.',
      example: [`SELECT count(*) FROM string_to_table('a,b', ','${count === 3 ? ", 'a'" : ''})`, '2'],
      rows: (_, text: string | null, delimiter: string | null, empty: string | null = null) =>
        text === null ? [] : stringToArray(text, delimiter, empty).elements.map((element) => [element]),
    }),
  ),
  {
    name: '_pg_expandarray',
    args: ['anyarray'],
    returns: 'record',
    columns: [
      { name: 'x', type: 'anyelement' },
      { name: 'n', type: 'int4' },
    ],
    summary: "An array's elements with their numbers (information_schema).",
    example: ['SELECT n FROM information_schema._pg_expandarray(ARRAY[7])', '1'],
    rows: (_, array: ArrayDatum) => array.elements.map((element, i) => [element, i + 1]),
  },
];
