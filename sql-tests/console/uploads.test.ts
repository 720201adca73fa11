/** A large file that is dropped: whatever cuts it off, it goes on from where the server is, and nobody has to drop it again. */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { accessFaults } from './accessible.ts';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';

requireBrowser();

const PART_BYTES = 8 * 1024 * 1024;
/** No document, so that it is looked at quickly: it is the way here that is tested. */
const FILE = Buffer.alloc(2.5 * PART_BYTES, 1);
const folder = mkdtempSync(join(tmpdir(), 'quern-dropped-'));
const path = join(folder, 'large.bin');

describe.skipIf(!hasBrowser)('a large file', () => {
  let console_: Console;
  let sql: Client;
  beforeAll(async () => {
    writeFileSync(path, FILE);
    console_ = await startConsole();
    const { host, port, key } = console_.server;
    sql = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    await sql.connect();
    await sql.query("CREATE DATASET notes WITH (embedding_model = 'hash')");
  });
  afterAll(async () => {
    await sql?.end();
    await console_?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes on after its connection is lost and after its session is over', async () => {
    const page = await console_.open('/datasets/notes');
    const sent: string[] = [];
    let isCut = false;
    let isOut = false;
    await page.route('**/uploads/*?from=*', async (route) => {
      const from = new URL(route.request().url()).searchParams.get('from') ?? '';
      sent.push(from);
      if (from === String(PART_BYTES) && !isCut) {
        isCut = true;
        await route.abort('connectionreset');
      } else if (from === String(2 * PART_BYTES) && !isOut) {
        isOut = true;
        await page.context().clearCookies();
        await route.fulfill({ status: 401, body: 'sign in, or send a key' });
      } else await route.continue();
    });
    await page.getByLabel('Upload files', { exact: false }).first().setInputFiles(path);
    const key = page.getByLabel('API key');
    await key.waitFor();
    await key.fill(console_.server.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('failed', { exact: false }).first().waitFor();
    const { rows } = await sql.query('SELECT doc_id, size, sha256 FROM quern.handles');
    const sha256 = createHash('sha256').update(FILE).digest('hex');
    expect(rows).toEqual([{ doc_id: 'large.bin', size: String(FILE.length), sha256 }]);
    expect(sent).toEqual([0, 1, 1, 2, 2].map((part) => String(part * PART_BYTES)));
    expect(await accessFaults(page)).toEqual([]);
    expect(console_.complaints).toEqual([]);
  });
});
