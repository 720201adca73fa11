/**
 * Somebody without the key, with write access to the data file: entries of every kind are taken away,
 * replaced by what was in their place before, exchanged for another of their kind, put back after they had
 * gone, copied to where there was nothing, cut. What can be read afterwards is right, or XX001 that names what
 * is wrong; nothing stored is destroyed.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import type { Relation } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import { SPACES, type Space } from '../../storage/store.ts';
import type { Engine } from '../engine.ts';
import {
  BOOKS,
  BOOKS_KEY,
  begin,
  books,
  deleteIds,
  MASTER_KEY,
  makeBooks,
  NEVER,
  titlesNow,
  upsert,
  withRelation,
} from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './open.ts';

const SEQUENCE = 16500;
const OTHER_SEQUENCE = 16501;
const OTHER = 16502;

const sequence = (oid: number): Relation => ({
  ...books,
  oid,
  name: `s${oid}`,
  kind: 'sequence',
  indexes: [],
});

type Image = ReturnType<MemoryStore['image']>;
let newest: Image;
let older: Image;
let expected: string;

const open = (store: MemoryStore) =>
  openEmbeddedEngine({ store, masterKey: MASTER_KEY, settings: { idleMs: 0, mergeCount: 100 } });

const listOf = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => ({
    id: `id${from + i}`,
    title: `title ${from + i}`,
    emb: [1, from + i, 2, 0],
  }));

async function draw(engine: Engine, oid: number): Promise<void> {
  await using transaction = begin(engine);
  transaction.nextValue(oid);
  await transaction.commit();
}

async function analyze(engine: Engine, relation: number, rows: number): Promise<void> {
  await engine.keepAnalysis(relation, { rows, written: rows, columns: new Map() });
}

/** Everything there is to read. */
async function contents(engine: Engine): Promise<string> {
  const found: unknown[] = [[...engine.catalog().relations.keys()].sort()];
  for (const partition of [null, 'acme']) {
    found.push([...(await titlesNow(engine, partition))].sort());
    using snapshot = engine.snapshot();
    for (const id of ['id1', 'id12', 'id30']) {
      const address = snapshot.lookup(BOOKS, partition, BOOKS_KEY, [id]);
      found.push(address?.rowNumber ?? null);
    }
    for (const part of snapshot.parts(BOOKS, partition)) {
      const [vectors] = await part.read([4], 0, part.rowCount);
      found.push(Array.from({ length: part.rowCount }, (_, i) => String(vectors?.get(i))));
    }
  }
  {
    await using transaction = begin(engine);
    for (const oid of [SEQUENCE, OTHER_SEQUENCE]) {
      const { last, called } = transaction.sequenceState(oid);
      found.push([String(last), called]);
    }
    transaction.rollback();
  }
  for (const relation of [BOOKS, OTHER]) found.push(engine.statistics(relation).analysis?.rows);
  found.push(engine.statistics(BOOKS).rows);
  return JSON.stringify(found);
}

beforeAll(async () => {
  const store = new MemoryStore();
  const engine = await open(store);
  await makeBooks(engine);
  {
    await using transaction = begin(engine);
    await transaction.changeCatalog((catalog) => {
      const other = { ...books, oid: OTHER, name: 'other', indexes: [] };
      return [sequence(SEQUENCE), sequence(OTHER_SEQUENCE), other].reduce(withRelation, catalog);
    }, NEVER);
    await transaction.commit();
  }
  const write = async (from: number) => {
    for (const partition of [null, 'acme']) await upsert(engine, listOf(from, from + 10), partition);
  };
  const remove = async (...ids: string[]) => {
    await using transaction = begin(engine);
    for (const partition of [null, 'acme']) await deleteIds(transaction, ids, partition);
    await transaction.commit();
  };
  const note = async (rows: number) => {
    for (const oid of [SEQUENCE, OTHER_SEQUENCE]) await draw(engine, oid);
    for (const relation of [BOOKS, OTHER]) await analyze(engine, relation, rows);
  };
  await write(0);
  await engine.flush();
  await write(10);
  await remove('id2', 'id12');
  await note(20);
  await upsert(engine, listOf(19, 20));
  older = store.image();
  await engine.flush();
  await write(20);
  await upsert(engine, listOf(30, 33));
  await upsert(engine, listOf(33, 36), 'acme');
  await remove('id3', 'id21', 'id12');
  await note(40);
  {
    await using transaction = begin(engine);
    await transaction.changeCatalog((catalog) => withRelation(catalog, { ...books, name: 'renamed' }), NEVER);
    await transaction.commit();
  }
  await upsert(engine, listOf(5, 6));
  await remove('id6');
  expected = await contents(engine);
  await engine.close();
  newest = store.image();
});

/** Names of entries begin with their space's byte. */
const of =
  (space: Space, start = '') =>
  (name: string): boolean =>
    name.startsWith(String.fromCharCode(SPACES[space]) + start);

const KINDS = {
  'the format': of('meta', 'format'),
  'the key check': of('meta', 'check'),
  'the root': of('meta', 'root'),
  'the catalog': of('meta', 'catalog'),
  sequences: of('meta', 'sequence'),
  statistics: of('meta', 'statistics'),
  tables: of('tables'),
  segments: of('segments'),
  blocks: of('blocks'),
  chunks: of('chunks'),
  'deleted rows': of('deletes'),
  'the journal': of('journal'),
} as const;

/** Entries that would bring back what had gone, and are more than garbage that goes again. */
const REFUSED_BACK: readonly string[] = ['segments', 'chunks', 'the journal'];
/** Entries that there is one version of. */
const NEVER_OLDER: readonly string[] = ['the format', 'the key check'];

type Entry = Image[number];

/** Every image that a kind of damage can make of entries of one kind. */
const DAMAGES: Readonly<Record<string, (of: (name: string) => boolean) => Iterable<Image>>> = {
  *removed(of) {
    for (const entry of newest) if (of(entry.name)) yield newest.filter((other) => other !== entry);
    yield newest.filter(({ name }) => !of(name));
  },
  *older(of) {
    const before = new Map(older.map((entry) => [entry.name, entry]));
    const put = (entry: Entry): Entry => (of(entry.name) && before.get(entry.name)) || entry;
    for (const entry of newest) {
      if (put(entry) !== entry) yield newest.map((other) => (other === entry ? put(entry) : other));
    }
    yield newest.map(put);
    // All of the kind as it was.
    const rest = newest.filter(({ name }) => !of(name));
    yield sorted([...rest, ...older.filter(({ name }) => of(name))]);
  },
  *swapped(of) {
    const some = newest.filter(({ name }) => of(name));
    for (const [i, entry] of some.entries()) {
      const other = some[i + 1] ?? some[0];
      if (other === undefined || other === entry) continue;
      const put = (one: Entry): Entry =>
        one === entry ? { ...one, value: other.value } : one === other ? { ...one, value: entry.value } : one;
      yield newest.map(put);
    }
  },
  *'put back'(of) {
    const there = new Set(newest.map(({ name }) => name));
    for (const entry of older) {
      if (of(entry.name) && !there.has(entry.name)) yield sorted([...newest, entry]);
    }
  },
  *planted(of) {
    const there = new Set(newest.map(({ name }) => name));
    for (const entry of newest) {
      if (!of(entry.name)) continue;
      const { name, value } = entry;
      const next = name.slice(0, -1) + String.fromCharCode((name.charCodeAt(name.length - 1) + 1) & 255);
      const last = `${name[0]}\u00ff\u00ff\u00ff\u00ff${name.slice(5)}`;
      for (const other of [next, last, `${name}x`, name.slice(0, -1), name.slice(0, 2)]) {
        if (!there.has(other)) yield sorted([...newest, { name: other, value }]);
      }
    }
  },
  *emptied(of) {
    for (const entry of newest) {
      if (!of(entry.name)) continue;
      for (const size of [0, 1, 15, 16, 31, 32, entry.value.length - 1]) {
        const value = entry.value.slice(0, size);
        if (value.length < entry.value.length)
          yield newest.map((other) => (other === entry ? { ...other, value } : other));
      }
    }
  },
};

const sorted = (image: Image): Image => [...image].sort((a, b) => (a.name < b.name ? -1 : 1));

/** Null: all of it is there, and right. */
async function outcome(store: MemoryStore): Promise<SqlError | null> {
  let engine: Awaited<ReturnType<typeof open>> | null = null;
  try {
    engine = await open(store);
    expect(await contents(engine)).toBe(expected);
    return null;
  } catch (error) {
    expect(error).toBeInstanceOf(SqlError);
    return error as SqlError;
  } finally {
    await new Promise((turn) => setTimeout(turn, 1));
    await engine?.close();
  }
}

const hex = ({ name }: Entry): string => Buffer.from(name, 'latin1').toString('hex');

describe.each(Object.keys(KINDS) as (keyof typeof KINDS)[])('%s', (kind) => {
  test.each(Object.keys(DAMAGES))('%s', async (damage) => {
    const isOf = KINDS[kind];
    let refused = 0;
    let tried = 0;
    for (const image of DAMAGES[damage]?.(isOf) ?? []) {
      tried++;
      const store = new MemoryStore(image);
      const error = await outcome(store);
      if (error !== null) {
        refused++;
        const isOther = kind === 'the format' || kind === 'the key check';
        expect(isOther ? ['XX001', 'F0000'] : ['XX001']).toContain(error.sqlstate);
        expect(error.message).toContain('data file "memory"');
      }
      // Nothing that the newest commit left is gone from what was there.
      const left = new Set(store.image().map(hex));
      const kept = newest.filter((entry) => image.some(({ name }) => name === entry.name));
      expect(kept.filter((entry) => !left.has(hex(entry)))).toEqual([]);
    }
    // Not every byte of a block's section is read here; what was garbage before goes again.
    if (damage === 'older') expect(refused > 0).toBe(!NEVER_OLDER.includes(kind));
    else if (damage === 'put back') expect(refused > 0).toBe(REFUSED_BACK.includes(kind));
    else if (damage === 'planted') expect(tried).toBeGreaterThan(1);
    else if (kind !== 'blocks') expect(refused).toBe(tried);
    else expect(refused > 0).toBe(tried > 0);
  });
});
