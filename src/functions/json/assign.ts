/**
 * `j['a'][0] = value` of jsonb: paths that are not there are made, gaps in arrays are filled with null. Source:
 * jsonfuncs.c (setPath, push_path) and jsonbsubs.c of PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import { ARRAY_ELEMENTS_MAX } from '../../limits.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import { formatJsonb, isJsonArray, isJsonObject, type JsonValue, parseJson } from '../../types/json/json.ts';
import type { ScalarFunction } from '../function.ts';

interface Assignment {
  readonly path: readonly string[];
  readonly value: JsonValue;
}

const INTEGER = /^\s*[+-]?\d+$/;

/** Undefined for a key. */
const placeOf = (step: string): number | undefined => (INTEGER.test(step) ? Number(step) : undefined);

/** Value at the rest of a path that is not there: an array for a step that reads as a number. */
function made({ path, value }: Assignment, level: number): JsonValue {
  const step = path[level];
  if (step === undefined) return value;
  const inner = made({ path, value }, level + 1);
  const place = placeOf(step);
  return place === undefined ? new Map([[step, inner]]) : [...nulls(place), inner];
}

function nulls(count: number): null[] {
  if (count > ARRAY_ELEMENTS_MAX) {
    const message = `array size exceeds the maximum allowed (${ARRAY_ELEMENTS_MAX})`;
    throw new SqlError('program_limit_exceeded', message);
  }
  return new Array<null>(Math.max(0, count)).fill(null);
}

function assigned(json: JsonValue, assignment: Assignment, level: number): JsonValue {
  const { path, value } = assignment;
  const step = path[level];
  if (step === undefined) return value;
  if (isJsonArray(json)) return inArray(json, assignment, level);
  if (!isJsonObject(json)) {
    throw new SqlError('invalid_parameter_value', 'cannot replace existing key', {
      detail: 'The path assumes key is a composite object, but it is a scalar value.',
    });
  }
  const before = json.get(step);
  const inner = before === undefined ? made(assignment, level + 1) : assigned(before, assignment, level + 1);
  return new Map([...json, [step, inner]]);
}

/** @throws SqlError 22P02 for a key, 22023 for a place before the first. */
function inArray(array: readonly JsonValue[], assignment: Assignment, level: number): JsonValue {
  const step = assignment.path[level] as string;
  const written = placeOf(step);
  if (written === undefined) {
    const message = `path element at position ${level + 1} is not an integer: "${step}"`;
    throw new SqlError('invalid_text_representation', message);
  }
  const place = written < 0 ? array.length + written : written;
  if (place < 0) {
    const message = `path element at position ${level + 1} is out of range: ${written}`;
    throw new SqlError('invalid_parameter_value', message);
  }
  const before = array[place];
  if (before !== undefined) return array.with(place, assigned(before, assignment, level + 1));
  return [...array, ...nulls(place - array.length), made(assignment, level + 1)];
}

/** @param first whether the first subscript is a number, of which NULL becomes an array. */
function assign(json: string | null, value: string | null, { elements }: ArrayDatum, first: boolean): string {
  if (elements.includes(null)) {
    throw new SqlError('null_value_not_allowed', 'jsonb subscript in assignment must not be null');
  }
  const before = json === null ? (first ? [] : new Map()) : parseJson(json);
  const assignment = { path: elements as readonly string[], value: parseJson(value ?? 'null') };
  return formatJsonb(assigned(before, assignment, 0));
}

export const JSON_ASSIGN: ScalarFunction = {
  name: 'jsonb_assign',
  args: ['jsonb', 'jsonb', '_text', 'bool'],
  returns: 'jsonb',
  strict: false,
  summary: "The document with another value at these subscripts: SET j['a'][0] = value.",
  example: [`SELECT jsonb_assign('{"a": []}', '5', '{a,1}', false)`, '{"a": [null, 5]}'],
  evaluate: assign,
};
