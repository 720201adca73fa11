/**
 * Rows that may be among the best of a ranking: where they are, what is known of them, and reading those that win.
 * They lie in stored order as far as may be: part by part, rows ascending.
 */
import type { Part } from '../../engine/engine.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { concatBatches } from '../batches.ts';
import { ScanRows, type ScanSource } from '../scan/scan-rows.ts';

export interface Candidates {
  readonly parts: readonly Part[];
  /** The number of each candidate's part, and its position there. */
  readonly partOf: ArrayLike<number>;
  readonly rows: ArrayLike<number>;
  /** Columns of all candidates that need not be read, by their position in the scan's output. */
  readonly known: ReadonlyMap<number, Vector>;
}

/** Every output column of the scan, of the candidates at some places and in that order; read in stored order. */
export function* readCandidates(
  source: ScanSource,
  candidates: Candidates,
  places: Uint32Array,
): Task<Batch> {
  const { stored, back } = inStoredOrder(places);
  const pieces: Batch[] = [];
  for (let from = 0, to = 0; from < stored.length; from = to) {
    to = endOfPiece(candidates, stored, from);
    pieces.push(yield* readPiece(source, candidates, stored.slice(from, to)));
  }
  const { length, columns } = concatBatches(source.plan.output, pieces);
  const { known } = candidates;
  return { length, columns: columns.map((column, i) => known.get(i)?.take(places) ?? column.take(back)) };
}

/** The places ascending, and where each of `places` is among them. Numbers sort quicker than comparators do. */
function inStoredOrder(places: Uint32Array): { readonly stored: Uint32Array; readonly back: Uint32Array } {
  const { length } = places;
  const keys = new Float64Array(length);
  for (let i = 0; i < length; i++) keys[i] = (places[i] as number) * length + i;
  keys.sort();
  const stored = new Uint32Array(length);
  const back = new Uint32Array(length);
  for (let at = 0; at < length; at++) {
    const i = (keys[at] as number) % length;
    stored[at] = places[i] as number;
    back[i] = at;
  }
  return { stored, back };
}

/** Where the run of rows of one part, ascending, that begins at `from` ends. */
function endOfPiece({ partOf, rows }: Candidates, stored: Uint32Array, from: number): number {
  let to = from + 1;
  for (; to < stored.length; to++) {
    const [before, next] = [stored[to - 1] as number, stored[to] as number];
    if (partOf[next] !== partOf[before] || (rows[next] as number) <= (rows[before] as number)) break;
  }
  return to;
}

/** @param places of one part, rows ascending; at least one. */
function* readPiece(
  source: ScanSource,
  { parts, partOf, rows, known }: Candidates,
  places: Uint32Array,
): Task<Batch> {
  const part = parts[partOf[places[0] as number] as number] as Part;
  const own = new Uint32Array(places.length);
  for (let i = 0; i < own.length; i++) own[i] = rows[places[i] as number] as number;
  const read = new ScanRows(source, part, own);
  const positions: number[] = [];
  for (let i = 0; i < source.plan.output.length; i++) if (!known.has(i)) positions.push(i);
  return yield* wait(read.batch(positions));
}
