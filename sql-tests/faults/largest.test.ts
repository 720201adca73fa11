/**
 * Functions, operators, casts and aggregates with large arguments: each lets others have their turns, ends soon after
 * its time-out, and fails as a client can understand. Here a part of them; `bench/largest.ts` calls every one.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startServer } from '../../scripts/server-process.ts';
import { sqlErrorOf } from '../../src/errors.ts';
import { TestDatabase, type TestSession } from '../fixtures/database.ts';
import { largestCalls } from './largest-calls.ts';
import { RawClient } from './raw-client.ts';
import { inTurns, processMs } from './turn-watch.ts';

const BYTES = 1_500_000;
const TIMEOUT_MS = 400;
/** The most processor time of the answering thread that a neighbour's `select 1` may wait. */
const TURN_MS_MAX = 250;
/** Processor time of all threads, those that had begun on it before the time-out included. */
const SPENT_MS_MAX = 20_000;
/** One callee in so many. */
const STEP = 29;

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await session.rows(`SET statement_timeout = ${TIMEOUT_MS}`);
});

afterAll(async () => {
  database.environment.helpers.close();
  await database.close();
});

/** Statements that once kept everybody waiting. */
const WITNESSES = [
  'SELECT length((10::numeric ^ 131071)::text)',
  'SELECT 1.00014::numeric ^ 2147483647 > 0',
  'SELECT count(lpad(i::text, 1000000)) FROM generate_series(1, 100) i',
  "SELECT length(reverse(repeat('a', 90000000)))",
  "SELECT length(translate(repeat('abc', 30000000), 'ab', 'x'))",
  "SELECT length(to_tsvector('english', repeat('word another thing ', 55000))::text)",
  "SELECT cardinality(string_to_array(repeat('a,', 20000000), ','))",
  "SELECT md5(repeat('a', 100000000))",
  "SELECT repeat('a', 50) || '!' ~ '^(a+)+$'",
  `SELECT jsonb_array_length(('[' || repeat('"abc",', 8000000) || '1]')::jsonb)`,
  "SELECT array_agg(repeat('x', 1000000)) IS NULL FROM generate_series(1, 500)",
  "SELECT string_agg(repeat('x', 1000000), ',') IS NULL FROM generate_series(1, 500)",
];

async function check(sql: string): Promise<void> {
  const [code, spentMs] = await inTurns(TURN_MS_MAX, async () => {
    const start = processMs();
    const ended = await session.rows(sql).then(
      () => 'ok',
      (error: unknown) => sqlErrorOf(error)?.sqlstate ?? String(error),
    );
    return [ended, processMs() - start] as const;
  });
  expect(code).toMatch(/^(?:ok|[0-9A-Z]{5})$/);
  expect(code).not.toBe('XX000');
  expect(spentMs).toBeLessThan(SPENT_MS_MAX);
}

describe('one call lets others have their turns, and ends with its time-out', () => {
  it.each(WITNESSES)('%s', check);

  it.each(largestCalls(BYTES, 1).filter((_, i) => i % STEP === 0))('$name', async ({ sql }) => check(sql));
});

describe('a server that computes a long call', () => {
  it('ends when it is told to', async () => {
    const data = mkdtempSync(join(tmpdir(), 'quern-largest-'));
    await using server = await startServer({ data });
    const clients = await Promise.all(
      Array.from({ length: 3 }, () => RawClient.signIn(server.host, server.port, server.key)),
    );
    clients[0]?.query("SELECT repeat('a', 50) || '!' ~ '^(a+)+$'");
    clients[1]?.query("SELECT length(reverse(reverse(repeat('a', 100000000))))");
    clients[2]?.query('SELECT count(1.00014::numeric ^ 2147483647) FROM generate_series(1, 1000)');
    await setTimeout(500);
    expect(await server.stop('SIGTERM')).toBe(0);
    for (const { socket } of clients) socket.destroy();
    rmSync(data, { recursive: true, force: true });
  });
});
