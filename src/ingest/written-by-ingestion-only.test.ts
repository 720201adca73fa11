/** Writes that users may not make to relations of datasets and of Quern: each is 42501 with a hint, and changes nothing. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatedModel, inferenceWith } from '../../sql-tests/fixtures/gated-model.ts';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open({ inference: await inferenceWith(new GatedModel()) });
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
  await files.session.rows('CREATE TABLE mine (_id text, doc_id text)');
  await files.session.rows('CREATE SEQUENCE counts');
  await files.wait(await files.upload('w', 'The whale sings.'));
});

afterAll(() => files[Symbol.asyncDispose]());

const PICTURE =
  "SELECT (SELECT count(*) FROM notes.chunks), (SELECT count(*) FROM quern.handles WHERE state = 'ready'), " +
  "(SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname IN ('quern', 'notes'))";

describe.each([
  ["INSERT INTO notes.chunks (_id) VALUES ('x')"],
  ["INSERT INTO notes.chunks$acme (_id) VALUES ('x')"],
  ["UPDATE notes.chunks SET text = 'x'"],
  ['DELETE FROM notes.chunks'],
  ['DELETE FROM notes.documents WHERE false'],
  ['TRUNCATE notes.chunks'],
  ["INSERT INTO notes.cells (table_id) VALUES ('x')"],
  ['UPDATE notes.cells SET number = 1'],
  ['DELETE FROM notes.tables'],
  ['DROP VIEW notes.cell_paths'],
  ['TRUNCATE mine, notes.documents'],
  ['SELECT * FROM notes.chunks FOR UPDATE'],
  ['SELECT * FROM mine JOIN notes.chunks USING (doc_id) FOR SHARE'],
  ['WITH gone AS (DELETE FROM notes.chunks RETURNING 1) SELECT * FROM gone'],
  ['MERGE INTO notes.chunks c USING mine m ON c.doc_id = m.doc_id WHEN MATCHED THEN DELETE'],
  ['ALTER TABLE notes.chunks ADD COLUMN x int'],
  ['ALTER TABLE notes.chunks RENAME TO others'],
  ['ALTER TABLE notes.chunks RENAME COLUMN text TO words'],
  ['ALTER TABLE notes.chunks SET SCHEMA public'],
  ['ALTER TABLE notes.chunks ADD CHECK (version > 0)'],
  ['ALTER TABLE mine SET SCHEMA notes'],
  ['ALTER TABLE mine SET SCHEMA quern'],
  ['ALTER TABLE mine ADD FOREIGN KEY (doc_id) REFERENCES notes.documents (_id)'],
  ['DROP TABLE notes.chunks'],
  ['DROP TABLE mine, notes.chunks'],
  ['DROP INDEX notes.chunks_doc_id'],
  ['DROP SCHEMA notes'],
  ['DROP SCHEMA notes CASCADE'],
  ['CREATE INDEX ON notes.chunks (version)'],
  ['CREATE TABLE notes.more (a int)'],
  ['CREATE TABLE notes.more AS SELECT 1 AS a'],
  ['CREATE VIEW notes.more AS SELECT 1 AS a'],
  ['CREATE SEQUENCE notes.more'],
  ["CREATE TYPE notes.mood AS ENUM ('sad')"],
  ['CREATE FUNCTION notes.one() RETURNS int LANGUAGE sql RETURN 1'],
  ['CREATE MATERIALIZED VIEW notes.more AS SELECT 1 AS a'],
  ['CREATE TABLE more (doc_id text REFERENCES notes.documents (_id))'],
  ['CREATE VIEW quern.more AS SELECT 1 AS a'],
  ["COMMENT ON SCHEMA notes IS 'x'"],
  ["COMMENT ON COLUMN notes.chunks.text IS 'x'"],
  ["ALTER TABLE notes.chunks ALTER COLUMN passage SET EMBEDDING MODEL 'gated'"],
  ["COMMENT ON TABLE notes.chunks IS 'x'"],
  ["UPDATE quern.handles SET state = 'ready'"],
  ["INSERT INTO quern.handles (handle) VALUES ('x')"],
  ['DELETE FROM quern.ingest_failures'],
  ["UPDATE quern.ingest_failures SET reason = ''"],
  ['TRUNCATE quern.handles'],
  ['DROP TABLE quern.handles CASCADE'],
  ['DROP VIEW quern.pending'],
  ['ALTER TABLE quern.handles ADD COLUMN x int'],
  ['ALTER VIEW quern.pending RENAME TO waiting'],
  ['CREATE INDEX ON quern.handles (name)'],
  ['CREATE TABLE quern.more (a int)'],
  ["SELECT setval('quern.handles_seq_seq', 1)"],
  ["SELECT setval('quern.handles_seq_seq', 1, false)"],
  ["SELECT nextval('quern.handles_seq_seq')"],
  ["INSERT INTO mine (_id) VALUES (nextval('quern.handles_seq_seq')::text)"],
  ['ALTER SEQUENCE quern.handles_seq_seq RESTART'],
  ['ALTER SEQUENCE quern.handles_seq_seq OWNED BY NONE'],
  ['DROP SEQUENCE quern.handles_seq_seq CASCADE'],
])('%s', (text) => {
  it('is refused', async () => {
    const before = await files.session.rows(PICTURE);
    const error = await files.session.error(text);
    expect([error.sqlstate, error.message]).toEqual(['42501', expect.stringContaining('only')]);
    expect(error.fields.hint).toMatch(/upsert_file|belongs to Quern/);
    expect(await files.session.rows(PICTURE)).toEqual(before);
  });
});

it.each(['notes.chunks (_id)', 'notes.documents', 'quern.handles'])(
  'COPY %s FROM STDIN is refused before a row is asked for',
  async (relation) => {
    let asked = false;
    const copyIn = async function* (): AsyncGenerator<Uint8Array> {
      asked = true;
      yield Buffer.from('x\n');
    };
    const error = await files.session.error(`COPY ${relation} FROM STDIN`, { copyIn });
    expect([error.sqlstate, asked]).toEqual(['42501', false]);
  },
);

it('a view and a rule of writing through it change nothing either', async () => {
  await files.session.rows('CREATE VIEW read AS SELECT doc_id, text FROM notes.chunks');
  expect(await files.session.rows('SELECT doc_id FROM read')).toEqual([['w']]);
  for (const text of ["UPDATE read SET text = 'x'", 'DELETE FROM read']) {
    expect((await files.session.error(text)).sqlstate).toBe('42501');
  }
  await files.session.rows('DROP VIEW read');
});

it('ingestion goes on beside what was refused', async () => {
  await files.wait(await files.upload('v', 'Bread.'));
  expect(await files.session.rows('SELECT doc_id FROM notes.chunks ORDER BY 1')).toEqual([['v'], ['w']]);
});
