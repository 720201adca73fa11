/** Terms of a dataset's users: what they may be, what search() and ask() make of them, how long they stay. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestDatabase, TestSession } from '../../../../sql-tests/fixtures/database.ts';
import { databaseOfFilings } from '../../../../sql-tests/fixtures/stored-documents.ts';

const MOVE = 'The warehouse relocation programme is six weeks late, as the permit has not come.';

let database: TestDatabase;
let session: TestSession;

beforeAll(async () => {
  database = await databaseOfFilings([
    { docId: 'minutes', chunks: [{ text: 'Coffee was served.' }, { text: MOVE }] },
    { docId: 'other', chunks: [{ text: 'The canteen opens at noon. A permit has come for it.' }] },
  ]);
  session = await database.session();
});

afterAll(() => database.close());

const rows = (sql: string) => session.rows(sql);
const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const put = (terms: unknown, dataset = 'filings') =>
  rows(`SELECT quern.put_terms('${dataset}', ${quoted(JSON.stringify(terms))})`);

describe('terms', () => {
  it('are put by id, shown, put back as they are shown, and dropped', async () => {
    const terms = [
      {
        id: 'bluebird',
        names: ['Bluebird', 'BBD'],
        kind: 'project',
        parts: ['warehouse relocation programme'],
      },
      { names: { en: ['net promoter score'], de: 'Weiterempfehlungsrate' } },
    ];
    expect(await put(terms)).toEqual([['2']]);
    const shown = `SELECT id, kind, names, parts, formula FROM quern.terms WHERE dataset = 'filings' ORDER BY id`;
    const both = [
      ['bluebird', 'project', '["Bluebird", "BBD"]', '["warehouse relocation programme"]', null],
      [
        'net_promoter_score',
        null,
        '{"de": "Weiterempfehlungsrate", "en": ["net promoter score"]}',
        null,
        null,
      ],
    ];
    expect(await rows(shown)).toEqual(both);
    const again = `SELECT quern.put_terms('filings', (SELECT jsonb_agg(to_jsonb(t)) FROM quern.terms t))`;
    expect(await rows(again)).toEqual([['2']]);
    expect(await rows(shown)).toEqual(both);
    expect(await rows("SELECT quern.drop_terms('filings', ARRAY['net_promoter_score', 'none'])")).toEqual([
      ['1'],
    ]);
    expect(await rows(shown)).toEqual(both.slice(0, 1));
  });

  it('are found by each of their names, and by those they have now alone', async () => {
    const found = (query: string) =>
      rows(`SELECT content_id FROM search(${quoted(query)}, ARRAY['filings'], 1, results => 'chunks')`);
    expect(await found('is bluebird late')).toEqual([['doc#minutes#chunk#2']]);
    await put({ id: 'bluebird', names: ['Redwing'], parts: ['warehouse relocation programme'] });
    expect(await found('status of Redwing')).toEqual([['doc#minutes#chunk#2']]);
    expect(await rows('SELECT name FROM quern.term_names')).toEqual([['redwing']]);
  });

  it('name what a question is about, which no document calls so', async () => {
    const answer = await rows(`SELECT kind, update, fact FROM ask('Is Redwing late?', ARRAY['filings'])`);
    expect(answer.map(([, update]) => update).join(' ')).not.toContain('No document');
    expect(answer.map(([, , fact]) => fact).join(' ')).toContain('six weeks late');
  });

  it.each([
    [{}, /term 1: its names are no list/],
    [[{ names: ['fine'] }, { names: [] }], /term 2: it has no name/],
    [{ names: ['the'] }, /term 1 \("the"\): its name "the" is a stop word/],
    [{ names: { de: ['und'] } }, /"und" is a stop word/],
    [{ names: { xx: ['a b'] } }, /"xx" is no language/],
    [{ names: ['?!'] }, /no list of texts with a letter or digit/],
    [{ names: [7] }, /no list of texts/],
    [{ names: ['x'.repeat(1_001)] }, /more than 1000 characters/],
    [{ names: ['a b c d e f g h i'] }, /more than 8 words/],
    [{ names: Array.from({ length: 101 }, (_, i) => `n${i}`) }, /101 names, more than 100/],
    [{ id: '', names: ['fine'] }, /its id is no text/],
    [{ names: ['fine'], formula: 'a +' }, /it ends where an operand should stand/],
    [{ names: ['fine'], colour: 'red' }, /"colour" is no field of a term/],
    [7, /it is no object/],
    [['x'], /it is no object/],
  ])('are not %j', async (terms, message) => {
    await expect(put(terms)).rejects.toMatchObject({
      condition: 'invalid_parameter_value',
      message: expect.stringMatching(message),
    });
  });

  it('are abbreviations that would be stop words in capitals alone', async () => {
    await put({ id: 'it', names: ['IT'], parts: ['canteen'] });
    const first = (query: string) =>
      rows(`SELECT doc_id FROM search(${quoted(query)}, ARRAY['filings'], 1, results => 'chunks')`);
    expect(await first('IT')).toEqual([['other']]);
    expect(await first('has it come: warehouse permit')).toEqual([['minutes']]);
    await rows("SELECT quern.drop_terms('filings', ARRAY['it'])");
  });

  it('are of a dataset that is there, and go with it', async () => {
    await expect(put({ names: ['fine'] }, 'absent')).rejects.toMatchObject({ condition: 'undefined_object' });
    await rows("CREATE DATASET short WITH (embedding_model = 'hash')");
    await put({ names: ['fine'] }, 'short');
    await rows('DROP DATASET short');
    expect(await rows("SELECT count(*) FROM quern.terms WHERE dataset = 'short'")).toEqual([['0']]);
    expect(await rows("SELECT count(*) FROM quern.term_names WHERE dataset = 'short'")).toEqual([['0']]);
  });

  it('are written by these functions alone, and with their transaction', async () => {
    for (const sql of ['DELETE FROM quern.dataset_terms', 'TRUNCATE quern.term_names'])
      await expect(rows(sql)).rejects.toMatchObject({ condition: 'insufficient_privilege' });
    const undone = `BEGIN; SELECT quern.put_terms('filings', '{"names": ["gone"]}'); ROLLBACK;
      SELECT count(*) FROM quern.terms WHERE id = 'gone'`;
    expect((await rows(undone)).at(-1)).toEqual(['0']);
  });
});

it('many terms are looked up by an index', async () => {
  await rows("CREATE DATASET many WITH (embedding_model = 'hash')");
  await rows(`SELECT quern.put_terms('many', (SELECT jsonb_agg(jsonb_build_object('id', 't' || i, 'names',
    jsonb_build_array('term ' || i, 'alias ' || i || ' of it'))) FROM generate_series(1, 4000) i))`);
  const plan = await rows(`EXPLAIN (ANALYZE, TIMING OFF) SELECT id FROM quern.term_names
    WHERE dataset = ANY(ARRAY['many']) AND name = ANY(ARRAY['alias 777 of it', 'term', '77'])`);
  expect(plan.join('\n')).toMatch(/term_names_name/);
  expect(await rows("SELECT count(*) FROM search('alias 777 of it', ARRAY['many'])")).toEqual([['0']]);
  await rows('DROP DATASET many');
});
