/**
 * A server that is killed, or stopped, amid the ingestion of small files: after a restart all are ready, none twice,
 * nothing is left over, and nothing of them can be read from the data folder.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';
import { RawClient } from './raw-client.ts';
import { connectOwner, until } from './watched-server.ts';

const FILES = 12;
const KEY = 'owner-key-of-the-dataset-kill-test';
const PATIENCE = { everyMs: 20, times: 30_000 };

const PICTURE = `SELECT
  (SELECT count(*)::int FROM notes.documents WHERE status = 'ready' AND version = 1) AS ready,
  (SELECT count(*)::int FROM notes.chunks) AS chunks,
  (SELECT count(DISTINCT doc_id)::int FROM notes.chunks) AS documents,
  (SELECT count(*)::int FROM notes.chunks WHERE embedding(passage) IS NULL) AS unembedded,
  (SELECT count(*)::int FROM notes._files WHERE file NOT IN (SELECT file FROM notes.documents)) AS left_over`;

it('loses nothing, and tells nothing', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quern-dataset-kill-'));
  const data = join(folder, 'data');
  const first = await startServer({ data, key: KEY });
  const setup = await connectOwner(first);
  await setup.query("CREATE DATASET notes WITH (embedding_model = 'hash')");
  for (let i = 0; i < FILES; i++) {
    const text = Buffer.from(`plaintextmarker of whale ${i}.`);
    await setup.query("SELECT quern.upsert_file('notes', $1, $2, $3)", [
      `secretid-${i}`,
      `secretname-${i}.txt`,
      text,
    ]);
  }
  await first.stop('SIGKILL');
  await setup.end().catch(() => undefined);
  for (const [signal, ready] of [
    ['SIGKILL', 2],
    ['SIGTERM', 5],
    ['SIGKILL', 8],
  ] as const) {
    const server = await startServer({ data, key: KEY });
    const client = await connectOwner(server);
    await until(
      client,
      `SELECT 1 FROM notes.documents WHERE status = 'ready' HAVING count(*) >= ${ready}`,
      PATIENCE,
    );
    const code = await server.stop(signal);
    expect(code).toBe(signal === 'SIGTERM' ? 0 : null);
    await client.end().catch(() => undefined);
  }
  const last = await startServer({ data, key: KEY });
  const client = await connectOwner(last);
  await until(client, "SELECT 1 FROM quern.handles WHERE state <> 'ready' HAVING count(*) = 0", PATIENCE);
  const whole = { ready: FILES, chunks: FILES, documents: FILES, unembedded: 0, left_over: 0 };
  expect((await client.query(PICTURE)).rows).toEqual([whole]);
  await loseConnection(last);
  await until(
    client,
    `SELECT 1 FROM notes._files WHERE file NOT IN (SELECT file FROM notes.documents) HAVING count(*) = 0`,
    PATIENCE,
  );
  expect((await client.query(PICTURE)).rows).toEqual([whole]);
  expect((await client.query("SELECT 1 FROM quern.handles WHERE doc_id = 'lost'")).rows).toEqual([]);
  await client.end();
  await last.stop();
  expect(plaintext(folder)).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

/** Half of a file by COPY, then nothing: the client is gone. */
async function loseConnection({ host, port }: ServerProcess): Promise<void> {
  const client = await RawClient.signIn(host, port, KEY);
  client.query("COPY quern.upload FROM STDIN WITH (dataset 'notes', doc_id 'lost', name 'lost.txt')");
  await client.until('G');
  for (let i = 0; i < 8; i++) client.send('d', Buffer.alloc(128 * 1024, 'x'));
  await sleep(200);
  client.socket.destroy();
  await sleep(200);
}

/** Files that hold something of what was uploaded. */
function plaintext(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return files.filter((name) => {
    const bytes = readFileSync(join(folder, name));
    return ['plaintextmarker', 'secretid', 'secretname'].some(
      (text) => bytes.includes(text) || bytes.includes(Buffer.from(text, 'utf16le')),
    );
  });
}
