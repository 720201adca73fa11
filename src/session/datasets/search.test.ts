/** `search()` as SQL: its arguments, filters, several datasets, and everything that is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { storeDocuments } from '../../../sql-tests/fixtures/stored-documents.ts';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  for (const name of ['sea', 'bakery', 'empty']) {
    await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  }
  await using own = database.openOwn();
  const chunk = (text: string) => [{ text }];
  await storeDocuments(own, 'sea', [
    {
      docId: 'a',
      metadata: { year: 1851, tags: ['whale', 'ship'], open: true, name: 'ahab' },
      chunks: chunk('The whale sings.'),
    },
    {
      docId: 'b',
      metadata: { year: '1852', tags: 'whale', open: false, kind: 'log' },
      chunks: chunk('A whale dives.'),
    },
    { docId: 'c', metadata: { year: 1900, share: 0.5, version: 3 }, chunks: chunk('No whale was seen.') },
  ]);
  await storeDocuments(own, 'bakery', [
    { docId: 'a', metadata: { flour: 'rye', year: 1990 }, chunks: chunk('Whale-shaped bread.') },
  ]);
});

afterAll(async () => {
  await session.session[Symbol.asyncDispose]();
  await database.close();
});

/** Which documents of `sea` a filter leaves, as one word. */
async function left(filter: string): Promise<string> {
  const rows = await session.rows(
    `SELECT doc_id FROM search('whale', ARRAY['sea'], filter => $filter$${filter}$filter$) ORDER BY 1`,
  );
  return rows.map(([id]) => id).join('');
}

describe('a filter', () => {
  it.each([
    ['year >= 1852', 'c'],
    ["year = '1852'", 'b'],
    ["year IN ('1852')", 'b'],
    ['year BETWEEN 1800 AND 1899', 'a'],
    ['year IS NOT NULL', 'abc'],
    ['share IS NULL', 'ab'],
    ['share < 1', 'c'],
    ['open', 'a'],
    ['NOT open', 'b'],
    ["contains(tags, 'whale')", 'ab'],
    ["kind LIKE 'l%'", 'b'],
    ["kind = 'log' OR share = 0.5", 'bc'],
    ["name = 'ahab'", 'a'],
    ["name = 'b.txt'", 'b'],
    ["documents.name = 'a.txt'", 'a'],
    ["doc_id = ANY ('{a,c}')", 'ac'],
    ['metadata @> \'{"open": true}\'', 'a'],
    ['version = 3', 'c'],
    ['version < 2', 'ab'],
    ["status = 'ready' AND documents.version = 1 AND created_at > now() - interval '1 day'", 'abc'],
    ['true -- and more', 'abc'],
    ['/* none */ true', 'abc'],
    ['false', ''],
    ['NULL', ''],
  ])('%s leaves %s', async (filter, documents) => {
    expect(await left(filter)).toBe(documents);
  });

  it.each([
    ['', '42601', 'filter of search is empty', undefined],
    ['year >', '42601', 'syntax error at end of input', 7],
    ['true) OR (true', '42601', 'syntax error at or near ")"', 5],
    ['true; DROP DATASET sea', '42601', 'one expression is expected', undefined],
    ['true FROM sea.documents', '42601', 'one expression is expected', undefined],
    ['year > 1 AND yaer > 2', '42703', 'column "yaer" does not exist', 14],
    ['chunks.text IS NULL', '42P01', 'missing FROM-clause entry for table "chunks"', 1],
    ['year = $1', '42P02', 'there is no parameter $1', 8],
    ['year', '42804', 'argument of WHERE must be type boolean, not type jsonb', 1],
    ['documents.version', '42804', 'argument of WHERE must be type boolean, not type integer', 1],
    ['EXISTS (SELECT 1)', '0A000', 'a subquery in filter of search is not supported', 1],
    ['year IN (SELECT 1)', '0A000', 'a subquery in filter of search is not supported', 6],
    ['random() < 2', '0A000', 'a volatile function in filter of search is not supported', undefined],
    ['pg_sleep(60) IS NULL', '0A000', 'a volatile function in filter of search is not supported', undefined],
    [
      "quern.delete_document('sea', doc_id) = ''",
      '0A000',
      'a volatile function in filter of search is not supported',
      undefined,
    ],
    ['count(*) > 0', '42803', 'aggregate functions are not allowed in WHERE', 1],
    ['nothing(year)', '42883', 'function nothing(jsonb) does not exist', 1],
    ["'x'::int = documents.version", '22P02', 'invalid input syntax for type integer: "x"', 1],
    ['1 / (documents.version - documents.version) = 1', '22012', 'division by zero', undefined],
  ])('%s is %s', async (filter, sqlstate, message, place) => {
    const error = await session.error(
      `SELECT * FROM search('whale', ARRAY['sea'], filter => '${filter.replaceAll("'", "''")}')`,
    );
    expect([error.sqlstate, error.message, error.fields.internalPosition]).toEqual([
      sqlstate,
      message,
      place,
    ]);
    expect([error.fields.position, error.fields.internalQuery]).toEqual([undefined, filter]);
  });

  it('has a largest size, and lists what there is for a name that is not there', async () => {
    const long = await session.error(`SELECT * FROM search('x', ARRAY['sea'], filter => repeat('x', 8193))`);
    expect(long.sqlstate).toBe('54000');
    const unknown = await session.error(`SELECT * FROM search('x', ARRAY['sea'], filter => 'nope')`);
    expect(unknown.fields.hint).toContain('kind, open, share, tags, year');
  });

  it('is none when it is NULL, and a parameter', async () => {
    const rows = await session.rows(`PREPARE asked (text) AS
      SELECT doc_id FROM search('whale', ARRAY['sea'], filter => $1) ORDER BY 1;
      EXECUTE asked(NULL); EXECUTE asked('year = 1900'); DEALLOCATE asked`);
    expect(rows.flat().join('')).toBe('abcc');
  });

  it('is part of the search, and not of what it found', async () => {
    const rows = await session.rows(
      `SELECT doc_id FROM search('the whale sings', ARRAY['sea'], 1, 'year = 1900')`,
    );
    expect(rows).toEqual([['c']]);
  });

  it('reads a field that only another dataset has as NULL', async () => {
    const sql = (filter: string): string =>
      `SELECT dataset || doc_id FROM search('whale', ARRAY['sea', 'bakery'], filter => '${filter}') ORDER BY 1`;
    expect(await session.rows(sql("flour = ''rye''"))).toEqual([['bakerya']]);
    expect((await session.rows(sql('flour IS NULL'))).flat()).toEqual(['seaa', 'seab', 'seac']);
    expect(await session.rows("SELECT * FROM search('whale', ARRAY['empty'], filter => 'x > 1')")).toEqual(
      [],
    );
  });
});
