/** The audit of a server that is killed, whose log outside is cut or changed: nothing acknowledged is missing, and what is wrong shows. */
import { execFile } from 'node:child_process';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { chainHash } from '../../src/text-hash.ts';

const QUERN = join(import.meta.dirname, '../../bin/quern');
const KEY = 'owner-key-of-the-audit-test';
const ROUNDS = 3;

const folder = mkdtempSync(join(tmpdir(), 'quern-audit-'));
const log = join(folder, 'audit.log');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = (): Promise<ServerProcess> =>
  startServer({ data: join(folder, 'data'), key: KEY, flags: ['--no-console', '--audit-log', log] });

async function connect({ host, port }: ServerProcess): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: KEY });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

/** Makes schemas until the connection breaks. */
async function make(client: pg.Client, name: string, acknowledged: string[]): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      await client.query(`CREATE SCHEMA ${name}_${i}`);
    } catch {
      return;
    }
    acknowledged.push(`schema ${name}_${i}`);
  }
}

async function verify({ host, port }: ServerProcess, ...args: readonly string[]) {
  const env = { ...process.env, QUERN_HOST: host, QUERN_PORT: String(port), QUERN_API_KEY: KEY };
  const done = { code: 0, stdout: '', stderr: '' };
  return await promisify(execFile)(QUERN, ['audit', 'verify', ...args], { env }).then(
    (ended) => ({ ...done, ...ended }),
    (failed: { code: number; stdout: string; stderr: string }) => ({ ...done, ...failed }),
  );
}

interface Line {
  readonly sequence: number;
  readonly hash: string;
  readonly entry: { readonly action: string; readonly objects?: readonly string[] };
}

const lines = (): readonly Line[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line.endsWith('}}'))
    .map((line) => JSON.parse(line) as Line);

it('has all that was acknowledged, and its log has all that it has', async () => {
  const acknowledged: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const server = await start();
    const clients = await Promise.all([connect(server), connect(server)]);
    const made = clients.map((client, i) => make(client, `r${round}_${i}`, acknowledged));
    const enough = acknowledged.length + 20;
    await expect.poll(() => acknowledged.length).toBeGreaterThan(enough);
    await server.stop('SIGKILL');
    await Promise.all(made);
    // As a disk leaves a line that was being written.
    appendFileSync(log, '{"sequence":12,"hash":"00');
  }
  await using server = await start();
  expect(await verify(server)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^the audit is whole: entries 1 to \d+, [0-9a-f]{64}\n$/),
  });
  const client = await connect(server);
  const { rows } = await client.query('SELECT unnest(objects) AS name FROM quern.audit');
  const names = new Set(rows.map(({ name }) => name));
  expect(acknowledged.filter((name) => !names.has(name))).toEqual([]);
  const { rows: there } = await client.query(
    `SELECT 'schema ' || nspname AS name FROM pg_namespace WHERE nspname LIKE 'r_\\_%'`,
  );
  // One that is there and was not acknowledged is told of as well.
  expect(there.filter(({ name }) => !names.has(name))).toEqual([]);
  await client.end();
  await server.stop();
  const written = lines();
  expect(written.map(({ sequence }) => sequence)).toEqual(written.map((_, i) => i + 1));
  let previous = '';
  for (const { sequence, hash, entry } of written) {
    expect(chainHash(previous, sequence, JSON.stringify(entry))).toBe(hash);
    previous = hash;
  }
});

it('is compared with its log', async () => {
  await using server = await start();
  expect((await verify(server, '--against', log)).stdout).toMatch(/\n\d+ lines of the log are in it\n$/);
  const forged = join(folder, 'forged.log');
  const text = readFileSync(log, 'utf8');
  writeFileSync(forged, text.replace(/("sequence":7,"hash":")../, '$1zz'.replace('zz', '00')));
  const found = await verify(server, '--against', forged);
  expect(found).toMatchObject({ code: 1, stderr: expect.stringContaining('entry 7 of') });
});
