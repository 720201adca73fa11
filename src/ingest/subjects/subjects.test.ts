/** Whom a document is of, by what it begins with; mended by users; found in documents that are there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIngestion } from '../../../sql-tests/fixtures/ingestion.ts';
import { nameKey, nameRuns } from '../../language/names/name-keys.ts';
import { subjectsOf } from './subjects-of.ts';

const found = (text: string, title: string | null = null, margins: readonly string[] = []) =>
  subjectsOf({ title, margins, texts: [text] }).map(({ kind, name }) => [kind, name]);

describe('subjects', () => {
  it.each([
    [
      'NORTHWIND TRADERS CORPORATION\n(Exact name of registrant)',
      [['cover', 'NORTHWIND TRADERS CORPORATION']],
    ],
    ['Best Oven Co., Inc.\nBakery Way 1', [['cover', 'Best Oven Co., Inc']]],
    [
      'between Acme Widgets GmbH and Nordwind S.A., as of May',
      [
        ['cover', 'Acme Widgets GmbH'],
        ['cover', 'Nordwind S.A'],
      ],
    ],
    [
      'Overland plc (LSE: OVL) of Leeds',
      [
        ['cover', 'Overland plc'],
        ['symbol', 'OVL'],
      ],
    ],
    [
      'Union Works Ltd\n[row_1] [Class]=Shares; [Trading Symbol(s)]=UWX; [Exchange]=London',
      [
        ['cover', 'Union Works Ltd'],
        ['symbol', 'UWX'],
      ],
    ],
    [
      'Acme Widgets GmbH (the “Supplier”) and Nordwind Ltd. (“NW”)',
      [
        ['cover', 'Acme Widgets GmbH'],
        ['cover', 'Nordwind Ltd'],
        ['short', 'NW'],
      ],
    ],
  ])('%s', (text, subjects) => {
    expect(found(text)).toEqual(expect.arrayContaining(subjects as string[][]));
  });

  it('are of titles and of what pages repeat, with initials by rule', () => {
    expect(found('Sales rose.', 'The Sea Book', ['Harper & Lindqvist Company | Annual report'])).toEqual([
      ['title', 'The Sea Book'],
      ['header', 'Harper & Lindqvist Company'],
      ['initials', 'hl'],
      ['initials', 'h&l'],
      ['initials', 'hnl'],
      ['initials', 'handl'],
    ]);
  });

  it.each([
    'Indicate whether it is a Smaller Reporting Company or an Emerging Growth Company.',
    'The Company said so. Our Group grew, and Holdings too.',
    'It is listed on The Nasdaq Stock Market LLC.',
    'Nothing at all, as we know.',
    '',
  ])('are none in: %s', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('of any text are few, at once', () => {
    const many = 'Acme Widgets Inc. and '.repeat(10_000);
    expect(found(many)).toHaveLength(1);
    expect(found('A'.repeat(100_000))).toEqual([]);
    expect(found('Inc. '.repeat(10_000))).toEqual([]);
  });
});

it('names have one key however they are written', () => {
  const names = [
    'The Procter & Gamble Company',
    'Procter and Gamble',
    'PROCTER & GAMBLE CO.',
    'Procter & Gamble’s',
  ];
  expect(new Set(names.map(nameKey))).toEqual(new Set(['proctergamble']));
  expect([nameKey('P&G'), nameKey('Inc.'), nameKey('?!'), nameKey('Société Générale SA')]).toEqual([
    'p&g',
    '',
    '',
    'societegenerale',
  ]);
  const keys = nameRuns("Best Buy's sales").map(({ key }) => key);
  expect(keys).toEqual(['best', 'bestbuy', 'bestbuysales', 'buy', 'buysales', 'sales']);
});

describe('subjects as rows', () => {
  let files: TestIngestion;

  beforeAll(async () => {
    files = await TestIngestion.open();
    await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
    await files.wait(await files.upload('a', 'Overland Freight Inc. (NYSE: OVF)\n\nSales rose.'));
  });

  afterAll(() => files[Symbol.asyncDispose]());

  const rows = (sql: string) => files.session.rows(sql);
  const SUBJECTS = "SELECT name, kind, key FROM notes.subjects WHERE doc_id = 'a' ORDER BY kind, name";
  const FOUND = [
    ['Overland Freight Inc', 'cover', 'overlandfreight'],
    ['OVF', 'symbol', 'ovf'],
  ];

  it('are stored with the document', async () => {
    expect(await rows(SUBJECTS)).toEqual(FOUND);
  });

  it('are found in documents that an earlier Quern stored, in their place', async () => {
    await files.stop();
    await using own = files.database.openOwn();
    await own.transaction(async (query) => {
      await query('DROP TABLE notes.subjects');
      await query('ALTER TABLE notes.documents DROP COLUMN subjects_as');
    }, new AbortController().signal);
    await files.start();
    await files.until('SELECT doc_id FROM quern.ingest_queue', []);
    expect(await rows("SELECT state FROM quern.handles WHERE action = 'read subjects'")).toEqual([['ready']]);
    expect(await rows('SELECT version FROM notes.documents')).toEqual([['1']]);
    expect(await rows(SUBJECTS)).toEqual(FOUND);
  });

  it('are mended by users, whose word a new version keeps', async () => {
    const put = `SELECT quern.put_subjects('notes', '[{"doc_id": "a", "names": ["Big Blue Trucks", "BBT"]}]')`;
    expect(await rows(put)).toEqual([['2']]);
    expect(await rows("SELECT quern.drop_subjects('notes', 'a', ARRAY['OVF', 'nobody'])")).toEqual([['1']]);
    const mended = [
      ['Overland Freight Inc', 'cover', 'overlandfreight'],
      ['OVF', 'dropped', 'ovf'],
      ['nobody', 'dropped', 'nobody'],
      ['BBT', 'given', 'bbt'],
      ['Big Blue Trucks', 'given', 'bigbluetrucks'],
    ];
    expect(await rows(SUBJECTS)).toEqual(mended);
    await files.wait(await files.upload('a', 'Overland Freight Inc. (NYSE: OVF)\n\nSales fell.'));
    expect(await rows(SUBJECTS)).toEqual(mended);
  });

  it.each([
    `'notes', '[{"doc_id": "none", "names": ["x"]}]'`,
    `'notes', '[{"doc_id": "a", "names": ["?"]}]'`,
    `'notes', '[{"doc_id": "a", "names": [7]}]'`,
    `'notes', '[{"names": ["x"]}]'`,
    `'notes', '7'`,
  ])('are not %s', async (args) => {
    const error = await files.session.error(`SELECT quern.put_subjects(${args})`);
    expect(error.sqlstate).toBe('22023');
  });

  it('go with their document', async () => {
    const [[handle] = []] = await rows("SELECT quern.delete_document('notes', 'a')");
    await files.wait(String(handle));
    expect(await rows('SELECT count(*) FROM notes.subjects')).toEqual([['0']]);
  });
});
