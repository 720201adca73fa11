/** Row values: their fields. */
import type { RecordDatum } from '../../types/datum.ts';
import type { Operator } from '../function.ts';

export const RECORD_OPERATORS: readonly Operator[] = [
  {
    // No text can name it: the binder calls it for `(row).field` and knows the field's type.
    name: '.',
    left: 'record',
    right: 'int4',
    returns: 'anyelement',
    summary: 'A field of a row by its number, which the binder has found by the name.',
    example: ["SELECT (kept.t).b FROM (SELECT t FROM (VALUES (1, 'x')) AS t(a, b)) AS kept", 'x'],
    evaluate: (record: RecordDatum, position: number) => record.fields[position] ?? null,
  },
];
