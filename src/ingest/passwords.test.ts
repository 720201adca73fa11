/** The password of an encrypted file opens it, again and again, and nobody ever reads it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestIngestion } from '../../sql-tests/fixtures/ingestion.ts';

const FILE = join(import.meta.dirname, '../../../shared/data/files/hostile/libreoffice-writer-password.pdf');
const SECRET = 'openpassword';
const IN_HEX = Buffer.from(SECRET).toString('hex');

let files: TestIngestion;

beforeAll(async () => {
  files = await TestIngestion.open();
  await files.session.rows("CREATE DATASET locked WITH (embedding_model = 'hash')");
});

afterAll(() => files[Symbol.asyncDispose]());

const upload = (id: string, metadata?: string): Promise<string> =>
  files.uploadBytes(id, readFileSync(FILE), {
    dataset: 'locked',
    name: `${id}.pdf`,
    ...(metadata !== undefined && { metadata }),
  });

const asServer = async (...statements: readonly string[]): Promise<void> => {
  await using own = files.database.openOwn();
  await own.transaction(async (query) => {
    for (const text of statements) await query(text);
  }, new AbortController().signal);
};

/** Relations of the database in which somebody reads the password. */
async function readableIn(): Promise<readonly string[]> {
  await files.session.rows('ANALYZE');
  const relations = await files.session.rows(
    `SELECT quote_ident(schemaname) || '.' || quote_ident(relname) FROM
       (SELECT schemaname, relname FROM pg_stat_user_tables UNION SELECT schemaname, viewname FROM pg_views
         UNION SELECT 'pg_catalog', 'pg_stats') r
     WHERE schemaname IN ('locked', 'quern') OR relname = 'pg_stats' ORDER BY 1`,
  );
  const found: string[] = [];
  for (const [relation] of relations) {
    const rows = await files.session.rows(`SELECT r::text FROM ${relation} r`);
    if (rows.some(([row]) => row?.includes(SECRET) || row?.includes(IN_HEX))) found.push(String(relation));
  }
  expect(relations.flat()).toEqual(expect.arrayContaining(['locked.documents', 'quern.handles']));
  return found;
}

const versions = () => files.session.rows('SELECT doc_id, status, version FROM locked.documents ORDER BY 1');

describe.skipIf(!existsSync(FILE))('the password of a file', () => {
  it('opens it, and stands in nothing that is read', async () => {
    const handle = await upload('a', `{"password": "${SECRET}", "year": 2020}`);
    expect(await readableIn()).toEqual([]);
    await files.wait(handle);
    expect(await readableIn()).toEqual([]);
    const [[metadata] = []] = await files.session.rows("SELECT quern.get_metadata('locked', ARRAY['a'])");
    expect(metadata).toBe('{"a": {"year": 2020}}');
    const [[found] = []] = await files.session.rows("SELECT metadata FROM search('text', ARRAY['locked'])");
    expect(found).toBe('{"year": 2020}');
    await expect(files.session.rows('SELECT password FROM locked.documents')).rejects.toMatchObject({
      condition: 'undefined_column',
    });
  });

  it('is kept until another one is given, also where the file is read anew', async () => {
    await files.wait(await upload('a', '{"year": 2021}'));
    await asServer('UPDATE locked.documents SET indexed_as = 0');
    await files.stop();
    await files.start();
    await files.until('SELECT doc_id FROM quern.ingest_queue', []);
    expect(await versions()).toEqual([['a', 'ready', '2']]);
    await files.wait(
      await files.uploadBytes('a', readFileSync(FILE), { dataset: 'locked', name: 'other.pdf' }),
    );
    expect(await versions()).toEqual([['a', 'ready', '3']]);
  });

  it('is taken away, or given, by a change of metadata', async () => {
    const change = async (metadata: string): Promise<void> => {
      const sql = `SELECT quern.update_metadata('locked', 'a', '${metadata}')`;
      await files.wait(String((await files.session.rows(sql))[0]?.[0]));
    };
    await change('{"password": null, "year": 2022}');
    await expect(files.wait(await upload('a'))).rejects.toThrow(/password/);
    await change(`{"password": "${SECRET}"}`);
    expect(await readableIn()).toEqual([]);
    await files.wait(await upload('a'));
    expect(await versions()).toEqual([['a', 'ready', '4']]);
    await expect(change('{"password": ["a"]}')).rejects.toThrow(/the password of a file is a string/);
  });

  it('goes with its document, and a failed upload leaves none', async () => {
    await expect(files.wait(await upload('b', '{"password": "wrong"}'))).rejects.toThrow(/password/);
    const [[handle] = []] = await files.session.rows("SELECT quern.delete_document('locked', 'a')");
    await files.wait(String(handle));
    expect(await files.session.rows('SELECT doc_id FROM locked._passwords')).toEqual([]);
  });

  it('of an earlier Quern goes out of sight at the start, and still opens the file', async () => {
    await files.wait(await upload('c', `{"password": "${SECRET}", "year": 2020}`));
    await files.stop();
    const shown = `'{"password": "${SECRET}", "year": 2020}'`;
    await asServer(
      'DROP TABLE locked._passwords',
      `UPDATE locked.documents SET metadata = ${shown}, password = '${SECRET}', indexed_as = 0
       WHERE doc_id = 'c'`,
      `UPDATE locked.chunks SET metadata = ${shown} WHERE doc_id = 'c'`,
      `UPDATE quern.handles SET metadata = ${shown} WHERE doc_id = 'c'`,
    );
    expect(await readableIn()).toContain('locked.documents');
    await files.start();
    expect(await readableIn()).toEqual([]);
    await files.until("SELECT status, version FROM locked.documents WHERE doc_id = 'c'", ['ready|2']);
    expect(await readableIn()).toEqual([]);
  });
});
