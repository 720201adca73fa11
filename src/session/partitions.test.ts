/** Many partitions of one collection, and the LSNs of collection and partitions under concurrent writers. */
import { afterEach, expect, it } from 'vitest';
import { TestDatabase } from '../../sql-tests/fixtures/database.ts';
import { FaultyStore } from '../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../storage/memory-store.ts';

const PARTITIONS = 500;
const LONG = `${'p'.repeat(200)}$-.${'ä'.repeat(25)}`;

const opened: TestDatabase[] = [];
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
});

async function open(store = new FaultyStore(new MemoryStore(), null)) {
  const database = await TestDatabase.open({ store });
  opened.push(database);
  return { database, store, session: await database.session() };
}

it('keeps hundreds of partitions apart, through a restart', async () => {
  const { store, session } = await open();
  await session.rows(
    "CREATE TABLE books (title text INDEX keyword_index() INDEX semantic_index(model => 'hash'), v vector(3) INDEX vector_index())",
  );
  const rowsOf = (p: number): string =>
    [0, 1, 2].map((i) => `('${i}', 'book ${i} of tenant${p}', '[${p},${i},1]')`).join(', ');
  for (let p = 0; p < PARTITIONS; p++) {
    await session.rows(`INSERT INTO books$p${p} (_id, title, v) VALUES ${rowsOf(p)}`);
  }
  await session.rows(`INSERT INTO "books$${LONG}" (_id, title) VALUES ('0', 'of a long name')`);
  await session.rows('DELETE FROM books$p7');
  await session.rows("ALTER TABLE books DROP PARTITION 'p8'");
  await session.rows("DELETE FROM books$p9 WHERE _id = '1'");
  const restarted = await open(new FaultyStore(store.survivor(), null));
  for (const reader of [session, restarted.session]) {
    const listed = await reader.rows('SELECT partition, lsn, row_count, bytes > 0 FROM quern.partitions');
    expect(listed).toHaveLength(PARTITIONS - 1);
    expect(listed).toContainEqual(['p9', '2', '2', 't']);
    expect(listed).toContainEqual([LONG, '1', '1', 't']);
    for (const p of [0, 9, 250, PARTITIONS - 1]) {
      const nearest = `SELECT _id FROM books$p${p} ORDER BY v <-> '[${p},2,1]' LIMIT 1`;
      expect(await reader.rows(nearest)).toEqual([['2']]);
      expect(await reader.rows(`SELECT _id FROM books$p${p} WHERE match('tenant${p}', title)`)).toHaveLength(
        p === 9 ? 2 : 3,
      );
      const alike = `SELECT _id FROM books$p${p} ORDER BY semantic_similarity(title, 'book 2 of tenant${p}') DESC LIMIT 1`;
      expect(await reader.rows(alike)).toEqual([['2']]);
    }
    for (const gone of ['p7', 'p8', 'none']) {
      expect((await reader.error(`SELECT * FROM books$${gone}`)).sqlstate).toBe('42P01');
    }
    expect(await reader.rows('SELECT * FROM books')).toEqual([]);
    expect(await reader.rows(`SELECT quern.lsn('books$${LONG}'), quern.lsn('books')`)).toEqual([['1', '0']]);
  }
  await restarted.session.rows(`INSERT INTO books$p8 (_id, title) VALUES ('0', 'back')`);
  expect(await restarted.session.rows("SELECT quern.lsn('books$p8')")).toEqual([['3']]);
});

it('numbers the writes of each partition one after the other, and lets readers wait', async () => {
  const { database, store, session } = await open();
  await session.rows('CREATE TABLE books (_id text, title text)');
  const tables = ['books', 'books$acme'];
  const numbers = new Map(tables.map((table) => [table, [] as number[]]));
  const reader = await database.session();
  await reader.rows("SET quern.lsn = 'books$acme:40'");
  const waited = reader.rows('SELECT count(*) FROM books$acme');
  const write = async (writer: number): Promise<void> => {
    const own = await database.session();
    for (let i = 0; i < 20; i++) {
      const table = tables[(i + writer) % 2] as string;
      await own.rows(`INSERT INTO ${table} (_id, title) VALUES ('${writer}-${i}', 'x')`);
      const [[lsn]] = (await own.rows('SELECT quern.last_lsn()')) as [[string]];
      numbers.get(table)?.push(Number(lsn));
      const [[newest]] = (await own.rows(`SELECT quern.lsn('${table}')`)) as [[string]];
      expect(Number(newest)).toBeGreaterThanOrEqual(Number(lsn));
    }
  };
  await Promise.all([0, 1, 2, 3].map(write));
  for (const seen of numbers.values()) {
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  }
  expect(await waited).toEqual([['40']]);
  const restarted = await open(new FaultyStore(store.survivor(), null));
  const lsns = "SELECT quern.lsn('books'), quern.lsn('books$acme'), quern.last_lsn()";
  expect(await restarted.session.rows(lsns)).toEqual([['40', '40', null]]);
  await restarted.session.rows("INSERT INTO books$acme (_id) VALUES ('more')");
  expect(await restarted.session.rows('SELECT quern.last_lsn()')).toEqual([['41']]);
  await restarted.session.rows("SET quern.lsn = 'books$acme:42'; SET statement_timeout = '50ms'");
  expect((await restarted.session.error('SELECT 1')).sqlstate).toBe('57014');
});
