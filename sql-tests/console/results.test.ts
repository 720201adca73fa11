/** Results in the console: large, wide and odd ones, taken out as files that hold all of them, and copied. */
import { createReadStream, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { accessFaults } from './accessible.ts';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';

requireBrowser();

describe.skipIf(!hasBrowser)('results', () => {
  let console_: Console;
  let client: Client;
  let page: Page;
  beforeAll(async () => {
    console_ = await startConsole();
    const { host, port, key } = console_.server;
    client = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    await client.connect();
    const context = await console_.browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] });
    page = await console_.open('/query', { context });
  });
  afterAll(async () => {
    await client?.end();
    await console_?.[Symbol.asyncDispose]();
  });

  const run = async (sql: string): Promise<void> => {
    await page.goto(`${console_.origin}/query?sql=${encodeURIComponent(sql)}`);
    await page.getByRole('button', { name: 'Run' }).click();
  };
  const choose = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  /** Path of the file that the browser keeps. */
  const exported = async (item: string): Promise<string> => {
    const download = page.waitForEvent('download');
    await choose(item);
    return await (await download).path();
  };
  const clipboard = (): Promise<string> => page.evaluate('navigator.clipboard.readText()');
  const heapBytes = async (): Promise<number> => {
    const session = await page.context().newCDPSession(page);
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    await session.detach();
    return usedSize;
  };

  it('of ten million rows show the first at once, and hold neither side’s memory', async () => {
    await run('SELECT g AS n, md5(g::text) AS m FROM generate_series(1, 10000000) AS g');
    await page.getByText('More rows come as you scroll').waitFor();
    expect(Number(await page.getByRole('grid').getAttribute('aria-rowcount'))).toBeLessThan(10_000);
    expect(await page.getByRole('gridcell').count()).toBeLessThan(200);
    expect(await heapBytes()).toBeLessThan(100_000_000);
    // It waits at the server until it is left.
    const waiting = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE query LIKE '%10000000%' AND pid <> pg_backend_pid()`;
    expect((await client.query(waiting)).rows).toEqual([{ n: 1 }]);
    await page.goto(`${console_.origin}/keys`);
    await expect.poll(async () => (await client.query(waiting)).rows[0]?.n).toBe(0);
  });

  it('with a value of 50 MB show its beginning, and give it whole on request', async () => {
    await run("SELECT repeat('x', 50000000) AS big, jsonb_build_array(repeat('y', 100000)) AS doc");
    await page.getByRole('gridcell').first().waitFor();
    expect((await page.getByRole('gridcell').first().textContent())?.length).toBeLessThan(1_000);
    await page.getByRole('grid').focus();
    await page.keyboard.press('Enter');
    await page.getByText('The first 5,000 of 50,000,000 characters').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download' }).first().click();
    expect(readFileSync(await (await download).path()).length).toBe(50_000_000);
  });

  it('of 1,600 columns draw those in sight', async () => {
    const columns = Array.from({ length: 1_599 }, (_, i) => `c${i} int`).join();
    await client.query(`CREATE TABLE wide (${columns})`);
    await client.query('INSERT INTO wide (c0, c1598) VALUES (7, 1598)');
    await run('SELECT w.*, g FROM wide w, generate_series(1, 1000) AS g');
    await page.getByRole('gridcell', { name: '7', exact: true }).first().waitFor();
    expect(await page.getByRole('gridcell').count()).toBeLessThan(500);
    await page.getByRole('grid').focus();
    await page.keyboard.press('End');
    await page.getByRole('columnheader', { name: 'c1598' }).waitFor();
    expect(await page.getByRole('gridcell').count()).toBeLessThan(500);
  });

  it('without columns, and without rows, say so', async () => {
    await run('SELECT FROM generate_series(1, 3)');
    await page.getByText('The statement gave 3 rows and no column.').waitFor();
    await run('SELECT 1 AS a WHERE false');
    await page.getByText('0 rows').waitFor();
    await page.getByRole('columnheader', { name: 'a' }).waitFor();
  });

  it('keep names that come twice, and odd ones, apart', async () => {
    await run(`SELECT 1 AS a, 2 AS a, 3 AS "q ""x""", '<b>4</b>' AS "<i>🎬</i>", 'שלום' AS "סרטים"`);
    await page.getByRole('gridcell', { name: '<b>4</b>' }).waitFor();
    await page.getByRole('tab', { name: 'JSON' }).click();
    const shown = JSON.parse((await page.locator('pre').first().textContent()) ?? '');
    const row = { a: 1, a_2: 2, 'q "x"': 3, '<i>🎬</i>': '<b>4</b>', סרטים: 'שלום' };
    expect(shown).toEqual([row]);
    await choose('Copy the rows as CSV');
    await page.getByText('1 rows copied as CSV').waitFor();
    expect(await clipboard()).toBe('a,a,"q ""x""",<i>🎬</i>,סרטים\n1,2,3,<b>4</b>,שלום\n');
    await choose('Copy the rows as Markdown');
    await page.getByText('copied as Markdown').waitFor();
    expect(await clipboard()).toContain(String.raw`| 1 | 2 | 3 | \<b\>4\</b\> | שלום |`);
  });

  it('are exported whole, not as far as was scrolled', async () => {
    await run(
      `SELECT g AS n, 'a "b", ' || g AS t, g::numeric * 9007199254740993 AS b FROM generate_series(1, 30000) g`,
    );
    await page.getByText('More rows come as you scroll').waitFor();
    const csv = readFileSync(await exported('Everything as CSV'), 'utf8')
      .trimEnd()
      .split('\n');
    expect([csv.length, csv[0], csv[30_000]]).toEqual([
      30_001,
      'n,t,b',
      '30000,"a ""b"", 30000",270215977642229790000',
    ]);
    await page.getByText(/^Exported/).waitFor();
    const lines = createInterface(createReadStream(await exported('Everything as JSON lines')));
    let count = 0;
    let last = '';
    for await (const line of lines) [count, last] = [count + 1, line];
    expect([count, last]).toEqual([30_000, '{"n":30000,"t":"a \\"b\\", 30000","b":270215977642229790000}']);
    await page.getByText(/^Exported 30,000 rows/).waitFor();
  });

  it('of what writes are not made again', async () => {
    await client.query('CREATE TABLE once (a int)');
    await run('WITH w AS (INSERT INTO once SELECT generate_series(1, 5) RETURNING a) SELECT * FROM w');
    await page.getByRole('gridcell', { name: '5', exact: true }).waitFor();
    const csv = readFileSync(await exported('Everything as CSV'), 'utf8');
    expect(csv).toBe('a\n1\n2\n3\n4\n5\n');
    expect((await client.query('SELECT count(*)::int AS n FROM once')).rows).toEqual([{ n: 5 }]);
  });

  it('under way are stopped', async () => {
    await run('SELECT g, md5(g::text) FROM generate_series(1, 100000000) AS g');
    await page.getByText('More rows come as you scroll').waitFor();
    await choose('Everything as JSON lines');
    await page.getByText(/^Exporting: [\d,]+ rows/).waitFor();
    await page.getByRole('button', { name: 'Stop the export' }).click();
    const writing = `SELECT count(*)::int AS n FROM pg_stat_activity
      WHERE query LIKE '%100000000%' AND pid <> pg_backend_pid()`;
    await expect.poll(async () => (await client.query(writing)).rows[0]?.n).toBe(1);
  });

  it('are selected by keys and copied as a table', async () => {
    await run(`SELECT g AS n, 'x' || g AS t, NULL AS z FROM generate_series(1, 9) AS g`);
    await page.getByRole('grid').focus();
    for (const key of ['ArrowDown', 'Shift+ArrowDown', 'Shift+ArrowRight']) await page.keyboard.press(key);
    expect(await page.locator('[role=gridcell][aria-selected=true]').count()).toBe(4);
    await page.keyboard.press('Control+c');
    await expect.poll(clipboard).toBe('2\tx2\n3\tx3');
    await choose('Copy the selection as JSON');
    await expect.poll(clipboard).toBe('[\n  {"n":2,"t":"x2"},\n  {"n":3,"t":"x3"}\n]\n');
    await page.getByRole('gridcell', { name: 'x5' }).click();
    await page.keyboard.press('Control+c');
    await expect.poll(clipboard).toBe('x5');
  });

  it('had nothing to complain of', () => {
    expect(console_.complaints).toEqual([]);
  });
});
