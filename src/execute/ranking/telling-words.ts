/**
 * The most telling words of examples, by tf·idf, as Lucene's MoreLikeThis chooses them: those that are frequent in the
 * examples and rare in the relation. Words of counter-examples count against.
 */
import type { Index } from '../../catalog/model.ts';
import type { IndexWords } from '../../engine/engine.ts';
import { LIKE_WORDS_CHARACTERS_MAX } from '../../limits.ts';
import type { Scan } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { Pace } from '../pace.ts';
import type { Run } from '../state.ts';

/** Texts of a column, or given ones. */
export type Texts = (index: Index) => Task<readonly string[]>;

/** As many as Lucene takes. */
const WORDS_MAX = 25;
/** The most frequent ones, of which it is asked how rare they are. */
const ASKED_MAX = 400;
/** Weight of a counter-example against an example. */
export const AGAINST = 0.5;
/** Analysed in one turn. */
const PIECE_CHARACTERS = 8_192;

interface Word {
  /** As it was written first: analysed again it gives the same term. */
  readonly written: string;
  share: number;
  /** In the column of the relation that has it most often. */
  rows: number;
}

export function* tellingWords(
  { relation, partition }: Scan,
  indexes: readonly Index[],
  { like, unlike }: { readonly like: Texts; readonly unlike: Texts },
  run: Run,
): Task<readonly string[]> {
  const words = new Map<string, Word>();
  const readers: IndexWords[] = [];
  for (const index of indexes.filter(({ options }) => options.type !== 'exact')) {
    const reader = yield* wait(run.snapshot.words(relation, partition, index.oid));
    if (reader === null) continue;
    readers.push(reader);
    yield* addWords(words, reader, { texts: yield* like(index), sign: 1 }, run);
    yield* addWords(words, reader, { texts: yield* unlike(index), sign: -AGAINST }, run);
  }
  const asked = best([...words], ([, { share }]) => share, ASKED_MAX);
  const terms = asked.map(([term]) => term);
  let documents = 0;
  for (const reader of readers) {
    const known = yield* wait(reader.countRows(terms));
    documents = Math.max(documents, known.documents);
    for (const [i, [, word]] of asked.entries()) word.rows = Math.max(word.rows, known.counts[i] as number);
  }
  const found = asked.filter(([, { rows }]) => rows > 0);
  const value = ([, { share, rows }]: readonly [string, Word]): number =>
    share * Math.log(1 + (documents - rows + 0.5) / (rows + 0.5));
  return best(found, value, WORDS_MAX).map(([, { written }]) => written);
}

/** Those of the highest values above 0; of equal ones the first. */
function best<T>(items: readonly T[], value: (item: T) => number, most: number): T[] {
  const valued = items.map((item) => ({ item, value: value(item) })).filter((one) => one.value > 0);
  return valued
    .sort((a, b) => b.value - a.value)
    .slice(0, most)
    .map(({ item }) => item);
}

/** Adds each word's share of all words of the texts, of which only so many characters are looked at. */
function* addWords(
  words: Map<string, Word>,
  reader: IndexWords,
  { texts, sign }: { readonly texts: readonly string[]; readonly sign: number },
  run: Run,
): Task<void> {
  const pace = new Pace(run, 1);
  const counts = new Map<string, { readonly written: string; count: number }>();
  let total = 0;
  for (const piece of piecesOf(texts)) {
    for (const { term, start, end } of reader.analyse(piece)) {
      const known = counts.get(term) ?? { written: piece.slice(start, end), count: 0 };
      known.count++;
      counts.set(term, known);
      total++;
    }
    const pause = pace.after(1);
    if (pause !== null) yield* wait(pause);
  }
  for (const [term, { written, count }] of counts) {
    const word = words.get(term) ?? { written, share: 0, rows: 0 };
    word.share += (sign * count) / total;
    words.set(term, word);
  }
}

/** Cut behind blanks, where there are any. */
function* piecesOf(texts: readonly string[]): Generator<string> {
  let left = LIKE_WORDS_CHARACTERS_MAX;
  for (const text of texts) {
    for (let at = 0; at < text.length && left > 0; ) {
      const most = Math.min(text.length, at + Math.min(PIECE_CHARACTERS, left));
      const blank = most === text.length ? -1 : text.lastIndexOf(' ', most);
      const end = blank > at ? blank : most;
      yield text.slice(at, end);
      left -= end - at;
      at = end;
    }
  }
}
