/** The console's first journeys: signing in, a query, its plan, one that is cancelled, a key that is made and used. */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';
import { accessFaults } from './accessible.ts';

requireBrowser();

describe.skipIf(!hasBrowser)('the console', () => {
  let console_: Console;
  beforeAll(async () => {
    console_ = await startConsole();
  });
  afterAll(async () => {
    await console_?.[Symbol.asyncDispose]();
  });

  const client = async (key: string, user = 'quern'): Promise<Client> => {
    const { host, port } = console_.server;
    const one = new Client({ host, port, user, password: key, database: 'quern' });
    await one.connect();
    return one;
  };

  const query = async (sql: string): Promise<Page> =>
    await console_.open(`/query?sql=${encodeURIComponent(sql)}`);

  it('refuses a wrong key, takes the right one, and signs out', async () => {
    const context = await console_.browser.newContext();
    const page = await context.newPage();
    await page.goto(console_.origin);
    await page.getByLabel('API key').fill('quern_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This key is not known').waitFor();
    await page.getByLabel('API key').fill(console_.server.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    // Another page of the browser is signed in too.
    const other = await context.newPage();
    await other.goto(`${console_.origin}/query`);
    await other.getByRole('heading', { name: 'Query' }).waitFor();
    await page.getByRole('button', { name: /^Signed in as/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click();
    await page.getByLabel('API key').waitFor();
    await context.close();
  });

  it('runs a query, and shows rows as they are asked for', async () => {
    const page = await query("SELECT g AS n, 'row ' || g AS text FROM generate_series(1, 50000) AS g");
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('gridcell', { name: 'row 1', exact: true }).waitFor();
    const grid = page.getByRole('grid');
    await expect.poll(async () => Number(await grid.getAttribute('aria-rowcount'))).toBeLessThan(10_000);
    // Down to the last row: what waits at the server comes as one goes there.
    await grid.focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('Control+End');
        return await page.getByRole('gridcell', { name: 'row 50000', exact: true }).count();
      })
      .toBe(1);
    await page.getByText('50,000 rows').waitFor();
    await page.close();
  });

  it('underlines an error where it is, and says what to do', async () => {
    const page = await query('SELECT 1,\n  nothing FROM generate_series(1, 2)');
    await page.getByRole('button', { name: 'Run' }).click();
    const alert = page.getByRole('alert');
    await alert.getByText('column "nothing" does not exist').waitFor();
    await alert.getByText('42703').waitFor();
    expect(await page.locator('.cm-lintRange-error').textContent()).toBe('nothing');
    await page.close();
  });

  it('shows a plan as a tree', async () => {
    const page = await query('SELECT relkind, count(*) FROM pg_class GROUP BY 1 ORDER BY 2 DESC');
    await page.getByRole('button', { name: 'Explain' }).click();
    await page.getByText('HashAggregate').waitFor();
    await page.getByText('pg_class', { exact: true }).waitFor();
    await page.getByText(/run in/).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await page.close();
  });

  it('cancels a query at the server', async () => {
    const page = await query('SELECT pg_sleep(600)');
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('cancelled').waitFor();
    const watcher = await client(console_.server.key);
    await expect
      .poll(async () => {
        const sql =
          "SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(600)%' AND pid <> pg_backend_pid()";
        return (await watcher.query(sql)).rowCount;
      })
      .toBe(0);
    await watcher.end();
    await page.close();
  });

  it('makes a key, which is shown once and lets psql in', async () => {
    const page = await console_.open('/keys');
    await page.getByRole('button', { name: 'Create key' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('bi "tool"');
    await dialog.getByLabel('Read only').check();
    await dialog.getByText('CREATE API KEY "bi ""tool""" WITH (role = reader').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await dialog.getByRole('button', { name: 'Create key' }).click();
    const shown = page.getByRole('dialog', { name: 'The key bi "tool"' });
    const key = (await shown.locator('code').first().textContent()) ?? '';
    expect(key).toMatch(/^quern_[\w-]{20,}$/);
    await shown.getByRole('button', { name: 'I have copied it' }).click();
    await page.getByRole('rowheader', { name: /^bi "tool"/ }).waitFor();
    expect(await page.getByText(key).count()).toBe(0);
    const made = await client(key);
    expect((await made.query('SELECT current_user AS role')).rows).toEqual([{ role: 'reader' }]);
    await expect(made.query('CREATE TABLE t (a int)')).rejects.toThrow(/read-only|permission denied/);
    await made.end();
    await page.close();
  });

  it('is without fault for assistive technology on each page', async () => {
    const page = await console_.open('/');
    for (const path of ['/', '/query', '/keys', '/nowhere']) {
      await page.goto(`${console_.origin}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      expect(await accessFaults(page), path).toEqual([]);
    }
    await page.close();
  });

  it('goes anywhere by keys', async () => {
    const page = await console_.open('/');
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('quer');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Query' }).waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.close();
  });

  it('had nothing to complain of', () => {
    expect(console_.complaints).toEqual([]);
  });
});
