/** The rows of one list out of several sources, as they are numbered in what these are merged into. */
import { END, type InvertedIndex, type PostingsCursor } from './postings.ts';
import type { TermPostings } from './writer.ts';

export interface MergeSource {
  readonly index: InvertedIndex;
  /** New row of each row, -1: none. */
  readonly rowMap: Int32Array;
}

/** @param cursor of a list; null: no row. */
export function collectRows(cursor: PostingsCursor | null, rowMap: Int32Array, into: TermPostings): void {
  if (cursor === null) return;
  for (; cursor.row !== END; cursor.next()) {
    const row = rowMap[cursor.row] ?? -1;
    if (row < 0) continue;
    into.rows.push(row);
    into.frequencies.push(cursor.frequency());
    for (const position of cursor.positions()) into.positions.push(position);
  }
}

/** Parts are usually merged in order of their rows; where not, the rows of a term are sorted. */
export function inRowOrder(postings: TermPostings): TermPostings {
  const { rows, frequencies, positions } = postings;
  if (rows.every((row, i) => i === 0 || row > (rows[i - 1] as number))) return postings;
  const starts: number[] = [];
  let start = 0;
  for (const frequency of frequencies) {
    starts.push(start);
    start += frequency;
  }
  const order = [...rows.keys()].sort((a, b) => (rows[a] as number) - (rows[b] as number));
  return {
    rows: order.map((i) => rows[i] as number),
    frequencies: order.map((i) => frequencies[i] as number),
    positions: order.flatMap((i) => {
      const from = starts[i] as number;
      return positions.slice(from, from + (frequencies[i] as number));
    }),
  };
}
