/** Rows that are older than the catalog: new columns, changed types, new indexes; and passages that last. */
import { expect, test } from 'vitest';
import type { Column, Relation } from '../../catalog/model.ts';
import type { Passages } from '../../index/request.ts';
import type { FaultyStore } from '../../../sql-tests/fixtures/faulty-store.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { vectorOf } from '../../types/column/vector.ts';
import type { Engine } from '../engine.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import {
  BOOKS,
  BOOKS_KEY,
  begin,
  books,
  MASTER_KEY,
  makeBooks,
  NEVER,
  upsert,
  withoutRelation,
  withRelation,
} from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './open.ts';

const open = (store: MemoryStore | FaultyStore): Promise<EmbeddedEngine> =>
  openEmbeddedEngine({ masterKey: MASTER_KEY, store, settings: { idleMs: 0 } });

const seen = (type: number): Column => ({
  attribute: 6,
  name: 'seen',
  type: { oid: type, modifier: -1 },
  notNull: false,
  defaultText: null,
  identity: null,
  generatedText: null,
  undeclared: true,
  dropped: false,
});

async function change(engine: Engine, relation: Relation): Promise<void> {
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, relation), NEVER);
  await transaction.commit();
}

async function insertSeen(engine: Engine, id: string, kind: 'int64' | 'float64' | 'text', value: Datum) {
  await using transaction = begin(engine);
  const columns = new Map([
    [1, vectorOf('text', [id])],
    [6, vectorOf(kind, [value])],
  ]);
  const rows = { length: 1, columns, embeddings: new Map() };
  await transaction.insert(BOOKS, null, rows, 'replace', NEVER);
  await transaction.commit();
}

async function readSeen(engine: Engine): Promise<readonly Datum[]> {
  using snapshot = engine.snapshot();
  const values: Datum[] = [];
  for (const part of snapshot.parts(BOOKS, null)) {
    const [column] = await part.read([6], 0, part.rowCount);
    for (let row = 0; row < part.rowCount; row++) values.push(column?.get(row) ?? null);
  }
  return values;
}

test('a column is NULL in older rows, and its type may widen', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await makeBooks(engine);
  await upsert(engine, [{ id: 'old' }]);
  await engine.flush();
  await change(engine, { ...books, columns: [...books.columns, seen(OID.int8)] });
  await insertSeen(engine, 'a', 'int64', 7n);
  expect(await readSeen(engine)).toEqual([null, 7n]);
  await change(engine, { ...books, columns: [...books.columns, seen(OID.float8)] });
  await insertSeen(engine, 'b', 'float64', 2.5);
  expect(await readSeen(engine)).toEqual([null, 7, 2.5]);
  await engine.flush();
  expect(await readSeen(engine)).toEqual([null, 7, 2.5]);
  await change(engine, { ...books, columns: [...books.columns, seen(OID.jsonb)] });
  await insertSeen(engine, 'c', 'text', '"x"');
  expect(await readSeen(engine)).toEqual([null, '7.0', '2.5', '"x"']);
  await engine.close();
  const again = await open(new MemoryStore(store.image()));
  expect(await readSeen(again)).toEqual([null, '7.0', '2.5', '"x"']);
  await again.flush();
  expect(await readSeen(again)).toEqual([null, '7.0', '2.5', '"x"']);
  await again.close();
});

test('a unique index over rows that are there finds them, and duplicates', async () => {
  const engine = await open(new MemoryStore());
  await makeBooks(engine);
  await upsert(engine, [
    { id: 'a', title: 'x' },
    { id: 'b', title: 'y' },
    { id: 'c', title: null },
  ]);
  await engine.flush();
  const key = {
    oid: 17000,
    name: 'by_title',
    kind: 'btree',
    columns: [2],
    unique: true,
    primary: false,
  } as const;
  const withKey = { ...books, indexes: [...books.indexes, { ...key, options: {} }] };
  await change(engine, withKey);
  {
    using snapshot = engine.snapshot();
    expect(snapshot.lookup(BOOKS, null, 17000, ['y'])?.rowNumber).toBe(1);
  }
  await expect(upsert(engine, [{ id: 'd', title: 'x' }])).rejects.toMatchObject({ sqlstate: '23505' });
  await change(engine, books);
  await upsert(engine, [{ id: 'd', title: 'x' }]);
  const second = {
    ...withKey,
    indexes: withKey.indexes.map((i) => (i.oid === 17000 ? { ...i, oid: 17001 } : i)),
  };
  await expect(change(engine, second)).rejects.toMatchObject({
    sqlstate: '23505',
    fields: { detail: 'Key (title)=(x) is duplicated.' },
  });
  expect(engine.open).toEqual({ snapshots: 0, locks: 0 });
  await engine.close();
});

test('a dropped table leaves nothing in the store', async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await makeBooks(engine);
  await upsert(engine, [{ id: 'a', title: 'x' }]);
  await engine.flush();
  await upsert(engine, [{ id: 'b', title: 'y' }], 'acme');
  {
    await using transaction = begin(engine);
    await transaction.changeCatalog((catalog) => withoutRelation(catalog, BOOKS), NEVER);
    await transaction.commit();
  }
  await engine.flush();
  for (const space of ['tables', 'segments', 'blocks', 'chunks', 'deletes'] as const) {
    expect(store.scanKeys(space, {})).toEqual([]);
  }
  await engine.close();
});

const SEMANTIC = 17002;

async function nearest(engine: Engine): Promise<readonly [Datum, number][]> {
  using snapshot = engine.snapshot();
  const arm = await snapshot.prepare(BOOKS, null, {
    kind: 'vector',
    index: SEMANTIC,
    query: Float32Array.of(1, 0, 0, 0),
    value: 'metric',
  });
  const found: [Datum, number][] = [];
  for (const part of snapshot.parts(BOOKS, null)) {
    const [ids] = await part.read([1], 0, part.rowCount);
    const { rows, scores } = await arm.search(part, 2, null, NEVER);
    rows.forEach((row, i) => {
      found.push([ids?.get(row) ?? null, Math.round((scores[i] as number) * 100) / 100]);
    });
  }
  return found;
}

test('passages are found after restarts, flushes and merges', async () => {
  const store = new MemoryStore();
  let engine = await open(store);
  const semantic = { oid: SEMANTIC, name: 'meaning', kind: 'semantic', columns: [2] } as const;
  const index = { ...semantic, unique: false, primary: false, options: { language: 'english' } };
  await change(engine, { ...books, indexes: [...books.indexes, index] });
  const passages = (...rows: number[][]): Passages => ({
    count: rows.length,
    vectors: Float32Array.from(rows.flat()),
    spans: new Uint32Array(2 * rows.length),
  });
  const put = async (ids: string[], of: (Passages | null)[]): Promise<void> => {
    await using transaction = begin(engine);
    const columns = new Map([[1, vectorOf('text', ids)]]);
    const rows = { length: ids.length, columns, embeddings: new Map([[SEMANTIC, of]]) };
    await transaction.insert(BOOKS, null, rows, 'replace', NEVER);
    await transaction.commit();
  };
  await put(['far', 'none', 'two'], [passages([0, 1, 0, 0]), null, passages([0, 0, 1, 0], [0.8, 0.6, 0, 0])]);
  expect(await nearest(engine)).toEqual([
    ['two', 0.8],
    ['far', 0],
  ]);
  engine = await open(new MemoryStore(store.image()));
  expect(await nearest(engine)).toEqual([
    ['two', 0.8],
    ['far', 0],
  ]);
  await engine.flush();
  await put(['same'], [passages([1, 0, 0, 0])]);
  expect(await nearest(engine)).toEqual([
    ['two', 0.8],
    ['far', 0],
    ['same', 1],
  ]);
  await put(['two'], [passages([0, 0, 0, 1])]);
  await engine.flush();
  expect(await nearest(engine)).toEqual([
    ['same', 1],
    ['far', 0],
    ['two', 0],
  ]);
  using snapshot = engine.snapshot();
  const keep = async (id: string): Promise<number[] | null> => {
    const found = snapshot.lookup(BOOKS, null, BOOKS_KEY, [id]);
    const kept = await found?.part.passages?.(SEMANTIC, Uint32Array.of(found.row));
    return kept?.[0] ? [...kept[0].vectors] : null;
  };
  expect([await keep('two'), await keep('same'), await keep('none')]).toEqual([
    [0, 0, 0, 1],
    [1, 0, 0, 0],
    null,
  ]);
  snapshot[Symbol.dispose]();
  await engine.close();
});
