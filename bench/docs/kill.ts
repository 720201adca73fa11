/**
 * kill -9 again and again while filings are read: after the last restart all are ready, none twice, with the chunks
 * that they have undisturbed, and nothing is left over.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';

const KILLS = 4;
const PAUSE_MS = 250;
const LIMIT_MS = 900_000;
const KEY = 'owner-key-of-the-kill-bench';

/** Counts that must be zero. */
const LEFT_OVER: Readonly<Record<string, string>> = {
  'documents that are not ready': "SELECT count(*)::int AS n FROM filings.documents WHERE status <> 'ready'",
  'documents of another version than the first':
    'SELECT count(*)::int AS n FROM filings.documents WHERE version <> 1',
  'chunks that are there twice':
    'SELECT (count(*) - count(DISTINCT (doc_id, ordinal)))::int AS n FROM filings.chunks',
  'chunks without a document':
    'SELECT count(*)::int AS n FROM filings.chunks WHERE doc_id NOT IN (SELECT doc_id FROM filings.documents)',
  'chunks without an embedding':
    'SELECT count(*)::int AS n FROM filings.chunks WHERE embedding(passage) IS NULL',
  'blocks of no document':
    'SELECT count(*)::int AS n FROM filings._files WHERE file NOT IN (SELECT file FROM filings.documents)',
  'pictures of no document':
    'SELECT count(*)::int AS n FROM filings._pictures WHERE file NOT IN (SELECT file FROM filings.documents)',
  'gaps in the numbers of chunks':
    'SELECT count(*)::int AS n FROM (SELECT 1 FROM filings.chunks GROUP BY doc_id HAVING max(ordinal) <> count(*)) g',
  'handles that are not done': "SELECT count(*)::int AS n FROM quern.handles WHERE state <> 'ready'",
  pending: 'SELECT count(*)::int AS n FROM quern.pending',
};

export async function kill(folder: string, quick: boolean): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.pdf'));
  const files = quick ? names.slice(0, 3) : names;
  const data = mkdtempSync(join(tmpdir(), 'quern-kill-docs-'));
  try {
    await upload(data, folder, files);
    const moments = [];
    for (let i = 0; i < KILLS; i++)
      moments.push(await killAmid(data, (files.length * (i + 1)) / (KILLS + 1)));
    await using server = await startServer({ data, key: KEY });
    const client = await connect(server);
    await finished(client, 0);
    console.log(`kill -9: ${files.length} filings, ended ${KILLS} times: ${moments.join('; ')}`);
    for (const [what, sql] of Object.entries(LEFT_OVER)) {
      const { rows } = await client.query<{ n: number }>(sql);
      console.log(`  ${what}: ${rows[0]?.n} (bar 0)`);
    }
    const { rows } = await client.query(
      'SELECT (SELECT count(*)::int FROM filings.documents) AS documents, count(*)::int AS chunks FROM filings.chunks',
    );
    console.log(`  ${rows[0]?.documents} documents, ${rows[0]?.chunks} chunks`);
    await client.end();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function connect({ host, port }: ServerProcess): Promise<pg.Client> {
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: KEY });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function upload(data: string, folder: string, files: readonly string[]): Promise<void> {
  await using server = await startServer({ data, key: KEY });
  const client = await connect(server);
  await client.query("CREATE DATASET filings WITH (embedding_model = 'hash')");
  for (const name of files) {
    const bytes = readFileSync(join(folder, name));
    await client.query("SELECT quern.upsert_file('filings', $1, $1, $2)", [name, bytes]);
  }
  await server.stop('SIGKILL');
  await client.end().catch(() => undefined);
}

/** Kills the server when so many documents are ready. @returns what was under way. */
async function killAmid(data: string, ready: number): Promise<string> {
  const server = await startServer({ data, key: KEY });
  const client = await connect(server);
  const { rows: all } = await client.query('SELECT count(*)::int AS n FROM filings.documents');
  await finished(client, Math.max(0, Math.floor((all[0]?.n ?? 0) - ready)));
  const { rows } = await client.query(
    'SELECT state, count(*)::int AS n FROM quern.ingest_queue GROUP BY 1 ORDER BY 1',
  );
  await server.stop('SIGKILL');
  await client.end().catch(() => undefined);
  return rows.map(({ state, n }) => `${n} ${state}`).join(', ');
}

/** Until at most so many are left. */
async function finished(client: pg.Client, left: number): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  for (;;) {
    const { rows } = await client.query('SELECT count(*)::int AS n FROM quern.ingest_queue');
    if (rows[0]?.n <= left) return;
    if (performance.now() > end) throw new Error(`${rows[0]?.n} filings are not done after ${LIMIT_MS} ms`);
    await sleep(PAUSE_MS);
  }
}
