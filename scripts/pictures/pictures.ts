/** The pictures: a page in a state, one row each. A page that is not here is not looked at. */
import type { Page } from 'playwright-core';
import { ODD_TABLE, type World } from './world.ts';

/** The server answers with an error; not at all; or that the session is over. */
export type Failing = 'error' | 'away' | 'over';

export interface Picture {
  readonly name: string;
  /** Full, where none is named. */
  readonly server?: 'empty';
  /** A name of `World.keys`; the owner, where none is named. */
  readonly who?: 'visitor' | 'nobody';
  readonly fails?: Failing;
  readonly path: (world: World, origin: string) => string | Promise<string>;
  /** Clicks and keys that bring it there. */
  readonly act?: (page: Page, world: World) => Promise<unknown>;
}

type More = Omit<Picture, 'name' | 'path'>;

const at = (name: string, path: string, more: More = {}): Picture => ({ name, path: () => path, ...more });

const ofId = (name: string, path: (id: string) => string, id: string, more: More = {}): Picture => ({
  name,
  path: ({ ids }) => path(ids?.[id] ?? 'none'),
  ...more,
});

/** A page with data, without any, with a server that fails, and for who has no right to what it shows. */
const inAll = (name: string, path: string): readonly Picture[] => [
  at(name, path),
  at(`${name}-empty`, path, { server: 'empty' }),
  at(`${name}-error`, path, { fails: 'error' }),
  at(`${name}-no-right`, path, { who: 'visitor' }),
];

const click =
  (role: 'button' | 'tab' | 'menuitem' | 'link', name: string | RegExp) =>
  async (page: Page): Promise<void> =>
    await page.getByRole(role, { name }).first().click();

const NO_UUID = '00000000-0000-4000-8000-000000000000';
const ofQuery = (sql: string): string => `/query?sql=${encodeURIComponent(sql)}`;
const run = click('button', 'Run');

const SIGNING_IN: readonly Picture[] = [
  at('sign-in', '/', { who: 'nobody' }),
  at('sign-in-wrong', '/', {
    who: 'nobody',
    act: async (page) => {
      await page.getByLabel('API key').fill('quern_wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByText('This key is not known').waitFor();
    },
  }),
  at('sign-in-again', '/collections', { fails: 'over' }),
  at('server-away', '/datasets', { fails: 'away' }),
  {
    name: 'device',
    path: async (_, origin) => {
      const response = await fetch(`${origin}/device`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client: 'quern 0.1.0 on build-7' }),
      });
      const { user_code: code } = (await response.json()) as { readonly user_code: string };
      return `/device?code=${code}`;
    },
  },
  at('device-gone', '/device?code=ABCD-EFGH'),
];

const ASK: readonly Picture[] = [
  ...inAll('ask', '/ask'),
  ofId('ask-answer', (id) => `/ask/${id}`, 'answer'),
  ofId('ask-source', (id) => `/ask/${id}?fact=1&quote=1`, 'answer'),
  ofId('ask-computed', (id) => `/ask/${id}`, 'computed'),
  ofId('ask-unsupported', (id) => `/ask/${id}`, 'unsupported'),
  at('ask-gone', `/ask/${NO_UUID}`),
  ofId('ask-check', (id) => `/ask/${id}`, 'answer', {
    act: async (page) => {
      await page.getByRole('button', { name: 'More for this answer' }).click();
      await page.getByRole('menuitem', { name: 'Check that it still stands' }).click();
    },
  }),
  ofId('ask-research', (id) => `/ask/research/${id}`, 'research'),
  ofId('ask-research-steps', (id) => `/ask/research/${id}`, 'research', {
    act: click('tab', /^Steps|parts/),
  }),
];

const SEARCHES: readonly Picture[] = [
  ...inAll('bench', '/bench?in=films&q=a+heist+that+goes+wrong'),
  at('bench-start', '/bench'),
  at('bench-opened', '/bench?in=films&q=a+heist+that+goes+wrong', {
    act: async (page) => {
      await page.getByRole('button', { name: /^1 / }).first().click();
    },
  }),
  at('query', '/query?sql='),
  at('query-rows', ofQuery('SELECT * FROM orders'), { act: run }),
  at('query-one', ofQuery('SELECT version()'), { act: run }),
  at('query-chart', ofQuery('SELECT year, count(*) AS films FROM films GROUP BY year ORDER BY year'), {
    act: async (page) => {
      await run(page);
      await page.getByRole('tab', { name: 'Chart' }).click();
    },
  }),
  at('query-json', ofQuery('SELECT * FROM films LIMIT 20'), {
    act: async (page) => {
      await run(page);
      await page.getByRole('tab', { name: 'JSON' }).click();
    },
  }),
  at(
    'query-plan',
    ofQuery("SELECT title, year FROM hybrid('films', 'a heist that goes wrong') WHERE year > 1990 LIMIT 10"),
    { act: click('button', 'Explain') },
  ),
  at('query-fault', ofQuery('SELECT title,\n  yeer\nFROM films\nWHERE $1 < 3'), { act: run }),
  at('query-error', ofQuery('SELECT 1'), { fails: 'error', act: run }),
  at('query-no-right', ofQuery('SELECT * FROM films'), { who: 'visitor', act: run }),
  at('query-history', ofQuery('SELECT 1'), { act: click('button', 'History') }),
];

const COLLECTIONS: readonly Picture[] = [
  ...inAll('collections', '/collections'),
  at('collections-create', '/collections?create'),
  at('rows', '/collections/orders/rows'),
  at('rows-films', '/collections/films/rows'),
  at('rows-opened', '/collections/films/rows', {
    act: async (page) => {
      await page.getByRole('grid').getByRole('gridcell').nth(1).dblclick();
    },
  }),
  at('rows-leave', '/collections/orders/rows/7', {
    act: async (page) => {
      await page
        .getByLabel(/^customer/)
        .first()
        .fill('somebody else');
      await page.getByRole('complementary').getByRole('button', { name: 'Close' }).click();
    },
  }),
  at('rows-new', '/collections/films/rows/+'),
  at('rows-filter', '/collections/orders/rows', { act: click('button', 'Filter') }),
  at('rows-scrolled', '/collections/orders/rows', {
    act: async (page) => {
      await page.getByRole('grid').evaluate((grid) => grid.scrollTo(grid.scrollWidth, grid.scrollHeight / 2));
    },
  }),
  at('rows-one-odd', `/collections/${encodeURIComponent(ODD_TABLE)}/rows`),
  at('rows-none', '/collections/nothing_yet/rows'),
  at('rows-no-right', '/collections/films/rows', { who: 'visitor' }),
  at('rows-gone', '/collections/nobody/rows'),
  at('rows-row-gone', '/collections/orders/rows/999999999'),
  at('schema', '/collections/films/schema'),
  at('indexes', '/collections/films/indexes'),
  at('collection-settings', '/collections/tenants/settings'),
  at('import', '/collections/films/import'),
  at('import-preview', '/collections/films/import', {
    act: async (page) => {
      const lines = [
        'Id,Title,Year',
        ...Array.from(
          { length: 60 },
          (_, i) => `i${i},"Film, the ${i}th",${i % 9 === 4 ? 'soon' : 1950 + i}`,
        ),
      ];
      const file = { name: 'more films.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\n')) };
      await page.getByLabel('Choose a file').setInputFiles(file);
    },
  }),
];

const DATASETS: readonly Picture[] = [
  ...inAll('datasets', '/datasets'),
  at('datasets-create', '/datasets', { act: click('button', 'Create a dataset') }),
  at('dataset', '/datasets/filings'),
  at('dataset-none', '/datasets/empty_one'),
  at('dataset-gone', '/datasets/nothing'),
  at('dataset-error', '/datasets/filings', { fails: 'error' }),
  at('dataset-queue', '/datasets/filings/queue'),
  at('dataset-failures', '/datasets/filings/failures'),
  at('dataset-metadata', '/datasets/filings/metadata'),
  at('dataset-settings', '/datasets/filings/settings'),
  at('document', '/datasets/filings/documents/PEPSICO_2023Q1_EARNINGS?page=1'),
  at('document-tables', '/datasets/filings/documents/PEPSICO_2023Q1_EARNINGS?page=8', {
    act: click('tab', /^Tables/),
  }),
  at('document-text', '/datasets/filings/documents/docx_lists'),
  at('document-sheet', '/datasets/filings/documents/xlsx_05_table_with_title'),
  at('document-picture', '/datasets/filings/documents/layout-parser-paper-fast'),
  at('document-facts', '/datasets/filings/documents/PEPSICO_2023Q1_EARNINGS', {
    act: click('button', 'About this document'),
  }),
  at('document-failed', '/datasets/filings/documents/password'),
  at('document-gone', '/datasets/filings/documents/nothing'),
];

const KEYS: readonly Picture[] = [
  at('keys', '/keys'),
  at('keys-error', '/keys', { fails: 'error' }),
  at('keys-no-right', '/keys', { who: 'visitor' }),
  at('keys-create', '/keys', { act: click('button', 'Create key') }),
  at('keys-rotate', '/keys', {
    act: async (page) => {
      await page.getByRole('button', { name: 'More: dashboard' }).click();
      await page.getByRole('menuitem', { name: 'Rotate' }).click();
    },
  }),
  at('keys-drop', '/keys', {
    act: async (page) => {
      await page.getByRole('button', { name: 'More: dashboard' }).click();
      await page.getByRole('menuitem', { name: 'Revoke' }).click();
    },
  }),
  at('keys-shown', '/keys', {
    server: 'empty',
    act: async (page) => {
      await page.getByRole('button', { name: 'Create key' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click();
      await page.getByText('It is shown this once').waitFor();
    },
  }),
];

const SHELL: readonly Picture[] = [
  at('palette', '/', { act: (page) => page.keyboard.press('Control+k') }),
  at('help', '/', { act: (page) => page.keyboard.press('?') }),
  at('account', '/', { act: click('button', /^Signed in as/) }),
  at('not-found', '/nowhere'),
];

export const PICTURES: readonly Picture[] = [
  ...inAll('home', '/'),
  ...SIGNING_IN,
  ...ASK,
  ...SEARCHES,
  ...COLLECTIONS,
  ...DATASETS,
  ...KEYS,
  ...SHELL,
];
