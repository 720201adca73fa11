/**
 * Values of a mixed undeclared column, read by value class: its documents differ in type, so it is jsonb,
 * and a comparison takes the values of the other side's class. A value of another class is NULL.
 * Also GREATEST and LEAST, which the binder calls with their arguments as one array.
 */
import { UNIX_EPOCH_MICROS } from '../../epoch.ts';
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { formatJsonb, isJsonNumber, parseJson } from '../../types/json/json.ts';
import { taggedText, taggedValue } from '../../types/json/tagged.ts';
import { type JsonKind, jsonKind } from '../../types/json/text.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { isInfiniteTimestamp } from '../../types/time/datetime.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';
import { writeJson } from '../json/write.ts';

function numberOf(json: string): Datum {
  const value = parseJson(json);
  return isJsonNumber(value) ? value : null;
}

function textOf(json: string): string | null {
  const value = parseJson(json);
  return typeof value === 'string' ? value : null;
}

function booleanOf(json: string): boolean | null {
  const value = parseJson(json);
  return typeof value === 'boolean' ? value : null;
}

function timeOf(context: FunctionContext, json: string): Datum {
  const tagged = jsonKind(json) === 'object' ? taggedValue(json, context.settings) : null;
  if (tagged !== null) return tagged.oid === OID.timestamptz ? tagged.value : null;
  const text = textOf(json);
  if (text === null) return null;
  try {
    return typeByOid(OID.timestamptz).parse(text, -1, context.settings);
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

/** @param micros since 2000; cut below a millisecond. */
function millisecondsOf(micros: bigint): bigint {
  const since = micros + UNIX_EPOCH_MICROS;
  return (since - (((since % 1000n) + 1000n) % 1000n)) / 1000n;
}

/** Strings without their quotes, everything else as JSON: what an explicit cast goes on from. */
function castText(json: string): string | null {
  return json === 'null' ? null : (textOf(json) ?? json);
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const JSON_OF: Readonly<Record<JsonKind, (text: string) => string | null>> = {
  string: (text) => formatJsonb(text),
  number: (text) => (JSON_NUMBER.test(text.trim()) ? formatJsonb(parseJson(text)) : null),
  boolean: (text) => (/^(?:true|false)$/.test(text.trim()) ? text.trim() : null),
  null: () => null,
  object: containerOf,
  array: containerOf,
};

function containerOf(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return formatJsonb(parseJson(text));
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

/** The text as what the value is of; NULL where it does not read as such. */
const alike = (json: string, text: string): string | null => JSON_OF[jsonKind(json)](text);

/** Each text read as a JSON value of a kind; NULL where it does not read as such. */
function allRead(texts: ArrayDatum, kind: 'number' | 'boolean'): ArrayDatum {
  const [elementType, read] = kind === 'number' ? [OID.numeric, numberOf] : [OID.bool, booleanOf];
  const elements = texts.elements.map((text) => {
    const json = text === null ? null : JSON_OF[kind](text as string);
    return json === null ? null : read(json);
  });
  return { ...texts, elementType, elements };
}

function extreme(values: ArrayDatum, sign: 1 | -1): Datum {
  const { compare } = typeByOid(values.elementType);
  return values.elements.reduce((best, value) => {
    if (value === null || best === null) return best ?? value;
    return (compare?.(value, best) ?? 0) * sign > 0 ? value : best;
  }, null);
}

/** Rows as to_jsonb gives them: documents have none. */
function jsonOfValue({ types, fields }: RecordDatum, { settings }: FunctionContext): string {
  const [value, type] = [fields[0] ?? null, types[0] ?? OID.text];
  const isRow = typeof value === 'object' && value !== null && 'datum' in value && value.datum === 'record';
  return isRow ? formatJsonb(parseJson(writeJson(value, type, settings))) : taggedText(value, type, settings);
}

export const UNDECLARED_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'undeclared_json',
    args: ['...any'],
    argsMax: 1,
    returns: 'jsonb',
    volatility: 'stable',
    strict: false,
    summary: 'A value as a mixed undeclared column keeps it: tagged where JSON has none like it.',
    example: [`SELECT undeclared_json('\\x0102'::bytea)`, '{"$bytes": "AQI="}'],
    evaluateIn: (context, args: RecordDatum) => jsonOfValue(args, context),
  },
  {
    name: 'quern.sort_key',
    args: ['anyelement'],
    returns: 'anyelement',
    strict: false,
    effort: 0,
    summary:
      'The value, which is a number, a text or a time: what clients sort by. Anything else is an error.',
    example: ['SELECT quern.sort_key(3)', '3'],
    evaluate: (value: Datum) => value,
  },
  {
    name: 'undeclared_number',
    args: ['jsonb'],
    returns: 'numeric',
    summary: 'The number in a mixed undeclared column, else NULL.',
    example: [`SELECT undeclared_number('1.5')`, '1.5'],
    evaluate: numberOf,
  },
  {
    name: 'undeclared_text',
    args: ['jsonb'],
    returns: 'text',
    summary: 'The text in a mixed undeclared column, else NULL.',
    example: [`SELECT undeclared_text('"a"')`, 'a'],
    evaluate: textOf,
  },
  {
    name: 'undeclared_boolean',
    args: ['jsonb'],
    returns: 'bool',
    summary: 'The boolean in a mixed undeclared column, else NULL.',
    example: [`SELECT undeclared_boolean('true')`, 't'],
    evaluate: booleanOf,
  },
  {
    name: 'undeclared_time',
    args: ['jsonb'],
    returns: 'timestamptz',
    volatility: 'stable',
    summary: 'The time in a mixed undeclared column, else NULL.',
    example: [`SELECT undeclared_time('"2024-01-02 00:00:00+00"')`, '2024-01-02 00:00:00+00'],
    evaluateIn: timeOf,
  },
  {
    name: 'undeclared_milliseconds',
    args: ['timestamptz'],
    returns: 'int8',
    summary: 'Whole milliseconds since 1970 of a time in an undeclared column: what clients read it as.',
    example: [`SELECT undeclared_milliseconds('1970-01-01 00:00:01.5+00')`, '1500'],
    evaluate: (moment: bigint) => (isInfiniteTimestamp(moment) ? null : millisecondsOf(moment)),
  },
  {
    name: 'undeclared_sort_key',
    args: ['text'],
    returns: 'jsonb',
    volatility: 'volatile',
    effect: 'none',
    summary: 'Raises an error for the first row that is sorted by a field that no document has.',
    example: [`SELECT count(undeclared_sort_key('nope')) WHERE false`, '0'],
    evaluate: (field: string) => {
      throw new SqlError('undefined_column', `no document has a field "${field}" to sort by`);
    },
  },
  {
    name: 'undeclared_alike',
    args: ['jsonb', 'text'],
    returns: 'jsonb',
    summary:
      'A text read as what a value in a document is: a number beside a number, a text beside a text; else NULL.',
    example: [`SELECT undeclared_alike('3', '5')`, '5'],
    evaluate: alike,
  },
  {
    name: 'undeclared_numbers',
    args: ['_text'],
    returns: '_numeric',
    summary: 'Texts read as numbers; NULL for those that are none.',
    example: [`SELECT undeclared_numbers('{5,x}')`, '{5,NULL}'],
    evaluate: (texts: ArrayDatum) => allRead(texts, 'number'),
  },
  {
    name: 'undeclared_booleans',
    args: ['_text'],
    returns: '_bool',
    summary: 'Texts read as booleans; NULL for those that are none.',
    example: [`SELECT undeclared_booleans('{true,x}')`, '{t,NULL}'],
    evaluate: (texts: ArrayDatum) => allRead(texts, 'boolean'),
  },
  {
    name: 'undeclared_cast',
    args: ['jsonb'],
    returns: 'text',
    summary: 'The value of a mixed undeclared column as text, to be cast.',
    example: [`SELECT undeclared_cast('"a"')`, 'a'],
    evaluate: castText,
  },
  {
    name: 'greatest_of',
    args: ['anyarray'],
    returns: 'anyelement',
    summary: 'The largest element that is not NULL: GREATEST.',
    example: ['SELECT greatest(1, 3, NULL, 2)', '3'],
    evaluate: (values: ArrayDatum) => extreme(values, 1),
  },
  {
    name: 'least_of',
    args: ['anyarray'],
    returns: 'anyelement',
    summary: 'The smallest element that is not NULL: LEAST.',
    example: ['SELECT least(2, NULL, 1)', '1'],
    evaluate: (values: ArrayDatum) => extreme(values, -1),
  },
];
