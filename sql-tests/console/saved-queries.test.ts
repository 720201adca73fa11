/** Saved queries in the console: kept for the role, opened by their address, found in the palette, never overwritten unseen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Page } from 'playwright-core';
import { accessFaults } from './accessible.ts';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';

requireBrowser();

const NAME = `films "by" year's 🎬 סרטים`;
const address = (name: string): string => `/query?saved=${encodeURIComponent(name)}`;

describe.skipIf(!hasBrowser)('saved queries', () => {
  let console_: Console;
  let page: Page;
  beforeAll(async () => {
    console_ = await startConsole();
    page = await console_.open(`/query?sql=${encodeURIComponent('SELECT $1::int + 1 AS next')}`);
  });
  afterAll(async () => {
    await console_?.[Symbol.asyncDispose]();
  });

  const editor = () => page.locator('.cm-content');
  const write = async (sql: string): Promise<void> => {
    await editor().click();
    await page.keyboard.press('Control+a');
    await page.keyboard.press('Delete');
    await page.keyboard.type(sql);
  };
  /** Another session of the role. */
  const statement = (sql: string, params: readonly unknown[] = []): Promise<unknown[][]> =>
    page.evaluate(
      async ([statement, values]) => {
        const response = await fetch('/sql', {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'x-quern-console': '1' },
          body: JSON.stringify({ statement, params: values }),
        });
        const lines = (await response.text()).trim().split('\n');
        return lines.flatMap((line) => (JSON.parse(line) as { rows?: unknown[][] }).rows ?? []);
      },
      [sql, params] as const,
    );
  const choose = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: /^More for/ }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };

  it('are saved by name, with what is typed for their parameters', async () => {
    await page.getByLabel('$1').fill('41');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Save the query' });
    await dialog.getByLabel('Name').fill(NAME);
    expect(await accessFaults(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: NAME }).waitFor();
    expect(decodeURIComponent(page.url())).toContain(`saved=${NAME}`);
    expect(await statement('SELECT name, statement, params FROM quern.saved_queries')).toEqual([
      [NAME, 'SELECT $1::int + 1 AS next', ['41']],
    ]);
  });

  it('are opened by their address, with what was typed since and is not saved', async () => {
    await write('SELECT $1::int + 2 AS next');
    await page.getByText('changed', { exact: true }).waitFor();
    await page.goto(`${console_.origin}${address(NAME)}`);
    await page.getByText('changed', { exact: true }).waitFor();
    expect(await editor().textContent()).toContain('+ 2');
    expect(await page.getByLabel('$1').inputValue()).toBe('41');
    await choose('Back to what is saved');
    await expect.poll(() => editor().textContent()).toContain('+ 1');
    await page.goto(`${console_.origin}/query?saved=nothing`);
    await page.getByText('There is no saved query nothing').waitFor();
  });

  it('that somebody else has changed are not overwritten unseen', async () => {
    await page.goto(`${console_.origin}${address(NAME)}`);
    await expect.poll(() => editor().textContent()).toContain('+ 1');
    await statement('SELECT quern.save_query($1, $2)', [NAME, 'SELECT 7']);
    await write('SELECT 8');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: /was changed since/ });
    await dialog.getByRole('button', { name: 'Show what is saved' }).click();
    await expect.poll(() => editor().textContent()).toContain('SELECT 7');
    await write('SELECT 9');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await expect.poll(() => statement('SELECT statement FROM quern.saved_queries')).toEqual([['SELECT 9']]);
  });

  it('are renamed, but not to a name that is taken unless it is to be replaced', async () => {
    await statement(`SELECT quern.save_query('taken', 'SELECT 1')`);
    await choose('Rename…');
    await page.getByRole('dialog').getByLabel('Name').fill('taken');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByText('A saved query is called taken already').waitFor();
    await page.getByRole('dialog').getByLabel('Name').fill('other');
    await page.getByRole('button', { name: 'Rename', exact: true }).click();
    await page.getByRole('heading', { name: 'other' }).waitFor();
    await choose('Save as…');
    await page.getByRole('dialog').getByLabel('Name').fill('taken');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Replace taken' }).click();
    await page.getByRole('heading', { name: 'taken' }).waitFor();
    const all = await statement('SELECT name, statement FROM quern.saved_queries ORDER BY 1');
    expect(all).toEqual([
      ['other', 'SELECT 9'],
      ['taken', 'SELECT 9'],
    ]);
  });

  it('are found in the palette and in their list, and deleted', async () => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('othe');
    await page.getByRole('option', { name: 'other' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'other' }).waitFor();
    await page.getByRole('button', { name: 'Saved queries' }).click();
    const list = page.getByRole('complementary', { name: 'Saved queries' });
    await list.getByRole('link', { name: /^taken/ }).waitFor();
    expect(await accessFaults(page)).toEqual([]);
    await list.getByLabel('Find a saved query').fill('take');
    expect(await list.getByRole('link').count()).toBe(1);
    await choose('Delete…');
    await page.getByRole('button', { name: 'Delete the saved query' }).click();
    await page.getByRole('heading', { name: 'Query', exact: true }).waitFor();
    expect(await statement('SELECT name FROM quern.saved_queries')).toEqual([['taken']]);
  });

  it('had nothing to complain of', () => {
    expect(console_.complaints).toEqual([]);
  });
});
