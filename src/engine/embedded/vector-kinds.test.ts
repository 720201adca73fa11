/**
 * Indexes on every kind of vector through heads, segments, merges, restarts and late builds: the same best
 * rows and scores as an engine that has only ever had a head.
 */
import { seededRandom } from '../../seeded-random.ts';
import { afterAll, expect, test } from 'vitest';
import { openLmdbStore } from '../../storage/lmdb-store.ts';
import { MemoryStore } from '../../storage/memory-store.ts';
import type { Store } from '../../storage/store.ts';
import type { Index, Relation } from '../../catalog/model.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import type { Engine, Snapshot } from '../engine.ts';
import {
  BOOKS,
  begin,
  books,
  deleteIds,
  MASTER_KEY,
  NEVER,
  TestFolders,
  withRelation,
} from '../../../sql-tests/fixtures/engine.ts';
import { openEmbeddedEngine } from './open.ts';

const folders = new TestFolders();
afterAll(() => folders.remove());

type VectorRequest = Extract<Parameters<Snapshot['prepare']>[2], { kind: 'vector' }>;

interface Kind {
  readonly attribute: number;
  readonly type: number;
  readonly modifier: number;
  readonly metric: string;
  /** A value's text. */
  make(random: () => number): string;
}

const list = (count: number, of: () => number): string => `[${Array.from({ length: count }, of).join(',')}]`;
const whole = (random: () => number, most: number): number => Math.floor(random() * most);

const KINDS: readonly Kind[] = [
  {
    attribute: 10,
    type: OID.halfvec,
    modifier: 6,
    metric: 'euclidean',
    make: (random) => list(6, () => random() - 0.5),
  },
  {
    attribute: 11,
    type: OID.i8_vector,
    modifier: 5,
    metric: 'l1',
    make: (random) => list(5, () => whole(random, 200) - 100),
  },
  {
    attribute: 12,
    type: OID.bit,
    modifier: 40,
    metric: 'hamming',
    make: (random) => Array.from({ length: 40 }, () => whole(random, 2)).join(''),
  },
  {
    attribute: 13,
    type: OID.binary_vector,
    modifier: -1,
    metric: 'jaccard',
    make: (random) => list(3, () => whole(random, 256)),
  },
  {
    attribute: 14,
    type: OID.f32_sparse_vector,
    modifier: -1,
    metric: 'dot_product',
    make: (random) => `{${1 + whole(random, 9)}:${random()},${10 + whole(random, 9)}:${random()}}`,
  },
  {
    attribute: 15,
    type: OID.f32_matrix,
    modifier: -1,
    metric: 'maxsim',
    make: (random) => `[${Array.from({ length: 1 + whole(random, 4) }, () => list(3, random)).join(',')}]`,
  },
];

const indexOf = (kind: Kind): Index => ({
  oid: 20_000 + kind.attribute,
  name: `index_${kind.attribute}`,
  kind: kind.metric === 'maxsim' ? 'multi_vector' : 'vector',
  columns: [kind.attribute],
  unique: false,
  primary: false,
  options: { metric: kind.metric },
});

const KEYS = books.indexes.filter(({ primary }) => primary);
const [ID] = books.columns;

const relationOf = (indexed: boolean): Relation => ({
  ...books,
  columns: [
    ID as (typeof books.columns)[0],
    ...KINDS.map(({ attribute, type, modifier }) => ({
      ...(ID as (typeof books.columns)[0]),
      attribute,
      name: `column_${attribute}`,
      type: { oid: type, modifier },
      notNull: false,
    })),
  ],
  indexes: indexed ? [...KEYS, ...KINDS.map(indexOf)] : KEYS,
});

const parse = (kind: Kind, text: string): Datum => typeByOid(kind.type).parse(text, -1, DEFAULT_SETTINGS);

type Row = ReadonlyMap<number, Datum>;
const rowFrom = (random: () => number): Row =>
  new Map(KINDS.map((kind) => [kind.attribute, random() < 0.1 ? null : parse(kind, kind.make(random))]));

async function define(engine: Engine, indexed: boolean): Promise<void> {
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, relationOf(indexed)), NEVER);
  await transaction.commit();
}

async function put(engine: Engine, rows: ReadonlyMap<string, Row>): Promise<void> {
  await using transaction = begin(engine);
  const columns = new Map<number, Vector>([[1, vectorOf('text', [...rows.keys()])]]);
  for (const { attribute } of KINDS) {
    columns.set(
      attribute,
      vectorOf(
        'object',
        [...rows.values()].map((row) => row.get(attribute) ?? null),
      ),
    );
  }
  const written = { length: rows.size, columns, embeddings: new Map() };
  await transaction.insert(BOOKS, null, written, 'replace', NEVER);
  await transaction.commit();
}

/** The best ten of each kind: score and id. */
async function best(engine: Engine, seed: number): Promise<unknown[]> {
  using snapshot = engine.snapshot();
  const random = seededRandom(seed);
  const found: unknown[] = [];
  for (const kind of KINDS) {
    const query = parse(kind, kind.make(random)) as VectorRequest['query'];
    const index = 20_000 + kind.attribute;
    const arm = await snapshot.prepare(BOOKS, null, { kind: 'vector', index, query, value: 'metric' });
    const hits: { id: string; score: number }[] = [];
    for (const part of snapshot.parts(BOOKS, null)) {
      const { rows, scores } = await arm.search(part, 10, null, NEVER);
      const [ids] = await part.read([1], 0, part.rowCount);
      for (const [i, row] of rows.entries()) {
        hits.push({ id: ids?.get(row) as string, score: scores[i] as number });
      }
    }
    const sign = arm.higherIsBetter ? -1 : 1;
    hits.sort((a, b) => sign * (a.score - b.score) || (a.id < b.id ? -1 : 1));
    const last = hits[9]?.score;
    found.push([kind.metric, hits.filter((hit, i) => i < 10 || hit.score === last)]);
  }
  return found;
}

const open = (store: Store, rest = {}) =>
  openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings: { headRows: 120, idleMs: 0, mergeCount: 3, ...rest },
    report: () => {},
  });

test.each(['memory', 'lmdb'])('segments, merges and a restart change no answer: %s', async (kind) => {
  const folder = folders.make();
  const store = kind === 'memory' ? new MemoryStore() : openLmdbStore(folder);
  let engine = await open(store);
  await define(engine, true);
  const random = seededRandom(3);
  const model = new Map<string, Row>();
  for (let round = 0; round < 6; round++) {
    // Half of each round's rows replace earlier ones.
    const rows = new Map(
      Array.from({ length: 100 }, (_, i) => [`id${round * 50 + i}`, rowFrom(random)] as const),
    );
    for (const [id, row] of rows) model.set(id, row);
    await put(engine, rows);
    if (round % 2 === 1) await engine.flush();
  }
  const gone = [...model.keys()].filter((_, i) => i % 4 === 1);
  await using transaction = begin(engine);
  await deleteIds(transaction, gone);
  await transaction.commit();
  for (const id of gone) model.delete(id);

  const plain = await open(new MemoryStore(), { headRows: 1_000_000 });
  await define(plain, true);
  await put(plain, model);
  const expected = [await best(plain, 1), await best(plain, 2)];
  expect([await best(engine, 1), await best(engine, 2)]).toEqual(expected);
  await engine.flush();
  expect([await best(engine, 1), await best(engine, 2)]).toEqual(expected);
  if (kind === 'lmdb') {
    await engine.close();
    engine = await open(openLmdbStore(folder));
    expect([await best(engine, 1), await best(engine, 2)]).toEqual(expected);
  }
  await engine.close();
  await plain.close();
});

test('indexes over rows that are there answer before and after they are built', async () => {
  const engine = await open(new MemoryStore());
  await define(engine, false);
  const random = seededRandom(8);
  const model = new Map(Array.from({ length: 500 }, (_, i) => [`id${i}`, rowFrom(random)] as const));
  await put(engine, model);
  await engine.flush();
  await define(engine, true);
  const plain = await open(new MemoryStore(), { headRows: 1_000_000 });
  await define(plain, true);
  await put(plain, model);
  const expected = await best(plain, 1);
  expect(await best(engine, 1)).toEqual(expected);
  for (const { attribute } of KINDS) {
    await engine.buildIndexes(BOOKS, {
      index: 20_000 + attribute,
      command: 'CREATE INDEX',
      processId: 1,
      renews: false,
      stops: true,
      signal: NEVER,
    });
  }
  expect(await best(engine, 1)).toEqual(expected);
  await engine.close();
  await plain.close();
});
