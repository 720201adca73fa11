/** Pages as others than the owner at a large screen see them: a reader, somebody without rights, somebody with a telephone. */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrowserContext } from 'playwright-core';
import { accessFaults } from './accessible.ts';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';

requireBrowser();

const SIDES = ['', '/queue', '/failures', '/metadata', '/settings'].map((side) => `/datasets/filings${side}`);
const PAGES = [
  '/',
  '/ask',
  '/bench',
  '/query',
  '/collections',
  '/collections/films/rows',
  '/datasets',
  '/keys',
];

describe.skipIf(!hasBrowser)('pages', () => {
  let console_: Console;
  let sql: Client;
  const contexts: BrowserContext[] = [];
  beforeAll(async () => {
    console_ = await startConsole();
    const { host, port, key } = console_.server;
    sql = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    await sql.connect();
    await sql.query('CREATE TABLE films (_id text, title text INDEX keyword_index(), year int, plot text)');
    await sql.query(`INSERT INTO films VALUES ('a', 'Alien', 1979, repeat('In space. ', 30))`);
    await sql.query('CREATE DATASET filings');
  });
  afterAll(async () => {
    for (const context of contexts) await context.close();
    await sql?.end();
    await console_?.[Symbol.asyncDispose]();
  });

  const contextOf = async (width: number): Promise<BrowserContext> => {
    const context = await console_.browser.newContext({ viewport: { width, height: 844 } });
    contexts.push(context);
    return context;
  };

  const keyOf = async (role: string): Promise<string> => {
    const { rows } = await sql.query(`CREATE API KEY of_${role} WITH (role = ${role})`);
    return rows[0].key as string;
  };

  it('all show a reader what there is', async () => {
    const context = await contextOf(1280);
    const page = await console_.open('/', { key: await keyOf('reader'), context });
    for (const path of [...PAGES, ...SIDES]) {
      await page.goto(`${console_.origin}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      expect(await page.getByRole('alert').allInnerTexts(), path).toEqual([]);
    }
  });

  it('tell who may see nothing that it is so', async () => {
    await sql.query('CREATE ROLE visitor');
    const context = await contextOf(1280);
    const page = await console_.open('/', { key: await keyOf('visitor'), context });
    await page.getByText('There is nothing here that you may see').waitFor();
    await page.goto(`${console_.origin}/collections`);
    await page.getByText('There is no collection that you may see').waitFor();
    await page.goto(`${console_.origin}/datasets`);
    await page.getByText('There is no dataset that you may see').waitFor();
    expect(await page.getByRole('button', { name: /^(?:Load|Create)/ }).count()).toBe(0);
  });

  it('are all reached from a small screen, and are wider than it nowhere', async () => {
    const context = await contextOf(390);
    const page = await console_.open('/', { context });
    for (const name of ['Search bench', 'Query', 'Keys']) {
      await page.getByRole('button', { name: /^Signed in as/ }).click();
      await page.getByRole('menuitem', { name }).click();
      await page.getByRole('heading', { level: 1, name }).waitFor();
    }
    for (const path of [...PAGES, ...SIDES]) {
      await page.goto(`${console_.origin}${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect(width, path).toBeLessThanOrEqual(390);
      expect(await accessFaults(page), path).toEqual([]);
    }
  });

  it('keep the first column of a grid on a small screen', async () => {
    const page = await console_.open('/collections/films/rows', { context: await contextOf(390) });
    const grid = page.getByRole('grid');
    const first = grid.getByRole('gridcell', { name: 'a', exact: true });
    await first.waitFor();
    const before = await first.boundingBox();
    await grid.evaluate((box) => box.scrollTo(box.scrollWidth, 0));
    await grid.getByRole('columnheader', { name: /^plot/ }).waitFor();
    expect(await first.boundingBox()).toEqual(before);
    await grid.getByRole('columnheader', { name: /^_id/ }).waitFor();
  });

  it('ask before what was typed is left, in words of their own', async () => {
    const page = await console_.open('/collections/films/rows/a');
    await page
      .getByLabel(/^title/)
      .first()
      .fill('Aliens');
    await page.getByRole('link', { name: 'Keys' }).click();
    const dialog = page.getByRole('dialog', { name: 'Leave without saving?' });
    await dialog.getByRole('button', { name: 'Go on editing' }).click();
    expect(
      await page
        .getByLabel(/^title/)
        .first()
        .inputValue(),
    ).toBe('Aliens');
    await page.getByRole('link', { name: 'Home' }).click();
    await dialog.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    // Back, and away again: nothing is typed any more.
    await page.goBack();
    await expect
      .poll(() =>
        page
          .getByLabel(/^title/)
          .first()
          .inputValue(),
      )
      .toBe('Alien');
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Keys' }).waitFor();
  });

  it('let keys past the rail, and go on in the page that one comes to', async () => {
    const page = await console_.open('/collections');
    await page.reload();
    await page.getByRole('link', { name: 'films' }).waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Skip to the content' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).pathname).toBe('/collections');
    await page.keyboard.press('Tab');
    await page.getByPlaceholder('Find a collection').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'films' }).focus();
    await page.keyboard.press('g');
    await page.keyboard.press('k');
    await page
      .getByRole('button', { name: /^More: / })
      .first()
      .waitFor();
    await page.keyboard.press('Tab');
    await page.locator('main :focus').waitFor();
  });

  it('had nothing to complain of', () => {
    expect(console_.complaints).toEqual([]);
  });
});
