/**
 * Completes a text while it is typed: its last word by words that begin so, and the whole of it by short values. The
 * words before the last one are wanted as they are. Values are found by the places of words in them, so that nothing
 * but the words is stored: rows of few terms that have the word begun last at its place.
 */
import { QuickCache } from '../../../bounded-cache.ts';
import { emptyBits, hasBit, setBit } from '../../../types/column/bitset.ts';
import type { Analyser, Term } from '../../../language/analyse.ts';
import { END, type InvertedIndex, type PostingsCursor } from '../postings.ts';
import type { Completions, TypedColumn } from '../../typed-text.ts';
import { type FoundWord, wordsWith } from './all-words.ts';
import { analyserOf, rowsWithWord, type SeenWords, seenWords } from './seen.ts';
import { writtenKey } from './written-key.ts';

/** Words of a part looked at beyond those wanted, as another part may have more of them. */
const WORDS_MORE = 32;
/** Rows of lists gone through for the words before the last one. */
const CONTEXT_ROWS_MAX = 50_000;
/** A text of more terms is no short value. */
const SHORT_TERMS_MAX = 8;
/** Rows of one part whose values are read. */
const VALUE_ROWS_MAX = 500;
/** Beginnings whose words are remembered for an index, until it grows. */
const BEGINNINGS_MAX = 1_000;
/** Rows gone through for them. */
const LOOKED_AT_MAX = 4_000;
/** Pairs of characters, which are no words of their own. */
const PAIR = /^[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}]{2}$/u;

/** The words typed, all of them folded. */
interface Typed {
  readonly before: readonly string[];
  /** Words before that are no stop words. */
  readonly context: readonly string[];
  readonly last: string;
  /** The text up to the last word, as it was typed. */
  readonly head: string;
}

export function completeText(column: TypedColumn, text: string, count: number): Completions {
  const parts = seenWords(column);
  const analyser = analyserOf(column, parts);
  const typed = typedWords(analyser, text);
  if (typed === null) return { words: [], rows: parts.map(() => new Uint32Array(0)), isBegun: () => false };
  const frequent = parts.map(({ structure }) =>
    mostFrequent(structure.index, typed.last, count + WORDS_MORE),
  );
  const exact = column.options.options.type === 'exact';
  return {
    words: exact || PAIR.test(typed.last) ? [] : completedWords(parts, typed, { frequent, analyser, count }),
    rows: parts.map((part, i) => rowsOfValues(part, typed, frequent[i] ?? [])),
    isBegun: (value) => begins(analyser.read(value), typed),
  };
}

/** Null where there is no word. */
function typedWords(analyser: Analyser, text: string): Typed | null {
  const words = distinctPlaces(analyser.read(text));
  const last = words.pop();
  if (last === undefined) return null;
  const context = words.filter(({ term }) => term !== '');
  return {
    before: words.map(({ written }) => written),
    context: context.map(({ written }) => written),
    last: last.written,
    head: text.slice(0, last.start),
  };
}

/** Several languages, and synonyms, have more terms than words. */
function distinctPlaces(terms: readonly Term[]): Term[] {
  const seen = new Set<number>();
  return terms.filter(({ written, position }) => {
    const isNew = written !== '' && !seen.has(position);
    if (isNew) seen.add(position);
    return isNew;
  });
}

interface Remembered {
  /** Rows of the index then. */
  readonly rowCount: number;
  readonly words: QuickCache<string, readonly FoundWord[]>;
}

const remembered = new WeakMap<InvertedIndex, Remembered>();

/** The words of one index that begin so and that most rows have: the first letters stand for thousands. */
function mostFrequent(index: InvertedIndex, prefix: string, count: number): readonly FoundWord[] {
  let known = remembered.get(index);
  if (known?.rowCount !== index.rowCount) {
    known = { rowCount: index.rowCount, words: new QuickCache(BEGINNINGS_MAX) };
    remembered.set(index, known);
  }
  const key = `${count} ${prefix}`;
  return known.words.get(key) ?? known.words.set(key, findMostFrequent(index, prefix, count));
}

function findMostFrequent(index: InvertedIndex, prefix: string, count: number): readonly FoundWord[] {
  let found: FoundWord[] = [];
  let least = 0;
  for (const word of wordsWith(index, prefix)) {
    if (word.count <= least) continue;
    found.push(word);
    if (found.length < 4 * count) continue;
    found = byCount(found).slice(0, count);
    least = found.at(-1)?.count ?? 0;
  }
  return byCount(found).slice(0, count);
}

const byCount = (words: readonly FoundWord[]): FoundWord[] => [...words].sort((a, b) => b.count - a.count);

function completedWords(
  parts: readonly SeenWords[],
  typed: Typed,
  {
    frequent,
    analyser,
    count,
  }: { frequent: readonly (readonly FoundWord[])[]; analyser: Analyser; count: number },
): Completions['words'] {
  const rough = new Map<string, number>();
  for (const word of frequent.flat()) rough.set(word.text, (rough.get(word.text) ?? 0) + word.count);
  const candidates = [...rough].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([word]) => word);
  const counted = typed.context.length > 0 ? new CountedContext(parts, typed.context) : null;
  const found: { word: string; count: number; isStopWord: boolean }[] = [];
  // Merges take what is deleted out of the lists, so that few more are looked at than are wanted.
  for (const word of candidates.slice(0, counted === null ? 2 * count + 8 : candidates.length)) {
    const rows = counted === null ? rowsWithWord(parts, word) : counted.rowsWith(word);
    const isStopWord = analyser.read(word).every(({ term }) => term === '');
    if (rows > 0) found.push({ word, count: rows, isStopWord });
  }
  return found
    .sort(
      (a, b) =>
        Number(a.isStopWord) - Number(b.isStopWord) || b.count - a.count || (a.word < b.word ? -1 : 1),
    )
    .slice(0, count)
    .map(({ word, count: rows }) => ({ text: typed.head + word, count: rows }));
}

/** Visible rows that have all words typed before the last one. */
class CountedContext {
  readonly #parts: readonly SeenWords[];
  readonly #bits: readonly Uint32Array[];
  #left = CONTEXT_ROWS_MAX;

  constructor(parts: readonly SeenWords[], words: readonly string[]) {
    this.#parts = parts;
    this.#bits = parts.map((part) => rowsWithAll(part, words));
  }

  /** 0 too for what comes after so many rows. */
  rowsWith(word: string): number {
    let count = 0;
    for (const [i, { structure }] of this.#parts.entries()) {
      const bits = this.#bits[i] as Uint32Array;
      const cursor = structure.index.cursor(writtenKey(word));
      this.#left -= cursor?.count ?? 0;
      if (this.#left < 0) return 0;
      for (; cursor !== null && cursor.row < END; cursor.next()) if (isIn(bits, cursor.row)) count++;
    }
    return count;
  }
}

/** Bits of a head's rows may be fewer than its rows are by now. */
const isIn = (bits: Uint32Array, row: number): boolean => row >>> 5 < bits.length && hasBit(bits, row);

function rowsWithAll({ structure, visible, limit }: SeenWords, words: readonly string[]): Uint32Array {
  const { index } = structure;
  const bits = emptyBits(limit);
  const cursors = words.map((word) => index.cursor(writtenKey(word)));
  if (cursors.includes(null)) return bits;
  const [lead, ...others] = (cursors as PostingsCursor[]).sort((a, b) => a.count - b.count);
  for (; lead !== undefined && lead.row < limit; lead.next()) {
    for (const other of others) other.seek(lead.row);
    const isSeen = visible === null || hasBit(visible, lead.row);
    if (isSeen && others.every(({ row }) => row === lead.row)) setBit(bits, lead.row);
  }
  return bits;
}

/** Rows of few terms that have a word begun so where it stands in the text typed, or one word on: behind an article. */
function rowsOfValues(
  { structure, visible, limit }: SeenWords,
  typed: Typed,
  words: readonly FoundWord[],
): Uint32Array {
  const { index } = structure;
  const place = typed.before.length;
  const rows = new Set<number>();
  let left = LOOKED_AT_MAX;
  for (const { text } of words) {
    if (left <= 0 || rows.size >= VALUE_ROWS_MAX) break;
    const cursor = index.cursor(writtenKey(text));
    for (; cursor !== null && cursor.row < limit && left > 0; cursor.next(), left--) {
      const { row } = cursor;
      if ((index.lengths[row] as number) > SHORT_TERMS_MAX || rows.size >= VALUE_ROWS_MAX) continue;
      if (visible !== null && !hasBit(visible, row)) continue;
      const positions = cursor.positions();
      if (positions.includes(place) || positions.includes(place + 1)) rows.add(row);
    }
  }
  return Uint32Array.from(rows).sort();
}

/** True when a value's words begin with those typed; an article before them does not count. */
function begins(value: readonly Term[], typed: Typed): boolean {
  const words = distinctPlaces(value);
  const from = (start: number): boolean =>
    typed.before.every((word, i) => words[start + i]?.written === word) &&
    words[start + typed.before.length]?.written.startsWith(typed.last) === true;
  return from(0) || (words[0]?.term === '' && from(1));
}
