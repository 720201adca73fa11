/** Indexes on paths of jsonb against the same indexes on generated columns: through segments, merges, types that change, a restart. */
import { afterEach, expect, it } from 'vitest';
import { TestDatabase, type TestSession } from '../../../sql-tests/fixtures/database.ts';
import { MemoryStore } from '../../storage/memory-store.ts';

const ROWS = 400;
const WORDS = ['whale', 'shark', 'reef', 'harbour', 'storm', 'sail'];

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

async function open(store: MemoryStore): Promise<TestSession> {
  const database = await TestDatabase.open({ store, settings: { headRows: 64 } });
  opened.push(database);
  return database.session();
}

const word = (i: number): string => WORDS[i % WORDS.length] ?? '';
const titleOf = (i: number): string => `${word(i)} and ${word(i * 7 + (i >> 3))} ${i}`;

async function write(session: TestSession, from: number, to: number): Promise<void> {
  for (let i = from; i < to; i += 20) {
    const rows = Array.from({ length: 20 }, (_, at) => {
      const title = titleOf(i + at);
      const doc = `'{"title": "${title}", "deep": {"list": [{"name": "${title}"}]}}'::jsonb`;
      return (i + at) % 9 === 0 ? `('${i + at}', null, null)` : `('${i + at}', ${doc}, ${doc})`;
    });
    await session.rows(`INSERT INTO files (_id, meta, doc) VALUES ${rows.join(', ')}`);
  }
}

const ranked = (session: TestSession, column: string, score: string): Promise<unknown> =>
  session.rows(
    `SELECT _id, ${score} FROM files WHERE match('whale reef', ${column}) ORDER BY 2 DESC, 1 LIMIT 20`,
  );

async function expectSame(session: TestSession): Promise<void> {
  const plain = await ranked(session, 'title', 'bm25_score()');
  expect(plain).toHaveLength(20);
  for (const path of ["meta->>'title'", "doc->>'title'", "meta #>> '{deep,list,0,name}'"]) {
    expect(await ranked(session, path, 'bm25_score()'), path).toEqual(plain);
  }
  const near = (column: string): Promise<unknown> =>
    session.rows(
      `SELECT _id FROM files ORDER BY semantic_similarity(${column}, 'whale and storm 4') DESC, _id LIMIT 9`,
    );
  expect(await near("meta->>'title'")).toEqual(await near('title'));
}

it('finds by paths what it finds by generated columns', async () => {
  const store = new MemoryStore();
  const session = await open(store);
  const title = "title text GENERATED ALWAYS AS (meta->>'title') STORED";
  await session.rows(
    `CREATE TABLE files (_id text, meta jsonb, ${title} INDEX keyword_index() INDEX semantic_index(model => 'hash'))`,
  );
  // The undeclared column is text first, then whatever documents hold.
  await session.rows(`INSERT INTO files (_id, doc) VALUES ('a', 'whale'), ('b', '{"title": "reef"}')`);
  await write(session, 0, ROWS / 2);
  await session.rows(`CREATE INDEX ON files USING keyword ((meta->>'title'))`);
  await session.rows(`CREATE INDEX ON files USING keyword ((doc->>'title'))`);
  await session.rows(`CREATE INDEX ON files USING keyword ((meta #>> '{deep,list,0,name}'))`);
  await session.rows(`CREATE INDEX ON files USING semantic ((meta->>'title')) WITH (model = 'hash')`);
  await expectSame(session);
  await write(session, ROWS / 4, ROWS);
  const other = `'{"title": "reef of whales", "deep": {"list": [{"name": "reef of whales"}]}}'`;
  await session.rows(`UPDATE files SET meta = ${other}::jsonb, doc = ${other}::jsonb WHERE length(_id) = 2`);
  await session.rows(`DELETE FROM files WHERE _id LIKE '3_'`);
  await expectSame(session);
  await session.rows('VACUUM FULL files');
  await expectSame(session);
  for (const database of opened.splice(0)) await database.close();
  await expectSame(await open(store));
});
