/** The dialect pre-pass: our clauses are found, nothing of PostgreSQL's is misread, positions survive. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadParser, parseStatements } from './parse.ts';

beforeAll(loadParser);

const statement = (text: string): unknown => parseStatements(text)[0]?.statement;

describe('INDEX clauses of CREATE TABLE', () => {
  it('stand after a column, several if wanted, among its constraints', () => {
    const text =
      "CREATE TABLE books (title TEXT NOT NULL INDEX semantic_index() INDEX keyword_index(type => 'ex''act') DEFAULT 'é',\n" +
      "  emb F32_VECTOR(384) INDEX vector_index(metric => 'cosine', m = -1))";
    expect(statement(text)).toMatchObject({
      kind: 'create table',
      columns: [
        {
          name: 'title',
          notNull: true,
          defaultValue: { text: "'é'" },
          indexes: [
            { at: 41, clause: 'semantic_index', columns: [], options: [] },
            { at: 64, clause: 'keyword_index', options: [{ name: 'type', value: "ex'act" }] },
          ],
        },
        {
          name: 'emb',
          type: { names: ['f32_vector'], modifiers: [384] },
          indexes: [
            {
              clause: 'vector_index',
              options: [
                { name: 'metric', value: 'cosine' },
                { name: 'm', value: '-1' },
              ],
            },
          ],
        },
      ],
      indexes: [],
    });
  });

  it('are table elements with their columns', () => {
    expect(
      statement('create table t ("Éa" text, INDEX keyword_index("Éa", b, language => german), b text)'),
    ).toMatchObject({
      columns: [{ name: 'Éa' }, { name: 'b' }],
      indexes: [
        { clause: 'keyword_index', columns: ['Éa', 'b'], options: [{ name: 'language', value: 'german' }] },
      ],
    });
    expect(statement('create table t (index semantic_index(a))')).toMatchObject({
      columns: [],
      indexes: [{}],
    });
  });

  it('are not seen where INDEX is a name or a text', () => {
    expect(
      statement("create table t (index int, a index, b text default 'index keyword_index()')"),
    ).toMatchObject({
      columns: [
        { name: 'index', indexes: [] },
        { name: 'a', type: { names: ['index'] } },
        { name: 'b', defaultValue: { text: "'index keyword_index()'" } },
      ],
    });
    expect(statement('select index from dataset partition')).toMatchObject({ kind: 'query' });
  });
});

describe('ALTER TABLE', () => {
  it('takes our actions beside those of PostgreSQL, in order', () => {
    const text =
      "ALTER TABLE IF EXISTS s.t ADD INDEX keyword_index(a, b), DROP PARTITION 'it''s', ALTER COLUMN c SET EMBEDDING MODEL 'm'," +
      " ADD COLUMN z text INDEX semantic_index(model => 'x'), alter b set default f(1, 2) + 3, drop d";
    expect(statement(text)).toMatchObject({
      kind: 'alter table',
      ifExists: true,
      name: { schema: 's', name: 't' },
      actions: [
        { action: 'add index', at: 27, index: { clause: 'keyword_index', columns: ['a', 'b'] } },
        { action: 'drop partition', partition: "it's" },
        { action: 'set embedding model', column: 'c', model: 'm' },
        { action: 'add column', column: { name: 'z', indexes: [{ clause: 'semantic_index' }] } },
        { action: 'set default', column: 'b', text: 'f(1, 2) + 3' },
        { action: 'drop column', column: 'd' },
      ],
    });
  });

  it('drops and renames indexes', () => {
    expect(statement('alter table s.t drop index if exists i')).toMatchObject({
      kind: 'drop',
      object: 'index',
      ifExists: true,
      names: [{ schema: 's', name: 'i' }],
    });
    expect(statement('alter table t rename index i to "J"')).toMatchObject({
      kind: 'alter table',
      name: { name: 'i' },
      actions: [{ action: 'rename table', to: 'J' }],
    });
  });
});

describe('statements of ours', () => {
  it('are named wherever they stand in the text', () => {
    const text = "select 1; CREATE DATASET d WITH (a = 'é;'); drop api key k;\nselect 2";
    expect(parseStatements(text).map((parsed) => [parsed.statement.kind, parsed.text, parsed.start])).toEqual(
      [
        ['query', 'select 1', 0],
        ['create dataset', "CREATE DATASET d WITH (a = 'é;')", 10],
        ['drop key', 'drop api key k', 44],
        ['query', 'select 2', 60],
      ],
    );
  });

  it('keep their queries in the text, with their positions', () => {
    const text = `select 1; EVALUATE SEARCH 'é' USING a AS (select 'é)', ")" from x where y = (1)), (values (2)) WITH (k = $2); select 2`;
    const parsed = parseStatements(text);
    expect(parsed.map((one) => [one.statement.kind, one.start])).toEqual([
      ['query', 0],
      ['evaluate', 10],
      ['query', text.indexOf('select 2')],
    ]);
    expect(parsed[1]?.statement).toMatchObject({
      evaluation: { name: 'é', at: 27 },
      queries: [
        {
          label: 'a',
          query: { text: `select 'é)', ")" from x where y = (1)`, start: text.indexOf("select 'é") },
        },
        { label: null, query: { text: 'values (2)', start: text.indexOf('values') } },
      ],
      configurations: [{ options: [{ name: 'k', value: '$2', parameter: 2 }] }],
    });
    const created = 'create evaluation e with (description = $1) as select 1 -- no more\n;select 2';
    expect(parseStatements(created)).toMatchObject([
      { statement: { kind: 'create evaluation', query: { text: 'select 1', start: 47 } } },
      { text: 'select 2' },
    ]);
  });

  it.each([
    ['EVALUATE SEARCH e USING (select 1; select 2)', 34],
    ['EVALUATE SEARCH e USING (select 1', 34],
    ['EVALUATE SEARCH e USING a (select 1)', 27],
    ['EVALUATE SEARCH e USING (select from where)', 38],
    ['EVALUATE SEARCH e ON d, WITH (a = 1)', 30],
    ['EVALUATE SEARCH e ON d WITH (a)', 31],
    ['EVALUATE ASK e ON d WITH (a = 1) b', 34],
    ['CREATE EVALUATION e AS select 1 from', 37],
    ['DROP EVALUATION e,', 19],
  ])('%s is a syntax error', (text, position) => {
    let error: unknown;
    try {
      parseStatements(text);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({ condition: 'syntax_error', fields: { position } });
  });

  it.each([
    ["'it''s'", "it's"],
    ['$$a$$', 'a'],
    ["$t$a $$ 'b'$t$", "a $$ 'b'"],
    [String.raw`E'it\'s\n\\ \u00e9\U0001F600 ''q'''`, "it's\n\\ é😀 'q'"],
  ])('a description is written %s', (written, value) => {
    const options = [{ at: 24, name: 'a', value }];
    expect(statement(`CREATE DATASET d WITH (a = ${written})`)).toMatchObject({ options });
  });

  it('their names have up to 255 bytes', () => {
    for (const name of ['n'.repeat(64), `"${'Ä'.repeat(127)}"`, `'${'n'.repeat(255)}'`]) {
      const kept = /^["']/.test(name) ? name.slice(1, -1) : name;
      expect(statement(`CREATE DATASET ${name}`)).toMatchObject({ kind: 'create dataset', name: kept });
    }
    expect(() => statement(`DROP DATASET ${'n'.repeat(256)}`)).toThrow('longer than 255 bytes');
    expect(() => statement(`DROP DATASET '${'n'.repeat(256)}'`)).toThrow('longer than 255 bytes');
  });
});

describe('partitions', () => {
  it('are split from the name', () => {
    expect(statement('delete from books$acme')).toMatchObject({
      relation: { name: 'books', partition: 'acme' },
    });
    expect(statement('insert into s."B$a$c" values (1)')).toMatchObject({
      relation: { schema: 's', name: 'B', partition: 'a$c' },
    });
    expect(statement('select 1 from t$')).toMatchObject({
      query: { from: [{ relation: { name: 't$', partition: null } }] },
    });
  });
});

describe('API KEY', () => {
  const of = (text: string) => parseStatements(text)[0]?.statement;

  it('is made with options of all forms', () => {
    expect(
      of(`CREATE API KEY "My key" WITH (role = reader, read_only, expires => INTERVAL '1 day',
        collections = ARRAY['a', 'b,c'], datasets = 'd,e', addresses = NULL, attributes = '{"tenant": "a"}')`),
    ).toMatchObject({
      kind: 'create key',
      name: 'My key',
      options: [
        { name: 'role', value: 'reader' },
        { name: 'read_only', value: 'true' },
        { name: 'expires', value: '1 day' },
        { name: 'collections', value: ['a', 'b,c'] },
        { name: 'datasets', value: 'd,e' },
        { name: 'addresses', value: null },
        { name: 'attributes', value: '{"tenant": "a"}' },
      ],
    });
    expect(of('create api key')).toMatchObject({ kind: 'create key', name: null, options: [] });
    expect(of('CREATE API KEY WITH (collections = ARRAY[])')).toMatchObject({ options: [{ value: [] }] });
  });

  it('is altered and dropped', () => {
    expect(of("ALTER API KEY k ROTATE WITH (overlap = '1 hour')")).toMatchObject({
      kind: 'alter key',
      action: { action: 'rotate', options: [{ name: 'overlap', value: '1 hour' }] },
    });
    expect(of('ALTER API KEY k RENAME TO j')).toMatchObject({ action: { action: 'rename', to: 'j' } });
    expect(of('ALTER API KEY k EXPIRE')).toMatchObject({ action: { action: 'expire' } });
    expect(of("ALTER API KEY k SET (expires = 'never')")).toMatchObject({ action: { action: 'set' } });
    expect(of("DROP API KEY IF EXISTS 'k.l'")).toMatchObject({
      kind: 'drop key',
      name: 'k.l',
      ifExists: true,
    });
  });

  it.each([
    'CREATE API KEY k WITH',
    'CREATE API KEY k k',
    'CREATE API KEY k WITH ()',
    "CREATE API KEY k WITH (a = ARRAY['b' 'c'])",
    'CREATE API KEY k WITH (a = ARRAY[1])',
    'ALTER API KEY k',
    'ALTER API KEY k RENAME j',
    'ALTER API KEY k EXPIRE now',
    'DROP API KEY',
    'DROP API KEY k, l',
  ])('is not %s', (text) => {
    expect(() => parseStatements(text)).toThrow('syntax error');
  });
});
