/**
 * Several inverted indexes into one, term by term in dictionary order; rows move as their maps say.
 */
import { collectRows, inRowOrder, type MergeSource } from './collect.ts';
import { SegmentWriter, type TermPostings } from './writer.ts';
import type { TermList } from './postings.ts';
import { MergedTerms, mergeWords } from './words/merge.ts';

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
  const lengths = mergedLengths(sources, rowCount);
  const writer = new SegmentWriter(lengths);
  const merged = new MergedTerms(sources);
  const readers = sources.map((source): Reader => {
    const { terms } = source.index;
    return { source, terms, place: 0, term: terms.count > 0 ? terms.at(0) : null };
  });
  for (;;) {
    const term = smallestTerm(readers);
    if (term === null) return new Map([...writer.finish(), ...mergeWords(sources, merged, lengths)]);
    mergeTerm(term, readers, { sources, writer, merged });
  }
}

function mergeTerm(
  term: Uint8Array,
  readers: readonly Reader[],
  {
    sources,
    writer,
    merged,
  }: { sources: readonly MergeSource[]; writer: SegmentWriter; merged: MergedTerms },
): void {
  const postings: TermPostings = { rows: [], frequencies: [], positions: [] };
  const holders: { source: number; place: number }[] = [];
  const key = Buffer.from(term).toString();
  for (const [source, reader] of readers.entries()) {
    if (reader.term === null || Buffer.compare(reader.term, term) !== 0) continue;
    collectRows(reader.source.index.cursor(key), reader.source.rowMap, postings);
    holders.push({ source, place: reader.place });
    reader.place++;
    reader.term = reader.place < reader.terms.count ? reader.terms.at(reader.place) : null;
  }
  if (postings.rows.length === 0) return;
  writer.add(term, inRowOrder(postings));
  merged.add(sources, holders);
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
