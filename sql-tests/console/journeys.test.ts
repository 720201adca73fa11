/**
 * Journeys with something in the way: a session that ends amid an edit, an answer, an upload, a server that starts again, two
 * that edit one row, a dataset that is dropped meanwhile, a wrong clock, odd names. Nothing that was typed or sent is lost.
 */
import { Client } from 'pg';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startServer } from '../../scripts/server-process.ts';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';

requireBrowser();

/** Three are sent at a time. */
const FILES = 40;

describe.skipIf(!hasBrowser)('whoever works in the console', () => {
  let console_: Console;
  let sql: Client;
  let context: BrowserContext;

  beforeAll(async () => {
    console_ = await startConsole();
    sql = await connected();
    await sql.query('CREATE TABLE people (_id text, name text INDEX keyword_index(), age bigint)');
    await sql.query(`INSERT INTO people (_id, name, age) VALUES ('p1', 'Ann', 40), ('p2', 'Ben', 50)`);
    await sql.query(`CREATE DATASET notes WITH (embedding_model = 'hash')`);
    await uploaded('a.md', '# Report\n\nTurnover was 5,000 in 2021. The board met in spring.');
  });
  beforeEach(async () => {
    await context?.close();
    context = await console_.browser.newContext({ viewport: { width: 1280, height: 800 } });
  });
  afterAll(async () => {
    await sql?.end();
    await console_?.[Symbol.asyncDispose]();
  });

  async function connected(): Promise<Client> {
    const { host, port, key } = console_.server;
    const client = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    // The server ends amid a journey.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  async function uploaded(id: string, text: string): Promise<void> {
    const { rows } = await sql.query('SELECT quern.upsert_file($1, $2, $2, $3::bytea) AS handle', [
      'notes',
      id,
      Buffer.from(text),
    ]);
    await sql.query('SELECT quern.wait_for_handle($1, 600)', [rows[0].handle]);
  }

  let keys = 0;
  /** A page signed in with a key of its own, and how its session ends. */
  async function working(
    path: string,
  ): Promise<{ readonly page: Page; readonly end: () => Promise<unknown> }> {
    const name = `works ${keys++}`;
    const { rows } = await sql.query(`CREATE API KEY "${name}" WITH (role = owner)`);
    const page = await console_.open(path, { key: rows[0].key, context });
    return { page, end: () => sql.query(`DROP API KEY "${name}"`) };
  }

  async function signInAgain(page: Page): Promise<void> {
    await page.getByRole('dialog', { name: 'Your session is over' }).waitFor();
    await page.getByLabel('API key').fill(console_.server.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('dialog', { name: 'Your session is over' }).waitFor({ state: 'detached' });
  }

  it('goes on with an edit after the session has ended amid it', async () => {
    const { page, end } = await working('/collections/people/rows/p1');
    await page.getByLabel(/^name/).first().fill('Anna');
    await end();
    await page.getByRole('button', { name: 'Save 1 field' }).click();
    await signInAgain(page);
    expect(await page.getByLabel(/^name/).first().inputValue()).toBe('Anna');
    await page.getByRole('button', { name: 'Save 1 field' }).click();
    const name = async () => (await sql.query(`SELECT name FROM people WHERE _id = 'p1'`)).rows[0].name;
    await expect.poll(name).toBe('Anna');
  });

  it('gets the answer after the session has ended', async () => {
    const { page, end } = await working('/ask');
    await page.getByLabel('Ask a question of your documents').fill('What was the turnover in 2021?');
    await end();
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await signInAgain(page);
    await page.getByRole('list', { name: 'Facts' }).getByText('Turnover was 5,000 in 2021.').waitFor();
    await expect.poll(() => new URL(page.url()).pathname).toMatch(/^\/ask\/[\da-f-]{36}$/);
  });

  it('sends the rest of the files after the session has ended amid an upload', async () => {
    const { page, end } = await working('/datasets/notes');
    const files = Array.from({ length: FILES }, (_, i) => ({
      name: `many-${i}.txt`,
      mimeType: 'text/plain',
      buffer: Buffer.from(`The board met ${i} times.`),
    }));
    const sent = page.waitForResponse((response) => response.url().includes('upsert_file'));
    await page.getByLabel('Upload files').first().setInputFiles(files);
    await sent;
    await end();
    await signInAgain(page);
    await page.getByText(`${FILES} files are ready`).waitFor();
    const { rows } = await sql.query(
      `SELECT count(*)::int AS n FROM notes.documents WHERE doc_id LIKE 'many-%' AND status = 'ready'`,
    );
    expect(rows).toEqual([{ n: FILES }]);
  });

  it('is shown what another tab has written, and writes over it where it is told to', async () => {
    const { page } = await working('/collections/people/rows/p2');
    const other = await console_.open('/collections/people/rows/p2', { context });
    await page.getByLabel(/^name/).first().fill('Benjamin');
    await other.getByLabel(/^name/).first().fill('Benedict');
    await other.getByLabel(/^age/).first().fill('51');
    await other.getByRole('button', { name: 'Save 2 fields' }).click();
    await other.getByRole('button', { name: 'Save 2 fields' }).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save 1 field' }).click();
    const stale = page.getByRole('alert').filter({ hasText: 'This row has changed since you opened it.' });
    await stale.getByRole('row', { name: /name Benedict Benjamin/ }).waitFor();
    await stale.getByRole('button', { name: 'Overwrite with my whole row' }).click();
    await stale.waitFor({ state: 'detached' });
    const { rows } = await sql.query(`SELECT name, age::int FROM people WHERE _id = 'p2'`);
    expect(rows).toEqual([{ name: 'Benjamin', age: 50 }]);
  });

  it('is told that a dataset was dropped meanwhile', async () => {
    await sql.query(`CREATE DATASET brief WITH (embedding_model = 'hash')`);
    await context.clock.install();
    const { page } = await working('/datasets/brief');
    const file = { name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('The board met.') };
    await page.getByLabel('Upload files').first().setInputFiles(file);
    await page.getByRole('region', { name: 'Uploads' }).getByRole('link', { name: 'a.txt' }).waitFor();
    await sql.query('DROP DATASET brief');
    const late = { ...file, name: 'late.txt' };
    await page.getByLabel('Upload files').first().setInputFiles(late);
    await page
      .getByText(/dataset "brief" does not exist/)
      .first()
      .waitFor();
    // Every so often it looks.
    await page.clock.fastForward(60_000);
    await page.getByText('There is no dataset brief').waitFor();
  });

  it.each([
    ['long ago', '2001-02-03T04:05:06Z'],
    ['far ahead', '2099-02-03T04:05:06Z'],
  ])('works with a clock that is %s', async (_, at) => {
    await context.clock.install({ time: new Date(at) });
    const { page } = await working('/');
    await page.getByRole('link', { name: 'notes' }).waitFor();
    await page.goto(`${console_.origin}/ask`);
    await page.getByLabel('Ask a question of your documents').fill('What was the turnover in 2021?');
    await page.getByRole('button', { name: 'Ask', exact: true }).click();
    await page.getByRole('list', { name: 'Facts' }).getByText('Turnover was 5,000 in 2021.').waitFor();
    await page.goto(`${console_.origin}/query?sql=SELECT+1+AS+one`);
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('gridcell', { name: '1', exact: true }).waitFor();
  });

  it('finds rows by their addresses, whatever they are called', async () => {
    const names = ['.', '..', '~', '+', '%2F', `a/b, "c" 'd' \\ #?&`, ' é 🙂 שלום \u202eabc'];
    await sql.query(`INSERT INTO people (_id, name) SELECT n, 'called ' || n FROM unnest($1::text[]) AS n`, [
      names,
    ]);
    const { page } = await working('/collections/people/rows');
    const shown = page.getByRole('complementary').getByLabel(/^name/).first();
    for (const name of names) {
      const row = page.getByRole('gridcell', { name: `called ${name}`, exact: true });
      await row.dblclick();
      await expect.poll(() => shown.inputValue()).toBe(`called ${name}`);
      await page.reload();
      await expect.poll(() => shown.inputValue()).toBe(`called ${name}`);
    }
  });

  it('goes on when the server was started again', async () => {
    const { page } = await working('/query?sql=SELECT+1+AS+one');
    const editor = page.getByRole('textbox', { name: 'SQL' });
    await editor.press('End');
    await editor.pressSequentially(', 2 AS two');
    const { server, data } = console_;
    await sql.end();
    await server.stop('SIGKILL');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByText('The server cannot be reached.').first().waitFor();
    const flags = ['--http-port', String(server.httpPort)];
    await using again = await startServer({ data, key: server.key, port: server.port, flags });
    await page.getByText('The server is there again.').waitFor();
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('gridcell', { name: '2', exact: true }).waitFor();
    expect(again.httpPort).toBe(server.httpPort);
  });
});
