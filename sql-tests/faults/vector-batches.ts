/**
 * A history of writes to a table with a vector index, made of a seed: whoever knows how many of its batches
 * were committed knows every row. Run as a program, it commits them one after the other until it is killed.
 */
import { fileURLToPath } from 'node:url';
import { begin, deleteIds } from '../fixtures/engine.ts';
import {
  addIndex,
  idsFrom,
  makeTable,
  makeVectors,
  openVectors,
  putRows,
  type VectorModel,
} from '../fixtures/vector-engine.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { seededRandom } from '../../src/seeded-random.ts';
import { openLmdbStore } from '../../src/storage/lmdb-store.ts';

/** The first batches fill the table, those that follow replace and delete rows of it. */
export const ROWS = 6_000;
const FILL_ROWS = 2_000;
export const FILL_BATCHES = ROWS / FILL_ROWS;
const REPLACED = 120;
const DELETED = 100;

interface VectorBatch {
  readonly rows: ReadonlyMap<string, Float32Array>;
  readonly gone: readonly string[];
}

export function vectorBatch(number: number): VectorBatch {
  const vector = makeVectors(1_000 + number);
  const rowsOf = (ids: readonly string[]) => new Map(ids.map((id) => [id, vector()] as const));
  if (number < FILL_BATCHES) return { rows: rowsOf(idsFrom(number * FILL_ROWS, FILL_ROWS)), gone: [] };
  const random = seededRandom(number);
  const drawn = new Set<string>();
  while (drawn.size < REPLACED + DELETED) drawn.add(`id${Math.floor(random() * ROWS)}`);
  const ids = [...drawn];
  return { rows: rowsOf(ids.slice(0, REPLACED)), gone: ids.slice(REPLACED) };
}

/** One transaction: all of it or nothing. */
export async function commitBatch(engine: Engine, { rows, gone }: VectorBatch): Promise<void> {
  await using transaction = begin(engine);
  await deleteIds(transaction, gone);
  await putRows(transaction, rows);
  await transaction.commit();
}

export function applyBatch(model: VectorModel, { rows, gone }: VectorBatch): void {
  for (const id of gone) model.delete(id);
  for (const [id, vector] of rows) model.set(id, vector);
}

/** Says the number of each batch that was committed. */
async function main(folder: string, from: number): Promise<void> {
  const engine = await openVectors(openLmdbStore(folder), { headRows: 1_000 });
  if (from === 0) {
    await makeTable(engine);
    await addIndex(engine);
  }
  for (let number = from; ; number++) {
    await commitBatch(engine, vectorBatch(number));
    process.send?.(number);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(process.argv[2] ?? '', Number(process.argv[3]));
}
