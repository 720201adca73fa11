/**
 * What tests of vector indexes in the engine share: a books relation with wider embeddings, clustered vectors
 * for it, and answers of the index beside those of a look at every row of a model.
 */
import type { Catalog, Relation } from '../../catalog/model.ts';
import { applyEdit } from '../../catalog/edit.ts';
import { seededRandom } from '../../seeded-random.ts';
import type { Store } from '../../storage/store.ts';
import { hasBit } from '../../types/bitset.ts';
import { vectorOf } from '../../types/vector.ts';
import type { Engine, Snapshot, Transaction } from '../engine.ts';
import type { EmbeddedEngine } from './embedded-engine.ts';
import { BOOKS, begin, books, EMBEDDING_INDEX, MASTER_KEY, NEVER, withRelation } from './fixture.ts';
import { openEmbeddedEngine } from './open.ts';
import type { EngineSettings } from './settings.ts';

const DIMENSION = 64;
const EMB = 4;
/** Neighbours asked for. */
const K = 10;
/** Rows of one transaction. */
const PUT_ROWS = 2_000;

/** Vectors by id: what the engine should hold. */
export type VectorModel = Map<string, Float32Array>;

/** Books without an index on their embeddings, which have 64 dimensions. */
const plainBooks: Relation = {
  ...books,
  columns: books.columns.map((column) =>
    column.attribute === EMB ? { ...column, type: { ...column.type, modifier: DIMENSION } } : column,
  ),
  indexes: books.indexes.filter(({ kind }) => kind === 'btree'),
};
const embeddingIndex = { ...books.indexes.find(({ oid }) => oid === EMBEDDING_INDEX), oid: 0 } as const;

/** Heads of 2,000 rows, graphs from 1,250 rows on. */
export const openVectors = (store: Store, settings: Partial<EngineSettings> = {}): Promise<EmbeddedEngine> =>
  openEmbeddedEngine({
    masterKey: MASTER_KEY,
    store,
    settings: { headRows: 2_000, idleMs: 0, graphBytesMin: 100_000, ...settings },
    report: () => {},
  });

async function changeCatalog(engine: Engine, change: (catalog: Catalog) => Catalog): Promise<void> {
  await using transaction = begin(engine);
  await transaction.changeCatalog(change, NEVER);
  await transaction.commit();
}

export async function makeTable(engine: Engine): Promise<void> {
  await changeCatalog(engine, (catalog) => withRelation(catalog, plainBooks));
}

/** @returns its OID. */
export async function addIndex(engine: Engine): Promise<number> {
  const edit = { edit: 'add index', relation: BOOKS, index: embeddingIndex as never } as const;
  await changeCatalog(engine, (catalog) => applyEdit(catalog, edit));
  using snapshot = engine.snapshot();
  return indexOf(snapshot);
}

const indexOf = ({ catalog }: Snapshot): number =>
  catalog.relations.get(BOOKS)?.indexes.find(({ kind }) => kind === 'vector')?.oid ?? 0;

const around = (seed: number): (() => number) => {
  const random = seededRandom(seed);
  return () => random() - 0.5;
};

/** Vectors around a hundred centres, as texts lie. */
export function makeVectors(seed: number): () => Float32Array {
  const random = around(7);
  const centres = Array.from({ length: 100 }, () => Float32Array.from({ length: DIMENSION }, random));
  const draw = around(seed);
  return () => {
    const centre = centres[Math.floor((draw() + 0.5) * centres.length)] as Float32Array;
    return centre.map((x) => x + draw());
  };
}

export const idsFrom = (start: number, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `id${start + i}`);

/** Upserts within a transaction. */
export async function putRows(
  transaction: Transaction,
  rows: ReadonlyMap<string, Float32Array>,
): Promise<void> {
  const columns = new Map([
    [1, vectorOf('text', [...rows.keys()])],
    [EMB, vectorOf('object', [...rows.values()])],
  ]);
  const written = { length: rows.size, columns, embeddings: new Map() };
  await transaction.insert(BOOKS, null, written, 'replace', NEVER);
}

/** Upserts vectors drawn with a seed, into the engine and the model. */
export async function put(engine: Engine, model: VectorModel, ids: readonly string[], seed: number) {
  const vector = makeVectors(seed);
  for (let from = 0; from < ids.length; from += PUT_ROWS) {
    const rows = new Map(ids.slice(from, from + PUT_ROWS).map((id) => [id, vector()] as const));
    await using transaction = begin(engine);
    await putRows(transaction, rows);
    await transaction.commit();
    for (const [id, one] of rows) model.set(id, one);
  }
}

function cosine(a: Float32Array, b: Float32Array): number {
  let [dot, aa, bb] = [0, 0, 0];
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i] as number, b[i] as number];
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return dot / Math.sqrt(aa * bb);
}

/** Ids of the rows nearest to a vector, best first, as the index says; notes how parts were searched. */
async function nearest(
  snapshot: Snapshot,
  query: Float32Array,
  strategies: Set<string>,
): Promise<readonly string[]> {
  const index = indexOf(snapshot);
  const arm = await snapshot.prepare(BOOKS, null, { kind: 'vector', index, query, value: 'metric' });
  const hits: { id: string; score: number }[] = [];
  for (const part of snapshot.parts(BOOKS, null)) {
    const { rows, scores, strategy } = await arm.search(part, K, null, NEVER);
    strategies.add(strategy);
    const [ids] = await part.read([1], 0, part.rowCount);
    rows.forEach((row, i) => {
      hits.push({ id: ids?.get(row) as string, score: scores[i] as number });
    });
  }
  hits.sort((a, b) => b.score - a.score);
  return hits.slice(0, K).map(({ id }) => id);
}

function nearestOf(model: VectorModel, query: Float32Array): ReadonlySet<string> {
  const scored = [...model].map(([id, vector]) => ({ id, score: cosine(vector, query) }));
  scored.sort((a, b) => b.score - a.score);
  return new Set(scored.slice(0, K).map(({ id }) => id));
}

export interface Recall {
  readonly recall: number;
  readonly strategies: readonly string[];
  /** Answers that the model does not hold. */
  readonly strangers: readonly string[];
}

/** What the index finds of the true answer. @param model the rows that the snapshot sees. */
export async function snapshotRecall(
  snapshot: Snapshot,
  model: VectorModel,
  queries: number,
): Promise<Recall> {
  const strategies = new Set<string>();
  const strangers: string[] = [];
  const draw = makeVectors(99);
  let found = 0;
  for (let i = 0; i < queries; i++) {
    const query = draw();
    const given = await nearest(snapshot, query, strategies);
    strangers.push(...given.filter((id) => !model.has(id)));
    const best = nearestOf(model, query);
    found += given.filter((id) => best.has(id)).length;
  }
  return { recall: found / (Math.min(K, model.size) * queries), strategies: [...strategies], strangers };
}

export async function recall(engine: Engine, model: VectorModel, queries = 60): Promise<Recall> {
  using snapshot = engine.snapshot();
  return await snapshotRecall(snapshot, model, queries);
}

/** The rows a snapshot sees, read from their columns. */
export async function visibleVectors(snapshot: Snapshot): Promise<VectorModel> {
  const found: VectorModel = new Map();
  for (const part of snapshot.parts(BOOKS, null)) {
    const [ids, vectors] = await part.read([1, EMB], 0, part.rowCount);
    for (let row = 0; row < part.rowCount; row++) {
      if (part.visible !== null && !hasBit(part.visible, row)) continue;
      const id = ids?.get(row) as string;
      if (found.has(id)) throw new Error(`${id} is there twice`);
      found.set(id, vectors?.get(row) as Float32Array);
    }
  }
  return found;
}

/** Models of equal rows have equal names: ids with the beginnings of their vectors. */
export const namesOf = (model: VectorModel): string[] =>
  [...model].map(([id, vector]) => `${id} ${vector[0]}`).sort();

export async function visibleNames(engine: Engine): Promise<string[]> {
  using snapshot = engine.snapshot();
  return namesOf(await visibleVectors(snapshot));
}
