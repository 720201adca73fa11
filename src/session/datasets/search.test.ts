/** `search()` as SQL: its arguments, filters, several datasets, and everything that is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { makeServerRelations, storeDocuments } from '../../../sql-tests/fixtures/stored-documents.ts';

let database: TestDatabase;
let session: TestSession;

/** Its second chunk goes on over a page. */
const OVEN = [
  { text: 'Heat the oven.', pages: [1], headings: ['Start'] },
  { text: 'Knead the dough.', pages: [1, 2], headings: ['Work', 'Dough'] },
  { text: 'Rest the dough.', pages: [2], headings: ['Work', 'Dough'] },
  { text: 'A glowing oven', pages: [3], kind: 'image' as const },
];

beforeAll(async () => {
  database = await TestDatabase.open();
  session = await database.session();
  await using own = database.openOwn();
  await makeServerRelations(own);
  for (const name of ['sea', 'bakery', 'empty', 'filings']) {
    await session.rows(`CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
  }
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
  const filing = (docId: string) => ({
    docId,
    chunks: [
      { text: 'Gross profit grew, as sales did.' },
      { text: 'Purchases of property, plant and equipment' },
    ],
  });
  await storeDocuments(own, 'filings', [
    filing('BESTBUY_2022_10K'),
    filing('BESTBUY_2023_10K'),
    filing('OTHERS_2023_10K'),
  ]);
  await storeDocuments(own, 'bakery', [
    { docId: 'oven', chunks: OVEN },
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

describe('datasets as drivers send them', () => {
  it.each([
    "'{sea}'",
    `'["sea"]'`,
    `'[{"dataset": "sea", "filter": "true"}]'`,
    "'sea'",
    "'sea'::text",
    "ARRAY['sea']",
  ])('%s', async (datasets) => {
    const found = await session.rows(`SELECT doc_id FROM search('sings', ${datasets}, 1)`);
    expect(found).toEqual([['a']]);
  });

  it.each([
    ["'{sea'", '22P02'],
    ["'[sea]'", '22P02'],
    ["'no such'", '42704'],
    ["'{sea,NULL}'", '22004'],
  ])('%s is %s', async (datasets, sqlstate) => {
    const error = await session.error(`SELECT doc_id FROM search('sings', ${datasets})`);
    expect(error.sqlstate).toBe(sqlstate);
  });
});

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
    ["'whale' = ANY (tags)", 'ab'],
    ["'ship' = ANY (tags)", 'a'],
    ["NOT 'ship' = ANY (tags)", 'b'],
    ["tags @> ARRAY['ship', 'whale']", 'a'],
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
    expect(await session.rows(sql("flour IS NULL AND doc_id <> ''oven''"))).toEqual([
      ['seaa'],
      ['seab'],
      ['seac'],
    ]);
    expect(await session.rows("SELECT * FROM search('whale', ARRAY['empty'], filter => 'x > 1')")).toEqual(
      [],
    );
  });
});

describe('results', () => {
  const found = (args: string, columns: string): Promise<unknown> =>
    session.rows(`SELECT ${columns} FROM search('knead the dough', ARRAY['bakery'], ${args})`);

  it('tell the heading above, and neighbours on demand', async () => {
    expect(await found('1', 'content_id, heading, before, after')).toEqual([
      ['doc#oven#chunk#2', 'Work > Dough', null, null],
    ]);
    expect(await found(`1, results => 'chunks', neighbours => 1`, 'before, after')).toEqual([
      ['Heat the oven.', 'Rest the dough.'],
    ]);
    expect(await found(`1, results => 'chunks', neighbours => 2`, 'before, after')).toEqual([
      ['Heat the oven.', 'Rest the dough.\n\nA glowing oven'],
    ]);
    expect(
      await session.rows(
        `SELECT before IS NULL, after FROM search('heat', ARRAY['bakery'], 1, results => 'chunks', neighbours => 1)`,
      ),
    ).toEqual([['t', 'Knead the dough.']]);
  });

  it('are passages that stand together as one, with what stands around it', async () => {
    expect(
      await found(`1, neighbours => 1`, 'content_id, content_ids, doc_pages, text, before, after'),
    ).toEqual([
      [
        'doc#oven#chunk#2',
        '{doc#oven#chunk#1,doc#oven#chunk#2,doc#oven#chunk#3}',
        '{1,2}',
        'Heat the oven.\nKnead the dough.\nRest the dough.',
        null,
        'A glowing oven',
      ],
    ]);
  });

  it.each([
    ["Best Buy's gross profit in FY2023", 'BESTBUY_2023_10K'],
    ['best buy 2022 profit', 'BESTBUY_2022_10K'],
  ])('of %s are first those of the document that is named', async (query, docId) => {
    const sql = 'SELECT doc_id, score BETWEEN 0 AND 1 FROM search($1, ARRAY[$2], 1)';
    const literal = sql.replace('$1', `$q$${query}$q$`).replace('$2', "'filings'");
    expect(await session.rows(literal)).toEqual([[docId, 't']]);
  });

  it('have what a term of the query means', async () => {
    const sql = (query: string): string =>
      `SELECT text FROM search('${query}', ARRAY['filings'], 1, 'doc_id = ''OTHERS_2023_10K''', 'chunks')`;
    expect(await session.rows(sql('capex'))).toEqual([['Purchases of property, plant and equipment']]);
    expect(await session.rows("SELECT * FROM search(' ?! 🐳', ARRAY['filings'])")).toEqual([]);
  });

  it('are pages when these are asked for, each once with all that stands on it', async () => {
    const pages = `SELECT content_id, kind, doc_pages, text FROM search('dough', ARRAY['bakery'],
      filter => 'doc_id = ''oven''', results => 'pages', top_k => 2) ORDER BY 1`;
    expect(await session.rows(pages)).toEqual([
      ['doc#oven#page#1', 'page', '{1}', 'Heat the oven.\n\nKnead the dough.'],
      ['doc#oven#page#2', 'page', '{2}', 'Knead the dough.\n\nRest the dough.'],
    ]);
    const without = `SELECT content_id, kind FROM search('whale', ARRAY['bakery'], 1, results => 'pages')`;
    expect(await session.rows(without)).toEqual([['doc#a#chunk#1', 'chunk']]);
  });

  it('are images by what is said of them', async () => {
    const images = `SELECT content_id, kind, doc_pages, text FROM search('glowing', ARRAY['bakery'], 1)`;
    expect(await session.rows(images)).toEqual([['doc#oven#image#4', 'image', '{3}', 'A glowing oven']]);
  });
});

describe('datasets', () => {
  const found = async (datasets: string, more = ''): Promise<string> => {
    const rows = await session.rows(
      `SELECT dataset || '.' || doc_id FROM search('whale', ${datasets}${more}) WHERE doc_id <> 'oven' ORDER BY 1`,
    );
    return rows.join(' ');
  };

  it.each([
    [`'["sea"]'::jsonb`, '', 'sea.a sea.b sea.c'],
    [`ARRAY['sea', 'sea']`, '', 'sea.a sea.b sea.c'],
    [`'[{"dataset": "sea", "filter": "year = 1900"}, "bakery"]'::jsonb`, '', 'bakery.a sea.c'],
    [
      `'[{"dataset": "sea", "filter": "year = 1900"}, {"dataset": "sea", "filter": "open"}]'::jsonb`,
      '',
      'sea.a sea.c',
    ],
    [`'[{"dataset": "sea", "filter": "year = 1900"}, "sea"]'::jsonb`, '', 'sea.a sea.b sea.c'],
    [`'[{"dataset": "sea", "filter": "open"}, "bakery"]'::jsonb`, `, filter => 'year > 1900'`, 'bakery.a'],
    [`'[{"dataset": "sea", "filter": null}]'::jsonb`, `, filter => 'open'`, 'sea.a'],
    [`'{empty}'::text[]`, '', ''],
    ['NULL::text[]', '', ''],
    [`ARRAY(SELECT name FROM quern.datasets)`, `, filter => 'year = 1900'`, 'sea.c'],
  ])('%s%s: %s', async (datasets, more, documents) => {
    expect(await found(datasets, more)).toBe(documents);
  });

  it.each([
    [`ARRAY[]::text[]`, '22023', 'provide at least one dataset'],
    [`'[]'::jsonb`, '22023', 'provide at least one dataset'],
    [`ARRAY['sea', NULL]`, '22004', 'the name of a dataset may not be null'],
    [`ARRAY['sea', 'lake']`, '42704', 'dataset "lake" does not exist'],
    [`ARRAY['public']`, '42704', 'dataset "public" does not exist'],
    [`'[{"dataset": "lake"}]'::jsonb`, '42704', 'dataset "lake" does not exist'],
    [`'{"dataset": "sea"}'::jsonb`, '22023', 'datasets are a list'],
    [`'"sea"'::jsonb`, '22023', 'datasets are a list'],
    [`'[1]'::jsonb`, '22023', 'a dataset is a name, or an object with "dataset" and "filter"'],
    [`'[null]'::jsonb`, '22023', 'a dataset is a name, or an object with "dataset" and "filter"'],
    [`'[{}]'::jsonb`, '22023', '"dataset" must be the name of a dataset'],
    [`'[{"dataset": "sea", "filters": ""}]'::jsonb`, '22023', 'a dataset of search has no "filters"'],
    [
      `'[{"dataset": "sea", "filter": 1}]'::jsonb`,
      '22023',
      'the filter of dataset "sea" must be a string, or null',
    ],
    [`array_fill('sea'::text, ARRAY[1001])`, '54000', '1001 datasets are more than 1000 of one search'],
  ])('%s is %s', async (datasets, sqlstate, message) => {
    const error = await session.error(`SELECT * FROM search('whale', ${datasets})`);
    expect([error.sqlstate, error.message]).toEqual([sqlstate, message]);
  });

  it('are named in the errors of their filters', async () => {
    const error = await session.error(
      `SELECT * FROM search('whale', '["bakery", {"dataset": "sea", "filter": "year >"}]'::jsonb)`,
    );
    expect([error.sqlstate, error.fields.where]).toEqual(['42601', 'filter of dataset "sea"']);
    const unknown = await session.error(`SELECT * FROM search('whale', ARRAY['lake'])`);
    expect(unknown.fields.hint).toContain('bakery, empty, filings, sea');
  });

  it('may be many', async () => {
    const names = Array.from({ length: 30 }, (_, i) => `many_${i}`);
    const made = names.map((name) => `CREATE DATASET ${name} WITH (embedding_model = 'hash')`);
    await session.rows(`BEGIN; ${made.join(';')}; COMMIT`);
    const own = database.openOwn();
    for (const name of names.slice(20)) {
      await storeDocuments(own, name, [{ docId: name, chunks: [{ text: `whale of ${name}` }] }]);
    }
    await own[Symbol.asyncDispose]();
    const rows = await session.rows(
      `SELECT doc_id FROM search('whale of many_25', ARRAY(SELECT name FROM quern.datasets), 20)`,
    );
    expect(rows[0]).toEqual(['many_25']);
    expect(rows.length).toBeGreaterThan(10);
    await session.rows(`DROP DATASET ${names.join(', ')}`);
  });
});

describe('search', () => {
  it.each([
    ["search('x', ARRAY['sea'], top_k => 0)", '22023', 'top_k must be between 1 and 1000, not 0'],
    ["search('x', ARRAY['sea'], top_k => 1001)", '22023', 'top_k must be between 1 and 1000, not 1001'],
    ["search('x', ARRAY['sea'], neighbours => -1)", '22023', 'neighbours must be between 0 and 10, not -1'],
    ["search('x', ARRAY['sea'], neighbours => 11)", '22023', 'neighbours must be between 0 and 10, not 11'],
    ["search('x', ARRAY['sea'], results => 'words')", '22023', 'results of search are not "words"'],
    [
      "search('x', ARRAY['sea'], results => 'pages', neighbours => 1)",
      '22023',
      'neighbours are given of chunks, not of pages',
    ],
    ["search(repeat('x', 8193), ARRAY['sea'])", '54000', 'query text of 8193 characters is longer than 8192'],
  ])('refuses %s', async (call, sqlstate, message) => {
    const error = await session.error(`SELECT * FROM ${call}`);
    expect([error.sqlstate, error.message]).toEqual([sqlstate, message]);
  });

  it.each(["''", "'  '", "'🙂'", 'NULL'])('finds nothing for %s', async (query) => {
    expect(await session.rows(`SELECT * FROM search(${query}, ARRAY['sea', 'bakery'])`)).toEqual([]);
  });

  it('takes what is NULL as not given', async () => {
    const all = 'top_k => NULL, filter => NULL, results => NULL, neighbours => NULL';
    expect(await session.rows(`SELECT count(*) FROM search('whale', ARRAY['sea'], ${all})`)).toEqual([['3']]);
  });

  it('stands where relations stand', async () => {
    const first = "SELECT doc_id FROM search('whale', ARRAY['sea'], 1, 'open')";
    expect(
      await session.rows(`WITH f AS (${first}) SELECT name FROM f JOIN sea.documents d USING (doc_id)`),
    ).toEqual([['a.txt']]);
    await session.rows(`CREATE VIEW first AS ${first}`);
    expect(await session.rows('SELECT * FROM first')).toEqual([['a']]);
    await session.rows('DROP VIEW first');
    expect(
      await session.rows(
        `SELECT q, s.doc_id FROM (VALUES ('sings', 'open'), ('seen', 'year = 1900')) AS v(q, f),
           LATERAL search(v.q, ARRAY['sea'], 1, v.f) s ORDER BY 1`,
      ),
    ).toEqual([
      ['seen', 'c'],
      ['sings', 'a'],
    ]);
    expect(
      await session.rows(`BEGIN READ ONLY; DECLARE c CURSOR FOR SELECT doc_id FROM
        search('whale', ARRAY['sea'], filter => 'open'); FETCH ALL FROM c; COMMIT`),
    ).toEqual([['a']]);
  });

  it('of a cursor goes on with what it found, whatever is uploaded meanwhile', async () => {
    const own = database.openOwn();
    const chunks = (word: string) =>
      ['One', 'Two', 'Three'].map((one) => ({ text: `${one} ${word}.`, pages: [1] }));
    const store = (word: string) => storeDocuments(own, 'empty', [{ docId: 'x', chunks: chunks(word) }]);
    await store('kettle');
    const call = "search('kettle', ARRAY['empty'], results => 'chunks')";
    const [first] = await session.rows(
      `BEGIN; DECLARE c CURSOR FOR SELECT text, version FROM ${call}; FETCH 1 FROM c`,
    );
    await store('teapot');
    const rest = await session.rows('FETCH ALL FROM c; COMMIT');
    expect([first, ...rest].map((row) => row?.join(' ')).sort()).toEqual([
      'One kettle. 1',
      'Three kettle. 1',
      'Two kettle. 1',
    ]);
    const texts = await session.rows(`SELECT text FROM ${call} ORDER BY 1`);
    expect(texts).toEqual([['One teapot.'], ['Three teapot.'], ['Two teapot.']]);
    await own[Symbol.asyncDispose]();
  });

  it('knows the datasets that there are when it runs', async () => {
    await session.rows("PREPARE asked (text) AS SELECT count(*) FROM search('x', ARRAY[$1])");
    await session.rows("CREATE DATASET lake WITH (embedding_model = 'hash')");
    expect(await session.rows("EXECUTE asked('lake')")).toEqual([['0']]);
    await session.rows('DROP DATASET lake');
    expect((await session.error("EXECUTE asked('lake')")).sqlstate).toBe('42704');
    await session.rows("BEGIN; CREATE DATASET lake WITH (embedding_model = 'hash')");
    expect(await session.rows("EXECUTE asked('lake')")).toEqual([['0']]);
    await session.rows('ROLLBACK; DEALLOCATE asked');
  });

  it('tells of a dataset that is dropped while it is searched', async () => {
    await session.rows("CREATE DATASET lake WITH (embedding_model = 'hash')");
    const other = await database.session();
    const asked = other.rows(`SELECT count(*) FROM generate_series(1, 20) i,
      LATERAL search('whale ' || i, ARRAY['sea', 'lake'], filter => 'year > 1')`);
    const dropped = session.rows('DROP DATASET lake');
    const [outcome] = await Promise.allSettled([asked, dropped]);
    // Whoever comes first: the search is whole, or says what is missing.
    if (outcome.status === 'rejected') {
      expect([outcome.reason.message, outcome.reason.fields.position]).toEqual([
        'dataset "lake" does not exist',
        undefined,
      ]);
    } else expect(Number(outcome.value[0]?.[0])).toBeGreaterThan(0);
    await dropped;
    await other.session[Symbol.asyncDispose]();
  });
});

describe('EXPLAIN', () => {
  const explained = async (options: string, call: string): Promise<string> =>
    (await session.rows(`EXPLAIN (COSTS OFF${options}) SELECT * FROM ${call}`)).flat().join('\n');

  it('shows what search asks, without running it', async () => {
    const lines = await explained('', "search('whale', ARRAY['sea'], filter => 'year > 1900')");
    expect(lines).toContain(`Function Scan on "quern.search"
  Filter of sea
  ->  Seq Scan on documents
        Filter: (undeclared_number(year) > '1900'::numeric)
  Search
  ->  `);
    expect(lines).toContain('Arm: semantic on chunks_passage_semantic_idx');
    expect(await explained('', "(VALUES ('whale')) v(q), search(q, ARRAY['sea'])")).not.toContain('Search');
    expect((await session.error("EXPLAIN SELECT * FROM search('x', ARRAY['lake'])")).sqlstate).toBe('42704');
    expect(await session.rows("SELECT count(*) FROM search('whale', ARRAY['sea'])")).toEqual([['3']]);
  });

  it('measures it under ANALYZE, once for all rows of a join', async () => {
    const lines = await explained(
      ', ANALYZE, TIMING OFF',
      "(VALUES ('whale'), ('ship')) v(q), search(q, ARRAY['sea'])",
    );
    expect(lines).toContain('Function Scan on "quern.search" (actual rows=3 loops=2)');
    expect(lines.match(/->\s+Vector Search .*\(actual rows=3 loops=2\)/g)).toHaveLength(1);
    expect(lines).toContain('Query Embedding: model=hash');
    expect(lines).toContain('Search 2: strategy=maxscore');
    const error = `EXPLAIN ANALYZE SELECT * FROM search('x', ARRAY['sea'], filter => '1 / 0 = 1')`;
    expect((await session.error(error)).sqlstate).toBe('22012');
    expect(await session.rows("SELECT count(*) FROM search('whale', ARRAY['sea'])")).toEqual([['3']]);
  });
});

describe('a search that takes long', () => {
  it('ends when it is cancelled, or its time is over', async () => {
    const many = `SELECT count(*) FROM generate_series(1, 100000) i,
      LATERAL search('whale ' || i, ARRAY['sea'], filter => 'year > ' || i)`;
    await session.rows("SET statement_timeout = '150ms'");
    const late = await session.error(many);
    await session.rows('RESET statement_timeout');
    expect([late.sqlstate, late.message]).toEqual(['57014', 'canceling statement due to statement timeout']);
    expect(await session.rows("SELECT count(*) FROM search('whale', ARRAY['sea'])")).toEqual([['3']]);
  });
});
