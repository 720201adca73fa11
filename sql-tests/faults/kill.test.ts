/**
 * kill -9 in the middle of inserts, VACUUM FULL and changes of all keys, 20 rounds on one data folder: every acknowledged row is there, no
 * statement is half there, and nothing that was stored can be read from the files.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { sliced } from '../slow-tests.ts';

const ROUNDS = 20;
const ROWS_A_STATEMENT = 7;
const WRITERS = 3;
const KEY = 'owner-key-of-the-kill-test';

const connect = async (server: ServerProcess): Promise<pg.Client> => {
  const { host, port } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: KEY });
  client.on('error', () => undefined);
  await client.connect();
  return client;
};

/** Inserts statement after statement until the connection breaks; notes what was acknowledged. */
async function write(client: pg.Client, name: string, acknowledged: string[]): Promise<void> {
  for (let statement = 0; ; statement++) {
    const group = `${name}-${statement}`;
    const rows = Array.from(
      { length: ROWS_A_STATEMENT },
      (_, i) => `('secretid-${group}-${i}', '${group}', 'plaintextmarker ${group}')`,
    );
    try {
      await client.query(`INSERT INTO notes (_id, batch, body) VALUES ${rows.join(', ')}`);
    } catch (error) {
      // Only a broken connection may end it: what the server itself refused is a failure of the test.
      if (error instanceof pg.DatabaseError && error.code !== '57P01') throw error;
      return;
    }
    acknowledged.push(group);
  }
}

/** Has the data file replaced by a smaller one, or all keys changed, again and again until the connection breaks. */
async function repeat(client: pg.Client, statement: 'VACUUM FULL' | 'SELECT quern.rekey()'): Promise<void> {
  for (;;) {
    try {
      await client.query(statement);
    } catch (error) {
      if (error instanceof pg.DatabaseError && error.code !== '57P01') throw error;
      return;
    }
  }
}

describe('kill -9', () => {
  it(`loses nothing in ${ROUNDS} rounds`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quern-kill-'));
    const data = join(folder, 'data');
    const acknowledged: string[] = [];
    const restarts: number[] = [];
    const rounds = sliced(import.meta, [...Array(ROUNDS).keys()], 'rounds');
    for (const round of rounds) {
      const began = performance.now();
      const server = await startServer({ data, key: KEY });
      if (round !== rounds[0]) restarts.push(performance.now() - began);
      const setup = await connect(server);
      if (round === rounds[0]) {
        await setup.query(`CREATE TABLE notes (batch TEXT INDEX keyword_index(type => 'exact'),
          body TEXT INDEX semantic_index(model => 'hash'))`);
      }
      await check(setup, acknowledged);
      const clients = await Promise.all(Array.from({ length: WRITERS }, () => connect(server)));
      const writers = clients.map((client, i) => write(client, `${round}-${i}`, acknowledged));
      if (round % 2 === 1) writers.push(repeat(await connect(server), 'VACUUM FULL'));
      if (round % 3 !== 1) writers.push(repeat(await connect(server), 'SELECT quern.rekey()'));
      const before = acknowledged.length;
      while (acknowledged.length < before + 3) await sleep(2);
      await sleep((round % 5) * 17);
      await server.stop('SIGKILL');
      await Promise.all(writers);
      await setup.end().catch(() => undefined);
    }
    const server = await startServer({ data, key: KEY });
    const client = await connect(server);
    await check(client, acknowledged);
    await client.end();
    await server.stop();
    expect(acknowledged.length).toBeGreaterThan(rounds.length);
    expect(plaintext(folder)).toEqual([]);
    restarts.sort((a, b) => a - b);
    process.stdout.write(
      `restart after kill -9: median ${restarts[restarts.length >> 1]?.toFixed(0)} ms, worst ${restarts.at(-1)?.toFixed(0)} ms\n`,
    );
    rmSync(folder, { recursive: true, force: true });
  });
});

async function check(client: pg.Client, acknowledged: readonly string[]): Promise<void> {
  const { rows } = await client.query('SELECT batch, count(*)::int AS n FROM notes GROUP BY batch');
  const counts = new Map<string, number>(rows.map((row) => [row.batch, row.n]));
  expect([...counts].filter(([, n]) => n !== ROWS_A_STATEMENT)).toEqual([]);
  expect(acknowledged.filter((group) => !counts.has(group))).toEqual([]);
  const last = acknowledged.at(-1);
  if (last === undefined) return;
  const byKey = await client.query('SELECT batch FROM notes WHERE _id = $1', [`secretid-${last}-0`]);
  expect(byKey.rows).toEqual([{ batch: last }]);
  const byWord = await client.query('SELECT count(*)::int AS n FROM notes WHERE match($1, batch)', [last]);
  expect(byWord.rows).toEqual([{ n: ROWS_A_STATEMENT }]);
}

/** Files that hold an inserted text or `_id`. */
function plaintext(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return files.filter((name) => {
    const bytes = readFileSync(join(folder, name));
    return ['plaintextmarker', 'secretid', 'notes', 'owner-key'].some(
      (text) => bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le')),
    );
  });
}
