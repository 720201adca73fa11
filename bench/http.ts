/**
 * `./scripts/bench http`: 100,000 rows and `select 1` through `/sql` (fetch, every line parsed) beside the wire protocol (the pg
 * driver), in turns on one server, over loopback. `--quick`: fewer rounds.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { startServer } from '../scripts/server-process.ts';
import { options } from './options.ts';
import { median, report } from './statistics.ts';

const ROUNDS = options.quick ? 5 : 15;
const ROWS = 100_000;
const SMALL_COUNT = 200;
const STATEMENTS = {
  'numbers and texts': `SELECT i, i::bigint * 7 AS b, 'name ' || i AS name, i / 7.0::float8 AS f, DATE '2020-01-01' + i % 1000 AS d
    FROM rows_of_bench`,
  documents: `SELECT i, doc FROM rows_of_bench`,
} as const;
const BAR = 0.5;

const folder = await mkdtemp(join(tmpdir(), 'quern-bench-http-'));
const server = await startServer({ data: join(folder, 'data') });
const client = new pg.Client({
  host: '127.0.0.1',
  port: server.port,
  user: 'quern',
  database: 'quern',
  password: server.key,
});

/** Values of all rows. @throws Error with the last line of an answer that fails. */
async function overHttp(statement: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${server.httpPort}/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ statement }),
  });
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  if (lines.at(-1)?.done === undefined) throw new Error(JSON.stringify(lines.at(-1)));
  return lines.reduce((count, { rows = [] }) => count + rows.length, 0);
}

async function overWire(statement: string): Promise<number> {
  return (await client.query({ text: statement, rowMode: 'array' })).rows.length;
}

async function timed(
  run: (statement: string) => Promise<number>,
  statement: string,
  count: number,
): Promise<number> {
  const start = performance.now();
  const rows = await run(statement);
  if (rows !== count) throw new Error(`${rows} rows instead of ${count}`);
  return performance.now() - start;
}

async function compare(
  what: string,
  statement: string,
  { count, times }: { count: number; times: number },
): Promise<void> {
  const http: number[] = [];
  const wire: number[] = [];
  for (let round = 0; round < ROUNDS * times + 2; round++) {
    const [a, b] = [await timed(overHttp, statement, count), await timed(overWire, statement, count)];
    if (round < 2) continue;
    http.push(a);
    wire.push(b);
  }
  const ms = (values: readonly number[]): string => `${median(values).toFixed(2)} ms`;
  report(`/sql to wire, ${what}`, median(wire) / median(http), {
    bar: `${BAR}`,
    '/sql': ms(http),
    wire: ms(wire),
  });
}

try {
  await client.connect();
  await client.query(`CREATE TABLE rows_of_bench AS SELECT i, jsonb_build_object('id', i, 'name', 'name ' || i) AS doc
    FROM generate_series(1, ${ROWS}) AS i`);
  for (const [what, statement] of Object.entries(STATEMENTS))
    await compare(what, statement, { count: ROWS, times: 1 });
  await compare('select 1', 'SELECT 1', { count: 1, times: options.quick ? 10 : SMALL_COUNT });
} finally {
  await client.end();
  await server[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
}
