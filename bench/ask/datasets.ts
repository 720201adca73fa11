/** A server whose datasets hold the files of FinanceBench and MMLongBench; what is missing is put in. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import pg from 'pg';
import { startServer } from '../../scripts/server-process.ts';

export const SETS = ['financebench', 'mmlongbench'] as const;
/** A kept data folder's key: the one that its first start was given. */
const KEY = process.env.QUERN_API_KEY ?? 'bench-key-0123456789abcdef';
const FILE_SECONDS_MAX = 3_600;

export interface Given extends AsyncDisposable {
  readonly client: pg.Client;
}

interface FileRow {
  readonly doc: string;
  readonly file: string;
}

/** @param folder of a server's data, kept; absent: one that is thrown away. */
export async function openDatasets(source: string, folder: string | undefined): Promise<Given> {
  const data = folder ?? join(mkdtempSync(join(tmpdir(), 'quern-ask-')), 'data');
  const server = await startServer({ data, key: KEY });
  const { host, port } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: KEY });
  await client.connect();
  for (const set of SETS) await fill(client, set, join(source, set));
  return {
    client,
    async [Symbol.asyncDispose]() {
      await client.end();
      await server.stop();
      if (folder === undefined) rmSync(join(data, '..'), { recursive: true, force: true });
    },
  };
}

async function fill(client: pg.Client, set: string, folder: string): Promise<void> {
  await client.query(`CREATE DATASET IF NOT EXISTS ${set}`);
  const { rows } = await client.query(`SELECT doc_id FROM ${set}.documents WHERE status = 'ready'`);
  const ready = new Set(rows.map(({ doc_id }) => String(doc_id)));
  for (const { doc, file } of lines<FileRow>(join(folder, 'documents.jsonl'))) {
    if (ready.has(doc)) continue;
    const bytes = readFileSync(join(folder, file));
    const put = await client.query('SELECT quern.upsert_file($1, $2, $3, $4) AS handle', [
      set,
      doc,
      basename(file),
      bytes,
    ]);
    await client.query('SELECT quern.wait_for_handle($1, $2)', [put.rows[0]?.handle, FILE_SECONDS_MAX]);
  }
}

export const lines = <T>(path: string): readonly T[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
