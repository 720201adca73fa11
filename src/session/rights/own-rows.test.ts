/** Rows of requests in folders of before they said whose they are. */
import { expect, it } from 'vitest';
import { TestDatabase } from '../../../sql-tests/fixtures/database.ts';
import { makeServerRelations } from '../../../sql-tests/fixtures/stored-documents.ts';

it('are brought up to date, and shown to superusers alone', async () => {
  const older = await TestDatabase.open();
  const before = await older.session();
  await using own = older.openOwn();
  await makeServerRelations(own);
  const change = (texts: readonly string[]): Promise<void> =>
    own.transaction(async (query) => {
      for (const text of texts) await query(text);
    }, new AbortController().signal);
  const handle = `INSERT INTO quern.handles
    (handle, dataset, doc_id, action, state, attempts, chunks_pending, reason, created_at, updated_at)
    VALUES ('h', 'd', 'old', 'upsert', 'error', 1, 1, 'x', now(), now())`;
  await change([
    'DROP VIEW quern.pending, quern.ingest_failures, quern.ingest_queue',
    'ALTER TABLE quern.handles DROP COLUMN role, DROP COLUMN key',
    'ALTER TABLE quern.answers DROP COLUMN role, DROP COLUMN key',
    "CREATE VIEW quern.ingest_failures AS SELECT dataset, doc_id FROM quern.handles WHERE state = 'error'",
    handle,
  ]);
  await makeServerRelations(own);
  await before.rows('CREATE ROLE lesser; SET ROLE lesser');
  for (const relation of ['handles', 'pending', 'ingest_failures']) {
    const sql = `SELECT doc_id FROM quern.${relation}`;
    expect([relation, await before.rows(`RESET ROLE; ${sql}`)]).toEqual([relation, [['old']]]);
    expect([relation, await before.rows(`SET ROLE lesser; ${sql}`)]).toEqual([relation, []]);
  }
  await older.close();
});
