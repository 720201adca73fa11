/** A file that is sent in parts while the server is killed: what was acknowledged is there, and the document is made once. */
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ServerProcess, startServer } from '../../scripts/server-process.ts';

const PART_BYTES = 3_000_000;
const FILE = Buffer.from(
  Array.from({ length: 110_000 }, (_, i) => `The margin of year ${i} rose; nothing else did.\n`).join(''),
);

const folder = mkdtempSync(join(tmpdir(), 'quern-uploads-'));
const data = join(folder, 'data');
let server: ServerProcess;

afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Far {
  readonly upload?: { readonly token: string; readonly offset: number };
  readonly handle?: string;
  readonly error?: { readonly sqlstate: string };
}

async function ask(method: string, path: string, body?: object | Buffer): Promise<Far> {
  const isBytes = Buffer.isBuffer(body);
  const response = await fetch(`http://127.0.0.1:${server.httpPort}/uploads${path}`, {
    method,
    headers: {
      authorization: `Bearer ${server.key}`,
      'content-type': isBytes ? 'application/octet-stream' : 'application/json',
    },
    ...(body !== undefined && { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
  return (await response.json()) as Far;
}

async function sql(statement: string): Promise<readonly unknown[]> {
  const response = await fetch(`http://127.0.0.1:${server.httpPort}/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ statement }),
  });
  const lines = (await response.text()).split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => (JSON.parse(line) as { rows?: unknown[] }).rows ?? []);
}

async function killAndStart(): Promise<void> {
  const { key } = server;
  await server.stop('SIGKILL');
  server = await startServer({ data, key });
}

/** Half a part, and then the server is killed. */
async function killAmid(token: string, from: number): Promise<void> {
  const half = FILE.subarray(from, from + PART_BYTES / 2);
  const sending = plainRequest(`http://127.0.0.1:${server.httpPort}/uploads/${token}?from=${from}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${server.key}`, 'content-length': PART_BYTES / 2 + 1 },
  }).on('error', () => undefined);
  await new Promise<void>((resolve) => sending.write(half, () => resolve()));
  await killAndStart();
  sending.destroy();
}

it('is whole in the end, and made once', async () => {
  server = await startServer({ data });
  await sql("CREATE DATASET notes WITH (embedding_model = 'hash')");
  const about = { dataset: 'notes', doc_id: 'a', name: 'a.txt', size: FILE.length };
  const token = (await ask('POST', '', about)).upload?.token ?? '';
  await ask('PUT', `/${token}?from=0`, FILE.subarray(0, PART_BYTES));
  await killAmid(token, PART_BYTES);
  let offset = (await ask('GET', `/${token}`)).upload?.offset ?? 0;
  expect(offset).toBeGreaterThanOrEqual(PART_BYTES);
  while (offset < FILE.length) {
    offset =
      (await ask('PUT', `/${token}?from=${offset}`, FILE.subarray(offset, offset + PART_BYTES))).upload
        ?.offset ?? 0;
  }
  // It may be killed before, while, or after the document is made: which one is all the same.
  const first = ask('POST', `/${token}`).catch(() => null);
  const making = "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'COPY quern.upload%'";
  while ((await sql(making)).length === 0 && (await sql('SELECT 1 FROM quern.handles')).length === 0);
  await killAndStart();
  await first;
  const again = await ask('POST', `/${token}`);
  const rows = await sql("SELECT handle, sha256, size FROM quern.handles WHERE doc_id = 'a'");
  const sha256 = createHash('sha256').update(FILE).digest('hex');
  const known = again.handle ?? (rows[0] as string[])[0];
  // Done, answered to nobody, and forgotten with the server: only then its token is nobody's.
  if (again.handle === undefined) expect(again.error?.sqlstate).toBe('42704');
  expect(rows).toEqual([[known, sha256, String(FILE.length)]]);
  expect(readdirSync(join(data, 'tmp')).filter((name) => name.endsWith('.upload'))).toEqual([]);
});
