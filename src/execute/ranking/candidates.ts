/** Rows that may be among the best of a ranking: where they are, what is known of them, and reading those that win. */
import { findPosition } from '../../binary-search.ts';
import type { Part } from '../../engine/engine.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { concatBatches } from '../batches.ts';
import { type Addresses, addressOf, partOfAddress, rowOfAddress } from './addresses.ts';
import { ScanRows, type ScanSource } from '../scan/scan-rows.ts';

export interface Candidates extends Addresses {
  /** Columns of all candidates that need not be read, by their position in the scan's output. */
  readonly known: ReadonlyMap<number, Vector>;
}

/** Every output column of the scan, of the candidates at some places and in that order. */
export function* readCandidates(
  source: ScanSource,
  candidates: Candidates,
  places: Uint32Array,
): Task<Batch> {
  const { known } = candidates;
  const { output } = source.plan;
  const positions: number[] = [];
  for (let i = 0; i < output.length; i++) if (!known.has(i)) positions.push(i);
  const { length, columns } = yield* readInOrder(candidates, places, {
    output,
    read: (part, rows) => new ScanRows(source, part, rows).batch(positions),
  });
  return { length, columns: columns.map((column, i) => known.get(i)?.take(places) ?? column) };
}

/** The primary keys of the candidates at some places and in that order. */
export function* readKeys(
  { plan }: ScanSource,
  candidates: Addresses,
  places: Uint32Array,
): Task<readonly Vector[]> {
  const read = (part: Part, rows: Uint32Array): Batch | Promise<Batch> => {
    const columns = part.readRows(plan.key.attributes, rows);
    if (columns instanceof Promise) return columns.then((known) => ({ length: rows.length, columns: known }));
    return { length: rows.length, columns };
  };
  const { columns } = yield* readInOrder(candidates, places, { output: [], read });
  return columns;
}

interface Reading {
  /** The columns where there are no rows. */
  readonly output: readonly OutputColumn[];
  /** Some columns of ascending rows of a part. */
  readonly read: (part: Part, rows: Uint32Array) => Batch | Promise<Batch>;
}

/** Rows are read in stored order, and given in that of the places, each of which is there once. */
function* readInOrder(
  { parts, partOf, rows }: Addresses,
  places: Uint32Array,
  { output, read }: Reading,
): Task<Batch> {
  const { length } = places;
  const wanted = new Float64Array(length);
  for (let i = 0; i < length; i++) {
    const place = places[i] as number;
    wanted[i] = addressOf(partOf[place] as number, rows[place] as number);
  }
  const stored = wanted.slice().sort();
  const pieces: Batch[] = [];
  for (let from = 0, to = 0; from < length; from = to) {
    const part = partOfAddress(stored[from] as number);
    while (to < length && partOfAddress(stored[to] as number) === part) to++;
    const own = new Uint32Array(to - from);
    for (let i = from; i < to; i++) own[i - from] = rowOfAddress(stored[i] as number);
    pieces.push(yield* wait(read(parts[part] as Part, own)));
  }
  const back = new Uint32Array(length);
  for (let i = 0; i < length; i++) back[i] = findPosition(stored, length, wanted[i] as number);
  const { columns } = concatBatches(output, pieces);
  return { length, columns: columns.map((column) => column.take(back)) };
}
