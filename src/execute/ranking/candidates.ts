/** Rows that may be among the best of a ranking: where they are, what is known of them, and reading those that win. */
import type { Part } from '../../engine/engine.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { concatBatches } from '../batches.ts';
import { ScanRows, type ScanSource } from '../scan/scan-rows.ts';

/** Where they are. */
export interface Addresses {
  readonly parts: readonly Part[];
  /** The number of each candidate's part, and its position there. */
  readonly partOf: ArrayLike<number>;
  readonly rows: ArrayLike<number>;
}

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

/** Rows are read in stored order, and given in that of the places. */
function* readInOrder(candidates: Addresses, places: Uint32Array, { output, read }: Reading): Task<Batch> {
  const { parts, partOf } = candidates;
  const { stored, back } = inStoredOrder(candidates, places);
  const pieces: Batch[] = [];
  for (let from = 0, to = 0; from < stored.length; from = to) {
    to = endOfPiece(candidates, stored, from);
    const rows = new Uint32Array(to - from);
    for (let i = from; i < to; i++) rows[i - from] = candidates.rows[stored[i] as number] as number;
    const part = parts[partOf[stored[from] as number] as number] as Part;
    pieces.push(yield* wait(read(part, rows)));
  }
  const { length, columns } = concatBatches(output, pieces);
  return { length, columns: columns.map((column) => column.take(back)) };
}

/** The places part by part, rows ascending, and where each of `places` is among them. */
function inStoredOrder(
  { partOf, rows }: Addresses,
  places: Uint32Array,
): { readonly stored: Uint32Array; readonly back: Uint32Array } {
  const order = new Uint32Array(places.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  order.sort((a, b) => {
    const [x, y] = [places[a] as number, places[b] as number];
    return (partOf[x] as number) - (partOf[y] as number) || (rows[x] as number) - (rows[y] as number);
  });
  const back = new Uint32Array(order.length);
  for (let at = 0; at < order.length; at++) back[order[at] as number] = at;
  return { stored: order.map((i) => places[i] as number), back };
}

/** Where the run of rows of one part, ascending, that begins at `from` ends. */
function endOfPiece({ partOf, rows }: Addresses, stored: Uint32Array, from: number): number {
  let to = from + 1;
  for (; to < stored.length; to++) {
    const [before, next] = [stored[to - 1] as number, stored[to] as number];
    if (partOf[next] !== partOf[before] || (rows[next] as number) <= (rows[before] as number)) break;
  }
  return to;
}
