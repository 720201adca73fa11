/**
 * Several inverted indexes into one, term by term in dictionary order; rows move as their maps say.
 */
import { SegmentWriter, type TermPostings } from './writer.ts';
import { END, type InvertedIndex, type TermList } from './postings.ts';

export interface MergeSource {
  readonly index: InvertedIndex;
  /** New row of each row, -1: none. */
  readonly rowMap: Int32Array;
}

interface Reader {
  readonly source: MergeSource;
  readonly terms: TermList;
  place: number;
  /** The term at `place`; null after the last one. */
  term: Uint8Array | null;
}

/** @returns the sections of a segment with `rowCount` rows. */
export function mergeIndexes(
  sources: readonly MergeSource[],
  rowCount: number,
): ReadonlyMap<string, Uint8Array> {
  const writer = new SegmentWriter(mergedLengths(sources, rowCount));
  const readers = sources.map((source): Reader => {
    const { terms } = source.index;
    return { source, terms, place: 0, term: terms.count > 0 ? terms.at(0) : null };
  });
  for (;;) {
    const term = smallestTerm(readers);
    if (term === null) return writer.finish();
    const postings: TermPostings = { rows: [], frequencies: [], positions: [] };
    for (const reader of readers) {
      if (reader.term === null || Buffer.compare(reader.term, term) !== 0) continue;
      collect(reader.source, term, postings);
      reader.place++;
      reader.term = reader.place < reader.terms.count ? reader.terms.at(reader.place) : null;
    }
    writer.add(term, inRowOrder(postings));
  }
}

function smallestTerm(readers: readonly Reader[]): Uint8Array | null {
  let smallest: Uint8Array | null = null;
  for (const { term } of readers) {
    if (term === null) continue;
    if (smallest === null || Buffer.compare(term, smallest) < 0) smallest = term;
  }
  return smallest;
}

function mergedLengths(sources: readonly MergeSource[], rowCount: number): Uint32Array {
  const lengths = new Uint32Array(new SharedArrayBuffer(rowCount * 4));
  for (const { index, rowMap } of sources) {
    for (let row = 0; row < rowMap.length; row++) {
      const to = rowMap[row] as number;
      if (to >= 0) lengths[to] = index.lengths[row] as number;
    }
  }
  return lengths;
}

function collect({ index, rowMap }: MergeSource, term: Uint8Array, into: TermPostings): void {
  const cursor = index.cursor(Buffer.from(term).toString());
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
function inRowOrder(postings: TermPostings): TermPostings {
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
