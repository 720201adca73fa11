/**
 * JSON functions and operators. json keeps its text, jsonb is canonical; where both have a function of the
 * same shape one row serves as template for the two. Source: PostgreSQL 18, section 9.16.
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { formatJsonb, isJsonArray, isJsonObject, type JsonValue, parseJson } from '../../types/json/json.ts';
import { jsonItems, jsonKind, jsonMembers, unquoted } from '../../types/json/text.ts';
import { OID } from '../../types/oids.ts';
import type { FunctionContext, Operator, ScalarFunction } from '../function.ts';
import { JSON_NAVIGATION, JSON_TEXT_FUNCTIONS } from './text-functions.ts';
import { changeAt, concatJson, containsJson, jsonOfDatum, prettyJson, stripNulls } from './values.ts';
import { checkKey, writeJson, writeKey, writeMembers } from './write.ts';

type Kind = 'json' | 'jsonb';
const KINDS: readonly Kind[] = ['json', 'jsonb'];

const hasKey = (value: JsonValue, key: Datum): boolean =>
  isJsonObject(value)
    ? value.has(key as string)
    : isJsonArray(value)
      ? value.includes(key as string)
      : value === key;

function removeKey(text: string, key: string): string {
  const value = parseJson(text);
  if (isJsonArray(value)) return formatJsonb(value.filter((item) => item !== key));
  if (isJsonObject(value)) return formatJsonb(new Map([...value].filter(([name]) => name !== key)));
  throw new SqlError('invalid_parameter_value', 'cannot delete from scalar');
}

export const JSON_OPERATORS: readonly Operator[] = [
  ...JSON_NAVIGATION,
  {
    name: '@>',
    left: 'jsonb',
    right: 'jsonb',
    returns: 'bool',
    commutator: '<@',
    summary: 'Does the left contain the right?',
    example: [`SELECT '{"a": 1, "b": 2}'::jsonb @> '{"a": 1}'`, 't'],
    evaluate: (a: string, b: string) => containsJson(parseJson(a), parseJson(b)),
  },
  {
    name: '<@',
    left: 'jsonb',
    right: 'jsonb',
    returns: 'bool',
    commutator: '@>',
    summary: 'Is the left contained in the right?',
    example: [`SELECT '{"a": 1}'::jsonb <@ '{"a": 1, "b": 2}'`, 't'],
    evaluate: (a: string, b: string) => containsJson(parseJson(b), parseJson(a)),
  },
  {
    name: '?',
    left: 'jsonb',
    right: 'text',
    returns: 'bool',
    summary: 'Is the text a key or an element?',
    example: [`SELECT '{"a": 1}'::jsonb ? 'a'`, 't'],
    evaluate: (text: string, key: string) => hasKey(parseJson(text), key),
  },
  {
    name: '?|',
    left: 'jsonb',
    right: '_text',
    returns: 'bool',
    summary: 'Is any of the texts a key or an element?',
    example: [`SELECT '{"a": 1}'::jsonb ?| '{b,a}'`, 't'],
    evaluate: (text: string, keys: ArrayDatum) => {
      const value = parseJson(text);
      return keys.elements.some((key) => hasKey(value, key));
    },
  },
  {
    name: '?&',
    left: 'jsonb',
    right: '_text',
    returns: 'bool',
    summary: 'Are all of the texts keys or elements?',
    example: [`SELECT '{"a": 1}'::jsonb ?& '{b,a}'`, 'f'],
    evaluate: (text: string, keys: ArrayDatum) => {
      const value = parseJson(text);
      return keys.elements.every((key) => hasKey(value, key));
    },
  },
  {
    name: '||',
    left: 'jsonb',
    right: 'jsonb',
    returns: 'jsonb',
    summary: 'Both, the right one winning.',
    example: [`SELECT '{"a": 1}'::jsonb || '{"b": 2}'`, '{"a": 1, "b": 2}'],
    evaluate: (a: string, b: string) => formatJsonb(concatJson(parseJson(a), parseJson(b))),
  },
  {
    name: '-',
    left: 'jsonb',
    right: 'text',
    returns: 'jsonb',
    summary: 'Without a key, or without equal string elements.',
    example: [`SELECT '{"a": 1, "b": 2}'::jsonb - 'a'`, '{"b": 2}'],
    evaluate: removeKey,
  },
  {
    name: '-',
    left: 'jsonb',
    right: '_text',
    returns: 'jsonb',
    summary: 'Without several keys.',
    example: [`SELECT '{"a": 1, "b": 2}'::jsonb - '{a,b}'::text[]`, '{}'],
    evaluate: (text: string, keys: ArrayDatum) =>
      keys.elements.reduce<string>((rest, key) => removeKey(rest, key as string), text),
  },
  {
    name: '-',
    left: 'jsonb',
    right: 'int4',
    returns: 'jsonb',
    summary: 'Without the element at a position.',
    example: [`SELECT '[1, 2]'::jsonb - 0`, '[2]'],
    evaluate: (text: string, index: number) =>
      formatJsonb(changeAt(parseJson(text), [String(index)], () => undefined)),
  },
  {
    name: '#-',
    left: 'jsonb',
    right: '_text',
    returns: 'jsonb',
    summary: 'Without what stands at a path.',
    example: [`SELECT '{"a": {"b": 1}}'::jsonb #- '{a,b}'`, '{"a": {}}'],
    evaluate: (text: string, path: ArrayDatum) =>
      formatJsonb(changeAt(parseJson(text), path.elements, () => undefined)),
  },
];

/** Keys and values in turn. @throws SqlError 22023, 22004. */
function pairs({ fields }: RecordDatum, name: string): [key: number, value: number][] {
  if (fields.length % 2 === 1) {
    throw new SqlError('invalid_parameter_value', 'argument list must have even number of elements', {
      hint: `The arguments of ${name}() must consist of alternating keys and values.`,
    });
  }
  return Array.from({ length: fields.length / 2 }, (_, i) => {
    if (fields[2 * i] !== null) return [2 * i, 2 * i + 1];
    if (name.startsWith('jsonb')) {
      throw new SqlError('invalid_parameter_value', `argument ${2 * i + 1}: key must not be null`);
    }
    throw new SqlError('null_value_not_allowed', 'null value not allowed for object key');
  });
}

const BUILDERS = {
  json: { object: jsonObject, array: jsonArray },
  jsonb: { object: jsonbObject, array: jsonbArray },
};

function jsonObject({ settings }: FunctionContext, args: RecordDatum): string {
  const { fields, types } = args;
  const written = pairs(args, 'json_build_object').map(([key, value]) => {
    const name = writeKey(fields[key] ?? null, types[key] ?? OID.text, settings);
    return [name, writeJson(fields[value] ?? null, types[value] ?? OID.text, settings)] as const;
  });
  return `{${writeMembers(written)}}`;
}

function jsonArray({ settings }: FunctionContext, { fields, types }: RecordDatum): string {
  return `[${fields.map((field, i) => writeJson(field, types[i] ?? OID.text, settings)).join(', ')}]`;
}

function jsonbObject({ settings }: FunctionContext, args: RecordDatum): string {
  const { fields, types } = args;
  const of = (i: number): JsonValue => jsonOfDatum(fields[i] ?? null, types[i] ?? OID.text, settings);
  const members = pairs(args, 'jsonb_build_object').map(([key, value]): [string, JsonValue] => {
    checkKey(fields[key] ?? null, types[key] ?? OID.text);
    const name = of(key);
    return [typeof name === 'string' ? name : formatJsonb(name), of(value)];
  });
  return formatJsonb(new Map(members));
}

function jsonbArray({ settings }: FunctionContext, { fields, types }: RecordDatum): string {
  return formatJsonb(fields.map((field, i) => jsonOfDatum(field, types[i] ?? OID.text, settings)));
}

/** Any value as JSON; NULL stays NULL. */
function toJson({ settings }: FunctionContext, { fields, types }: RecordDatum, kind: Kind): string | null {
  const [field = null] = fields;
  const [type = OID.text] = types;
  if (field === null) return null;
  return kind === 'json' ? writeJson(field, type, settings) : formatJsonb(jsonOfDatum(field, type, settings));
}

/** json without members that are null: compact, but with equal keys and numbers as they are written. */
function stripText(text: string, inArrays: boolean): string {
  const kind = jsonKind(text);
  if (kind === 'array') {
    const items = [...jsonItems(text)].filter((item) => !inArrays || jsonKind(item) !== 'null');
    return `[${items.map((item) => stripText(item, inArrays)).join(',')}]`;
  }
  if (kind === 'object') {
    const kept = [...jsonMembers(text)].filter((member) => jsonKind(member.text) !== 'null');
    const written = kept.map(
      ({ key, text: value }) => `${JSON.stringify(key)}:${stripText(value, inArrays)}`,
    );
    return `{${written.join(',')}}`;
  }
  return kind === 'string' ? JSON.stringify(unquoted(text.trim())) : text.trim();
}

const builders = (kind: Kind): ScalarFunction[] => [
  {
    name: `${kind}_build_object`,
    args: ['...any'],
    argsMax: Number.POSITIVE_INFINITY,
    returns: kind,
    strict: false,
    volatility: 'stable',
    summary: 'An object of keys and values in turn.',
    example: [`SELECT ${kind}_build_object('a', 1)`, kind === 'json' ? '{"a" : 1}' : '{"a": 1}'],
    evaluateIn: (context, args: RecordDatum | null) => args && BUILDERS[kind].object(context, args),
  },
  {
    name: `${kind}_build_object`,
    args: [],
    returns: kind,
    summary: 'The empty object.',
    example: [`SELECT ${kind}_build_object()`, '{}'],
    evaluate: () => '{}',
  },
  {
    name: `${kind}_build_array`,
    args: ['...any'],
    argsMax: Number.POSITIVE_INFINITY,
    returns: kind,
    strict: false,
    volatility: 'stable',
    summary: 'An array of the arguments.',
    example: [`SELECT ${kind}_build_array(1, 'x')`, '[1, "x"]'],
    evaluateIn: (context, args: RecordDatum | null) => args && BUILDERS[kind].array(context, args),
  },
  {
    name: `${kind}_build_array`,
    args: [],
    returns: kind,
    summary: 'The empty array.',
    example: [`SELECT ${kind}_build_array()`, '[]'],
    evaluate: () => '[]',
  },
];

const twins = KINDS.flatMap((kind): ScalarFunction[] => [
  {
    name: `${kind}_strip_nulls`,
    args: [kind, 'bool'],
    argNames: ['target', 'strip_in_arrays'],
    defaults: ['false'],
    returns: kind,
    summary: 'Without members that are null, and elements if that is asked for.',
    example: [`SELECT ${kind}_strip_nulls('{"a":null,"b":[]}')`, kind === 'json' ? '{"b":[]}' : '{"b": []}'],
    evaluate: (text: string, inArrays: boolean) =>
      kind === 'json' ? stripText(text, inArrays) : formatJsonb(stripNulls(parseJson(text), inArrays)),
  },
  ...builders(kind),
  {
    name: kind === 'json' ? 'to_json' : 'to_jsonb',
    args: ['...any'],
    argsMax: 1,
    returns: kind,
    volatility: 'stable',
    strict: false,
    summary: 'Any value as JSON.',
    example: [`SELECT ${kind === 'json' ? 'to_json' : 'to_jsonb'}(true)`, 'true'],
    evaluateIn: (context, args: RecordDatum) => toJson(context, args, kind),
  },
]);

/** `text` with what stands at a path replaced. */
export const jsonbSet = (text: string, path: ArrayDatum, made: string, create: boolean): string =>
  formatJsonb(
    changeAt(parseJson(text), path.elements, (old) =>
      old === undefined && !create ? undefined : parseJson(made),
    ),
  );

export const JSON_FUNCTIONS: readonly ScalarFunction[] = [
  ...JSON_TEXT_FUNCTIONS,
  ...twins,
  {
    name: 'row_to_json',
    args: ['record', 'bool'],
    defaults: ['false'],
    returns: 'json',
    volatility: 'stable',
    summary: 'A row as a JSON object, pretty with a line for each member.',
    example: ["SELECT row_to_json(ROW(1, 'x'))", '{"f1":1,"f2":"x"}'],
    evaluateIn: ({ settings }, record: RecordDatum, pretty: boolean) =>
      writeJson(record, OID.record, settings, pretty),
  },
  {
    name: 'array_to_json',
    args: ['anyarray', 'bool'],
    defaults: ['false'],
    returns: 'json',
    volatility: 'stable',
    summary: 'An array as JSON, pretty with a line for each element.',
    example: ['SELECT array_to_json(ARRAY[1, 2])', '[1,2]'],
    evaluateIn: ({ settings }, array: ArrayDatum, pretty: boolean) =>
      writeJson(array, OID.text, settings, pretty),
  },
  {
    name: 'jsonb_set',
    args: ['jsonb', '_text', 'jsonb', 'bool'],
    returns: 'jsonb',
    defaults: ['true'],
    summary: 'With what stands at a path replaced.',
    example: [`SELECT jsonb_set('{"a": 1}', '{a}', '2')`, '{"a": 2}'],
    evaluate: jsonbSet,
  },
  {
    name: 'jsonb_pretty',
    args: ['jsonb'],
    returns: 'text',
    summary: 'Indented text.',
    example: [`SELECT jsonb_pretty('{"a": 1}')`, '{\n    "a": 1\n}'],
    evaluate: (text: string) => prettyJson(parseJson(text)),
  },
];
