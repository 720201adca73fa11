/**
 * Script, markup, links and lying letters in every text that the console shows: nothing runs, nothing is asked of anybody
 * else, the page's own policy is never needed, and each text stands on its page as it is. Other texts stand in other places each day
 * (QUERN_HOSTILE_SEED picks).
 */
import { Client } from 'pg';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Console, hasBrowser, requireBrowser, startConsole } from './browser.ts';
import { HostileTexts } from './hostile-texts.ts';
import { DATASET, type HostileWorld, makeWorld, tableOf } from './hostile-world.ts';
import { foreignMarkup, missingTexts, watch } from './watched-page.ts';

requireBrowser();

/** Days since 1970. */
const SEED = Number(process.env.QUERN_HOSTILE_SEED ?? Math.floor(Date.now() / 86_400_000));

const texts = new HostileTexts(SEED);
const textAt = (place: string): string => texts.at(place);

interface Visit {
  readonly path: (world: HostileWorld) => string;
  /** They stand on it, as texts. */
  readonly shows: readonly string[];
  readonly act?: (page: Page) => Promise<void>;
}

const address = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;
const collection = (): string => textAt('collection');
const documentPath = (world: HostileWorld, file: string): string =>
  address('datasets', DATASET, 'documents', world.documents.get(file) ?? '');
const press = (name: string) => async (page: Page) =>
  await page.getByRole('button', { name, exact: true }).click();

const query =
  (sql: string): Visit['path'] =>
  () =>
    `/query?sql=${encodeURIComponent(sql)}`;
const literal = (text: string): string => `E'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

/** Every page, each with the texts that it must show. */
const VISITS: Readonly<Record<string, Visit>> = {
  home: { path: () => '/', shows: [collection(), textAt('question')] },
  collections: { path: () => '/collections', shows: [tableOf(texts), collection()] },
  rows: {
    path: () => address('collections', tableOf(texts), 'rows'),
    shows: [textAt('column'), ...texts.all('cell').slice(0, 6), ...texts.all('id').slice(0, 6)],
  },
  'a row': {
    path: () =>
      `${address('collections', tableOf(texts), 'rows')}/${encodeURIComponent(texts.all('id')[1] ?? '')}`,
    shows: [texts.all('cell')[1] ?? '', textAt('jkey'), textAt('label')],
  },
  'no such row': {
    path: () => `${address('collections', tableOf(texts), 'rows')}/${encodeURIComponent(textAt('norow'))}`,
    shows: [textAt('norow')],
  },
  'a row of a collection': {
    path: () => `${address('collections', collection(), 'rows')}/${encodeURIComponent(textAt('docid'))}`,
    shows: [texts.field('field'), textAt('value'), textAt('title'), textAt('objvalue')],
  },
  schema: {
    path: () => address('collections', tableOf(texts), 'schema'),
    shows: [textAt('column'), textAt('columncomment'), textAt('check')],
  },
  indexes: { path: () => address('collections', tableOf(texts), 'indexes'), shows: [textAt('index')] },
  settings: { path: () => address('collections', tableOf(texts), 'settings'), shows: [textAt('policy')] },
  import: { path: () => address('collections', tableOf(texts), 'import'), shows: [tableOf(texts)] },
  'no such collection': { path: () => address('collections', textAt('nowhere')), shows: [textAt('nowhere')] },
  datasets: { path: () => '/datasets', shows: [DATASET, textAt('description')] },
  documents: {
    path: () => address('datasets', DATASET),
    shows: [textAt('d0'), textAt('d1'), textAt('file')],
  },
  'documents found': {
    path: () => `${address('datasets', DATASET)}?find=${encodeURIComponent(textAt('find'))}`,
    shows: [textAt('find')],
  },
  failures: { path: () => address('datasets', DATASET, 'failures'), shows: ['broken.pdf'] },
  metadata: {
    path: (world) =>
      `${address('datasets', DATASET, 'metadata')}?doc=${encodeURIComponent(world.documents.get('ships.md') ?? '')}`,
    shows: [texts.field('mkey'), textAt('mvalue')],
  },
  'settings of a dataset': {
    path: () => address('datasets', DATASET, 'settings'),
    shows: [textAt('description')],
  },
  'no such dataset': { path: () => address('datasets', textAt('nodataset')), shows: [textAt('nodataset')] },
  headings: { path: (world) => documentPath(world, 'heading.md'), shows: ['Turnover was 5,000'] },
  passages: { path: (world) => documentPath(world, 'shapes.txt'), shows: texts.all('said') },
  ...Object.fromEntries(
    ['ships.html', 'ships.eml', 'ships.docx', 'ships.pptx', 'ships.xlsx', 'ships.pdf', 'ships.csv'].map(
      (file): [string, Visit] => [
        file,
        { path: (world) => documentPath(world, file), shows: ['Acme moved 12 million containers'] },
      ],
    ),
  ),
  'no such document': {
    path: () => address('datasets', DATASET, 'documents', textAt('nodocument')),
    shows: [textAt('nodocument')],
  },
  ask: {
    path: () => `/ask?q=${encodeURIComponent(textAt('deepquestion'))}`,
    shows: [textAt('deepquestion')],
  },
  'an answer': { path: ({ answerId }) => `/ask/${answerId}?fact=1`, shows: [textAt('question')] },
  'no such answer': { path: () => address('ask', textAt('noanswer')), shows: [] },
  research: { path: ({ researchId }) => `/ask/research/${researchId}`, shows: [textAt('research')] },
  'no such research': { path: () => address('ask', 'research', textAt('noresearch')), shows: [] },
  bench: {
    path: () => `/bench?in=${encodeURIComponent(DATASET)}&q=${encodeURIComponent(textAt('benchquery'))}`,
    shows: [textAt('benchquery')],
  },
  keys: { path: () => '/keys', shows: [textAt('key'), textAt('role')] },
  device: { path: () => `/device?code=${encodeURIComponent(textAt('code'))}`, shows: ['no command waits'] },
  'nowhere at all': {
    path: () => address(textAt('nopage'), textAt('nopage')),
    shows: ['There is no such page'],
  },
  'a result': {
    path: query(
      `SELECT ${literal(textAt('result'))} AS ${quoted(textAt('resultcolumn'))}, 1 AS n, '{"a": 1}'::jsonb AS "__proto__"`,
    ),
    shows: [textAt('result'), textAt('resultcolumn')],
    act: press('Run'),
  },
  'an error': {
    path: query(`SELECT ${literal(textAt('castvalue'))}::int`),
    shows: [`invalid input syntax for type integer: "${textAt('castvalue')}"`],
    act: press('Run'),
  },
  'a broken rule': {
    path: query(`INSERT INTO ${quoted(textAt('schema'))}.${quoted(textAt('table'))} (id, n) VALUES ('x', 0)`),
    shows: [textAt('check')],
    act: press('Run'),
  },
  'a plan': {
    path: query(
      `SELECT * FROM ${quoted(textAt('schema'))}.${quoted(textAt('table'))} WHERE ${quoted(textAt('column'))} = ${literal(textAt('plan'))}`,
    ),
    shows: ['run in'],
    act: press('Explain'),
  },
  palette: {
    path: () => '/keys',
    shows: [tableOf(texts)],
    act: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').fill(textAt('table').slice(-5));
    },
  },
};

describe.skipIf(!hasBrowser)(`seed ${SEED}: texts`, () => {
  let console_: Console;
  let context: BrowserContext;
  let world: HostileWorld;
  const seen: string[] = [];

  beforeAll(async () => {
    console_ = await startConsole();
    const { host, port, key } = console_.server;
    const sql = new Client({ host, port, user: 'quern', password: key, database: 'quern' });
    sql.on('error', () => undefined);
    await sql.connect();
    world = await makeWorld(sql, texts);
    await sql.end();
    context = await console_.browser.newContext({ viewport: { width: 1280, height: 800 } });
    await watch(context, console_.origin, (what) => seen.push(what));
    await console_.open('/', { context });
  });
  afterAll(async () => {
    await console_?.[Symbol.asyncDispose]();
  });

  it.each(Object.keys(VISITS))('stand as texts on the page of %s', async (what) => {
    const { path, shows, act } = VISITS[what] as Visit;
    const [page] = context.pages() as [Page];
    for (const list of [seen, console_.complaints as string[]]) list.length = 0;
    await page.goto(`${console_.origin}${path(world)}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await act?.(page);
    await expect.poll(() => missingTexts(page, shows)).toEqual([]);
    expect(await foreignMarkup(page)).toEqual([]);
    expect([...seen, ...console_.complaints]).toEqual([]);
  });
});
