/**
 * The written words of several indexes into those of one. A word keeps sharing a term's list where it does so in all
 * of them, and none has the term without it; else its rows are written out.
 */
import { emptyBits, setBit } from '../../../types/column/bitset.ts';
import type { PostingsCursor } from '../postings.ts';
import { collectRows, inRowOrder, type MergeSource } from '../collect.ts';
import type { TermPostings } from '../writer.ts';
import { WordsWriter } from './writer.ts';

/** Where the terms of the sources went. */
export class MergedTerms {
  /** By source: new places of its terms; -1: none of its rows are left. */
  readonly #places: readonly Int32Array[];
  /** By new place: how many sources have the term, and in how many it is itself the only word. */
  readonly #holders: number[] = [];
  readonly #spelt: number[] = [];

  constructor(sources: readonly MergeSource[]) {
    this.#places = sources.map(({ index }) => new Int32Array(index.terms.count).fill(-1));
  }

  get count(): number {
    return this.#holders.length;
  }

  /** The next term. @param holders the sources that have it, and its places there. */
  add(sources: readonly MergeSource[], holders: readonly { source: number; place: number }[]): void {
    let spelt = 0;
    for (const { source, place } of holders) {
      (this.#places[source] as Int32Array)[place] = this.#holders.length;
      if (sources[source]?.index.isWord(place)) spelt++;
    }
    this.#holders.push(holders.length);
    this.#spelt.push(spelt);
  }

  placeOf(source: number, place: number): number {
    return (this.#places[source] as Int32Array)[place] as number;
  }

  holdersOf(place: number): number {
    return this.#holders[place] as number;
  }

  /** True when all that have the term have it as their only word. */
  isWord(place: number): boolean {
    return this.#holders[place] === this.#spelt[place];
  }

  /** A bit for each term that is a word. */
  wordBits(): Uint32Array {
    const bits = emptyBits(this.count);
    for (let place = 0; place < this.count; place++) if (this.isWord(place)) setBit(bits, place);
    return bits;
  }
}

/** Walks all words of an index, those that terms stand for among the others. */
class WordWalk {
  readonly source: MergeSource;
  word: Uint8Array | null = null;
  /** Place of the term whose list is the word's; -1: it has one of its own. */
  term = -1;
  #wordPlace = 0;
  #termPlace = -1;
  #isTerm = false;

  constructor(source: MergeSource) {
    this.source = source;
    this.#toWordTerm();
    this.#look();
  }

  next(): void {
    if (this.#isTerm) this.#toWordTerm();
    else this.#wordPlace++;
    this.#look();
  }

  cursor(): PostingsCursor | null {
    const { index } = this.source;
    if (!this.#isTerm) return index.words.cursor(this.#wordPlace);
    return this.word === null ? null : index.cursor(Buffer.from(this.word).toString());
  }

  #toWordTerm(): void {
    const { index } = this.source;
    do this.#termPlace++;
    while (this.#termPlace < index.terms.count && !index.isWord(this.#termPlace));
  }

  #look(): void {
    const { words, terms } = this.source.index;
    const word = this.#wordPlace < words.count ? words.at(this.#wordPlace) : null;
    const term = this.#termPlace < terms.count ? terms.at(this.#termPlace) : null;
    this.#isTerm = term !== null && (word === null || Buffer.compare(term, word) < 0);
    this.word = this.#isTerm ? term : word;
    if (this.#isTerm) this.term = this.#termPlace;
    else this.term = word === null ? -1 : words.sharedTerm(this.#wordPlace);
  }
}

/** @param lengths terms in each new row. @returns sections. */
export function mergeWords(
  sources: readonly MergeSource[],
  terms: MergedTerms,
  lengths: Uint32Array,
): ReadonlyMap<string, Uint8Array> {
  const writer = new WordsWriter(lengths);
  const walks = sources.map((source) => new WordWalk(source));
  for (;;) {
    const word = smallestWord(walks);
    if (word === null) return writer.finish(terms.wordBits());
    const holders = [...walks.keys()].filter((i) => isAt(walks[i], word));
    writeWord(writer, word, { walks, holders, terms });
    for (const holder of holders) walks[holder]?.next();
  }
}

function writeWord(
  writer: WordsWriter,
  word: Uint8Array,
  { walks, holders, terms }: { walks: readonly WordWalk[]; holders: readonly number[]; terms: MergedTerms },
): void {
  const [place, ...others] = holders.map((i) => {
    const term = walks[i]?.term ?? -1;
    return term < 0 ? null : terms.placeOf(i, term);
  });
  const isShared = place !== undefined && place !== null && others.every((other) => other === place);
  // No row of the term is left, so none of the word is.
  if (isShared && place < 0) return;
  if (isShared && terms.isWord(place)) return;
  if (isShared && terms.holdersOf(place) === holders.length) writer.addShared(word, place);
  else writer.addOwn(word, rowsOf(walks, holders));
}

function rowsOf(walks: readonly WordWalk[], holders: readonly number[]): TermPostings {
  const postings: TermPostings = { rows: [], frequencies: [], positions: [] };
  for (const i of holders) {
    const walk = walks[i] as WordWalk;
    collectRows(walk.cursor(), walk.source.rowMap, postings);
  }
  return inRowOrder(postings);
}

function isAt(walk: WordWalk | undefined, word: Uint8Array): boolean {
  const own = walk?.word ?? null;
  return own !== null && Buffer.compare(own, word) === 0;
}

function smallestWord(walks: readonly WordWalk[]): Uint8Array | null {
  let smallest: Uint8Array | null = null;
  for (const { word } of walks) {
    if (word !== null && (smallest === null || Buffer.compare(word, smallest) < 0)) smallest = word;
  }
  return smallest;
}
