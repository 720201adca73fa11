/**
 * JSON functions and operators. json keeps its text, jsonb is canonical; where both have a function of the
 * same shape one row serves as template for the two. Source: PostgreSQL 18, section 9.16.
 */
import { SqlError } from '../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../types/datum.ts';
import {
  formatJsonb,
  isJsonArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  parseJson,
  sortedMembers,
} from '../types/json.ts';
import { OID } from '../types/oids.ts';
import type { FunctionContext, Operator, ScalarFunction, SetFunction } from './function.ts';
import {
  changeAt,
  child,
  concatJson,
  containsJson,
  descend,
  jsonOfDatum,
  jsonOfRecord,
  jsonText,
  jsonTypeName,
  prettyJson,
  stripNulls,
} from './json-values.ts';

type Kind = 'json' | 'jsonb';
const KINDS: readonly Kind[] = ['json', 'jsonb'];

const format = (value: JsonValue | undefined): string | null =>
  value === undefined ? null : formatJsonb(value);

/** A jsonb that is neither array nor object counts as an array of itself, as in PostgreSQL. */
function element(kind: Kind, value: JsonValue, index: number): JsonValue | undefined {
  const bare = kind === 'jsonb' && !isJsonArray(value) && !isJsonObject(value);
  return child(bare ? [value] : value, index);
}

const navigation = KINDS.flatMap((kind): Operator[] => {
  const sample = `'{"a": [1, "x"]}'::${kind}`;
  return [
    {
      name: '->',
      left: kind,
      right: 'text',
      returns: kind,
      summary: 'The member under a key.',
      example: [`SELECT ${sample} -> 'a' -> 1`, '"x"'],
      evaluate: (text: string, key: string) => {
        const value = parseJson(text);
        return isJsonObject(value) ? format(value.get(key)) : null;
      },
    },
    {
      name: '->',
      left: kind,
      right: 'int4',
      returns: kind,
      summary: 'The element at a position from 0; negative counts back.',
      example: [`SELECT '[1, 2]'::${kind} -> -1`, '2'],
      evaluate: (text: string, index: number) => format(element(kind, parseJson(text), index)),
    },
    {
      name: '->>',
      left: kind,
      right: 'text',
      returns: 'text',
      summary: 'The member under a key, as text.',
      example: [`SELECT '{"a": "x"}'::${kind} ->> 'a'`, 'x'],
      evaluate: (text: string, key: string) => {
        const value = parseJson(text);
        return isJsonObject(value) ? jsonText(value.get(key)) : null;
      },
    },
    {
      name: '->>',
      left: kind,
      right: 'int4',
      returns: 'text',
      summary: 'The element at a position, as text.',
      example: [`SELECT '["x"]'::${kind} ->> 0`, 'x'],
      evaluate: (text: string, index: number) => jsonText(element(kind, parseJson(text), index)),
    },
    {
      name: '#>',
      left: kind,
      right: '_text',
      returns: kind,
      summary: 'What stands at a path.',
      example: [`SELECT ${sample} #> '{a,0}'`, '1'],
      evaluate: (text: string, path: ArrayDatum) => format(descend(parseJson(text), path.elements)),
    },
    {
      name: '#>>',
      left: kind,
      right: '_text',
      returns: 'text',
      summary: 'What stands at a path, as text.',
      example: [`SELECT ${sample} #>> '{a,1}'`, 'x'],
      evaluate: (text: string, path: ArrayDatum) => jsonText(descend(parseJson(text), path.elements)),
    },
  ];
});

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
  ...navigation,
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

function arrayLength(text: string): number {
  const value = parseJson(text);
  if (isJsonArray(value)) return value.length;
  throw new SqlError(
    'invalid_parameter_value',
    `cannot get array length of a ${isJsonObject(value) ? 'non-array' : 'scalar'}`,
  );
}

/** Keys and values in turn. */
function buildObject(context: FunctionContext, args: RecordDatum): JsonObject {
  const { fields, types } = args;
  if (fields.length % 2 === 1) {
    throw new SqlError('invalid_parameter_value', 'argument list must have even number of elements', {
      hint: 'The arguments of jsonb_build_object() must consist of alternating keys and values.',
    });
  }
  const members = new Map<string, JsonValue>();
  for (let i = 0; i < fields.length; i += 2) {
    const key = fields[i] as Datum;
    if (key === null) throw new SqlError('null_value_not_allowed', `argument ${i + 1}: key must not be null`);
    const text = jsonOfDatum(key, types[i] as number, context.settings);
    members.set(
      typeof text === 'string' ? text : formatJsonb(text),
      jsonOfDatum(fields[i + 1] as Datum, types[i + 1] as number, context.settings),
    );
  }
  return members;
}

const twins = KINDS.flatMap((kind): ScalarFunction[] => [
  {
    name: `${kind}_typeof`,
    args: [kind],
    returns: 'text',
    summary: 'object, array, string, number, boolean or null.',
    example: [`SELECT ${kind}_typeof('[1]')`, 'array'],
    evaluate: (text: string) => jsonTypeName(parseJson(text)),
  },
  {
    name: `${kind}_array_length`,
    args: [kind],
    returns: 'int4',
    summary: 'How many elements.',
    example: [`SELECT ${kind}_array_length('[1, 2]')`, '2'],
    evaluate: arrayLength,
  },
  {
    name: `${kind}_extract_path`,
    args: [kind, '...text'],
    returns: kind,
    summary: 'What stands at a path.',
    example: [`SELECT ${kind}_extract_path('{"a": {"b": 1}}', 'a', 'b')`, '1'],
    evaluate: (text: string, path: ArrayDatum) => format(descend(parseJson(text), path.elements)),
  },
  {
    name: `${kind}_extract_path_text`,
    args: [kind, '...text'],
    returns: 'text',
    summary: 'What stands at a path, as text.',
    example: [`SELECT ${kind}_extract_path_text('{"a": "x"}', 'a')`, 'x'],
    evaluate: (text: string, path: ArrayDatum) => jsonText(descend(parseJson(text), path.elements)),
  },
  {
    name: `${kind}_strip_nulls`,
    args: [kind],
    returns: kind,
    summary: 'Without members that are null.',
    example: [`SELECT ${kind}_strip_nulls('{"a":null,"b":[]}')`, kind === 'json' ? '{"b":[]}' : '{"b": []}'],
    evaluate: (text: string) => {
      const stripped = stripNulls(parseJson(text));
      return kind === 'jsonb' ? formatJsonb(stripped) : formatJsonb(stripped).replaceAll(/(?<=[:,]) /g, '');
    },
  },
  {
    name: `${kind}_build_object`,
    args: ['...any'],
    argsMax: Number.POSITIVE_INFINITY,
    returns: kind,
    strict: false,
    volatility: 'stable',
    summary: 'An object of keys and values in turn.',
    example: [`SELECT ${kind}_build_object('a', 1)`, kind === 'json' ? '{"a" : 1}' : '{"a": 1}'],
    evaluateIn: (context, args: RecordDatum) => writeObject(buildObject(context, args), kind),
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
    evaluateIn: (context, args: RecordDatum) =>
      formatJsonb(
        args.fields.map((field, i) => jsonOfDatum(field, args.types[i] as number, context.settings)),
      ),
  },
  {
    name: `${kind}_build_array`,
    args: [],
    returns: kind,
    summary: 'The empty array.',
    example: [`SELECT ${kind}_build_array()`, '[]'],
    evaluate: () => '[]',
  },
  {
    name: kind === 'json' ? 'to_json' : 'to_jsonb',
    args: ['...any'],
    argsMax: 1,
    returns: kind,
    volatility: 'stable',
    strict: false,
    summary: 'Any value as JSON.',
    example: [`SELECT ${kind === 'json' ? 'to_json' : 'to_jsonb'}(true)`, 'true'],
    evaluateIn: (context, args: RecordDatum) =>
      args.fields[0] === null
        ? null
        : formatJsonb(jsonOfDatum(args.fields[0] as Datum, args.types[0] as number, context.settings)),
  },
]);

/** json_build_object keeps the members' order and writes a space before the colon. */
function writeObject(value: JsonObject, kind: Kind): string {
  if (kind === 'jsonb') return formatJsonb(value);
  return `{${[...value].map(([key, member]) => `${JSON.stringify(key)} : ${formatJsonb(member)}`).join(', ')}}`;
}

/** `text` with what stands at a path replaced. */
export const jsonbSet = (text: string, path: ArrayDatum, made: string, create: boolean): string =>
  formatJsonb(
    changeAt(parseJson(text), path.elements, (old) =>
      old === undefined && !create ? undefined : parseJson(made),
    ),
  );

export const JSON_FUNCTIONS: readonly ScalarFunction[] = [
  ...twins,
  {
    name: 'row_to_json',
    args: ['record'],
    returns: 'json',
    volatility: 'stable',
    summary: 'A row as a JSON object.',
    example: ["SELECT row_to_json(ROW(1, 'x'))", '{"f1":1,"f2":"x"}'],
    evaluateIn: (context, record: RecordDatum) =>
      `{${[...jsonOfRecord(record, context.settings)].map(([key, member]) => `${JSON.stringify(key)}:${formatJsonb(member)}`).join(',')}}`,
  },
  {
    name: 'array_to_json',
    args: ['anyarray'],
    returns: 'json',
    volatility: 'stable',
    summary: 'An array as JSON.',
    example: ['SELECT array_to_json(ARRAY[1, 2])', '[1,2]'],
    evaluateIn: (context, array: ArrayDatum) =>
      formatJsonb(jsonOfDatum(array, OID.text, context.settings)).replaceAll(', ', ','),
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

function members(text: string, name: string): [string, JsonValue][] {
  const value = parseJson(text);
  if (isJsonObject(value)) return sortedMembers(value);
  throw new SqlError(
    'invalid_parameter_value',
    `cannot call ${name} on ${isJsonArray(value) ? 'an array' : 'a non-object'}`,
  );
}

function elements(text: string): readonly JsonValue[] {
  const value = parseJson(text);
  if (isJsonArray(value)) return value;
  throw new SqlError(
    'invalid_parameter_value',
    `cannot extract elements from ${isJsonObject(value) ? 'an object' : 'a scalar'}`,
  );
}

export const JSON_SETS: readonly SetFunction[] = KINDS.flatMap((kind): SetFunction[] => [
  {
    name: `${kind}_each`,
    args: [kind],
    returns: 'record',
    columns: [
      { name: 'key', type: 'text' },
      { name: 'value', type: kind },
    ],
    summary: "An object's members as rows.",
    example: [`SELECT value FROM ${kind}_each('{"a": 1}')`, '1'],
    rows: (_, text: string) => members(text, `${kind}_each`).map(([key, value]) => [key, formatJsonb(value)]),
  },
  {
    name: `${kind}_each_text`,
    args: [kind],
    returns: 'record',
    columns: [
      { name: 'key', type: 'text' },
      { name: 'value', type: 'text' },
    ],
    summary: "An object's members as rows of text.",
    example: [`SELECT value FROM ${kind}_each_text('{"a": "x"}')`, 'x'],
    rows: (_, text: string) =>
      members(text, `${kind}_each_text`).map(([key, value]) => [key, jsonText(value)]),
  },
  {
    name: `${kind}_object_keys`,
    args: [kind],
    returns: 'text',
    summary: "An object's keys as rows.",
    example: [`SELECT ${kind}_object_keys('{"a": 1}')`, 'a'],
    rows: (_, text: string) => members(text, `${kind}_object_keys`).map(([key]) => [key]),
  },
  {
    name: `${kind}_array_elements`,
    args: [kind],
    returns: kind,
    columns: [{ name: 'value', type: kind }],
    summary: "An array's elements as rows.",
    example: [`SELECT count(*) FROM ${kind}_array_elements('[1, 2]')`, '2'],
    rows: (_, text: string) => elements(text).map((value) => [formatJsonb(value)]),
  },
  {
    name: `${kind}_array_elements_text`,
    args: [kind],
    returns: 'text',
    columns: [{ name: 'value', type: 'text' }],
    summary: "An array's elements as rows of text.",
    example: [`SELECT * FROM ${kind}_array_elements_text('["x"]')`, 'x'],
    rows: (_, text: string) => elements(text).map((value) => [jsonText(value)]),
  },
]);
