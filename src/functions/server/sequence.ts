/** Sequences, through the session's services. Source: PostgreSQL 18, section 9.17. */
import type { ScalarFunction, SetFunction } from '../function.ts';

const sequence = (
  row: Pick<ScalarFunction, 'name' | 'effect' | 'args' | 'summary' | 'evaluateIn'>,
  call: string,
): ScalarFunction => ({ ...row, returns: 'int8', volatility: 'volatile', example: [`SELECT ${call}`, null] });

export const SEQUENCE_FUNCTIONS: readonly ScalarFunction[] = [
  sequence(
    {
      name: 'nextval',
      effect: 'data',
      args: ['regclass'],
      summary: 'The next number of a sequence.',
      evaluateIn: ({ services, isServer }, oid: number) => services.sequences.next(oid, isServer),
    },
    'nextval(NULL)',
  ),
  sequence(
    {
      name: 'currval',
      effect: 'none',
      args: ['regclass'],
      summary: 'The number of a sequence that this session took last.',
      evaluateIn: ({ services }, oid: number) => services.sequences.current(oid),
    },
    'currval(NULL)',
  ),
  sequence(
    {
      name: 'setval',
      effect: 'data',
      args: ['regclass', 'int8'],
      summary: 'Sets the number taken last.',
      evaluateIn: ({ services, isServer }, oid: number, last: bigint) =>
        services.sequences.set(oid, { last, called: true }, isServer),
    },
    'setval(NULL, 42)',
  ),
  sequence(
    {
      name: 'setval',
      effect: 'data',
      args: ['regclass', 'int8', 'bool'],
      summary: 'Sets the number taken last, or with false the one to take next.',
      evaluateIn: ({ services, isServer }, oid: number, last: bigint, called: boolean) =>
        services.sequences.set(oid, { last, called }, isServer),
    },
    'setval(NULL, 42, false)',
  ),
  sequence(
    {
      name: 'lastval',
      effect: 'none',
      args: [],
      summary: 'The number that this session took last of any sequence.',
      evaluateIn: ({ services }) => services.sequences.last(),
    },
    'CASE WHEN false THEN lastval() END',
  ),
];

export const SEQUENCE_SETS: readonly SetFunction[] = [
  {
    name: 'pg_get_sequence_data',
    args: ['regclass'],
    returns: 'record',
    volatility: 'volatile',
    effect: 'none',
    columns: [
      { name: 'last_value', type: 'int8' },
      { name: 'is_called', type: 'bool' },
    ],
    summary: 'Where a sequence stands.',
    example: ['SELECT count(*) FROM pg_get_sequence_data(NULL)', '0'],
    rows: ({ services: { sequences } }, oid: number | null) =>
      oid === null ? [] : [[sequences.lastValue(oid), sequences.isCalled(oid)]],
  },
];
