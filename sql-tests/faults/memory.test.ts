/**
 * Statements that each want more memory than there is, all at once, before anything else: each has its answer or
 * 53200, the server lives and answers others, stays within --memory and what V8 keeps beside it, and gives back what
 * they held.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { HUNGRY_STATEMENTS } from './hungry-statements.ts';
import { ask, signIn } from './neighbour.ts';
import { errorFields, type RawClient } from './raw-client.ts';

const MEMORY_MB = 300;
/**
 * Memory of the process beside that. A server at rest takes 200 MB, and V8 keeps more pages than what lives needs: 306,
 * and 45 in its pool, where 200 lived; twice that on a machine so busy that its threads sweep late. Rows that nobody
 * counted would be gigabytes.
 */
const BESIDES_MB = 800;
const TIMEOUT_MS = 20_000;
/** So that V8 compiles anew what is used most. */
const STATEMENTS_COUNT = 1_500;
/** Resident memory that may stay afterwards. */
const LEFT_MB = 480;

const data = mkdtempSync(join(tmpdir(), 'quern-memory-'));
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ data, flags: ['--memory', `${MEMORY_MB}MB`] });
});

afterAll(async () => {
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});

function residentMb(): number {
  const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.process.pid}/status`, 'utf8')) ?? [];
  return Number(kb) / 1024;
}

async function runToEnd(sql: string): Promise<string> {
  const client = await signIn(server);
  await ask(client, `SET statement_timeout = ${TIMEOUT_MS}`);
  const { code } = await ask(client, sql);
  client.socket.destroy();
  return code ?? 'answered';
}

it('statements that want more than there is end, and nothing else does', async () => {
  const client = await signIn(server);
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb());
  }, 20);
  for (let i = 0; i < STATEMENTS_COUNT; i++)
    await ask(client, `SELECT ${i} AS a, 'text' AS b WHERE ${i} > 0`);
  const ends = await Promise.all(Object.values(HUNGRY_STATEMENTS).map(runToEnd));
  clearInterval(watch);
  for (const end of ends) expect(['53200', '57014', 'answered']).toContain(end);
  expect(ends).toContain('53200');
  expect((await ask(client, 'SELECT 1')).text).toBe('1');
  expect(peak).toBeLessThan(MEMORY_MB + BESIDES_MB);
  const held = await ask(client, `SELECT sum(bytes) FROM quern.cache WHERE kind = 'statement'`);
  expect(held.text ?? '0').toBe('0');
  await expect.poll(residentMb, { interval: 500 }).toBeLessThan(LEFT_MB);
  client.socket.destroy();
});

it.each([
  ['a cursor keeps', 'BEGIN; DECLARE c SCROLL CURSOR FOR QUERY; FETCH LAST FROM c'],
  ['a cursor outlives its transaction with', 'BEGIN; DECLARE c CURSOR WITH HOLD FOR QUERY; COMMIT'],
  ['one FETCH gives', 'BEGIN; DECLARE c CURSOR FOR QUERY; FETCH ALL FROM c'],
])('what %s goes to disk where memory ends, and is given back', async (_, script) => {
  const client = await signIn(server);
  const query = `SELECT repeat(i::text, 1000) FROM generate_series(1, 60000) i`;
  for (const sql of script.replace('QUERY', query).split('; ')) {
    expect((await ask(client, sql)).code).toBe(null);
  }
  await ask(client, 'CLOSE ALL');
  await ask(client, 'ROLLBACK');
  const held = await ask(client, `SELECT sum(bytes) FROM quern.cache WHERE kind = 'statement'`);
  expect(held.text ?? '0').toBe('0');
  client.socket.destroy();
});

it.each([
  ['length', `SELECT sum(length(lpad(i::text, 1000000))) FROM generate_series(1, 300) i`, '300000000'],
  ['WHERE', `SELECT count(*) FROM generate_series(1, 300) i WHERE length(lpad(i::text, 1000000)) > i`, '300'],
  [
    'CASE',
    `SELECT sum(CASE WHEN i % 2 = 0 THEN length(lpad(i::text, 1000000)) ELSE 1 END) FROM generate_series(1, 300) i`,
    '150000150',
  ],
  [
    'chance',
    `WITH t AS MATERIALIZED (
       SELECT sum(length(lpad(nextval('numbers')::text, 100000))) s FROM generate_series(1, 300))
     SELECT s + currval('numbers') - 301 FROM t`,
    '30000000',
  ],
])('large values within an expression are made for a few rows at a time: %s', async (_, query, expected) => {
  const client = await signIn(server);
  await ask(client, 'CREATE SEQUENCE IF NOT EXISTS numbers START 2');
  expect(await ask(client, query)).toMatchObject({ code: null, text: expected });
  client.socket.destroy();
});

it('MOVE keeps nothing of the rows that it counts', async () => {
  const client = await signIn(server);
  await ask(client, 'BEGIN');
  const query = 'SELECT repeat(i::text, 1000) FROM generate_series(1, 60000) i';
  await ask(client, `DECLARE c CURSOR FOR ${query}`);
  client.query('MOVE ALL FROM c');
  const tag = (await client.until('Z')).find(({ type }) => type === 'C')?.body.toString();
  expect(tag).toBe('MOVE 60000\0');
  client.socket.destroy();
});

const MB = 1024 * 1024;
const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 0xff]);
const int32 = (value: number): Buffer => Buffer.from(Uint32Array.of(value).buffer).swap32();

/** A Bind of one text. */
const bindBody = (portal: string, bytes: number): Buffer =>
  Buffer.concat([
    Buffer.from(`${portal}\0s\0`),
    int16(0),
    int16(1),
    int32(bytes),
    Buffer.alloc(bytes, 'x'),
    int16(0),
  ]);

/** SQLSTATE of what the client sends until it is answered; null when all of it succeeded. */
async function codeOf(client: RawClient): Promise<string | null> {
  return errorFields(await client.until('Z')).C ?? null;
}

const SENT: Readonly<Record<string, (client: RawClient) => Promise<string | null>>> = {
  'parameters of portals': async (client) => {
    await ask(client, 'BEGIN');
    client.send('P', Buffer.concat([Buffer.from('s\0SELECT $1::text\0'), int16(0)]));
    for (let i = 0; i < 12; i++) client.send('B', bindBody(`p${i}`, 10 * MB));
    client.send('S', '');
    return codeOf(client);
  },
  'prepared statements': async (client) => {
    for (let i = 0; i < 100; i++) {
      const { code } = await ask(client, `PREPARE p${i} AS SELECT length('${'x'.repeat(MB)}')`);
      if (code !== null) return code;
    }
    return null;
  },
  'a line of COPY': async (client) => {
    await ask(client, 'CREATE TABLE lines (line text)');
    client.query('COPY lines FROM STDIN');
    await client.until('G', 'E');
    for (let i = 0; i < 60; i++) client.send('d', Buffer.alloc(MB, 'x'));
    client.send('c', '');
    return codeOf(client);
  },
};

it.each(Object.entries(SENT))('%s count, and are given back', async (_, send) => {
  const client = await signIn(server);
  expect(await send(client)).toBe('53200');
  await ask(client, 'ROLLBACK');
  await ask(client, 'DEALLOCATE ALL');
  const held = await ask(client, `SELECT sum(bytes) FROM quern.cache WHERE kind = 'statement'`);
  expect(held.text ?? '0').toBe('0');
  client.socket.destroy();
});

it('messages of many clients at once are stored as far as there is memory', async () => {
  const clients = await Promise.all(Array.from({ length: 12 }, () => signIn(server)));
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, residentMb());
  }, 20);
  const text = Buffer.alloc(60 * MB, ' ');
  for (const client of clients) client.query(text);
  const codes = await Promise.all(clients.map(codeOf));
  clearInterval(watch);
  expect(codes).toEqual(clients.map(() => '53200'));
  expect(peak).toBeLessThan(MEMORY_MB + BESIDES_MB);
  for (const client of clients) {
    expect((await ask(client, 'SELECT 1')).text).toBe('1');
    client.socket.destroy();
  }
});
