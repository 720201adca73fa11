/** Datasets that an earlier Quern made, opened by this one. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open();
  await files.session.rows("CREATE DATASET notes WITH (embedding_model = 'hash')");
  await files.session.rows('CREATE DATASET "Two-b.c" WITH (embedding_model = \'hash\')');
});

afterAll(() => files[Symbol.asyncDispose]());

const asServer = async (...statements: readonly string[]): Promise<void> => {
  await using own = files.database.openOwn();
  await own.transaction(async (query) => {
    for (const text of statements) await query(text);
  }, new AbortController().signal);
};

/** The server as it was, without what has come since. */
async function opened(...changes: readonly string[]): Promise<void> {
  await files.stop();
  await asServer(...changes);
  await files.start();
}

const rebuilt = (): Promise<void> => files.until('SELECT doc_id FROM quern.ingest_queue', []);

describe('a dataset of an earlier version', () => {
  it('gets what it lacks, and its documents are made anew of the kept files', async () => {
    await files.wait(await files.upload('a', 'Whales sing in the deep.', { metadata: '{"year": 1851}' }));
    await files.wait(await files.upload('b', 'Bread rises.', { dataset: 'Two-b.c', name: 'b.md' }));
    await opened(
      'ALTER TABLE notes.documents DROP COLUMN search_names',
      'ALTER TABLE notes.documents DROP COLUMN indexed_as',
      'ALTER TABLE notes.chunks DROP COLUMN boxes',
      'DROP TABLE notes._pictures',
      'UPDATE "Two-b.c".documents SET indexed_as = 0',
    );
    await rebuilt();
    const jobs = "SELECT doc_id, state, reason FROM quern.handles WHERE action = 'rebuild' ORDER BY 1";
    expect(await files.session.rows(jobs)).toEqual([
      ['a', 'ready', null],
      ['b', 'ready', null],
    ]);
    expect(
      await files.session.rows(
        "SELECT doc_id, version, metadata FROM search('whales', '{notes,Two-b.c}', 1, filter => 'year = 1851')",
      ),
    ).toEqual([['a', '2', '{"year": 1851}']]);
    expect(await files.session.rows("SELECT convert_from(quern.get_file('notes', 'a'), 'UTF8')")).toEqual([
      ['Whales sing in the deep.'],
    ]);
    expect(await files.session.rows('SELECT count(*) FROM notes.chunks')).toEqual([['1']]);
    expect(files.logged.filter((line) => !line.startsWith('documents are indexed anew'))).toEqual([]);
  });

  it('is left as it is when it lacks nothing', async () => {
    const handles = 'SELECT count(*) FROM quern.handles';
    const before = await files.session.rows(handles);
    await opened();
    expect(await files.session.rows(handles)).toEqual(before);
  });

  it('tells media types where its chunks name formats', async () => {
    await asServer('UPDATE "Two-b.c".chunks SET doc_type = \'md\'');
    expect(
      await files.session.rows(
        `SELECT s.doc_type, quern.get_content('Two-b.c', s.content_id)->>'doc_type', d.mime_type,
           (SELECT refs->'1'->>'doc_type' FROM ask('What rises?', '{Two-b.c}') WHERE kind = 'answer')
         FROM search('bread rises', '{Two-b.c}', 1) s JOIN "Two-b.c".documents d USING (doc_id)`,
      ),
    ).toEqual([Array(4).fill('text/markdown')]);
  });

  it('lets requests of users pass, which make its own needless', async () => {
    await files.wait(await files.upload('c', 'Cats purr.'));
    await files.wait(await files.upload('d', 'Dogs bark.'));
    await files.stop();
    await asServer('UPDATE notes.documents SET indexed_as = NULL');
    await files.session.rows("SELECT quern.delete_document('notes', 'c')");
    await files.upload('d', 'Dogs howl.');
    await files.start();
    await rebuilt();
    expect(await files.session.rows('SELECT doc_id, version FROM notes.documents ORDER BY 1')).toEqual([
      ['a', '3'],
      ['d', '2'],
    ]);
    expect(await files.session.rows("SELECT text FROM notes.chunks WHERE doc_id = 'd'")).toEqual([
      ['Dogs howl.'],
    ]);
  });
});
