/** How many arguments are NULL or not. Source: PostgreSQL 18, section 9.2. */
import type { RecordDatum } from '../../types/datum.ts';
import type { ScalarFunction } from '../function.ts';
import { scalar } from '../row.ts';

/** NULL for VARIADIC NULL. */
function countFields(record: RecordDatum | null, wantsNull: boolean): number | null {
  if (record === null) return null;
  return record.fields.filter((field) => (field === null) === wantsNull).length;
}

export const NULL_FUNCTIONS: readonly ScalarFunction[] = (['num_nulls', 'num_nonnulls'] as const).map(
  (name) =>
    scalar(`${name}(...any) int4`, {
      strict: false,
      summary: `How many arguments are ${name === 'num_nulls' ? '' : 'not '}NULL.`,
      example: [`SELECT ${name}(1, NULL, 2)`, name === 'num_nulls' ? '1' : '2'],
      evaluate: (record: RecordDatum | null) => countFields(record, name === 'num_nulls'),
    }),
);
