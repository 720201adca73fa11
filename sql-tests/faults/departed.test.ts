/**
 * Clients that go away in the middle of a statement that counts what it does: soon nothing more is counted. psql is
 * killed; the drivers' sockets are closed without a word.
 */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { ask, signIn } from './neighbour.ts';
import type { RawClient } from './raw-client.ts';
import { expectBelow } from './turn-watch.ts';

const STOPS_WITHIN_MS = 100;
/** After so long without any, no more comes. */
const SILENCE_MS = 300;
const HAS_PSQL = spawnSync('psql', ['--version']).status === 0;

const STATEMENTS = {
  'a query': "SELECT count(nextval('work')) FROM generate_series(1, 1000000000)",
  questions: `SELECT count(a.kind) FROM generate_series(1, 1000000) AS i,
    LATERAL quern.ask('the weight of ' || nextval('work') || i, ARRAY['papers']) AS a`,
};

let folder: string;
let server: ServerProcess;
let watcher: RawClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quern-departed-'));
  server = await startServer({ data: join(folder, 'data') });
  watcher = await signIn(server);
  await ask(watcher, 'CREATE SEQUENCE work');
  await ask(watcher, "CREATE DATASET papers WITH (embedding_model = 'hash')");
}, 60_000);

afterAll(async () => {
  watcher.socket.destroy();
  await server.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const counted = async (): Promise<number> => Number((await ask(watcher, 'SELECT last_value FROM work')).text);

/** From now to the last that was counted. */
async function lastCountedAfter(): Promise<number> {
  const began = performance.now();
  let [last, changed] = [await counted(), began];
  while (performance.now() - changed < SILENCE_MS && performance.now() - began < 10_000) {
    await setTimeout(5);
    const now = await counted();
    if (now !== last) [last, changed] = [now, performance.now()];
  }
  return changed - began;
}

async function works(): Promise<void> {
  const before = await counted();
  for (let i = 0; i < 500 && (await counted()) < before + 2; i++) await setTimeout(10);
  expect(await counted()).toBeGreaterThan(before);
}

describe.each(Object.entries(STATEMENTS))('%s ends', (_, sql) => {
  it.runIf(HAS_PSQL)('when psql is killed', async () => {
    await expectBelow(STOPS_WITHIN_MS, async () => {
      const { host, port, key } = server;
      const address = ['-h', host, '-p', String(port), '-U', 'quern', '-d', 'quern'];
      const psql = spawn('psql', ['-X', '-q', ...address, '-c', sql], {
        env: { ...process.env, PGPASSWORD: key },
        stdio: 'ignore',
      });
      await works();
      psql.kill('SIGKILL');
      await once(psql, 'exit');
      return lastCountedAfter();
    });
  });

  it('when its client’s socket closes', async () => {
    await expectBelow(STOPS_WITHIN_MS, async () => {
      const client = await signIn(server);
      client.query(sql);
      await works();
      client.socket.destroy();
      return lastCountedAfter();
    });
  });
});
