/**
 * Readers of json and jsonb as they are written: operators, paths, members and elements. json's text comes out as
 * it went in. Source: jsonfuncs.c of PostgreSQL 18 (get_worker, each_worker, elements_worker).
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import {
  elementText,
  jsonItems,
  jsonKind,
  jsonMembers,
  type JsonMember,
  memberText,
  plainText,
  textAt,
  textAtLast,
} from '../../types/json/text.ts';
import type { Operator, ScalarFunction, SetFunction } from '../function.ts';

type Kind = 'json' | 'jsonb';
const KINDS: readonly Kind[] = ['json', 'jsonb'];

type Path = readonly (string | null)[];

function atPath(kind: Kind, text: string, path: ArrayDatum): string | undefined {
  const steps = path.elements as Path;
  return kind === 'json' ? textAtLast(text, steps) : textAt(text, steps);
}

export const JSON_NAVIGATION: readonly Operator[] = KINDS.flatMap((kind): Operator[] => {
  const sample = `'{"a": [1, "x"]}'::${kind}`;
  return [
    {
      name: '->',
      left: kind,
      right: 'text',
      returns: kind,
      summary: 'The member under a key.',
      example: [`SELECT ${sample} -> 'a' -> 1`, '"x"'],
      evaluate: (text: string, key: string) => memberText(text, key) ?? null,
    },
    {
      name: '->',
      left: kind,
      right: 'int4',
      returns: kind,
      summary: 'The element at a position from 0; negative counts back.',
      example: [`SELECT '[1, 2]'::${kind} -> -1`, '2'],
      evaluate: (text: string, index: number) => elementText(kind, text, index) ?? null,
    },
    {
      name: '->>',
      left: kind,
      right: 'text',
      returns: 'text',
      summary: 'The member under a key, as text.',
      example: [`SELECT '{"a": "x"}'::${kind} ->> 'a'`, 'x'],
      evaluate: (text: string, key: string) => plainText(memberText(text, key)),
    },
    {
      name: '->>',
      left: kind,
      right: 'int4',
      returns: 'text',
      summary: 'The element at a position, as text.',
      example: [`SELECT '["x"]'::${kind} ->> 0`, 'x'],
      evaluate: (text: string, index: number) => plainText(elementText(kind, text, index)),
    },
    {
      name: '#>',
      left: kind,
      right: '_text',
      returns: kind,
      summary: 'What stands at a path.',
      example: [`SELECT ${sample} #> '{a,0}'`, '1'],
      evaluate: (text: string, path: ArrayDatum) => atPath(kind, text, path) ?? null,
    },
    {
      name: '#>>',
      left: kind,
      right: '_text',
      returns: 'text',
      summary: 'What stands at a path, as text.',
      example: [`SELECT ${sample} #>> '{a,1}'`, 'x'],
      evaluate: (text: string, path: ArrayDatum) => plainText(atPath(kind, text, path)),
    },
  ];
});

const refused = (message: string): SqlError => new SqlError('invalid_parameter_value', message);

/** @throws SqlError 22023 for what is no array. */
function arrayLength(text: string): number {
  const kind = jsonKind(text);
  if (kind === 'array') return [...jsonItems(text)].length;
  throw refused(`cannot get array length of a ${kind === 'object' ? 'non-array' : 'scalar'}`);
}

export const JSON_TEXT_FUNCTIONS: readonly ScalarFunction[] = KINDS.flatMap((kind): ScalarFunction[] => [
  {
    name: `${kind}_typeof`,
    args: [kind],
    returns: 'text',
    summary: 'object, array, string, number, boolean or null.',
    example: [`SELECT ${kind}_typeof('[1]')`, 'array'],
    evaluate: jsonKind,
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
    evaluate: (text: string, path: ArrayDatum) => atPath(kind, text, path) ?? null,
  },
  {
    name: `${kind}_extract_path_text`,
    args: [kind, '...text'],
    returns: 'text',
    summary: 'What stands at a path, as text.',
    example: [`SELECT ${kind}_extract_path_text('{"a": "x"}', 'a')`, 'x'],
    evaluate: (text: string, path: ArrayDatum) => plainText(atPath(kind, text, path)),
  },
]);

/** @param name of the function, for the error. @throws SqlError 22023 for what is no object. */
function members(text: string, name: string): Generator<JsonMember> {
  const kind = jsonKind(text);
  if (kind === 'object') return jsonMembers(text);
  const what = kind === 'array' ? 'an array' : 'a scalar';
  if (name.endsWith('_object_keys')) throw refused(`cannot call ${name} on ${what}`);
  if (name.startsWith('jsonb')) throw refused(`cannot call ${name} on a non-object`);
  throw refused(`cannot deconstruct ${kind === 'array' ? 'an array as an object' : what}`);
}

/** @throws SqlError 22023 for what is no array. */
function elements(text: string, name: string): Generator<string> {
  const kind = jsonKind(text);
  if (kind === 'array') return jsonItems(text);
  if (name.startsWith('jsonb')) {
    throw refused(`cannot extract elements from ${kind === 'object' ? 'an object' : 'a scalar'}`);
  }
  throw refused(`cannot call ${name} on ${kind === 'object' ? 'a non-array' : 'a scalar'}`);
}

const column = (name: string, type: string): { name: string; type: string } => ({ name, type });

function eachOf(name: string, value: (text: string) => Datum): SetFunction['rows'] {
  return (_, text: string) => [...members(text, name)].map((member) => [member.key, value(member.text)]);
}

export const JSON_SETS: readonly SetFunction[] = KINDS.flatMap((kind): SetFunction[] => [
  {
    name: `${kind}_each`,
    args: [kind],
    returns: 'record',
    columns: [column('key', 'text'), column('value', kind)],
    summary: "An object's members as rows.",
    example: [`SELECT value FROM ${kind}_each('{"a": 1}')`, '1'],
    rows: eachOf(`${kind}_each`, (text) => text),
  },
  {
    name: `${kind}_each_text`,
    args: [kind],
    returns: 'record',
    columns: [column('key', 'text'), column('value', 'text')],
    summary: "An object's members as rows of text.",
    example: [`SELECT value FROM ${kind}_each_text('{"a": "x"}')`, 'x'],
    rows: eachOf(`${kind}_each_text`, plainText),
  },
  {
    name: `${kind}_object_keys`,
    args: [kind],
    returns: 'text',
    summary: "An object's keys as rows.",
    example: [`SELECT ${kind}_object_keys('{"a": 1}')`, 'a'],
    rows: (_, text: string) => [...members(text, `${kind}_object_keys`)].map(({ key }) => [key]),
  },
  {
    name: `${kind}_array_elements`,
    args: [kind],
    returns: kind,
    columns: [column('value', kind)],
    summary: "An array's elements as rows.",
    example: [`SELECT count(*) FROM ${kind}_array_elements('[1, 2]')`, '2'],
    rows: (_, text: string) => [...elements(text, `${kind}_array_elements`)].map((item) => [item]),
  },
  {
    name: `${kind}_array_elements_text`,
    args: [kind],
    returns: 'text',
    columns: [column('value', 'text')],
    summary: "An array's elements as rows of text.",
    example: [`SELECT * FROM ${kind}_array_elements_text('["x"]')`, 'x'],
    rows: (_, text: string) =>
      [...elements(text, `${kind}_array_elements_text`)].map((item) => [plainText(item)]),
  },
]);
