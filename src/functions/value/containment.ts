/**
 * contains() and starts_with(): parts of texts, elements of lists and of jsonb arrays by one name, as client libraries
 * write them. What cannot be in the other by its type is not in it.
 */
import { compareJsonb, isJsonArray, type JsonValue, parseJson } from '../../types/json/json.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { parseNumeric } from '../../types/number/numeric.ts';
import { typeByOid } from '../../types/registry.ts';
import { noEquality } from '../../types/type-errors.ts';
import type { ScalarFunction } from '../function.ts';
import { scalar } from '../row.ts';

function hasElement({ elements, elementType }: ArrayDatum, wanted: Datum): boolean {
  const type = typeByOid(elementType);
  const { hashKey } = type;
  if (hashKey === undefined) throw noEquality(type);
  const key = hashKey(wanted);
  return elements.some((element) => element !== null && hashKey(element) === key);
}

/** A string holds its parts, an array what is equal to the value. */
function jsonContains(json: string, wanted: JsonValue): boolean {
  const value = parseJson(json);
  if (typeof value === 'string') return typeof wanted === 'string' && value.includes(wanted);
  return isJsonArray(value) && value.some((element) => compareJsonb(element, wanted) === 0);
}

function jsonStartsWith(json: string, prefix: string): boolean {
  const value = parseJson(json);
  const texts = isJsonArray(value) ? value : [value];
  return texts.some((text) => beginsWith(text, prefix));
}

const beginsWith = (value: unknown, prefix: string): boolean =>
  typeof value === 'string' && value.startsWith(prefix);

const CONTAINS = 'Whether a text has a part, as it is written; or a list, or a jsonb array, an element.';
const STARTS_WITH = 'Whether a text of the list, or of the jsonb array or string, begins so.';

export const CONTAINMENT_FUNCTIONS: readonly ScalarFunction[] = [
  scalar('contains(text, text) bool', {
    summary: CONTAINS,
    example: ["SELECT contains('White Whale', 'Wha')", 't'],
    evaluate: (text: string, part: string) => text.includes(part),
  }),
  scalar('contains(anycompatiblearray, anycompatible) bool', {
    summary: CONTAINS,
    example: ['SELECT contains(ARRAY[1, 2, 3], 2)', 't'],
    evaluate: hasElement,
  }),
  scalar('contains(jsonb, text) bool', {
    summary: CONTAINS,
    example: [`SELECT contains('["sea", 1]'::jsonb, 'sea')`, 't'],
    evaluate: jsonContains,
  }),
  scalar('contains(jsonb, numeric) bool', {
    summary: CONTAINS,
    example: [`SELECT contains('["sea", 1]'::jsonb, 1)`, 't'],
    evaluate: jsonContains,
  }),
  scalar('contains(jsonb, float8) bool', {
    summary: CONTAINS,
    example: [`SELECT contains('["sea", 1.5]'::jsonb, 1.5::float8)`, 't'],
    evaluate: (json: string, wanted: number) =>
      Number.isFinite(wanted) && jsonContains(json, parseNumeric(String(wanted))),
  }),
  scalar('contains(jsonb, bool) bool', {
    summary: CONTAINS,
    example: [`SELECT contains('[true]'::jsonb, true)`, 't'],
    evaluate: jsonContains,
  }),
  scalar('contains(jsonb, jsonb) bool', {
    summary: CONTAINS,
    example: [`SELECT contains('[{"a": 1}]'::jsonb, '{"a": 1}'::jsonb)`, 't'],
    evaluate: (json: string, wanted: string) => jsonContains(json, parseJson(wanted)),
  }),
  scalar('contains(any, any) bool', {
    summary: 'Of types one of which cannot be in the other: false.',
    example: ["SELECT contains('Route 66'::text, 66)", 'f'],
    evaluate: () => false,
  }),
  scalar('starts_with(_text, text) bool', {
    summary: STARTS_WITH,
    example: ["SELECT starts_with(ARRAY['sea', 'shark'], 'sh')", 't'],
    evaluate: ({ elements }: ArrayDatum, prefix: string) => elements.some((text) => beginsWith(text, prefix)),
  }),
  scalar('starts_with(jsonb, text) bool', {
    summary: STARTS_WITH,
    example: [`SELECT starts_with('["sea", 1]'::jsonb, 'se')`, 't'],
    evaluate: jsonStartsWith,
  }),
];
