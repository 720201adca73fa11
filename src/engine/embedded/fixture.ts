/** What the engine's tests share: a books relation, rows for it, and readers of what is visible. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Catalog, Column, Index, Relation } from '../../catalog/model.ts';
import type { Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { type Vector, vectorOf } from '../../types/vector.ts';
import type { Engine, Isolation, NewRows, Snapshot, Transaction } from '../engine.ts';

export const BOOKS = 16385;
export const BOOKS_KEY = 16386;
export const TITLE_INDEX = 16387;
export const EMBEDDING_INDEX = 16388;
const ISBN_KEY = 16389;
export const MASTER_KEY = new Uint8Array(32).fill(7);
export const NEVER: AbortSignal = new AbortController().signal;
export const FOR_UPDATE = { mode: 'update', wait: 'block', signal: NEVER } as const;

const column = (attribute: number, name: string, oid: number, modifier = -1): Column => ({
  attribute,
  name,
  type: { oid, modifier },
  notNull: attribute === 1,
  defaultText: null,
  identity: null,
  generatedText: null,
  undeclared: false,
  dropped: false,
});

const index = (
  oid: number,
  kind: Index['kind'],
  columns: readonly number[],
  rest: Partial<Index>,
): Index => ({
  oid,
  name: `index_${oid}`,
  kind,
  columns,
  unique: false,
  primary: false,
  options: {},
  ...rest,
});

/** _id text primary key, title text keyword, year int8, emb vector(4), isbn text unique. */
export const books: Relation = {
  oid: BOOKS,
  namespace: 2200,
  name: 'books',
  kind: 'collection',
  columns: [
    column(1, '_id', OID.text),
    column(2, 'title', OID.text),
    column(3, 'year', OID.int8),
    column(4, 'emb', OID.vector, 4),
    column(5, 'isbn', OID.text),
  ],
  indexes: [
    index(BOOKS_KEY, 'btree', [1], { unique: true, primary: true, name: 'books_pkey' }),
    index(TITLE_INDEX, 'keyword', [2], { options: { type: 'text', language: 'english' } }),
    index(EMBEDDING_INDEX, 'vector', [4], { options: { metric: 'cosine' } }),
    index(ISBN_KEY, 'btree', [5], { unique: true, name: 'books_isbn_key' }),
  ],
  constraints: [],
  definition: null,
};

export interface Book {
  readonly id: string;
  readonly title?: string | null;
  readonly year?: bigint | null;
  readonly emb?: readonly number[] | null;
  readonly isbn?: string | null;
}

export function rowsOf(list: readonly Book[]): NewRows {
  const columns = new Map<number, Vector>([
    [
      1,
      vectorOf(
        'text',
        list.map((book) => book.id),
      ),
    ],
    [
      2,
      vectorOf(
        'text',
        list.map((book) => book.title ?? null),
      ),
    ],
    [
      3,
      vectorOf(
        'int64',
        list.map((book) => book.year ?? null),
      ),
    ],
    [
      4,
      vectorOf(
        'object',
        list.map((book) => (book.emb ? Float32Array.from(book.emb) : null)),
      ),
    ],
    [
      5,
      vectorOf(
        'text',
        list.map((book) => book.isbn ?? null),
      ),
    ],
  ]);
  return { length: list.length, columns, embeddings: new Map() };
}

export function withRelation(catalog: Catalog, relation: Relation): Catalog {
  const relations = new Map(catalog.relations).set(relation.oid, relation);
  return { ...catalog, version: catalog.version + 1, relations };
}

export function withoutRelation(catalog: Catalog, oid: number): Catalog {
  const relations = new Map(catalog.relations);
  relations.delete(oid);
  return { ...catalog, version: catalog.version + 1, relations };
}

export function begin(engine: Engine, isolation: Isolation = 'read committed') {
  return engine.begin({ isolation, readOnly: false });
}

export async function makeBooks(engine: Engine): Promise<void> {
  await using transaction = begin(engine);
  await transaction.changeCatalog((catalog) => withRelation(catalog, books), NEVER);
  await transaction.commit();
}

export async function upsert(
  engine: Engine,
  list: readonly Book[],
  partition: string | null = null,
): Promise<ReadonlyMap<string, string>> {
  await using transaction = begin(engine);
  await transaction.insert(BOOKS, partition, rowsOf(list), 'replace', NEVER);
  return await transaction.commit();
}

export async function deleteIds(
  transaction: Transaction,
  ids: readonly string[],
  partition: string | null = null,
): Promise<void> {
  using snapshot = transaction.snapshot();
  const found = ids
    .map((id) => snapshot.lookup(BOOKS, partition, BOOKS_KEY, [id])?.rowNumber)
    .filter((row) => row !== undefined);
  const numbers = Float64Array.from(found);
  const newest = await transaction.lock(BOOKS, partition, numbers, FOR_UPDATE);
  transaction.delete(
    BOOKS,
    partition,
    numbers.filter((number, i) => newest[i] === number),
  );
}

/** Visible rows as `id → title`, in row order. */
export async function visibleTitles(
  snapshot: Snapshot,
  partition: string | null = null,
): Promise<Map<string, Datum>> {
  const titles = new Map<string, Datum>();
  for (const part of snapshot.parts(BOOKS, partition)) {
    const [ids, values] = await part.read([1, 2], 0, part.rowCount);
    for (let row = 0; row < part.rowCount; row++) {
      const bits = part.visible;
      if (bits !== null && ((bits[row >>> 5] as number) & (1 << (row & 31))) === 0) continue;
      const id = ids?.get(row) as string;
      if (titles.has(id)) throw new Error(`${id} is there twice`);
      titles.set(id, values?.get(row) ?? null);
    }
  }
  return titles;
}

export async function titlesNow(
  engine: Engine,
  partition: string | null = null,
): Promise<Map<string, Datum>> {
  using snapshot = engine.snapshot();
  return await visibleTitles(snapshot, partition);
}

export async function titleOf(
  snapshot: Snapshot,
  id: string,
  partition: string | null = null,
): Promise<Datum | undefined> {
  const address = snapshot.lookup(BOOKS, partition, BOOKS_KEY, [id]);
  if (address === null) return undefined;
  const [title] = await address.part.read([2], address.row, address.row + 1);
  return title?.get(0) ?? null;
}

/** Folders that are gone after the tests. */
export class TestFolders {
  readonly #folders: string[] = [];

  make(): string {
    const folder = mkdtempSync(join(tmpdir(), 'quern-engine-'));
    this.#folders.push(folder);
    return folder;
  }

  remove(): void {
    for (const folder of this.#folders) rmSync(folder, { recursive: true, force: true });
  }
}
