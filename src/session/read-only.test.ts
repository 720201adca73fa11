/**
 * A session that only reads: nothing leads out of it, and whatever a statement or a function does beside its answer is
 * refused, table by table, so that a new row without a word of what it does is refused too.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { present } from '../assert.ts';
import { effectOf } from '../functions/effect.ts';
import type { ScalarFunction, SetFunction } from '../functions/function.ts';
import { allFunctions, allSetFunctions } from '../functions/registry.ts';
import type { Statement } from '../sql/ast.ts';
import type { TestSession } from '../../sql-tests/fixtures/database.ts';
import { TestResearch } from '../../sql-tests/fixtures/research.ts';

const READ_ONLY = { 'quern.read_only': 'on' };
const SALES = '## Report > Sales\nThe sales of Acme were 12 million in 2023.';

let world: TestResearch;
let reader: TestSession;

beforeAll(async () => {
  world = await TestResearch.open();
  await world.session.rows(`
    CREATE TABLE plain (a int PRIMARY KEY, b text);
    INSERT INTO plain VALUES (1, 'one'), (2, 'two');
    CREATE TABLE books (_id text, title text INDEX keyword_index());
    INSERT INTO books (_id, title) VALUES ('b1', 'Emma');
    CREATE SEQUENCE numbers; CREATE POLICY kept ON plain USING (true);
    CREATE ROLE clerk;
    CREATE TYPE mood AS ENUM ('sad', 'ok', 'happy');
    CREATE VIEW seen AS SELECT * FROM plain;
    CREATE MATERIALIZED VIEW kept AS SELECT * FROM plain;
    CREATE FUNCTION next_number() RETURNS bigint LANGUAGE sql AS 'SELECT nextval(''numbers'')';
    CREATE VIEW numbered AS SELECT nextval('numbers') AS n;
    CREATE DATASET filings WITH (embedding_model = 'hash')`);
  await world.store('filings', [{ docId: 'acme', chunks: [{ text: SALES, pages: [1] }] }]);
  await world.session.rows(
    `CREATE EVALUATION questions AS SELECT 'sales' AS question, ARRAY['acme'] AS doc_id`,
  );
});

afterAll(async () => world[Symbol.asyncDispose]());

const refused = async (text: string): Promise<void> => {
  const error = await reader.error(text);
  expect([error.sqlstate, error.message], text).toEqual([
    '25006',
    expect.stringMatching(/^cannot execute .* in a read-only session$/),
  ]);
};

describe('nothing leads out', () => {
  const STATES: readonly (readonly [text: string, state: string | null])[] = [
    ['SET quern.read_only = off', '25006'],
    ['SET "Quern.Read_Only" TO \'false\'', '25006'],
    ['BEGIN; SET LOCAL quern.read_only = off', '55P02'],
    ['ROLLBACK; SET SESSION quern.read_only TO DEFAULT', null],
    ['RESET quern.read_only', null],
    ['RESET ALL', null],
    ['DISCARD ALL', null],
    ["SELECT set_config('quern.read_only', 'off', false)", '25006'],
    ["SELECT set_config('quern.read_only', 'off', true)", '55P02'],
    ["SELECT set_config('QUERN.READ_ONLY', 'no', false) FROM plain", '25006'],
    ['SET default_transaction_read_only = off', '25006'],
    ["SELECT set_config('default_transaction_read_only', 'off', false)", '25006'],
    ['SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE', '25006'],
    ['BEGIN READ WRITE', '25006'],
    ['START TRANSACTION READ WRITE', '25006'],
    ['BEGIN; SET TRANSACTION READ WRITE', '25006'],
    ['ROLLBACK; BEGIN; SET transaction_read_only = off', '25006'],
    ['ROLLBACK; BEGIN; COMMIT AND CHAIN', null],
    ['SAVEPOINT a; ROLLBACK TO a; COMMIT', null],
    ['BEGIN; SELECT 1 / 0', '22012'],
    ['ROLLBACK', null],
    ['PREPARE out AS SELECT set_config($1, $2, false)', null],
    ["EXECUTE out('quern.read_only', 'off')", '25006'],
    ['DEALLOCATE ALL', null],
  ];

  beforeAll(async () => {
    reader = await world.database.session(READ_ONLY);
  });

  it.each(STATES)('%s', async (text, state) => {
    if (state === null) await reader.rows(text);
    else expect((await reader.error(text)).sqlstate).toBe(state);
    for (const name of ['quern.read_only', 'default_transaction_read_only', 'transaction_read_only'])
      if ((await readerStatus()) !== 'E') expect(await reader.rows(`SHOW ${name}`), name).toEqual([['on']]);
    if ((await readerStatus()) === 'I') await refused('INSERT INTO plain VALUES (9)');
  });

  const readerStatus = async (): Promise<string> => reader.session.status();

  it('a session becomes one, and a rollback does not undo it', async () => {
    reader = await world.database.session();
    await reader.rows('BEGIN; SET quern.read_only = on; ROLLBACK');
    await refused('DELETE FROM plain');
    expect((await reader.error('RESET quern.read_only')).sqlstate).toBe('25006');
    await reader.rows('RESET ALL; DISCARD ALL');
    await refused('DELETE FROM plain');
  });

  it('what was written before in the same transaction is committed', async () => {
    reader = await world.database.session();
    await reader.rows('BEGIN; INSERT INTO plain VALUES (3); SET quern.read_only = on');
    await refused('INSERT INTO plain VALUES (4)');
    await reader.rows('ROLLBACK');
    reader = await world.database.session();
    await reader.rows('BEGIN; INSERT INTO plain VALUES (3); SET quern.read_only = on; COMMIT');
    expect(await world.session.rows('SELECT a FROM plain ORDER BY 1')).toEqual([['1'], ['2'], ['3']]);
    await world.session.rows('DELETE FROM plain WHERE a = 3');
  });

  it('a transaction alone is made read only by other words', async () => {
    reader = await world.database.session();
    const error = await reader.error('BEGIN; SET LOCAL quern.read_only = on');
    expect([error.sqlstate, error.fields.hint]).toEqual([
      '55P02',
      'BEGIN READ ONLY makes a transaction read only.',
    ]);
  });
});

/** Each kind of statement: what is refused, and what goes on. */
const STATEMENTS: { readonly [Kind in Statement['kind']]: { refused?: string[]; allowed?: string[] } } = {
  query: {
    refused: [
      'SELECT * FROM plain FOR UPDATE',
      'SELECT * FROM plain FOR KEY SHARE SKIP LOCKED',
      'SELECT (SELECT a FROM plain LIMIT 1 FOR UPDATE)',
      'SELECT 1 WHERE EXISTS (SELECT a FROM plain FOR SHARE)',
      'WITH gone AS (DELETE FROM plain RETURNING a) SELECT * FROM gone',
      'WITH new AS (INSERT INTO plain VALUES (7) RETURNING a) SELECT 1',
      'SELECT * INTO made FROM plain',
      "SELECT nextval('numbers')",
      'SELECT next_number()',
      'SELECT * FROM numbered',
      "SELECT a FROM plain ORDER BY setval('numbers', 7)",
      "VALUES (nextval('numbers'))",
      "SELECT * FROM ask('sales', ARRAY['filings'], 'research')",
    ],
    allowed: [
      'SELECT * FROM plain',
      'TABLE seen',
      'VALUES (1), (2)',
      "SELECT CASE WHEN false THEN nextval('numbers') END",
      "SELECT nextval('numbers') WHERE false",
      "SELECT currval('numbers') WHERE false",
      "SELECT set_config('application_name', 'x', false), setseed(0.5)",
    ],
  },
  insert: {
    refused: ['INSERT INTO plain VALUES (5)', "INSERT INTO books (_id, colour) VALUES ('b2', 'red')"],
  },
  update: { refused: ['UPDATE plain SET b = a', 'UPDATE plain SET b = a WHERE false'] },
  delete: { refused: ['DELETE FROM plain', 'DELETE FROM seen'] },
  merge: { refused: ['MERGE INTO plain USING books ON false WHEN NOT MATCHED THEN INSERT VALUES (6)'] },
  'create table': { refused: ['CREATE TABLE made (a int)', 'CREATE TEMPORARY TABLE made (a int)'] },
  'create table as': {
    refused: ['CREATE TABLE made AS SELECT 1', 'CREATE MATERIALIZED VIEW made AS SELECT 1'],
  },
  refresh: { refused: ['REFRESH MATERIALIZED VIEW kept'] },
  drop: {
    refused: ['DROP TABLE books', 'DROP VIEW IF EXISTS nothing', 'DROP SEQUENCE numbers', 'DROP TYPE mood'],
  },
  'create index': { refused: ['CREATE INDEX ON plain (b)', 'CREATE INDEX CONCURRENTLY ON plain (b)'] },
  'alter table': { refused: ['ALTER TABLE plain ADD COLUMN c int', "ALTER TABLE books DROP PARTITION 'x'"] },
  truncate: { refused: ['TRUNCATE plain'] },
  'create policy': { refused: ['CREATE POLICY own ON plain USING (true)'] },
  'alter policy': { refused: ['ALTER POLICY kept ON plain USING (false)'] },
  'rename policy': { refused: ['ALTER POLICY kept ON plain RENAME TO other'] },
  'drop policy': { refused: ['DROP POLICY kept ON plain'] },
  'create sequence': { refused: ['CREATE SEQUENCE made'] },
  'alter sequence': { refused: ['ALTER SEQUENCE numbers RESTART'] },
  'create schema': { refused: ['CREATE SCHEMA made'] },
  'create view': { refused: ['CREATE VIEW made AS SELECT 1'] },
  'create function': { refused: ["CREATE FUNCTION made() RETURNS int LANGUAGE sql AS 'SELECT 1'"] },
  'drop function': { refused: ['DROP FUNCTION next_number()'] },
  'alter function': { refused: ['ALTER FUNCTION next_number() RENAME TO other'] },
  'create enum': { refused: ["CREATE TYPE made AS ENUM ('a')"] },
  'alter type': { refused: ["ALTER TYPE mood ADD VALUE 'new'"] },
  'create role': { refused: ['CREATE ROLE made'] },
  'alter role': { refused: ['ALTER ROLE clerk LOGIN'] },
  'alter role setting': { refused: ['ALTER ROLE clerk SET work_mem = 64'] },
  'rename role': { refused: ['ALTER ROLE clerk RENAME TO other'] },
  'drop role': { refused: ['DROP ROLE IF EXISTS nobody'] },
  'grant role': { refused: ['GRANT reader TO writer'] },
  grant: { refused: ['GRANT SELECT ON plain TO reader', 'REVOKE ALL ON plain FROM reader'] },
  'alter default privileges': { refused: ['ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO reader'] },
  'reassign owned': { refused: ['REASSIGN OWNED BY clerk TO writer'] },
  'drop owned': { refused: ['DROP OWNED BY clerk'] },
  'alter owner': { refused: ['ALTER TABLE plain OWNER TO quern'] },
  'create extension': { refused: ['CREATE EXTENSION vector'] },
  comment: { refused: ["COMMENT ON TABLE plain IS 'x'"] },
  unsupported: {},
  explain: {
    refused: [
      'EXPLAIN ANALYZE DELETE FROM plain',
      "EXPLAIN (ANALYZE) SELECT nextval('numbers')",
      'EXPLAIN ANALYZE CREATE TABLE made AS SELECT 1',
    ],
    allowed: ['EXPLAIN DELETE FROM plain', 'EXPLAIN ANALYZE SELECT * FROM plain'],
  },
  set: { allowed: ['SET application_name = x', 'RESET application_name'] },
  show: { allowed: ['SHOW ALL'] },
  transaction: { allowed: ['BEGIN; SAVEPOINT a; RELEASE a; COMMIT', 'BEGIN READ ONLY; ROLLBACK'] },
  prepare: { allowed: ['PREPARE drops AS DELETE FROM plain', "PREPARE takes AS SELECT nextval('numbers')"] },
  execute: { refused: ['EXECUTE drops', 'EXECUTE takes', 'EXPLAIN ANALYZE EXECUTE drops'] },
  deallocate: { allowed: ['DEALLOCATE ALL'] },
  'declare cursor': {
    refused: [
      'BEGIN; DECLARE c CURSOR FOR SELECT * FROM plain FOR UPDATE',
      "BEGIN; DECLARE c CURSOR FOR SELECT nextval('numbers'); FETCH c",
    ],
    allowed: ['DECLARE held CURSOR WITH HOLD FOR SELECT * FROM plain'],
  },
  fetch: { allowed: ['FETCH ALL held'] },
  'close cursor': { allowed: ['CLOSE ALL'] },
  discard: { allowed: ['DISCARD PLANS', 'DISCARD TEMP', 'DISCARD SEQUENCES'] },
  listen: { refused: ['LISTEN news'] },
  unlisten: { allowed: ['UNLISTEN *'] },
  notify: { refused: ["NOTIFY news, 'x'"] },
  copy: {
    refused: [
      'COPY plain FROM STDIN',
      "COPY quern.upload FROM STDIN WITH (dataset 'filings', doc_id 'x', name 'x.md')",
    ],
  },
  lock: {
    refused: ['BEGIN; LOCK TABLE plain', 'BEGIN; LOCK TABLE plain IN ROW SHARE MODE'],
    allowed: ['BEGIN; LOCK TABLE plain IN ACCESS SHARE MODE; COMMIT'],
  },
  'set constraints': { allowed: ['BEGIN; SET CONSTRAINTS ALL DEFERRED; COMMIT'] },
  analyze: { refused: ['ANALYZE plain'] },
  vacuum: { refused: ['VACUUM', 'VACUUM FULL plain'] },
  reindex: { refused: ['REINDEX TABLE plain'] },
  checkpoint: { refused: ['CHECKPOINT'] },
  'create dataset': { refused: ['CREATE DATASET made'] },
  'alter dataset': { refused: ["ALTER DATASET filings SET (description = 'x')"] },
  'drop dataset': { refused: ['DROP DATASET filings'] },
  'create key': { refused: ['CREATE API KEY made'] },
  'alter key': { refused: ['ALTER API KEY made EXPIRE'] },
  'drop key': { refused: ['DROP API KEY IF EXISTS made'] },
  'create evaluation': {
    refused: ["CREATE EVALUATION made AS SELECT 'x' AS question, ARRAY['acme'] AS doc_id"],
  },
  'drop evaluation': { refused: ['DROP EVALUATION questions'] },
  evaluate: { refused: ['EVALUATE SEARCH questions USING (SELECT _id AS doc_id FROM books)'] },
};

describe('statements', () => {
  beforeAll(async () => {
    reader = await world.database.session(READ_ONLY);
  });

  for (const [kind, { refused: texts = [], allowed = [] }] of Object.entries(STATEMENTS)) {
    it(kind, async () => {
      for (const text of texts) {
        await refused(text);
        if (reader.session.status() !== 'I') await reader.rows('ROLLBACK');
      }
      for (const text of allowed) await reader.rows(text);
    });
  }
});

type Row = ScalarFunction | SetFunction;
const ROWS: readonly Row[] = [...allFunctions(), ...allSetFunctions()];

/** A value of an argument's type, as SQL. */
const SAMPLES: Readonly<Record<string, string>> = {
  text: "'filings'",
  int4: '1',
  int8: '1',
  bool: 'true',
  bytea: "'x'",
  jsonb: `'["filings"]'::jsonb`,
  json: `'[]'::json`,
  regclass: "'numbers'",
  uuid: "'00000000-0000-7000-8000-000000000000'",
  _text: "ARRAY['filings']",
  '...any': "ARRAY['x']",
};

function callOf({ name, args }: Row): string {
  const given = args.map((type) => present(SAMPLES[type], `a value of type ${type}`));
  return `${name}(${given.join(', ')})`;
}

const isSet = (row: Row): row is SetFunction => 'rows' in row;

describe('functions', () => {
  const effects = Map.groupBy(ROWS, effectOf);

  beforeAll(async () => {
    reader = await world.database.session(READ_ONLY);
  });

  it('all that are volatile say what they do', () => {
    const silent = ROWS.filter(({ volatility, effect }) => volatility === 'volatile' && effect === undefined);
    expect(silent.map(({ name }) => name)).toEqual([]);
  });

  it.each(['data', 'server'] as const)('those of effect %s are refused', async (effect) => {
    const rows = effects.get(effect) ?? [];
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows)
      await refused(isSet(row) ? `SELECT * FROM ${callOf(row)}` : `SELECT ${callOf(row)}`);
  });

  it('the others answer as they do elsewhere', async () => {
    const rows = ROWS.filter(
      (row) => row.volatility === 'volatile' && ['none', 'session'].includes(effectOf(row)),
    );
    expect(rows.length).toBeGreaterThan(20);
    for (const { name, example } of rows) {
      const answer = (await reader.rows(example[0])).at(-1)?.at(-1) ?? null;
      expect([name, answer]).toEqual([name, example[1]]);
    }
  });

  it('one that does not say is taken to write', () => {
    expect(effectOf({ volatility: 'volatile' })).toBe('data');
  });
});

describe('what a session that only reads still does', () => {
  beforeAll(async () => {
    reader = await world.database.session(READ_ONLY);
  });

  it('asks, also in a thread, and nothing is kept of it', async () => {
    await world.session.rows(
      "SELECT * FROM ask('What were the sales in 2023?', ARRAY['filings'], thread => 'mine')",
    );
    const kept = 'SELECT (SELECT count(*) FROM quern.answers), (SELECT count(*) FROM quern.facts)';
    const before = await world.session.rows(kept);
    for (const thread of ['NULL', "'mine'", "'new'"]) {
      const call = `ask('What were the sales of Acme in 2023?', ARRAY['filings'], thread => ${thread})`;
      expect(await reader.rows(`SELECT fact FROM ${call} WHERE kind = 'fact'`)).toEqual([
        [expect.stringContaining('12 million')],
      ]);
    }
    expect(await reader.rows('SELECT quern.last_answer()')).toEqual([[null]]);
    expect(await world.session.rows(kept)).toEqual(before);
  });

  it('is refused before it waits for a lock, where others would wait behind it', async () => {
    await world.session.rows('BEGIN; SELECT * FROM plain; LOCK TABLE books');
    await refused('TRUNCATE plain');
    await refused('REFRESH MATERIALIZED VIEW kept');
    await refused("UPDATE books SET title = 'x'");
    await refused('SELECT * FROM books FOR UPDATE');
    await world.session.rows('ROLLBACK');
  });
});
