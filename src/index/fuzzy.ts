/**
 * Terms close to a misspelt one: optimal string alignment distance (insertions, deletions, substitutions,
 * swaps of neighbours), as Lucene's FuzzyQuery with transpositions.
 */
import type { InvertedIndex } from './postings.ts';

/** As Lucene's default for the terms one misspelling may stand for. */
const EXPANSIONS_MAX = 50;

/** Edits allowed when the statement gives none (−1): none up to 2 letters, one up to 5, then two. */
function editsFor(term: string, distance: number): number {
  if (distance >= 0) return Math.min(2, Math.floor(distance));
  if (term.length <= 2) return 0;
  return term.length <= 5 ? 1 : 2;
}

/** Distance when at most `most`, else `most + 1`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let smallest = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let edits = Math.min((last[j - 1] as number) + (same ? 0 : 1), (last[j] as number) + 1);
      edits = Math.min(edits, (row[j - 1] as number) + 1);
      const swapped =
        i > 1 &&
        j > 1 &&
        a.charCodeAt(i - 1) === b.charCodeAt(j - 2) &&
        a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (swapped) edits = Math.min(edits, (before[j - 2] as number) + 1);
      row.push(edits);
      smallest = Math.min(smallest, edits);
    }
    if (smallest > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length] as number;
}

/** The nearest terms of all parts, nearest first, with their share of the weight: 1 − edits / length. */
export function expandFuzzy(
  indexes: readonly InvertedIndex[],
  term: string,
  distance: number,
): readonly { readonly term: string; readonly share: number }[] {
  const most = editsFor(term, distance);
  if (most === 0) return [{ term, share: 1 }];
  const found = new Map<string, number>();
  const size = Buffer.byteLength(term);
  for (const index of indexes) {
    for (const bytes of index.terms()) {
      // A character of 1 to 4 bytes may go or come with each edit.
      if (bytes.length > size + 4 * most || bytes.length < size - 4 * most) continue;
      const candidate = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
      const edits = editDistance(term, candidate, most);
      if (edits <= most) found.set(candidate, edits);
    }
  }
  return [...found]
    .sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
    .slice(0, EXPANSIONS_MAX)
    .map(([candidate, edits]) => ({
      term: candidate,
      share: 1 - edits / Math.max(1, Math.min(term.length, candidate.length) + 1),
    }));
}
