/** All words of an index as written: those that terms stand for, and the others. */
import { type InvertedIndex, placeOf, type TermList } from '../postings.ts';

/** A sorted list of which some entries are words. */
export interface WrittenList {
  readonly list: TermList;
  isWord(place: number): boolean;
}

export function writtenLists(index: InvertedIndex): readonly WrittenList[] {
  return [
    { list: index.terms, isWord: (place) => index.isWord(place) },
    { list: index.words, isWord: () => true },
  ];
}

/** A word, decoded when asked for. */
export class FoundWord {
  readonly #list: TermList;
  readonly #place: number;

  constructor(list: TermList, place: number) {
    this.#list = list;
    this.#place = place;
  }

  get text(): string {
    return Buffer.from(this.#list.at(this.#place)).toString();
  }

  /** Rows that hold it, visible or not. */
  get count(): number {
    return this.#list.countAt(this.#place);
  }
}

/** Words that begin with `prefix`. */
export function* wordsWith(index: InvertedIndex, prefix: string): Generator<FoundWord> {
  const wanted = Buffer.from(prefix);
  // No UTF-8 has such a byte.
  const behind = Buffer.concat([wanted, Buffer.of(0xff)]);
  for (const { list, isWord } of writtenLists(index)) {
    const end = placeOf(list, behind);
    for (let place = placeOf(list, wanted); place < end; place++) {
      if (isWord(place)) yield new FoundWord(list, place);
    }
  }
}
