/** Sequences, through the session's service of the function's name. Source: PostgreSQL 18, section 9.17. */
import type { Datum } from '../../types/datum.ts';
import type { ScalarFunction, SetFunction } from '../function.ts';

const sequence = (name: string, args: readonly string[], summary: string, call: string): ScalarFunction => ({
  name,
  args,
  returns: 'int8',
  volatility: 'volatile',
  summary,
  example: [`SELECT ${call}`, null],
  evaluateIn: (context, ...values: Datum[]) => context.service(name, ...values),
});

export const SEQUENCE_FUNCTIONS: readonly ScalarFunction[] = [
  sequence('nextval', ['regclass'], 'The next number of a sequence.', 'nextval(NULL)'),
  sequence('currval', ['regclass'], 'The number of a sequence that this session took last.', 'currval(NULL)'),
  sequence('setval', ['regclass', 'int8'], 'Sets the number taken last.', 'setval(NULL, 42)'),
  sequence(
    'setval',
    ['regclass', 'int8', 'bool'],
    'Sets the number taken last, or with false the one to take next.',
    'setval(NULL, 42, false)',
  ),
  sequence(
    'lastval',
    [],
    'The number that this session took last of any sequence.',
    'CASE WHEN false THEN lastval() END',
  ),
];

export const SEQUENCE_SETS: readonly SetFunction[] = [
  {
    name: 'pg_get_sequence_data',
    args: ['regclass'],
    returns: 'record',
    volatility: 'volatile',
    columns: [
      { name: 'last_value', type: 'int8' },
      { name: 'is_called', type: 'bool' },
    ],
    summary: 'Where a sequence stands.',
    example: ['SELECT count(*) FROM pg_get_sequence_data(NULL)', '0'],
    rows: (context, oid: number | null) =>
      oid === null
        ? []
        : [[context.service('sequence_last_value', oid), context.service('sequence_is_called', oid)]],
  },
];
