/**
 * The protocol as byte scripts, on Quern and, where it is installed, on a real PostgreSQL, which is the
 * oracle: UPDATE_GOLDEN=1 writes its answers into the scripts.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Postgres, postgresPrograms, startPostgres } from '../../scripts/postgres.ts';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { RawClient } from '../faults/raw-client.ts';
import { runWireScript } from './wire-script.ts';

const scripts = globSync(join(import.meta.dirname, '*.wire')).sort();
const hasPostgres = postgresPrograms() !== undefined;

let folder: string;
let server: ServerProcess;
let postgres: Postgres | null = null;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quern-wire-'));
  server = await startServer({ data: join(folder, 'data') });
  if (hasPostgres) postgres = await startPostgres();
});

afterAll(async () => {
  await server?.stop();
  await postgres?.[Symbol.asyncDispose]();
  rmSync(folder, { recursive: true, force: true });
});

async function signInToPostgres({ host, port, user, database }: Postgres): Promise<RawClient> {
  const client = await RawClient.open(host, port);
  client.startup({ user, database });
  await client.until('Z');
  return client;
}

describe('wire scripts', () => {
  it.skipIf(!hasPostgres).each(scripts.map((path) => [basename(path), path]))(
    '%s on PostgreSQL',
    async (_, path) => {
      const script = readFileSync(path, 'utf8');
      const client = await signInToPostgres(postgres as Postgres);
      const ran = await runWireScript(script, client);
      client.socket.destroy();
      if (process.env.UPDATE_GOLDEN === '1') writeFileSync(path, ran);
      else expect(ran).toBe(script);
    },
  );

  it.each(scripts.map((path) => [basename(path), path]))('%s on Quern', async (_, path) => {
    const script = readFileSync(path, 'utf8');
    const client = await RawClient.signIn(server.host, server.port, server.key);
    expect(await runWireScript(script, client)).toBe(script);
    client.socket.destroy();
  });
});
