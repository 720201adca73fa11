/**
 * System columns: ctid and xmin are made of a row's number, which stays as long as the row does
 * and is another one in its next version. No text can name the first two operators: the binder calls them.
 */
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import type { Operator } from '../function.ts';

/** Rows that a transaction has not committed yet have numbers from here on, which change when it does. */
const PROVISIONAL_FROM = 2 ** 50;
/** Offsets of a block count from 1; those of provisional rows from here on. */
const OFFSETS_COUNT = 32_767;
const PROVISIONAL_OFFSETS = 32_768;

function rowPlace(number: number): string {
  const own = number >= PROVISIONAL_FROM;
  const place = own ? number - PROVISIONAL_FROM : number;
  const offset = (place % OFFSETS_COUNT) + 1 + (own ? PROVISIONAL_OFFSETS - 1 : 0);
  return `(${Math.floor(place / OFFSETS_COUNT)},${offset})`;
}

/** PostgreSQL's first transaction of a user's. */
const FIRST_XID = 3;

/** @throws SqlError 0A000 for a row whose number is not lasting yet. */
function rowVersion(number: number): number {
  if (number < PROVISIONAL_FROM) return FIRST_XID + (number % (2 ** 32 - FIRST_XID));
  throw new SqlError('feature_not_supported', 'xmin of a row that is not committed yet is not supported', {
    hint: 'Read it in a transaction of its own, or keep a version in a column.',
  });
}

const unsigned = (xid: number): number => xid >>> 0;

/** PostgreSQL has no order of transactions: they only are the same or not. */
const sameXid = (left: 'xid' | 'cid', right: 'xid' | 'cid' | 'int4'): readonly Operator[] =>
  (['=', '<>'] as const).map((name) => ({
    name,
    left,
    right,
    returns: 'bool',
    ...(left === right && { commutator: name }),
    negator: name === '=' ? '<>' : '=',
    summary: `Whether two are ${name === '=' ? 'the same' : 'different'}.`,
    example: [`SELECT '7'::${left} ${name} '7'::${right}`, name === '=' ? 't' : 'f'],
    evaluate: (a: number, b: number): Datum => (unsigned(a) === unsigned(b)) === (name === '='),
  }));

export const SYSTEM_COLUMN_OPERATORS: readonly Operator[] = [
  {
    name: '.ctid',
    right: 'float8',
    returns: 'tid',
    summary: 'Where a row is: system column ctid.',
    example: ["SELECT '( 0,1)'::tid", '(0,1)'],
    evaluate: rowPlace,
  },
  {
    name: '.xmin',
    right: 'float8',
    returns: 'xid',
    summary: 'The version of a row: system column xmin.',
    example: ["SELECT '7'::xid", '7'],
    evaluate: rowVersion,
  },
  ...sameXid('xid', 'xid'),
  ...sameXid('xid', 'int4'),
  ...sameXid('cid', 'cid'),
];
