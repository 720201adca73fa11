/**
 * 1,000,000 × 384 on one machine: the index builds, the server's memory, latency and recall, and the first
 * query after a restart. Quern alone, in a folder of its own.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import type { Address, Peers } from '../peers.ts';
import { median, report } from '../statistics.ts';
import { copyLines } from './copy.ts';
import { clustered, nearest, type VectorSet, vectorOf, vectorText } from './vectors.ts';

const DIMENSION = 384;
const K = 10;
const QUERIES = 100;
const GIGABYTE = 2 ** 30;

export async function million(_: Peers, quick: boolean): Promise<void> {
  const set = clustered(quick ? 50_000 : 1_000_000, DIMENSION, QUERIES);
  const folder = mkdtempSync(join(tmpdir(), 'quern-million-'));
  const options = { data: join(folder, 'data'), key: 'million' };
  try {
    const server = await startServer(options);
    await loadAndAsk(server, set);
    await server.stop();
    await using again = await startServer(options);
    const client = await connect(again);
    const began = performance.now();
    await client.query(SEARCH, [vectorText(vectorOf(set.queries, DIMENSION, 0))]);
    report(`${set.name}: first query after a restart, s`, (performance.now() - began) / 1000, {
      bar: '<= 2',
    });
    await client.end();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const SEARCH = `SELECT id FROM points ORDER BY v <-> $1 LIMIT ${K}`;

async function loadAndAsk(server: ServerProcess, set: VectorSet): Promise<void> {
  const client = await connect(server);
  await client.query(`CREATE TABLE points (id int PRIMARY KEY, v vector(${DIMENSION}))`);
  const loaded = performance.now();
  await copyLines(addressOf(server), 'points', lines(set));
  const began = performance.now();
  await client.query('CREATE INDEX ON points USING hnsw (v vector_l2_ops)');
  const built = performance.now();
  report(`${set.name}: index build, s`, (built - began) / 1000, {
    copy: `${((began - loaded) / 1000).toFixed(1)} s`,
    peak: `${memory(server, 'VmHWM').toFixed(2)} GB`,
  });
  const times: number[] = [];
  let found = 0;
  for (let query = 0; query < QUERIES; query++) {
    const expected = new Set(nearest(set, { query, k: K, keeps: () => true }));
    const values = [vectorText(vectorOf(set.queries, DIMENSION, query))];
    for (let round = 0; round < 3; round++) {
      const asked = performance.now();
      const { rows } = await client.query({ name: 'near', text: SEARCH, values });
      if (round === 0) for (const { id } of rows) found += expected.has(id) ? 1 : 0;
      else times.push(performance.now() - asked);
    }
  }
  report(`${set.name}: p50, ms`, median(times), { bar: '<= 5' });
  report(`${set.name}: recall@${K}`, found / (K * QUERIES), { bar: '>= 0.95' });
  // Pages of the data file count as the process's, though the system takes them back when it wants memory.
  report(`${set.name}: memory of the server, GB`, memory(server, 'VmRSS'), {
    bar: '<= 2.2',
    'without pages of the data file': `${memory(server, 'RssAnon').toFixed(2)} GB`,
  });
  await client.end();
}

function* lines({ base }: VectorSet): Generator<string> {
  for (let row = 0; row < base.length / DIMENSION; row++) {
    yield `${row}\t${vectorText(vectorOf(base, DIMENSION, row))}\n`;
  }
}

const addressOf = ({ host, port, key }: ServerProcess): Address => ({
  host,
  port,
  user: 'quern',
  database: 'quern',
  password: key,
});

async function connect(server: ServerProcess): Promise<pg.Client> {
  const client = new pg.Client({ ...addressOf(server) });
  await client.connect();
  return client;
}

/** Gigabytes, as Linux counts them: now, or at most so far. */
function memory(server: ServerProcess, field: 'VmRSS' | 'VmHWM' | 'RssAnon'): number {
  const status = readFileSync(`/proc/${server.process.pid}/status`, 'utf8');
  const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
  return (Number(kilobytes) * 1024) / GIGABYTE;
}
