/**
 * Statements in the middle of their temporary files: cancelled, timed out, killed with the server. Nothing of the files is
 * left, and what was stored is there.
 */
import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { type Answer, ask, signIn } from './neighbour.ts';

const KEY = 'a-key-for-this-test';
const data = mkdtempSync(join(tmpdir(), 'quern-spill-'));
let server: ServerProcess;

beforeAll(async () => {
  server = await startServer({ data, key: KEY });
  const client = await signIn(server);
  await ask(client, 'CREATE TABLE kept (id int8 PRIMARY KEY)');
  await ask(client, 'INSERT INTO kept SELECT generate_series(1, 1000)');
  client.socket.destroy();
});

afterAll(async () => {
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});

const LARGE =
  'SELECT i FROM generate_series(1, 30000000) i ORDER BY (i * 7919::int8) % 1000003 OFFSET 29999999';

/** Files that the server has open and nobody can find. */
function openFiles(): number {
  const folder = `/proc/${server.process.pid}/fd`;
  const targets = readdirSync(folder).map((name) => {
    try {
      return readlinkSync(join(folder, name));
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.includes('.spilled')).length;
}

/** A statement that has begun to write. */
async function spilling(settings: string): Promise<{ ended: Promise<Answer>; processId: string }> {
  const client = await signIn(server);
  const processId = (await ask(client, 'SELECT pg_backend_pid()')).text ?? '';
  await ask(client, `SET work_mem = '1MB'; ${settings}`);
  const ended = ask(client, LARGE).finally(() => client.socket.destroy());
  await expect.poll(openFiles).toBeGreaterThan(0);
  return { ended, processId };
}

it('a cancel ends it, and its files', async () => {
  const { ended, processId } = await spilling('');
  const client = await signIn(server);
  await ask(client, `SELECT pg_cancel_backend(${processId})`);
  expect((await ended).code).toBe('57014');
  await expect.poll(openFiles).toBe(0);
  expect((await ask(client, 'SELECT count(*) FROM kept')).text).toBe('1000');
  client.socket.destroy();
});

it('a time-out and a client that goes away end it, and its files', async () => {
  const { ended } = await spilling("SET statement_timeout = '8s'");
  expect((await ended).code).toBe('57014');
  await expect.poll(openFiles).toBe(0);
  const client = await signIn(server);
  await ask(client, "SET work_mem = '1MB'");
  client.query(LARGE);
  await expect.poll(openFiles).toBeGreaterThan(0);
  client.socket.destroy();
  await expect.poll(openFiles).toBe(0);
});

it('kill -9 amid it leaves nothing behind', async () => {
  await spilling('');
  expect(readdirSync(join(data, 'tmp'))).toEqual([]);
  await server.stop('SIGKILL');
  // As a system leaves it that does not unlink open files, or a kill between the two.
  writeFileSync(join(data, 'tmp', 'left.spilled'), 'x');
  server = await startServer({ data, key: KEY });
  expect(readdirSync(join(data, 'tmp'))).toEqual([]);
  const client = await signIn(server);
  expect((await ask(client, 'SELECT count(*) FROM kept')).text).toBe('1000');
  client.socket.destroy();
});

it('a folder that takes no files is 53100, and the server goes on', async () => {
  rmSync(join(data, 'tmp'), { recursive: true });
  writeFileSync(join(data, 'tmp'), 'in the way');
  const client = await signIn(server);
  await ask(client, "SET work_mem = '1MB'");
  expect(await ask(client, LARGE)).toMatchObject({ code: '53100' });
  expect((await ask(client, 'SELECT count(*) FROM kept')).text).toBe('1000');
  rmSync(join(data, 'tmp'));
  const small = 'SELECT i FROM generate_series(1, 300000) i ORDER BY i % 1000, i OFFSET 299999';
  expect((await ask(client, small)).text).toBe('299999');
  client.socket.destroy();
});
