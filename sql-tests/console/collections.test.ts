/** The console's collections: the samples, an import with faults, a row that two change, a jump into many rows, the bench. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { accessFaults } from './accessible.ts';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';

requireBrowser();

const FAULTS = [8, 500, 2_999];

/** Ages of some rows are words. */
const csv = (): string =>
  [
    'Id,Name,Age',
    ...Array.from({ length: 3_000 }, (_, i) => `p${i},"Person, ${i}",${FAULTS.includes(i) ? 'old' : i}`),
  ].join('\r\n');

describe.skipIf(!hasBrowser)('collections', () => {
  let console_: Console;
  let sql: Client;
  beforeAll(async () => {
    console_ = await startConsole();
    const { host, port, key } = console_.server;
    sql = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    await sql.connect();
  });
  afterAll(async () => {
    await sql?.end();
    await console_?.[Symbol.asyncDispose]();
  });

  it('begin with nothing but what to do', async () => {
    const page = await console_.open('/collections');
    await page.getByRole('button', { name: 'Load the 1,500 sample films' }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    const films = await page.request.get(`${console_.origin}/films.jsonl`);
    expect((await films.text()).trim().split('\n')).toHaveLength(1_500);
  });

  it('take the rows of a file that are right, and list the others by line', async () => {
    await sql.query('CREATE TABLE people (_id text, name text INDEX keyword_index(), age bigint)');
    const page = await console_.open('/collections/people/import');
    const file = { name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(csv()) };
    await page.getByLabel('Choose a file').setInputFiles(file);
    await page.getByRole('button', { name: 'Import people.csv' }).click();
    await page.getByRole('heading', { name: 'people.csv is imported' }).waitFor();
    await page.getByText('2,997 rows stored').waitFor();
    const lines = page.getByRole('row').getByRole('rowheader');
    expect(await lines.allInnerTexts()).toEqual(FAULTS.map((i) => (i + 2).toLocaleString('en')));
    expect(await accessFaults(page)).toEqual([]);
    const { rows } = await sql.query('SELECT count(*)::int AS count, max(age)::int AS oldest FROM people');
    expect(rows).toEqual([{ count: 2_997, oldest: 2_998 }]);
  });

  it('go by key to the middle and the end', async () => {
    const page = await console_.open('/collections/people/rows');
    const grid = page.getByRole('grid');
    await grid.getByText('p0', { exact: true }).waitFor();
    for (const [share, row] of [
      [0.5, 1_500],
      [1, 2_990],
    ] as const) {
      await grid.evaluate((box, at) => box.scrollTo(0, at * (box.scrollHeight - box.clientHeight)), share);
      const { rows } = await sql.query('SELECT _id FROM people ORDER BY _id OFFSET $1 LIMIT 1', [row]);
      await grid.getByText(rows[0]._id, { exact: true }).waitFor();
    }
  });

  it('write a row only where it is as it was opened', async () => {
    const page = await console_.open('/collections/people/rows/p1');
    await page.getByLabel(/^age/).first().fill('old');
    await page.getByRole('button', { name: 'Save 1 field' }).click();
    await page.getByText('It takes int, and this is text').waitFor();
    await page.getByLabel(/^age/).first().fill('41');
    await sql.query(`UPDATE people SET name = 'Somebody' WHERE _id = 'p1'`);
    await page.getByRole('button', { name: 'Save 1 field' }).click();
    await page.getByText('This row has changed since you opened it.').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save only my changes' }).click();
    await page.getByText('This row has changed since you opened it.').waitFor({ state: 'detached' });
    const { rows } = await sql.query(`SELECT name, age::int FROM people WHERE _id = 'p1'`);
    expect(rows).toEqual([{ name: 'Somebody', age: 41 }]);
  });

  it('show scripts as text', async () => {
    await sql.query(
      `INSERT INTO people (_id, name) VALUES ('<img src=x onerror=alert(1)>', '<script>alert(1)</script>')`,
    );
    const page = await console_.open('/collections/people/rows');
    await page.getByRole('grid').getByText('<script>alert(1)</script>').waitFor();
  });

  it('are searched in three ways side by side', async () => {
    const page = await console_.open('/bench?in=people&q=person');
    const keyword = page.getByRole('region', { name: 'Keyword' });
    await keyword
      .getByRole('button', { name: /Person/ })
      .first()
      .click();
    await page.getByRole('complementary').getByText('person', { exact: true }).waitFor();
    await page.getByText('There is no semantic index').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(console_.complaints).toEqual([]);
  });
});
