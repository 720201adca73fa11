/**
 * Window functions: signatures and examples. What they compute is in `window/calls.ts`, which knows
 * them by name, because they look at a whole partition in order. Source: PostgreSQL 18, section 9.22.
 */
import type { Example } from '../function.ts';

export interface WindowFunction {
  readonly name: string;
  readonly args: readonly string[];
  readonly returns: string;
  readonly summary: string;
  readonly example: Example;
}

const THREE = 'FROM (VALUES (1), (2), (2)) t(x) ORDER BY x DESC LIMIT 1';

export const WINDOW_FUNCTIONS: readonly WindowFunction[] = [
  {
    name: 'row_number',
    args: [],
    returns: 'int8',
    summary: 'Number of the row within its partition, counting from 1.',
    example: [`SELECT row_number() OVER (ORDER BY x) ${THREE}`, '2'],
  },
  {
    name: 'rank',
    args: [],
    returns: 'int8',
    summary: 'Rank with gaps: row_number of the first peer.',
    example: [`SELECT rank() OVER (ORDER BY x) ${THREE}`, '2'],
  },
  {
    name: 'dense_rank',
    args: [],
    returns: 'int8',
    summary: 'Rank without gaps: counts peer groups.',
    example: [`SELECT dense_rank() OVER (ORDER BY x) ${THREE}`, '2'],
  },
  {
    name: 'percent_rank',
    args: [],
    returns: 'float8',
    summary: 'Relative rank: (rank - 1) / (rows of the partition - 1).',
    example: [`SELECT percent_rank() OVER (ORDER BY x) ${THREE}`, '0.5'],
  },
  {
    name: 'cume_dist',
    args: [],
    returns: 'float8',
    summary: 'Share of the partition at or before the row and its peers.',
    example: [`SELECT cume_dist() OVER (ORDER BY x) ${THREE}`, '1'],
  },
  {
    name: 'ntile',
    args: ['int4'],
    returns: 'int4',
    summary: 'Number of the bucket, when the partition is divided as equally as possible.',
    example: ['SELECT ntile(2) OVER (ORDER BY x) FROM generate_series(1, 4) x ORDER BY x DESC LIMIT 1', '2'],
  },
  ...shifted('lag', 'before', '1'),
  ...shifted('lead', 'after', null),
  {
    name: 'first_value',
    args: ['anyelement'],
    returns: 'anyelement',
    summary: 'Value at the first row of the frame.',
    example: [`SELECT first_value(x) OVER (ORDER BY x) ${THREE}`, '1'],
  },
  {
    name: 'last_value',
    args: ['anyelement'],
    returns: 'anyelement',
    summary: 'Value at the last row of the frame.',
    example: [`SELECT last_value(x) OVER (ORDER BY x) ${THREE}`, '2'],
  },
  {
    name: 'nth_value',
    args: ['anyelement', 'int4'],
    returns: 'anyelement',
    summary: 'Value at the nth row of the frame, counting from 1; NULL when there is none.',
    example: [`SELECT nth_value(x, 1) OVER (ORDER BY x) ${THREE}`, '1'],
  },
];

/** @param seen what the last of the rows 1, 2 gets from one row away. */
function shifted(name: string, where: string, seen: string | null): readonly WindowFunction[] {
  const call = (args: string): string =>
    `SELECT ${name}(${args}) OVER (ORDER BY x) FROM (VALUES (1), (2)) t(x) ORDER BY x DESC LIMIT 1`;
  return [
    {
      name,
      args: ['anyelement'],
      returns: 'anyelement',
      summary: `Value at the row ${where} this one in the partition; NULL when there is none.`,
      example: [call('x'), seen],
    },
    {
      name,
      args: ['anyelement', 'int4'],
      returns: 'anyelement',
      summary: `Value some rows ${where} this one in the partition; NULL when there is none.`,
      example: [call('x, 1'), seen],
    },
    {
      name,
      args: ['anycompatible', 'int4', 'anycompatible'],
      returns: 'anycompatible',
      summary: `Value some rows ${where} this one in the partition, or the default.`,
      example: [call('x, 2, 7'), '7'],
    },
  ];
}
