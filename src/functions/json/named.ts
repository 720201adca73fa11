/** The functions behind jsonb's operators, which object mappers call by name, and what edits a document. */
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { formatJsonb, isJsonArray, isJsonObject, type JsonValue, parseJson } from '../../types/json/json.ts';
import type { Example, ScalarFunction } from '../function.ts';
import { JSON_OPERATORS } from './json.ts';
import { changeAt, child, descend, indexStep } from './values.ts';

const NAMED: readonly [name: string, operator: string, example: Example][] = [
  ['jsonb_exists', '?', [`SELECT jsonb_exists('{"a": 1}', 'a')`, 't']],
  ['jsonb_exists_any', '?|', [`SELECT jsonb_exists_any('{"a": 1}', '{b,a}')`, 't']],
  ['jsonb_exists_all', '?&', [`SELECT jsonb_exists_all('{"a": 1}', '{b,a}')`, 'f']],
  ['jsonb_contains', '@>', [`SELECT jsonb_contains('{"a": 1, "b": 2}', '{"a": 1}')`, 't']],
  ['jsonb_contained', '<@', [`SELECT jsonb_contained('{"a": 1}', '{"a": 1, "b": 2}')`, 't']],
  ['jsonb_concat', '||', [`SELECT jsonb_concat('[1]', '[2]')`, '[1, 2]']],
];

function ofOperator([name, operator, example]: (typeof NAMED)[number]): ScalarFunction {
  const row = present(
    JSON_OPERATORS.find((candidate) => candidate.name === operator && candidate.left === 'jsonb'),
    `operator ${operator}`,
  );
  const { left = 'jsonb', right, returns, summary } = row;
  return { name, args: [left, right], returns, summary, example, evaluate: present(row.evaluate, name) };
}

/** @throws SqlError 22023 where a member is there already, or the document is no container. */
function insert(text: string, path: ArrayDatum, made: string, after: boolean): string {
  const value = parseJson(text);
  if (!isJsonArray(value) && !isJsonObject(value)) {
    throw new SqlError('invalid_parameter_value', 'cannot set path in scalar');
  }
  const steps = path.elements;
  const parent = descend(value, steps.slice(0, -1));
  const last = steps.at(-1);
  if (parent === undefined || last === null || last === undefined) return formatJsonb(value);
  const replaceParent = (by: JsonValue): string =>
    formatJsonb(steps.length === 1 ? by : changeAt(value, steps.slice(0, -1), () => by));
  if (isJsonObject(parent)) {
    if (!parent.has(last as string))
      return replaceParent(new Map([...parent, [last as string, parseJson(made)]]));
    throw new SqlError('invalid_parameter_value', 'cannot replace existing key', {
      hint: 'Try using the function jsonb_set to replace key value.',
    });
  }
  if (!isJsonArray(parent)) return formatJsonb(value);
  return replaceParent(insertElement(parent, last, parseJson(made), { after, depth: steps.length }));
}

function insertElement(
  array: readonly JsonValue[],
  step: Datum,
  made: JsonValue,
  { after, depth }: { readonly after: boolean; readonly depth: number },
): JsonValue {
  const given = indexStep(step as string, depth);
  const index = given < 0 ? array.length + given : given;
  const isThere = child(array, given) !== undefined;
  const at = isThere && after ? index + 1 : Math.min(Math.max(index, 0), array.length);
  return array.toSpliced(at, 0, made);
}

/** Keys and values in turn, or as pairs of a two-dimensional array. @throws SqlError 2202E, 22004. */
function pairsOf({ elements, dimensions }: ArrayDatum): [Datum, Datum][] {
  const [, inner] = dimensions;
  if (dimensions.length > 2) throw new SqlError('array_subscript_error', 'wrong number of array subscripts');
  if (inner !== undefined && inner.length !== 2) {
    throw new SqlError('array_subscript_error', 'array must have two columns');
  }
  if (elements.length % 2 === 1) {
    throw new SqlError('array_subscript_error', 'array must have even number of elements');
  }
  return Array.from({ length: elements.length / 2 }, (_, i) => [
    elements[2 * i] as Datum,
    elements[2 * i + 1] as Datum,
  ]);
}

function objectOfPairs(pairs: readonly [Datum, Datum][]): [string, JsonValue][] {
  return pairs.map(([key, value]) => {
    if (key !== null) return [key as string, value as string | null];
    throw new SqlError('null_value_not_allowed', 'null value not allowed for object key');
  });
}

function zip(keys: ArrayDatum, values: ArrayDatum): [Datum, Datum][] {
  if (keys.dimensions.length > 1 || values.dimensions.length > 1) {
    throw new SqlError('array_subscript_error', 'wrong number of array subscripts');
  }
  if (keys.elements.length !== values.elements.length) {
    throw new SqlError('array_subscript_error', 'mismatched array dimensions');
  }
  return keys.elements.map((key, i) => [key, values.elements[i] as Datum]);
}

/** json keeps every member in its place. */
const writeMembers = (members: [string, JsonValue][], kind: 'json' | 'jsonb'): string =>
  kind === 'jsonb'
    ? formatJsonb(new Map(members))
    : `{${members.map(([key, value]) => `${JSON.stringify(key)} : ${formatJsonb(value)}`).join(', ')}}`;

const objects = (['json', 'jsonb'] as const).flatMap((kind): ScalarFunction[] => {
  const shown = kind === 'json' ? '{"a" : "1"}' : '{"a": "1"}';
  return [
    {
      name: `${kind}_object`,
      args: ['_text'],
      returns: kind,
      summary: 'An object of keys and values in turn, or of pairs.',
      example: [`SELECT ${kind}_object('{a,1}')`, shown],
      evaluate: (pairs: ArrayDatum) => writeMembers(objectOfPairs(pairsOf(pairs)), kind),
    },
    {
      name: `${kind}_object`,
      args: ['_text', '_text'],
      returns: kind,
      summary: 'An object of keys and their values.',
      example: [`SELECT ${kind}_object('{a}', '{1}')`, shown],
      evaluate: (keys: ArrayDatum, values: ArrayDatum) =>
        writeMembers(objectOfPairs(zip(keys, values)), kind),
    },
  ];
});

export const JSON_NAMED_FUNCTIONS: readonly ScalarFunction[] = [
  ...NAMED.map(ofOperator),
  ...objects,
  {
    name: 'jsonb_insert',
    args: ['jsonb', '_text', 'jsonb', 'bool'],
    returns: 'jsonb',
    defaults: ['false'],
    argNames: ['jsonb_in', 'path', 'replacement', 'insert_after'],
    summary: 'With a value put in at a path, before or after what stands there.',
    example: [`SELECT jsonb_insert('{"a": [1, 3]}', '{a,1}', '2')`, '{"a": [1, 2, 3]}'],
    evaluate: insert,
  },
];
