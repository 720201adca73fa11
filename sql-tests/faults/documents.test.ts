/** Large requests of documents: others are answered meanwhile, and what is given up stores nothing. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { Neighbour } from './neighbour.ts';
import { expectBelow } from './turn-watch.ts';

const BUSY_MS_MAX = 250;

const data = mkdtempSync(join(tmpdir(), 'quern-documents-'));
let server: ServerProcess;
let neighbour: Neighbour;
let client: pg.Client;

beforeAll(async () => {
  server = await startServer({ data });
  neighbour = await Neighbour.open(server);
  const { host, port, key } = server;
  client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
});

afterAll(async () => {
  await client?.end();
  await neighbour[Symbol.asyncDispose]();
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});

const documents = (count: number, of: (i: number) => string): string =>
  `[${Array.from({ length: count }, (_, i) => `{"_id":"d${i}",${of(i)}}`).join(',')}]`;

const VECTOR = Buffer.from(new Float32Array(384).map((_, i) => Math.sin(i)).buffer).toString('base64');
const BATCHES = {
  many: documents(20_000, (i) => `"title":"a title ${i}","n":${i},"mixed":${i % 2 ? i : `"x${i}"`}`),
  vectors: documents(8_000, () => `"emb":{"$f32_vector":"${VECTOR}"}`),
  numbers: documents(2_000, (i) => `"emb":[${Array.from({ length: 384 }, (_, j) => i + j / 8)}]`),
  structs: documents(200, () => `"s":{"a":[${'10,'.repeat(30_000)}1]}`),
  large: documents(150, () => `"title":"${'x'.repeat(190_000)}"`),
  brackets: `[{"_id":"d","s":[${'[],'.repeat(5_000_000)}1]}]`,
  faulty: documents(30_000, () => '"title":5'),
};

async function send(action: string, batch: keyof typeof BATCHES): Promise<string> {
  const answer = client.query(`SELECT lsn FROM quern.${action}('books', $1)`, [BATCHES[batch]]);
  return answer.then(
    ({ rows }) => String(rows[0]?.lsn),
    (error: pg.DatabaseError) => error.routine ?? String(error),
  );
}

test.each([
  ['upsert', 'many'],
  ['update', 'many'],
  ['upsert', 'vectors'],
  ['upsert', 'numbers'],
  ['upsert', 'structs'],
  ['upsert', 'large'],
  ['upsert', 'brackets'],
  ['upsert', 'faulty'],
  ['update', 'faulty'],
] as const)('%s of %s lets others have their turns', async (action, batch) => {
  const isFaulty = batch === 'brackets' || batch === 'faulty';
  await expectBelow(BUSY_MS_MAX, async () => {
    await client.query('DROP TABLE IF EXISTS books');
    await client.query(
      'CREATE TABLE books (_id text, title text INDEX keyword_index(), emb f32_vector(384))',
    );
    if (action === 'update') await send('upsert', 'many');
    neighbour.reset();
    const answer = await send(action, batch);
    expect(answer).toBe(isFaulty ? 'document_validation' : action === 'update' ? '2' : '1');
    return neighbour.longestBusyMs;
  });
});

test('a request that is cancelled, or takes too long, stores nothing', async () => {
  await client.query('DROP TABLE IF EXISTS books');
  await client.query('CREATE TABLE books (_id text)');
  await client.query('SET statement_timeout = 5');
  expect(await send('upsert', 'many')).toBe('statement_timeout');
  await client.query('RESET statement_timeout');
  const { rows } = await client.query('SELECT pg_backend_pid()::text AS pid');
  const answer = send('upsert', 'vectors');
  await neighbour.cancel(rows[0].pid);
  expect(await answer).toMatch(/^(canceled|\d+)$/);
  const count = await client.query('SELECT count(*)::int AS n FROM books');
  expect(count.rows[0].n).toBe((await answer) === 'canceled' ? 0 : 8_000);
});
