/** `pg_database_size` is the size of the data file, which the operating system tells too. */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startServer } from '../../scripts/server-process.ts';
import { ask, signIn } from '../faults/neighbour.ts';

test('the size of the database is that of its file', async () => {
  const data = mkdtempSync(join(tmpdir(), 'quern-size-'));
  await using server = await startServer({ data });
  const client = await signIn(server);
  const told = async (): Promise<number> =>
    Number((await ask(client, 'SELECT pg_database_size(current_database())')).text);
  const empty = await told();
  await ask(client, 'CREATE TABLE t AS SELECT i, md5(i::text) FROM generate_series(1, 30000) i');
  const full = await told();
  const { size } = statSync(join(data, 'data.mdb'));
  expect(empty).toBeGreaterThan(0);
  expect(full).toBeGreaterThan(empty + 1_000_000);
  expect(full).toBeGreaterThan(size / 2);
  expect(full).toBeLessThanOrEqual(size);
  expect(Number((await ask(client, "SELECT pg_tablespace_size('pg_default')")).text)).toBe(full);
  await ask(client, 'DROP TABLE t');
  expect(await told()).toBeGreaterThanOrEqual(full);
  client.socket.destroy();
  await server.stop('SIGKILL');
  rmSync(data, { recursive: true, force: true });
  rmSync(`${data}.tls`, { recursive: true, force: true });
});
