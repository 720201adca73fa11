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
  const given = await openServer(folder);
  for (const set of SETS) await fill(given.client, set, join(source, set));
  return given;
}

/** @param packs `off`: questions to these are read without any; otherwise with those that their documents speak. */
export async function setPacks(client: pg.Client, datasets: readonly string[], packs: string): Promise<void> {
  const domains = packs === 'off' ? 'none' : 'auto';
  for (const dataset of datasets) await client.query(`ALTER DATASET ${dataset} SET (domains = '${domains}')`);
  const { rows } = await client.query('SELECT name, domains FROM quern.datasets WHERE name = ANY ($1)', [
    datasets,
  ]);
  for (const { name, domains: active } of rows)
    console.log(`${name}, packs ${packs}: ${active.join(', ') || 'none'}`);
}

/** @param folder as above. */
export async function openServer(folder: string | undefined): Promise<Given> {
  const data = folder ?? join(mkdtempSync(join(tmpdir(), 'quern-ask-')), 'data');
  const server = await startServer({ data, key: KEY });
  const { host, port } = server;
  const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: KEY });
  await client.connect();
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
  const rows = lines<FileRow>(join(folder, 'documents.jsonl'));
  await upload(
    client,
    set,
    rows.map(({ doc, file }) => ({ id: doc, path: join(folder, file) })),
  );
}

/** Files that are not in a dataset; one that cannot be read is said and left out. */
export async function upload(
  client: pg.Client,
  dataset: string,
  files: readonly { readonly id: string; readonly path: string }[],
): Promise<void> {
  const { rows } = await client.query(`SELECT doc_id FROM ${dataset}.documents WHERE status = 'ready'`);
  const ready = new Set(rows.map(({ doc_id }) => String(doc_id)));
  const handles: string[] = [];
  for (const { id, path } of files) {
    if (ready.has(id)) continue;
    const put = await client.query('SELECT quern.upsert_file($1, $2, $3, $4) AS handle', [
      dataset,
      id,
      basename(path),
      readFileSync(path),
    ]);
    handles.push(String(put.rows[0]?.handle));
  }
  for (const handle of handles) {
    try {
      await client.query('SELECT quern.wait_for_handle($1, $2)', [handle, FILE_SECONDS_MAX]);
    } catch (error) {
      console.log(`  left out of ${dataset}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

export const lines = <T>(path: string): readonly T[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as T);
