/**
 * The examples of the documentation do what they say: every block of SQL, Python and shell in README.md, docs/ and
 * the clients' READMEs runs, in order, page by page. `pages.ts` has what a page takes for granted.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServerProcess } from '../../scripts/server-process.ts';
import { connectionEnvironment, startFreshServer } from '../clients/program.ts';
import { type Place, runPage } from './examples.ts';
import { blocksOf, PAGES, ROOT, readPage } from './markdown.ts';
import { PAGE_DATA, RUN_ELSEWHERE } from './pages.ts';
import { statementsOf } from './statements.ts';

/** '' is output, or a formula. */
const LANGUAGES = new Set(['sql', 'python', 'sh', 'ts', 'json', '']);

/** The README embeds, reads a report and starts three programs, beside other tests. */
const SLOW_MS = 180_000;

const pages = PAGES.map((page) => ({ page, blocks: blocksOf(readPage(page)) }));

it('knows the language of every block', () => {
  const unknown = pages.flatMap(({ page, blocks }) =>
    blocks.filter(({ language }) => !LANGUAGES.has(language)).map(({ line }) => `${page}:${line}`),
  );
  expect(unknown).toEqual([]);
});

it('cuts statements as psql does', () => {
  const texts = statementsOf("-- a;\nSELECT ';'; -- 0A000: b\n\\copy x\nSELECT $a$;$a$,\n /* ; */ 1;\n");
  expect(texts).toEqual([
    { text: "SELECT ';'", line: 1, sqlstate: '0A000' },
    { text: '\\copy x', line: 2, sqlstate: null },
    { text: 'SELECT $a$;$a$,\n /* ; */ 1', line: 3, sqlstate: null },
  ]);
});

it('runs every block of JSON and TypeScript somewhere', () => {
  const others = pages.filter(({ blocks }) => blocks.some(({ language }) => language === 'ts'));
  expect(others.map(({ page }) => page)).toEqual(Object.keys(RUN_ELSEWHERE.ts));
  for (const { page, blocks } of pages)
    for (const { language, text } of blocks)
      if (language === 'json') expect(() => JSON.parse(text), page).not.toThrow();
});

describe.skipIf(!existsSync(join(ROOT, '.tools/python')))('examples', () => {
  let server: ServerProcess;
  let place: Place;

  beforeAll(async () => {
    server = await startFreshServer();
    const folder = mkdtempSync(join(tmpdir(), 'quern-examples-'));
    mkdirSync(join(folder, 'reports'));
    const report = join(ROOT, 'samples/documents/borrowing-for-graduate-school.pdf');
    copyFileSync(report, join(folder, 'reports/loans.pdf'));
    const { PGHOST, PGPORT, PGPASSWORD, ...rest } = connectionEnvironment(server);
    const found = {
      QUERN_HOST: PGHOST,
      QUERN_PORT: PGPORT,
      QUERN_API_KEY: PGPASSWORD,
      QUERN_URL: `http://${server.host}:${server.httpPort}`,
      XDG_CONFIG_HOME: folder,
      XDG_CACHE_HOME: folder,
    };
    const path = `${join(ROOT, 'bin')}${delimiter}${process.env.PATH}`;
    const python = { PYTHONPATH: join(ROOT, 'src/clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
    place = { folder, environment: { ...rest, PGHOST, PGPORT, PGPASSWORD, ...found, ...python, PATH: path } };
  });
  afterAll(async () => {
    rmSync(place.folder, { recursive: true, force: true });
    await server?.[Symbol.asyncDispose]();
  });

  const ran = pages.filter(({ blocks }) =>
    blocks.some(({ language }) => ['sql', 'python', 'sh'].includes(language)),
  );
  it.each(ran)(
    'of $page',
    async ({ page, blocks }) => {
      expect(await runPage(blocks, PAGE_DATA[page] ?? {}, place)).toEqual([]);
    },
    SLOW_MS,
  );

  it('has data only for pages with examples', () => {
    expect(Object.keys(PAGE_DATA).filter((page) => !ran.some((one) => one.page === page))).toEqual([]);
  });
});
