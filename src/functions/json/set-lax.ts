/** jsonb_set_lax: jsonb_set that is told what a NULL means. */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import { formatJsonb, parseJson } from '../../types/json/json.ts';
import type { ScalarFunction } from '../function.ts';
import { jsonbSet } from './json.ts';
import { changeAt } from './values.ts';

/** @throws SqlError 22023, 22004. */
function jsonbSetLax(
  text: string | null,
  path: ArrayDatum | null,
  made: string | null,
  create: boolean | null,
  treatment: string | null,
): string | null {
  if (text === null || path === null || create === null) return null;
  if (made !== null) return jsonbSet(text, path, made, create);
  switch (treatment) {
    case 'use_json_null':
      return jsonbSet(text, path, 'null', create);
    case 'delete_key':
      return formatJsonb(changeAt(parseJson(text), path.elements, () => undefined));
    case 'return_target':
      return text;
    case 'raise_exception':
      throw new SqlError('null_value_not_allowed', 'JSON value must not be null', {
        detail: 'Exception was raised because null_value_treatment is "raise_exception".',
        hint:
          'To avoid, either change the null_value_treatment argument ' +
          'or ensure that an SQL NULL is not passed.',
      });
    default:
      throw new SqlError(
        'invalid_parameter_value',
        'null_value_treatment must be "delete_key", "return_target", "use_json_null", or "raise_exception"',
      );
  }
}

export const JSON_SET_LAX: ScalarFunction = {
  name: 'jsonb_set_lax',
  args: ['jsonb', '_text', 'jsonb', 'bool', 'text'],
  returns: 'jsonb',
  defaults: ['true', "'use_json_null'"],
  strict: false,
  summary: 'As jsonb_set; the last argument says what is done with a new value that is NULL.',
  example: [`SELECT jsonb_set_lax('{"a": 1, "b": 2}', '{a}', NULL, true, 'delete_key')`, '{"b": 2}'],
  evaluate: jsonbSetLax,
};
