/** A COPY of very large documents and arrays, in and out: others are answered meanwhile, errors name their line. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { ask, Neighbour, signIn } from './neighbour.ts';
import { errorFields, type RawClient } from './raw-client.ts';
import { expectBelow } from './turn-watch.ts';

const BUSY_MS_MAX = 250;
const PIECE_BYTES = 64 * 1024;
const ITEMS = 200_000;
const LARGE = `[${'1.50,{"b":1,"a":"é"},'.repeat(ITEMS)}null]`;
const ARRAY = `{${'"a,b",'.repeat(ITEMS)}c}`;

const data = mkdtempSync(join(tmpdir(), 'quern-copy-values-'));
let server: ServerProcess;
let neighbour: Neighbour;
let client: RawClient;

beforeAll(async () => {
  server = await startServer({ data });
  neighbour = await Neighbour.open(server);
  client = await signIn(server);
  await ask(client, 'CREATE TABLE copied (i int, j jsonb, a text[])');
});

afterAll(async () => {
  await neighbour[Symbol.asyncDispose]();
  client.socket.destroy();
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});

async function copyIn(sql: string, text: string): Promise<Record<string, string>> {
  client.query(sql);
  await client.until('G');
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    client.send('d', bytes.subarray(at, at + PIECE_BYTES));
  }
  client.send('c', Buffer.alloc(0));
  return errorFields(await client.until('Z'));
}

async function copyBothWays(): Promise<number> {
  await ask(client, 'TRUNCATE copied');
  neighbour.reset();
  const rows = `1\t${LARGE}\t{a}\n2\t[]\t${ARRAY}\n3\t\\N\t\\N\n`;
  expect(await copyIn('COPY copied FROM STDIN', rows)).toEqual({});
  const summary = `SELECT string_agg(concat(i, ' ', jsonb_array_length(j), ' ', cardinality(a)), ', ' ORDER BY i)
    FROM copied`;
  expect((await ask(client, summary)).text).toBe(`1 ${2 * ITEMS + 1} 1, 2 0 ${ITEMS + 1}, 3  `);
  client.query('COPY (SELECT i, a FROM copied ORDER BY i) TO STDOUT');
  const lines = (await client.until('Z')).filter(({ type }) => type === 'd').map(({ body }) => String(body));
  expect(lines).toEqual(['1\t{a}\n', `2\t${ARRAY}\n`, '3\t\\N\n']);
  return neighbour.longestBusyMs;
}

test('large values come in and go out while others are answered', async () => {
  await expectBelow(BUSY_MS_MAX, copyBothWays);
});

test('a large value that is wrong is told with its place, or left out', async () => {
  const rows = `4\t[]\t{}\n5\t${LARGE}\t${ARRAY}x\n6\t[6]\t{}\n`;
  const error = await copyIn('COPY copied FROM STDIN', rows);
  expect(error).toMatchObject({ C: '22P02' });
  expect(error.W).toMatch(/^COPY copied, line 2, column a: "\{"a,b",.{80,100}\.\.\."$/);
  expect(await copyIn('COPY copied FROM STDIN (ON_ERROR ignore)', rows)).not.toHaveProperty('C', '22P02');
  expect((await ask(client, "SELECT string_agg(i::text, ' ' ORDER BY i) FROM copied WHERE i > 3")).text).toBe(
    '4 6',
  );
});
