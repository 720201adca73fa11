/**
 * Reads a segment's inverted index, whose layout `writer.ts` describes. Everything stays in the
 * stored bytes; a cursor decodes one block of 128 rows at a time.
 */
import { QuickCache } from '../../bounded-cache.ts';
import { SqlError } from '../../errors.ts';
import { type LengthNorm, saturation } from './bm25.ts';
import { hasBit } from '../../types/column/bitset.ts';
import { asUint32, shareBytes } from '../shared-bytes.ts';
import type { KeywordMemory } from './memory.ts';
import { StoredWords } from './words/stored.ts';
import { WORD_SECTIONS } from './words/writer.ts';
import { isWrittenKey, wordOfKey } from './words/written-key.ts';
import { BLOCK_FIELD, BLOCK_FIELDS } from './writer.ts';
import {
  BLOCK_ROWS,
  type FieldStatistics,
  IMPACTS,
  type InvertedIndex,
  PostingsCursor,
  type PostingsReader,
  placeOf,
  type TermList,
} from './postings.ts';

/** Terms whose places are remembered. */
const PLACES_MAX = 4096;
const SECTIONS = [
  ...['terms', 'term-offsets', 'term-table', 'blocks', 'postings', 'positions', 'lengths'],
  ...WORD_SECTIONS,
];

/** A term's rows, its blocks, and the address of the first one's entry. */
export interface StoredList {
  readonly count: number;
  readonly blockCount: number;
  readonly blocks: number;
}

export class SegmentIndex implements InvertedIndex {
  readonly rowCount: number;
  readonly statistics: FieldStatistics;
  readonly sections: ReadonlyMap<string, Uint8Array>;
  readonly lengths: Uint32Array;
  readonly terms: TermList;
  readonly words: StoredWords;
  readonly #wordTerms: Uint32Array;
  readonly #termTable: Uint32Array;
  readonly #data: SegmentData;
  /** Places of keys that were asked for, as `#lookUp` has them. */
  readonly #places = new QuickCache<string, number>(PLACES_MAX);

  /** Where sections lie in `memory`. */
  readonly addresses: {
    readonly blocks: number;
    readonly postings: number;
    readonly positions: number;
    readonly lengths: number;
  };
  /** Where the kernels find it; null: it is read by cursors only. */
  readonly memory: KeywordMemory | null;

  /**
   * @param memory that the sections lie in, if they do.
   * @throws SqlError XX002 when a section is missing or of the wrong size.
   */
  constructor(
    sections: ReadonlyMap<string, Uint8Array>,
    rowCount: number,
    memory: KeywordMemory | null = null,
  ) {
    this.memory = memory;
    this.sections = new Map(SECTIONS.map((name) => [name, shareBytes(sectionOf(sections, name))]));
    const bytes = (name: string): Uint8Array => sectionOf(this.sections, name);
    this.#termTable = asUint32(bytes('term-table'));
    this.terms = new SegmentTerms(bytes('terms'), asUint32(bytes('term-offsets')), this.#termTable);
    this.#wordTerms = asUint32(bytes('word-terms'));
    this.lengths = asUint32(bytes('lengths'));
    this.rowCount = rowCount;
    this.#data = {
      blocks: asUint32(bytes('blocks')),
      postings: numbersOf(bytes('postings')),
      positions: numbersOf(bytes('positions')),
    };
    this.words = new StoredWords(
      {
        words: bytes('words'),
        groups: asUint32(bytes('word-groups')),
        postings: bytes('word-postings'),
        blocks: asUint32(bytes('word-blocks')),
        lengths: this.lengths,
      },
      this,
    );
    const address = (name: string): number => bytes(name).byteOffset;
    this.addresses = {
      blocks: address('blocks'),
      postings: address('postings'),
      positions: address('positions'),
      lengths: address('lengths'),
    };
    if (this.lengths.length !== rowCount || this.terms.count !== this.#termTable.length / 2) {
      throw new SqlError('index_corrupted', 'the sections of a keyword index do not fit together');
    }
    let documents = 0;
    let length = 0;
    for (const terms of this.lengths) {
      if (terms > 0) documents++;
      length += terms;
    }
    this.statistics = { documents, length };
  }

  get bytes(): number {
    if (this.memory !== null) return this.memory.bytes;
    let size = 0;
    for (const section of this.sections.values()) size += section.length;
    return size;
  }

  isWord(place: number): boolean {
    return hasBit(this.#wordTerms, place);
  }

  countOf(key: string): number {
    const place = this.#placeOf(key);
    if (place === NOWHERE) return 0;
    return place >= 0 ? this.countAt(place) : this.words.countAt(-1 - place);
  }

  cursor(key: string, block = new Uint32Array(2 * BLOCK_ROWS)): PostingsCursor | null {
    const place = this.#placeOf(key);
    if (place === NOWHERE) return null;
    return place >= 0 ? this.cursorAt(place, block) : this.words.cursor(-1 - place, block);
  }

  /** Rows of the term at a place. */
  countAt(place: number): number {
    return this.#termTable[place * 2] as number;
  }

  cursorAt(place: number, block: Uint32Array): PostingsCursor {
    const firstBlock = this.#termTable[place * 2 + 1] as number;
    return new PostingsCursor(new SegmentReader(this.#data, this.countAt(place), firstBlock), block);
  }

  /** True when the kernels can read the key's list: not where it is a word's own. */
  isForKernels(key: string): boolean {
    const place = this.#placeOf(key);
    return place === NOWHERE || place >= 0;
  }

  /** For the kernels; null when no row holds the key. */
  listOf(key: string): StoredList | null {
    const place = this.#placeOf(key);
    if (place === NOWHERE) return null;
    const count = this.countAt(place);
    const firstBlock = this.#termTable[place * 2 + 1] as number;
    const blocks = this.addresses.blocks + firstBlock * BLOCK_FIELDS * 4;
    return { count, blockCount: Math.ceil(count / BLOCK_ROWS), blocks };
  }

  #placeOf(key: string): number {
    return this.#places.get(key) ?? this.#places.set(key, this.#lookUp(key));
  }

  /** Place of the term whose list is wanted; -1 - place of a word with a list of its own; or NOWHERE. */
  #lookUp(key: string): number {
    const written = isWrittenKey(key);
    const wanted = Buffer.from(written ? wordOfKey(key) : key);
    const place = placeOf(this.terms, wanted);
    const isThere = place < this.terms.count && this.terms.compare(place, wanted) === 0;
    if (isThere && (!written || this.isWord(place))) return place;
    const word = written ? this.words.find(wanted) : -1;
    if (word < 0) return NOWHERE;
    const term = this.words.sharedTerm(word);
    return term >= 0 ? term : -1 - word;
  }
}

/** No place of a key. */
const NOWHERE = Number.NEGATIVE_INFINITY;

class SegmentTerms implements TermList {
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #table: Uint32Array;

  constructor(bytes: Uint8Array, offsets: Uint32Array, table: Uint32Array) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#table = table;
    this.count = offsets.length - 1;
  }

  at(place: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[place], this.#offsets[place + 1]);
  }

  countAt(place: number): number {
    return this.#table[place * 2] as number;
  }

  compare(place: number, other: Uint8Array): number {
    const from = this.#offsets[place] as number;
    const size = (this.#offsets[place + 1] as number) - from;
    const shared = Math.min(size, other.length);
    for (let i = 0; i < shared; i++) {
      const order = (this.#bytes[from + i] as number) - (other[i] as number);
      if (order !== 0) return order;
    }
    return size - other.length;
  }
}

type Numbers = Uint8Array | Uint16Array | Uint32Array;

interface SegmentData {
  readonly blocks: Uint32Array;
  /** As numbers of each width. */
  readonly postings: readonly Numbers[];
  readonly positions: readonly Numbers[];
}

function numbersOf({ buffer, byteOffset, length }: Uint8Array): readonly Numbers[] {
  return [
    new Uint8Array(buffer, byteOffset, length),
    new Uint16Array(buffer, byteOffset, length >> 1),
    new Uint32Array(buffer, byteOffset, length >> 2),
  ];
}

function sectionOf(sections: ReadonlyMap<string, Uint8Array>, name: string): Uint8Array {
  const section = sections.get(name);
  if (section) return section;
  throw new SqlError('index_corrupted', `section "${name}" of a keyword index is missing`);
}

class SegmentReader implements PostingsReader {
  readonly count: number;
  readonly blockCount: number;
  readonly #data: SegmentData;
  readonly #firstBlock: number;

  constructor(data: SegmentData, count: number, firstBlock: number) {
    this.#data = data;
    this.count = count;
    this.#firstBlock = firstBlock;
    this.blockCount = Math.ceil(count / BLOCK_ROWS);
  }

  lastRow(block: number): number {
    return this.#field(block, BLOCK_FIELD.lastRow);
  }

  saturationOf(block: number | null, norm: LengthNorm): number {
    const entry = block ?? (this.blockCount > 1 ? this.blockCount : 0);
    let largest = 0;
    for (let i = 0; i < IMPACTS; i++) {
      const frequency = this.#field(entry, BLOCK_FIELD.impacts + 2 * i);
      if (frequency === 0) break;
      const value = saturation(norm, frequency, this.#field(entry, BLOCK_FIELD.impacts + 2 * i + 1));
      if (value > largest) largest = value;
    }
    return largest;
  }

  readRows(block: number, into: Uint32Array): number {
    const size = this.#sizeOf(block);
    const width = this.#field(block, BLOCK_FIELD.widths) & 255;
    const base = block === 0 ? 0 : this.lastRow(block - 1) + 1;
    const from = this.#field(block, BLOCK_FIELD.postings) >>> width;
    const numbers = this.#data.postings[width] as Numbers;
    for (let i = 0; i < size; i++) into[i] = base + (numbers[from + i] as number);
    return size;
  }

  readFrequencies(block: number, into: Uint32Array): void {
    const size = this.#sizeOf(block);
    const widths = this.#field(block, BLOCK_FIELD.widths);
    const width = (widths >> 8) & 255;
    const rowBytes = ((size << (widths & 255)) + 3) & ~3;
    const from = (this.#field(block, BLOCK_FIELD.postings) + rowBytes) >>> width;
    const numbers = this.#data.postings[width] as Numbers;
    for (let i = 0; i < size; i++) into[i] = numbers[from + i] as number;
  }

  readPositions(
    { block, at }: { block: number; at: number },
    frequencies: Uint32Array,
    into: number[],
  ): void {
    const width = this.#field(block, BLOCK_FIELD.widths) >> 24;
    const numbers = this.#data.positions[width] as Numbers;
    let from = this.#field(block, BLOCK_FIELD.positions) >>> width;
    for (let row = 0; row < at; row++) from += frequencies[row] as number;
    const frequency = frequencies[at] as number;
    into.length = 0;
    for (let i = 0; i < frequency; i++) into.push(numbers[from + i] as number);
  }

  #sizeOf(block: number): number {
    return Math.min(BLOCK_ROWS, this.count - block * BLOCK_ROWS);
  }

  #field(block: number, field: number): number {
    return this.#data.blocks[(this.#firstBlock + block) * BLOCK_FIELDS + field] as number;
  }
}
