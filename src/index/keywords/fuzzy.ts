/**
 * Words as written that are close to a misspelt one, or begin with given letters. Closeness is the optimal string alignment
 * distance (insertions, deletions, substitutions, swaps of neighbours), as Lucene's FuzzyQuery with transpositions.
 */
import { DistanceTable } from '../../edit-distance.ts';
import { SqlError } from '../../errors.ts';
import { type InvertedIndex, placeOf, type TermList } from './postings.ts';
import { type WrittenList, wordsWith, writtenLists } from './words/all-words.ts';

/** As Lucene's default for the terms one misspelling may stand for. */
const EXPANSIONS_MAX = 50;

/** Words that one beginning may stand for, as Lucene's clauses of a query. */
const PREFIX_TERMS_MAX = 1024;

/** Words looked at between two turns of the event loop: about a millisecond. */
const PLACES_A_TURN = 1_000;
/** No UTF-8 has such a byte. */
const BEHIND_ALL = Buffer.of(0xff);

/** Edits allowed when the statement gives none (−1): none up to 2 letters, one up to 5, then two. */
function editsFor(term: string, distance: number): number {
  if (distance >= 0) return Math.min(2, Math.floor(distance));
  if (term.length <= 2) return 0;
  return term.length <= 5 ? 1 : 2;
}

/**
 * Gives way now and then. Calls `found` with every word that begins with `first` within `most` edits. The sorted
 * list is walked as the tree of its prefixes: a prefix that no word within the distance begins with is passed over
 * with all of its terms.
 */
function* eachNear(
  { list: terms, isWord }: WrittenList,
  { wanted, most, first }: { readonly wanted: string; readonly most: number; readonly first: string },
  found: (word: string, edits: number) => void,
): Generator<undefined> {
  const table = new DistanceTable(wanted, { swaps: true });
  let last = '';
  const start = Buffer.from(first);
  const end = first === '' ? terms.count : placeOf(terms, Buffer.concat([start, BEHIND_ALL]));
  let left = PLACES_A_TURN;
  for (let place = first === '' ? 0 : placeOf(terms, start); place < end; ) {
    if (--left === 0) {
      left = PLACES_A_TURN;
      yield;
    }
    const bytes = terms.at(place);
    const term = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString();
    const dead = deadPrefix(table, { term, last, most, longest: wanted.length + most });
    last = dead > 0 ? term.slice(0, dead) : term;
    if (dead === 0) {
      if (table.distance(term.length) <= most && isWord(place)) found(term, table.distance(term.length));
      place++;
    } else {
      const prefix = Buffer.from(last);
      prefix[prefix.length - 1] = (prefix[prefix.length - 1] as number) + 1;
      place = gallop(terms, prefix, place + 1);
    }
  }
}

/** Units of the shortest prefix that leads nowhere, a whole number of characters; 0: none does. */
function deadPrefix(
  table: DistanceTable,
  { term, last, most, longest }: { term: string; last: string; most: number; longest: number },
): number {
  let depth = 0;
  while (depth < last.length && last.charCodeAt(depth) === term.charCodeAt(depth)) depth++;
  for (depth++; depth <= term.length; depth++) {
    if (depth <= longest && table.extend(depth, term) <= most) continue;
    const unit = term.charCodeAt(depth - 1);
    return unit >= 0xd800 && unit < 0xdc00 ? depth + 1 : depth;
  }
  return 0;
}

/** As `placeOf`, for a place that is probably near. */
function gallop(terms: TermList, wanted: Uint8Array, from: number): number {
  let low = from;
  let step = 1;
  while (low + step < terms.count && terms.compare(low + step, wanted) < 0) {
    low += step;
    step *= 2;
  }
  return placeOf(terms, wanted, low, Math.min(terms.count, low + step));
}

export interface NearWord {
  readonly word: string;
  readonly edits: number;
}

/** The word to look for. @param distance −1: by the word's length. */
interface Wanted {
  readonly word: string;
  readonly distance: number;
}

/** The words of all parts within the distance, nearest first. */
function nearWords(indexes: readonly InvertedIndex[], wanted: Wanted): readonly NearWord[] {
  const search = nearSearch(indexes, wanted, ['']);
  for (;;) {
    const step = search.next();
    if (step.done === true) return step.value;
  }
}

/**
 * As `nearWords`, letting others have a turn. First letters are mostly right, and where they are looked for with it
 * a fifteenth of the words is gone through: words that begin as the wanted one does, or as it does behind its first
 * letter, which has got between or changed places.
 * @param turn waits for one.
 */
export async function nearWordsByFirst(
  indexes: readonly InvertedIndex[],
  wanted: Wanted,
  turn: () => Promise<void>,
): Promise<readonly NearWord[]> {
  const [first = '', second = first] = wanted.word;
  return waited(nearSearch(indexes, wanted, first === second ? [first] : [first, second]), turn);
}

/** As `nearWords`, letting others have a turn. */
export async function nearWordsLater(
  indexes: readonly InvertedIndex[],
  wanted: Wanted,
  turn: () => Promise<void>,
): Promise<readonly NearWord[]> {
  return waited(nearSearch(indexes, wanted, ['']), turn);
}

async function waited<T>(search: Generator<undefined, T>, turn: () => Promise<void>): Promise<T> {
  for (;;) {
    const step = search.next();
    if (step.done === true) return step.value;
    await turn();
  }
}

/** @param firsts beginnings, none of which begins with another. */
function* nearSearch(
  indexes: readonly InvertedIndex[],
  { word, distance }: Wanted,
  firsts: readonly string[],
): Generator<undefined, readonly NearWord[]> {
  const most = editsFor(word, distance);
  if (most === 0) return [{ word, edits: 0 }];
  const found = new Map<string, number>();
  for (const index of indexes) {
    for (const list of writtenLists(index)) {
      for (const first of firsts) {
        yield* eachNear(list, { wanted: word, most, first }, (candidate, edits) =>
          found.set(candidate, edits),
        );
      }
    }
  }
  return [...found]
    .map(([near, edits]) => ({ word: near, edits }))
    .sort((a, b) => a.edits - b.edits || (a.word < b.word ? -1 : 1));
}

/** The nearest words of all parts, nearest first, with their share of the weight: 1 − edits / length. */
export function expandFuzzy(
  indexes: readonly InvertedIndex[],
  word: string,
  distance: number,
): readonly { readonly word: string; readonly share: number }[] {
  return nearWords(indexes, { word, distance })
    .slice(0, EXPANSIONS_MAX)
    .map(({ word: near, edits }) => ({
      word: near,
      share: 1 - edits / Math.max(1, Math.min(word.length, near.length) + 1),
    }));
}

/**
 * The words of all parts that begin with `prefix`.
 * @throws SqlError 54000 when there are too many to look for.
 */
export function expandPrefix(indexes: readonly InvertedIndex[], prefix: string): readonly string[] {
  const found = new Set<string>();
  for (const index of indexes) {
    for (const word of wordsWith(index, prefix)) {
      found.add(word.text);
      if (found.size <= PREFIX_TERMS_MAX) continue;
      throw new SqlError(
        'program_limit_exceeded',
        `more than ${PREFIX_TERMS_MAX} words begin with "${prefix}"`,
        { hint: 'Ask with a longer beginning.' },
      );
    }
  }
  return [...found].sort();
}
