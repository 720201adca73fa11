/**
 * Files of every kind, hostile ones among them, into one dataset: each must end as a document or with a reason that
 * a person understands, within a limit, and a neighbour asks `select 1` meanwhile.
 */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { startServer } from '../../scripts/server-process.ts';
import { beside, waits } from './beside.ts';

const FOLDERS = ['hostile', 'office', 'text', 'scans', 'pdf', 'expected'];
const LIMIT_SECONDS = 600;

interface Outcome {
  readonly doc_id: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly problems: readonly string[] | null;
  readonly mime_type: string | null;
  readonly pages: number | null;
  readonly chunks: number;
  readonly seconds: number;
}

/** @param root folder of the files, one folder a kind. */
export async function files(root: string): Promise<void> {
  if (!existsSync(root)) {
    console.log(`files: ${root} is missing`);
    return;
  }
  const data = mkdtempSync(join(tmpdir(), 'quern-files-'));
  try {
    await using server = await startServer({ data });
    const { host, port, key } = server;
    const client = new pg.Client({ host, port, user: 'quern', database: 'quern', password: key });
    await client.connect();
    await client.query(`CREATE DATASET files WITH (embedding_model = 'hash')`);
    const started = performance.now();
    const paths = FOLDERS.flatMap((folder) =>
      readdirSync(join(root, folder)).map((name) => join(folder, name)),
    );
    const { waitsMs } = await beside(server, async () => {
      for (const path of paths) await upload(client, path, readFileSync(join(root, path)));
      await finished(client);
    });
    console.log(`files: ${paths.length} in ${((performance.now() - started) / 1000).toFixed(0)} s`);
    tell(await outcomes(client));
    console.log(`  select 1 beside them: ${waits(waitsMs)} (bar p99 20)`);
    await client.end();
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

const upload = (client: pg.Client, path: string, bytes: Buffer): Promise<unknown> =>
  client.query(`SELECT quern.upsert_file('files', $1, $2, $3)`, [path, basename(path), bytes]);

/** @throws Error naming what is not done at the limit. */
async function finished(client: pg.Client): Promise<void> {
  const end = performance.now() + LIMIT_SECONDS * 1000;
  for (;;) {
    const { rows } = await client.query('SELECT doc_id FROM quern.ingest_queue');
    if (rows.length === 0) return;
    if (performance.now() > end) {
      throw new Error(`not done after ${LIMIT_SECONDS} s: ${rows.map(({ doc_id }) => doc_id).join(', ')}`);
    }
    await sleep(250);
  }
}

async function outcomes(client: pg.Client): Promise<readonly Outcome[]> {
  const { rows } = await client.query<Outcome>(
    `SELECT d.doc_id, d.status, d.status_reason, d.problems, d.mime_type, d.pages,
       (SELECT count(*)::int FROM files.chunks c WHERE c.doc_id = d.doc_id) AS chunks,
       extract(epoch FROM h.updated_at - h.created_at)::float8 AS seconds
     FROM files.documents d JOIN quern.handles h ON h.doc_id = d.doc_id ORDER BY d.status, d.doc_id`,
  );
  return rows;
}

function tell(all: readonly Outcome[]): void {
  for (const file of all) {
    const { doc_id, status, status_reason, problems, pages, chunks } = file;
    const what = status_reason ?? `${file.mime_type}, ${pages ?? 'no'} pages, ${chunks} chunks`;
    console.log(`  ${status.padEnd(6)} ${doc_id}: ${[what, ...(problems ?? [])].join('; ')}`);
  }
  const failed = all.filter(({ status }) => status === 'error');
  const other = all.filter(({ status }) => status !== 'error' && status !== 'ready');
  console.log(
    `  ${all.length - failed.length} ready, ${failed.length} error, ${other.length} neither (bar 0)`,
  );
}
