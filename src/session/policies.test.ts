/** Row rules through sessions: what a role sees, searches, counts and may write. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../sql-tests/fixtures/database.ts';
import { makeServerRelations, storeDocuments } from '../../sql-tests/fixtures/stored-documents.ts';

let database: TestDatabase;
let owner: TestSession;
let alice: TestSession;

beforeEach(async () => {
  database = await TestDatabase.open();
  owner = await database.session();
  await owner.rows('CREATE ROLE alice; CREATE ROLE bob');
  await owner.rows(`
    CREATE TABLE notes (id int PRIMARY KEY, owner text, body text, n int, v vector(2));
    INSERT INTO notes VALUES (1, 'alice', 'red whale', 1, '[1,0]'), (2, 'bob', 'blue whale whale', 2, '[0,1]'),
      (3, 'alice', 'green tree', 3, '[1,1]'), (4, 'bob', 'whale of a tree', 4, '[2,1]');
    CREATE INDEX ON notes USING keyword (body);
    CREATE INDEX ON notes USING hnsw (v vector_l2_ops);
    GRANT ALL ON notes TO alice;
    ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON notes USING (owner = current_user)`);
  alice = await database.session();
  await alice.rows('SET ROLE alice');
});

afterEach(() => database.close());

describe('a policy', () => {
  it('hides rows from scans, keys, counts and bounds', async () => {
    expect(await alice.rows('SELECT id FROM notes ORDER BY id')).toEqual([['1'], ['3']]);
    expect(await alice.rows('SELECT count(*), min(n), max(n) FROM notes')).toEqual([['2', '1', '3']]);
    expect(await alice.rows('SELECT body FROM notes WHERE id = 2')).toEqual([]);
    expect(await alice.rows('SELECT body FROM notes WHERE id = 3')).toEqual([['green tree']]);
    expect(await alice.rows('SELECT id FROM notes WHERE id IN (1, 2, 4) ORDER BY id')).toEqual([['1']]);
    expect(await owner.rows('SELECT count(*) FROM notes')).toEqual([['4']]);
  });

  it('hides rows from searches, whose scores are as if there were no others', async () => {
    const words = `SELECT id, round(bm25_score()::numeric, 6) FROM notes WHERE match('whale', body) ORDER BY bm25_score() DESC LIMIT 5`;
    const seen = await alice.rows(words);
    expect(await alice.rows(`SELECT id FROM notes ORDER BY v <-> '[0,1]' LIMIT 3`)).toEqual([['3'], ['1']]);
    await owner.rows("DELETE FROM notes WHERE owner = 'bob'");
    expect(await owner.rows(words)).toEqual(seen);
    expect(seen.map(([id]) => id)).toEqual(['1']);
  });

  it('says which rows may be written', async () => {
    const violation = 'new row violates row-level security policy for table "notes"';
    expect((await alice.error("INSERT INTO notes VALUES (9, 'bob')")).message).toBe(violation);
    await alice.rows("INSERT INTO notes VALUES (9, 'alice')");
    expect((await alice.error("UPDATE notes SET owner = 'bob' WHERE id = 1")).message).toBe(violation);
    expect(await alice.rows("UPDATE notes SET body = 'x' RETURNING id")).toEqual([['1'], ['3'], ['9']]);
    expect(await alice.rows('DELETE FROM notes WHERE id IN (2, 3) RETURNING id')).toEqual([['3']]);
    const met = await alice.error(
      "INSERT INTO notes VALUES (2, 'alice') ON CONFLICT (id) DO UPDATE SET owner = 'alice'",
    );
    expect(met.message).toBe(
      'new row violates row-level security policy (USING expression) for table "notes"',
    );
    expect((await alice.error("INSERT INTO notes VALUES (2, 'alice')")).sqlstate).toBe('23505');
  });

  it('may ask other relations, and holds inside of views by who they belong to', async () => {
    await owner.rows(`CREATE TABLE readers (note int, reader text); INSERT INTO readers VALUES (2, 'alice');
      GRANT SELECT ON readers TO alice;
      DROP POLICY own ON notes;
      CREATE POLICY listed ON notes FOR SELECT
        USING (EXISTS (SELECT 1 FROM readers WHERE note = id AND reader = current_user));
      CREATE VIEW all_notes AS SELECT id FROM notes;
      CREATE VIEW my_notes WITH (security_invoker = true) AS SELECT id FROM notes;
      GRANT SELECT ON all_notes, my_notes TO alice`);
    expect(await alice.rows('SELECT id FROM notes')).toEqual([['2']]);
    expect(await alice.rows(`SELECT id FROM notes ORDER BY v <-> '[1,0]' LIMIT 3`)).toEqual([['2']]);
    expect(await alice.rows('SELECT count(*) FROM all_notes')).toEqual([['4']]);
    expect(await alice.rows('SELECT id FROM my_notes')).toEqual([['2']]);
    expect(await alice.rows("UPDATE notes SET body = '' WHERE id = 2 RETURNING id")).toEqual([]);
  });
});

describe('a definition', () => {
  it('takes policies with what they read only where it is told to', async () => {
    await owner.rows(`CREATE TABLE readers (note int, reader text);
      CREATE POLICY listed ON notes USING (EXISTS (SELECT 1 FROM readers WHERE note = id))`);
    expect((await owner.error('DROP TABLE readers')).sqlstate).toBe('2BP01');
    expect((await owner.error('ALTER TABLE readers DROP COLUMN note')).sqlstate).toBe('2BP01');
    expect((await owner.error('ALTER TABLE notes DROP COLUMN owner')).sqlstate).toBe('2BP01');
    expect((await owner.error('ALTER TABLE readers RENAME COLUMN note TO about')).sqlstate).toBe('0A000');
    await owner.rows('DROP TABLE readers CASCADE');
    const names = 'SELECT policyname, qual FROM pg_policies';
    expect(await owner.rows(names)).toEqual([['own', '(owner = current_user)']]);
    await owner.rows('ALTER TABLE notes RENAME COLUMN owner TO keeper');
    expect(await owner.rows(names)).toEqual([['own', '(keeper = current_user)']]);
    expect(await alice.rows('SELECT count(*) FROM notes')).toEqual([['2']]);
    expect((await owner.error('CREATE POLICY again ON notes FOR INSERT USING (true)')).sqlstate).toBe(
      '42601',
    );
    expect((await owner.error('DROP POLICY nothing ON notes')).sqlstate).toBe('42704');
  });

  it('switches them on and off, for owners by FORCE', async () => {
    await owner.rows('ALTER TABLE notes DISABLE ROW LEVEL SECURITY');
    expect(await alice.rows('SELECT count(*) FROM notes')).toEqual([['4']]);
    await owner.rows('ALTER TABLE notes FORCE ROW LEVEL SECURITY, ENABLE ROW LEVEL SECURITY');
    expect(await alice.rows('SELECT count(*) FROM notes')).toEqual([['2']]);
    await alice.rows('SET row_security = off');
    expect((await alice.error('SELECT 1 FROM notes')).message).toBe(
      'query would be affected by row-level security policy for table "notes"',
    );
  });

  it('is of the role that asks, though plans of texts and statements are kept', async () => {
    const texts = [1, 2, 3, 4].map((id) => `SELECT owner FROM notes WHERE id = ${id}`);
    const all = async () => (await Promise.all(texts.map((text) => owner.rows(text)))).flat(2);
    await owner.rows('PREPARE one(int) AS SELECT owner FROM notes WHERE id = $1');
    for (const [role, seen] of [
      ['quern', ['alice', 'bob', 'alice', 'bob']],
      ['alice', ['alice', 'alice']],
      ['quern', ['alice', 'bob', 'alice', 'bob']],
    ] as const) {
      await owner.rows(`SET ROLE ${role}`);
      expect(await all()).toEqual(seen);
      expect(await owner.rows('EXECUTE one(2)')).toEqual(role === 'quern' ? [['bob']] : []);
    }
  });

  it('refuses a policy that asks its own relation', async () => {
    await owner.rows(
      'CREATE POLICY loop ON notes USING (EXISTS (SELECT 1 FROM notes AS n WHERE n.id = notes.id))',
    );
    expect((await alice.error('SELECT 1 FROM notes')).sqlstate).toBe('42P17');
  });
});

it('collections keep documents that somebody may not see from being replaced', async () => {
  await owner.rows(`CREATE TABLE docs (_id text PRIMARY KEY, owner text, body text INDEX keyword_index());
    INSERT INTO docs (_id, owner, body) VALUES ('a', 'alice', 'x'), ('b', 'bob', 'y');
    GRANT ALL ON docs TO alice; ALTER TABLE docs ENABLE ROW LEVEL SECURITY;
    CREATE POLICY own ON docs USING (owner = current_user)`);
  const upsert = "INSERT INTO docs (_id, owner, body) VALUES ('b', 'alice', 'z')";
  expect((await alice.error(upsert)).sqlstate).toBe('42501');
  await alice.rows(
    "INSERT INTO docs (_id, owner, body) VALUES ('c', 'alice', '1'), ('a', 'alice', '2'), ('c', 'alice', '3')",
  );
  expect(await alice.rows('SELECT _id, body FROM docs ORDER BY _id')).toEqual([
    ['a', '2'],
    ['c', '3'],
  ]);
  expect(await alice.rows("SELECT _id FROM hybrid('docs', 'y', k => 3)")).toEqual([]);
  expect(await owner.rows("SELECT body FROM docs WHERE _id = 'b'")).toEqual([['y']]);
});

it('functions that read words without a plan know of no others', async () => {
  const typed = "SELECT suggestion FROM suggest('notes.body', 'whale') ORDER BY 1";
  const corrected = "SELECT did_you_mean('notes.body', 'blu')";
  expect(await owner.rows(typed)).toContainEqual(['whale of a tree']);
  expect(await alice.rows(typed)).toEqual([['whale']]);
  expect(await owner.rows(corrected)).toEqual([['blue']]);
  expect(await alice.rows(corrected)).toEqual([[null]]);
});

it("a policy on a dataset's documents holds for all that the dataset has of them", async () => {
  await using own = database.openOwn();
  await makeServerRelations(own);
  await owner.rows("CREATE DATASET sea WITH (embedding_model = 'hash')");
  await storeDocuments(own, 'sea', [
    { docId: 'a', chunks: [{ text: 'The whale sings.' }] },
    { docId: 'b', chunks: [{ text: 'A whale dives.' }] },
  ]);
  await owner.rows(`GRANT USAGE ON SCHEMA sea TO alice; GRANT SELECT ON ALL TABLES IN SCHEMA sea TO alice;
    ALTER TABLE sea.documents ENABLE ROW LEVEL SECURITY;
    CREATE POLICY first ON sea.documents FOR SELECT USING (doc_id = 'a')`);
  const search = "SELECT doc_id FROM search('whale', ARRAY['sea']) ORDER BY 1";
  expect(await owner.rows(search)).toEqual([['a'], ['b']]);
  expect(await alice.rows(search)).toEqual([['a']]);
  for (const relation of ['documents', 'chunks']) {
    expect(await alice.rows(`SELECT doc_id FROM sea.${relation}`)).toEqual([['a']]);
  }
  expect((await alice.error('SELECT count(*) FROM sea._files')).sqlstate).toBe('42501');
});
