/** Rows that may be among the best of a ranking: where they are, what is known of them, and reading those that win. */
import type { Part } from '../engine/engine.ts';
import { type Task, wait } from '../task.ts';
import type { Batch, Vector } from '../types/vector.ts';
import { concatBatches } from './batches.ts';
import { ScanRows, type ScanSource } from './scan-rows.ts';

export interface Candidates {
  readonly parts: readonly Part[];
  /** Of each candidate the number of its part, and its position there. */
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
  const { partOf, rows } = candidates;
  const stored = places.slice().sort((a, b) => {
    const [x, y] = [partOf[a] as number, partOf[b] as number];
    return x === y ? (rows[a] as number) - (rows[b] as number) : x - y;
  });
  const pieces: Batch[] = [];
  for (let from = 0, to = 0; from < stored.length; from = to) {
    const part = partOf[stored[from] as number];
    while (to < stored.length && partOf[stored[to] as number] === part) to++;
    pieces.push(yield* readPart(source, candidates, stored.subarray(from, to)));
  }
  const { length, columns } = concatBatches(source.plan.output, pieces);
  const order = new Map<number, number>();
  for (const [at, place] of stored.entries()) order.set(place, at);
  const back = places.map((place) => order.get(place) as number);
  return { length, columns: columns.map((column) => column.take(back)) };
}

/** @param places of one part, in stored order; at least one. */
function* readPart(
  source: ScanSource,
  { parts, partOf, rows, known }: Candidates,
  places: Uint32Array,
): Task<Batch> {
  const part = parts[partOf[places[0] as number] as number] as Part;
  const read = new ScanRows(
    source,
    part,
    places.map((place) => rows[place] as number),
  );
  for (const [position, column] of known) read.preset(position, column.take(places));
  return yield* wait(read.all());
}
