/**
 * Many partitions of one collection (10 rows each, with a keyword, a semantic and a vector index) beside a
 * collection with one: writes, memory, queries, the listing, a restart. No peer has partitions made by a
 * write, so that Quern is measured against itself, with a server of its own.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import type { Peers } from '../peers.ts';
import { median, report } from '../statistics.ts';

const ROWS = 10;
const CLIENTS = 8;
const QUERIES = 200;
const COLUMNS =
  "title text INDEX keyword_index() INDEX semantic_index(model => 'hash'), v vector(16) INDEX vector_index()";

export async function partitions(_peers: Peers, quick: boolean): Promise<void> {
  const count = quick ? 1_000 : 10_000;
  const folder = mkdtempSync(join(tmpdir(), 'quern-partitions-'));
  try {
    const data = join(folder, 'data');
    await using server = await startServer({ data });
    await measureRunning(server, count);
    await server.stop();
    await measureRestart({ data, key: server.key }, count);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measureRunning(server: ServerProcess, count: number): Promise<void> {
  const client = await connect(server);
  for (const table of ['books', 'one']) await client.query(`CREATE TABLE ${table} (${COLUMNS})`);
  await client.query(insert('one$only', 0));
  const before = residentBytes(server);
  const began = performance.now();
  await writeAll(server, count);
  const seconds = (performance.now() - began) / 1000;
  report(`${count} partitions: written a second`, count / seconds, { seconds: seconds.toFixed(1) });
  report('memory of a partition, KB', (residentBytes(server) - before) / count / 1024, {
    server: `${(residentBytes(server) / 2 ** 20).toFixed(0)} MB`,
  });
  await measureQueries(client, count);
  const listed = performance.now();
  await client.query('SELECT * FROM quern.partitions');
  report('quern.partitions, ms', performance.now() - listed, {});
  await client.end();
}

async function measureRestart(at: { data: string; key: string }, count: number): Promise<void> {
  const began = performance.now();
  await using server = await startServer(at);
  report('start, s', (performance.now() - began) / 1000, {
    memory: `${(residentBytes(server) / 2 ** 20).toFixed(0)} MB`,
  });
  const client = await connect(server);
  const first = performance.now();
  await client.query(nearest('books$p5', 5));
  report('first query after it, ms', performance.now() - first, {});
  await measureQueries(client, count);
  await client.end();
}

/** The same queries in a collection with one partition, in one of many, and in another one each time. */
async function measureQueries(client: pg.Client, count: number): Promise<void> {
  const kinds = { nearest, semantic, keyword };
  for (const [name, sql] of Object.entries(kinds)) {
    const only = await p50(client, (i) => sql('one$only', i));
    const one = await p50(client, (i) => sql('books$p7', i));
    const many = await p50(client, (i) => sql(`books$p${(i * 37) % count}`, i));
    report(`p50 of ${name} in one of many partitions / in the only one`, one / only, {
      only: `${only.toFixed(2)} ms`,
      'one of many': `${one.toFixed(2)} ms`,
      'another each time': `${many.toFixed(2)} ms`,
    });
  }
}

async function writeAll(server: ServerProcess, count: number): Promise<void> {
  let next = 0;
  const write = async (): Promise<void> => {
    const client = await connect(server);
    while (next < count) {
      const partition = next++;
      await client.query(insert(`books$p${partition}`, partition));
    }
    await client.end();
  };
  await Promise.all(Array.from({ length: CLIENTS }, write));
}

async function p50(client: pg.Client, sql: (i: number) => string): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < QUERIES; i++) {
    const began = performance.now();
    await client.query(sql(i));
    times.push(performance.now() - began);
  }
  return median(times);
}

const vectorText = (seed: number): string =>
  `[${Array.from({ length: 16 }, (_, i) => Math.sin(seed * 31 + i).toFixed(4)).join(',')}]`;

function insert(table: string, partition: number): string {
  const rows = Array.from({ length: ROWS }, (_, i) => {
    return `('${i}', 'book ${i} of tenant ${partition} about whales', '${vectorText(partition * ROWS + i)}')`;
  });
  return `INSERT INTO ${table} (_id, title, v) VALUES ${rows.join(', ')}`;
}

const nearest = (table: string, i: number): string =>
  `SELECT _id FROM ${table} ORDER BY vector_distance(v, '${vectorText(i)}') LIMIT 3`;
const semantic = (table: string, i: number): string =>
  `SELECT _id FROM ${table} ORDER BY semantic_similarity(title, 'book ${i % ROWS} about whales') DESC LIMIT 3`;
const keyword = (table: string): string =>
  `SELECT _id FROM ${table} WHERE match('whales', title) ORDER BY bm25(title, 'whales') DESC LIMIT 3`;

async function connect({ host, port, key }: ServerProcess): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
  await client.connect();
  return client;
}

function residentBytes({ process }: ServerProcess): number {
  const status = readFileSync(`/proc/${process.pid}/status`, 'utf8');
  return 1024 * Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
}
