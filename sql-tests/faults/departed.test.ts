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
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { ask, mainThreadMs, signIn } from './neighbour.ts';
import type { RawClient } from './raw-client.ts';
import { expectBelow } from './turn-watch.ts';

/** Processor time of the server's main thread, which computes all the while when it has not noticed. */
const STOPS_WITHIN_MS = 100;
/** After so many looks without any, no more comes: the server answers each of them between two of its turns. */
const SILENT_LOOKS = 60;
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
});

afterAll(async () => {
  watcher.socket.destroy();
  await server.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const counted = async (): Promise<number> => Number((await ask(watcher, 'SELECT last_value FROM work')).text);

/** Processor time of the server from now to the last that is counted. */
async function lastCountedAfter(): Promise<number> {
  const began = mainThreadMs(server);
  let [last, lastMs] = [await counted(), began];
  for (let silent = 0; silent < SILENT_LOOKS && lastMs - began < STOPS_WITHIN_MS; silent++) {
    await setTimeout(5);
    const now = await counted();
    if (now !== last) [last, lastMs, silent] = [now, mainThreadMs(server), 0];
  }
  return lastMs - began;
}

async function works(): Promise<void> {
  const before = await counted();
  while ((await counted()) < before + 2) await setTimeout(10);
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
