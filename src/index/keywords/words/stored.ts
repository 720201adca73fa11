/** Reads the words of a segment as they were written, whose layout `writer.ts` describes. */
import type { LengthNorm } from '../bm25.ts';
import { saturation } from '../bm25.ts';
import { BLOCK_ROWS, PostingsCursor, type PostingsReader, type WordList } from '../postings.ts';
import { VarintReader } from './varint.ts';
import { GROUP_FIELDS, GROUP_WORDS, WORD_BLOCK } from './writer.ts';

interface StoredWord {
  readonly word: Uint8Array;
  /** Place of the term whose list is the word's; -1: the list is its own. */
  readonly term: number;
  /** Rows of a list of its own. */
  readonly count: number;
  readonly postings: number;
  readonly block: number;
}

/** The bytes of the sections, and what is known of the segment's rows and terms. */
interface Parts {
  readonly words: Uint8Array;
  readonly groups: Uint32Array;
  readonly postings: Uint8Array;
  readonly blocks: Uint32Array;
  /** Terms in each row. */
  readonly lengths: Uint32Array;
}

/** Description of a term's list. */
export interface TermLists {
  countAt(place: number): number;
  cursorAt(place: number, block: Uint32Array): PostingsCursor;
}

export class StoredWords implements WordList {
  readonly count: number;
  readonly #parts: Parts;
  readonly #terms: TermLists;
  /** The group decoded last. */
  #group = -1;
  #decoded: readonly StoredWord[] = [];

  constructor(parts: Parts, terms: TermLists) {
    this.#parts = parts;
    this.#terms = terms;
    this.count = parts.groups[parts.groups.length - 1] ?? 0;
  }

  at(place: number): Uint8Array {
    return this.#at(place).word;
  }

  compare(place: number, other: Uint8Array): number {
    return Buffer.compare(place % GROUP_WORDS === 0 ? this.#firstOf(place) : this.at(place), other);
  }

  countAt(place: number): number {
    const { term, count } = this.#at(place);
    return term < 0 ? count : this.#terms.countAt(term);
  }

  sharedTerm(place: number): number {
    return this.#at(place).term;
  }

  cursor(place: number, block = new Uint32Array(2 * BLOCK_ROWS)): PostingsCursor {
    const word = this.#at(place);
    if (word.term >= 0) return this.#terms.cursorAt(word.term, block);
    return new PostingsCursor(new WordReader(this.#parts, word), block);
  }

  /** The place of a word; -1: it is not there. */
  find(wanted: Uint8Array): number {
    let low = 0;
    let high = Math.ceil(this.count / GROUP_WORDS);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(middle * GROUP_WORDS, wanted) <= 0) low = middle + 1;
      else high = middle;
    }
    if (low === 0) return -1;
    const first = (low - 1) * GROUP_WORDS;
    for (let place = first; place < Math.min(first + GROUP_WORDS, this.count); place++) {
      if (this.compare(place, wanted) === 0) return place;
    }
    return -1;
  }

  #at(place: number): StoredWord {
    const group = Math.floor(place / GROUP_WORDS);
    if (group !== this.#group) {
      this.#decoded = this.#decode(group);
      this.#group = group;
    }
    return this.#decoded[place % GROUP_WORDS] as StoredWord;
  }

  /** The first word of a group: all of it lies there. */
  #firstOf(place: number): Uint8Array {
    const { words, groups } = this.#parts;
    const reader = new VarintReader(words, groups[(place / GROUP_WORDS) * GROUP_FIELDS] as number);
    reader.next();
    const size = reader.next();
    return words.subarray(reader.at, reader.at + size);
  }

  #decode(group: number): readonly StoredWord[] {
    const { words, groups } = this.#parts;
    const field = (at: number): number => groups[group * GROUP_FIELDS + at] as number;
    const reader = new VarintReader(words, field(0));
    let postings = field(1);
    let block = field(2);
    const decoded: StoredWord[] = [];
    const count = Math.min(GROUP_WORDS, this.count - group * GROUP_WORDS);
    for (let i = 0; i < count; i++) {
      const word = this.#readWord(reader, decoded[i - 1]?.word);
      const head = reader.next();
      if (head & 1) {
        decoded.push({ word, term: head >>> 1, count: 0, postings, block });
        continue;
      }
      const rows = head >>> 1;
      decoded.push({ word, term: -1, count: rows, postings, block });
      postings += reader.next();
      if (rows > BLOCK_ROWS) block += Math.ceil(rows / BLOCK_ROWS);
    }
    return decoded;
  }

  #readWord(reader: VarintReader, before: Uint8Array | undefined): Uint8Array {
    const shared = reader.next();
    const own = reader.next();
    const word = new Uint8Array(shared + own);
    if (before !== undefined) word.set(before.subarray(0, shared));
    word.set(reader.bytes.subarray(reader.at, reader.at + own), shared);
    reader.at += own;
    return word;
  }
}

/** A word's own list, decoded a block at a time. */
class WordReader implements PostingsReader {
  readonly count: number;
  readonly blockCount: number;
  readonly #parts: Parts;
  readonly #word: StoredWord;
  /** Place of the block decoded last. */
  #block = -1;
  readonly #rows: Uint32Array;
  readonly #frequencies: Uint32Array;
  /** Where the block's positions begin, and these themselves once they were asked for. */
  #positionsAt = 0;
  #positions: readonly number[] | null = null;

  constructor(parts: Parts, word: StoredWord) {
    this.#parts = parts;
    this.#word = word;
    this.count = word.count;
    this.blockCount = Math.ceil(word.count / BLOCK_ROWS);
    const room = Math.min(BLOCK_ROWS, word.count);
    this.#rows = new Uint32Array(room);
    this.#frequencies = new Uint32Array(room);
  }

  lastRow(block: number): number {
    if (this.blockCount > 1) return this.#field(block, WORD_BLOCK.lastRow);
    this.#decode(0);
    return this.#rows[this.count - 1] as number;
  }

  saturationOf(block: number | null, norm: LengthNorm): number {
    if (this.blockCount === 1) return this.#saturationOfRows(norm);
    if (block !== null) {
      const frequency = this.#field(block, WORD_BLOCK.frequency);
      return saturation(norm, frequency, this.#field(block, WORD_BLOCK.length));
    }
    let largest = 0;
    for (let i = 0; i < this.blockCount; i++) largest = Math.max(largest, this.saturationOf(i, norm));
    return largest;
  }

  readRows(block: number, into: Uint32Array): number {
    this.#decode(block);
    const size = this.#sizeOf(block);
    for (let i = 0; i < size; i++) into[i] = this.#rows[i] as number;
    return size;
  }

  readFrequencies(block: number, into: Uint32Array): void {
    this.#decode(block);
    const size = this.#sizeOf(block);
    for (let i = 0; i < size; i++) into[i] = this.#frequencies[i] as number;
  }

  readPositions(
    { block, at }: { block: number; at: number },
    frequencies: Uint32Array,
    into: number[],
  ): void {
    this.#decode(block);
    this.#positions ??= this.#decodePositions();
    const positions = this.#positions;
    let from = 0;
    for (let row = 0; row < at; row++) from += frequencies[row] as number;
    into.length = 0;
    for (let i = 0; i < (frequencies[at] as number); i++) into.push(positions[from + i] as number);
  }

  #decodePositions(): readonly number[] {
    const reader = new VarintReader(this.#parts.postings, this.#positionsAt);
    const positions: number[] = [];
    const size = this.#sizeOf(this.#block);
    for (let row = 0; row < size; row++) {
      let position = 0;
      for (let left = this.#frequencies[row] as number; left > 0; left--) {
        position += reader.next();
        positions.push(position);
      }
    }
    return positions;
  }

  #saturationOfRows(norm: LengthNorm): number {
    this.#decode(0);
    let largest = 0;
    for (let i = 0; i < this.count; i++) {
      const length = this.#parts.lengths[this.#rows[i] as number] as number;
      largest = Math.max(largest, saturation(norm, this.#frequencies[i] as number, length));
    }
    return largest;
  }

  #decode(block: number): void {
    if (block === this.#block) return;
    this.#block = block;
    const start = this.blockCount > 1 ? this.#field(block, WORD_BLOCK.start) : 0;
    const reader = new VarintReader(this.#parts.postings, this.#word.postings + start);
    let next = block === 0 ? 0 : this.lastRow(block - 1) + 1;
    const size = this.#sizeOf(block);
    for (let i = 0; i < size; i++) {
      const head = reader.next();
      const row = next + (head >>> 1);
      this.#rows[i] = row;
      this.#frequencies[i] = head & 1 ? reader.next() : 1;
      next = row + 1;
    }
    this.#positionsAt = reader.at;
    this.#positions = null;
  }

  #sizeOf(block: number): number {
    return Math.min(BLOCK_ROWS, this.count - block * BLOCK_ROWS);
  }

  #field(block: number, field: number): number {
    return this.#parts.blocks[(this.#word.block + block) * WORD_BLOCK.fields + field] as number;
  }
}
