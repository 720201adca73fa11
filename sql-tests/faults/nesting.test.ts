/**
 * Statements that nest, or go on, ever further: each gives its rows or 54001, the same each time, and the server
 * answers the next one. What PostgreSQL's clients send (a list made by a program) works at the sizes told here.
 */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type InProcessServer, startInProcess } from '../runner/in-process.ts';

interface Form {
  readonly name: string;
  readonly make: (size: number) => string;
  /** The first value of the last row, as text. */
  readonly last: (size: number) => number | string;
  /** Gives rows at this size and below. */
  readonly works: number;
}

const list = (size: number, part: (i: number) => string, between: string): string =>
  Array.from({ length: size }, (_, i) => part(i)).join(between);
const nest = (size: number, open: string, inside: string, close: string): string =>
  open.repeat(size) + inside + close.repeat(size);
const one = (): number => 1;

const FORMS: readonly Form[] = [
  {
    name: 'UNION ALL',
    make: (size) => list(size, (i) => `SELECT ${i}`, ' UNION ALL '),
    last: (size) => size - 1,
    works: 5_000,
  },
  {
    name: 'UNION',
    make: (size) => list(size, (i) => `SELECT ${i % 7}`, ' UNION '),
    last: (size) => Math.min(size, 7) - 1,
    works: 5_000,
  },
  { name: 'INTERSECT', make: (size) => list(size, () => 'SELECT 1', ' INTERSECT '), last: one, works: 5_000 },
  {
    name: 'EXCEPT',
    make: (size) => list(size, (i) => `SELECT ${i + 1}`, ' EXCEPT '),
    last: one,
    works: 5_000,
  },
  {
    name: 'UNION and UNION ALL in turn',
    make: (size) => `SELECT 1${' UNION SELECT 1 UNION ALL SELECT 1'.repeat(size / 2)}`,
    last: one,
    works: 100,
  },
  { name: 'parentheses', make: (size) => `SELECT ${nest(size, '(', '1', ')')}`, last: one, works: 1_000 },
  { name: 'functions', make: (size) => `SELECT ${nest(size, 'abs(', '1', ')')}`, last: one, works: 300 },
  { name: 'NOT', make: (size) => `SELECT ${'NOT NOT '.repeat(size / 2)}true`, last: () => 't', works: 500 },
  { name: 'casts', make: (size) => `SELECT 1${'::text::int'.repeat(size / 2)}`, last: one, works: 300 },
  {
    name: 'AND',
    make: (size) => `SELECT x FROM one WHERE ${list(size, (i) => `x <> ${i + 2}`, ' AND ')}`,
    last: one,
    works: 20_000,
  },
  {
    name: 'OR',
    make: (size) => `SELECT x FROM one WHERE ${list(size, (i) => `x = ${size - i}`, ' OR ')}`,
    last: one,
    works: 20_000,
  },
  {
    name: '||',
    make: (size) => `SELECT length(${list(size, () => 'x::text', ' || ')}) FROM one`,
    last: (size) => size,
    works: 500,
  },
  {
    name: 'WHEN',
    make: (size) =>
      `SELECT CASE ${list(size, (i) => `WHEN x = ${i + 2} THEN ${i}`, ' ')} ELSE 1 END FROM one`,
    last: one,
    works: 5_000,
  },
  {
    name: 'CASE in ELSE',
    make: (size) => `SELECT ${nest(size, 'CASE WHEN x = 2 THEN 2 ELSE ', 'x', ' END')} FROM one`,
    last: one,
    works: 300,
  },
  {
    name: 'subqueries in FROM',
    make: (size) => nest(size, 'SELECT * FROM (', 'SELECT x FROM one', ') AS t'),
    last: one,
    works: 300,
  },
  {
    name: 'scalar subqueries',
    make: (size) => nest(size, 'SELECT (', 'SELECT 1', ')'),
    last: one,
    works: 100,
  },
  {
    name: 'WITH',
    make: (size) => `WITH ${list(size, (i) => `a${i} AS (SELECT ${i} AS x)`, ', ')} SELECT x FROM a1`,
    last: one,
    works: 1_000,
  },
  {
    name: 'WITH, each of the one before',
    make: (size) =>
      `WITH a0 AS (TABLE one), ${list(size, (i) => `a${i + 1} AS (TABLE a${i})`, ', ')} TABLE a${size}`,
    last: one,
    works: 300,
  },
  {
    name: 'JOIN',
    make: (size) => `SELECT one.x FROM one ${list(size, (i) => `JOIN one t${i} ON t${i}.x = one.x`, ' ')}`,
    last: one,
    works: 300,
  },
  {
    name: 'LEFT JOIN',
    make: (size) => `SELECT one.x FROM one ${list(size, (i) => `LEFT JOIN one t${i} USING (x)`, ' ')}`,
    last: one,
    works: 100,
  },
  {
    name: 'FROM',
    make: (size) => `SELECT t1.x FROM ${list(size, (i) => `one t${i}`, ', ')}`,
    last: one,
    works: 300,
  },
];

const SIZES = [2, 100, 300, 500, 1_000, 5_000, 20_000];

describe('statements that nest ever deeper', () => {
  let server: InProcessServer;
  beforeAll(async () => {
    server = await startInProcess('memory');
    const client = await connected(server);
    await client.query('CREATE TABLE one (x int); INSERT INTO one VALUES (1)');
    await client.end();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  it.each(FORMS)('$name', async ({ make, last, works }) => {
    const client = await connected(server);
    for (const size of SIZES) {
      const answer = await ask(client, make(size));
      if (size <= works) expect([size, answer]).toEqual([size, String(last(size))]);
      else if (answer !== String(last(size))) expect([size, answer]).toEqual([size, '54001']);
      expect(await ask(client, 'SELECT x FROM one')).toBe('1');
    }
    await client.end();
  });
});

async function connected(server: InProcessServer): Promise<pg.Client> {
  const types = { getTypeParser: () => (value: string) => value };
  const client = new pg.Client({ ...server.address, types: types as unknown as typeof pg.types });
  await client.connect();
  return client;
}

/** The first value of the last row, or the SQLSTATE. */
async function ask(client: pg.Client, text: string): Promise<unknown> {
  try {
    const { rows } = await client.query<string[]>({ text, rowMode: 'array' });
    return rows.at(-1)?.[0];
  } catch (error) {
    return (error as pg.DatabaseError).code;
  }
}
