/** Text of values of any type: concat, format, array_to_string, `||`. Source: PostgreSQL 18, section 9.4. */
import type { ArrayDatum, RecordDatum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { formatText } from './format.ts';
import type { FunctionContext, Operator, ScalarFunction } from '../function.ts';

function arrayToString(
  context: FunctionContext,
  array: ArrayDatum,
  delimiter: string,
  nullText: string | null,
): string {
  const type = typeByOid(array.elementType);
  return array.elements
    .map((item) => (item === null ? nullText : type.format(item, context.settings)))
    .filter((item) => item !== null)
    .join(delimiter);
}

/** The texts of a record's fields that are not NULL; NULL for VARIADIC NULL. */
function joinedFields(
  context: FunctionContext,
  record: RecordDatum | null,
  separator: string,
): string | null {
  return record && fieldTexts(context, record).join(separator);
}

function fieldTexts(context: FunctionContext, record: RecordDatum): string[] {
  return record.fields.flatMap((field, i) => {
    return field === null ? [] : [typeByOid(record.types[i] as number).format(field, context.settings)];
  });
}

const NO_FIELDS: RecordDatum = { datum: 'record', types: [], fields: [] };

export const CONCATENATION_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'concat',
    args: ['...any'],
    returns: 'text',
    strict: false,
    volatility: 'stable',
    summary: 'All arguments as text, NULLs left out.',
    example: ["SELECT concat('abcde', 2, NULL, 22)", 'abcde222'],
    evaluateIn: (context, record: RecordDatum | null) => joinedFields(context, record, ''),
  },
  {
    name: 'concat_ws',
    args: ['text', '...any'],
    returns: 'text',
    strict: false,
    volatility: 'stable',
    summary: 'All but the first as text, NULLs left out, the first between them.',
    example: ["SELECT concat_ws(',', 'abcde', 2, NULL, 22)", 'abcde,2,22'],
    evaluateIn: (context, separator: string | null, record: RecordDatum | null) =>
      separator === null ? null : joinedFields(context, record, separator),
  },
  {
    name: 'format',
    args: ['text'],
    returns: 'text',
    summary: 'The format with %% as %.',
    example: ["SELECT format('100%%')", '100%'],
    evaluateIn: (context, text: string) => formatText(context, text, NO_FIELDS),
  },
  {
    name: 'format',
    args: ['text', '...any'],
    returns: 'text',
    strict: false,
    volatility: 'stable',
    summary: '%s, %I and %L in the format replaced by the arguments.',
    example: ["SELECT format('Hello %s, %1$s', 'World')", 'Hello World, World'],
    evaluateIn: (context, text: string | null, record: RecordDatum | null) =>
      text === null ? null : formatText(context, text, record ?? NO_FIELDS),
  },
  {
    name: 'array_to_string',
    args: ['anyarray', 'text'],
    returns: 'text',
    volatility: 'stable',
    summary: 'The elements as text with a delimiter between them.',
    example: ["SELECT array_to_string(ARRAY[1, 2, NULL], ',')", '1,2'],
    evaluateIn: (context, array: ArrayDatum, delimiter: string) =>
      arrayToString(context, array, delimiter, null),
  },
  {
    name: 'array_to_string',
    args: ['anyarray', 'text', 'text'],
    returns: 'text',
    strict: false,
    volatility: 'stable',
    summary: 'The elements as text with a delimiter between them and a text for NULL.',
    example: ["SELECT array_to_string(ARRAY[1, 2, NULL], ',', '*')", '1,2,*'],
    evaluateIn: (context, array: ArrayDatum | null, delimiter: string | null, nullText: string | null) =>
      array === null || delimiter === null ? null : arrayToString(context, array, delimiter, nullText),
  },
  {
    name: 'pg_typeof',
    args: ['...any'],
    argsMax: 1,
    returns: 'regtype',
    strict: false,
    volatility: 'stable',
    summary: 'The type of a value.',
    example: ['SELECT pg_typeof(33)', 'integer'],
    evaluate: (record: RecordDatum) => record.types[0] ?? null,
  },
];

export const CONCATENATION_OPERATORS: readonly Operator[] = [
  {
    name: '^@',
    left: 'text',
    right: 'text',
    returns: 'bool',
    summary: 'Whether the text begins with the other.',
    example: ["SELECT 'alphabet' ^@ 'alph'", 't'],
    evaluate: (text: string, start: string) => text.startsWith(start),
  },
  {
    name: '||',
    left: 'text',
    right: 'text',
    returns: 'text',
    summary: 'One text after the other.',
    example: ["SELECT 'Post' || 'greSQL'", 'PostgreSQL'],
    effort: 0,
    evaluate: (a: string, b: string) => a + b,
  },
  {
    name: '||',
    left: 'bytea',
    right: 'bytea',
    returns: 'bytea',
    summary: 'One byte string after the other.',
    example: ["SELECT '\\x01'::bytea || '\\x02'::bytea", '\\x0102'],
    evaluate: (a: Uint8Array, b: Uint8Array) => new Uint8Array(Buffer.concat([a, b])),
  },
  {
    name: '||',
    left: 'text',
    right: 'anynonarray',
    returns: 'text',
    summary: 'The text, then the other value as text.',
    example: ["SELECT 'a'::text || date '2024-01-31'", 'a2024-01-31'],
    asText: true,
    effort: 0,
    evaluate: (a: string, b: string) => a + b,
  },
  {
    name: '||',
    left: 'anynonarray',
    right: 'text',
    returns: 'text',
    summary: 'The other value as text, then the text.',
    example: ["SELECT true || 'a'::text", 'truea'],
    asText: true,
    effort: 0,
    evaluate: (a: string, b: string) => a + b,
  },
];
