/**
 * Reads a segment's inverted index, whose layout `keywords-writer.ts` describes. Everything stays in the
 * stored bytes; a cursor decodes one block of 128 rows at a time.
 */
import { SqlError } from '../errors.ts';
import { type LengthNorm, saturation } from './bm25.ts';
import { asUint32, shareBytes } from './byte-writer.ts';
import { BLOCK_FIELD, BLOCK_FIELDS } from './keywords-writer.ts';
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
const SECTIONS = ['terms', 'term-offsets', 'term-table', 'blocks', 'postings', 'positions', 'lengths'];

export class SegmentIndex implements InvertedIndex {
  readonly rowCount: number;
  readonly statistics: FieldStatistics;
  readonly sections: ReadonlyMap<string, Uint8Array>;
  readonly lengths: Uint32Array;
  readonly terms: TermList;
  readonly #termTable: Uint32Array;
  readonly #data: SegmentData;
  /** Places of terms that were asked for; -1: there is no such term. */
  readonly #places = new Map<string, number>();

  /** @throws SqlError XX002 when a section is missing or of the wrong size. */
  constructor(sections: ReadonlyMap<string, Uint8Array>, rowCount: number) {
    this.sections = new Map(SECTIONS.map((name) => [name, shareBytes(sectionOf(sections, name))]));
    const bytes = (name: string): Uint8Array => sectionOf(this.sections, name);
    this.terms = new SegmentTerms(bytes('terms'), asUint32(bytes('term-offsets')));
    this.#termTable = asUint32(bytes('term-table'));
    this.lengths = asUint32(bytes('lengths'));
    this.rowCount = rowCount;
    this.#data = {
      blocks: asUint32(bytes('blocks')),
      postings: bytes('postings'),
      positions: bytes('positions'),
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
    let size = 0;
    for (const section of this.sections.values()) size += section.length;
    return size;
  }

  countOf(term: string): number {
    const place = this.#placeOf(term);
    return place < 0 ? 0 : (this.#termTable[place * 2] as number);
  }

  cursor(term: string, block = new Uint32Array(2 * BLOCK_ROWS)): PostingsCursor | null {
    const place = this.#placeOf(term);
    if (place < 0) return null;
    const count = this.#termTable[place * 2] as number;
    const firstBlock = this.#termTable[place * 2 + 1] as number;
    return new PostingsCursor(new SegmentReader(this.#data, count, firstBlock), block);
  }

  #placeOf(term: string): number {
    let place = this.#places.get(term);
    if (place === undefined) {
      const wanted = Buffer.from(term);
      place = placeOf(this.terms, wanted);
      if (place === this.terms.count || this.terms.compare(place, wanted) !== 0) place = -1;
      if (this.#places.size >= PLACES_MAX) this.#places.clear();
      this.#places.set(term, place);
    }
    return place;
  }
}

class SegmentTerms implements TermList {
  readonly count: number;
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;

  constructor(bytes: Uint8Array, offsets: Uint32Array) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.count = offsets.length - 1;
  }

  at(place: number): Uint8Array {
    return this.#bytes.subarray(this.#offsets[place], this.#offsets[place + 1]);
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

interface SegmentData {
  readonly blocks: Uint32Array;
  readonly postings: Uint8Array;
  readonly positions: Uint8Array;
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
  /** Where the frequencies of the block last read begin. */
  #frequenciesFrom = 0;
  /** Where the positions of a row begin: it saves skipping those before it again. */
  #positionsBlock = -1;
  #positionsRow = 0;
  #positionsFrom = 0;

  constructor(data: SegmentData, count: number, firstBlock: number) {
    this.#data = data;
    this.count = count;
    this.#firstBlock = firstBlock;
    this.blockCount = Math.ceil(count / BLOCK_ROWS);
  }

  lastRow(block: number): number {
    return this.#field(block, BLOCK_FIELD.lastRow);
  }

  saturationOf(block: number, norm: LengthNorm): number {
    let largest = 0;
    for (let i = 0; i < IMPACTS; i++) {
      const frequency = this.#field(block, BLOCK_FIELD.impacts + 2 * i);
      if (frequency === 0) break;
      const value = saturation(norm, frequency, this.#field(block, BLOCK_FIELD.impacts + 2 * i + 1));
      if (value > largest) largest = value;
    }
    return largest;
  }

  readRows(block: number, into: Uint32Array): number {
    const size = Math.min(BLOCK_ROWS, this.count - block * BLOCK_ROWS);
    const { postings } = this.#data;
    let at = this.#field(block, BLOCK_FIELD.postings);
    let row = block === 0 ? 0 : this.lastRow(block - 1);
    for (let i = 0; i < size; i++) {
      let byte = postings[at++] as number;
      let delta = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = postings[at++] as number;
        delta |= (byte & 127) << shift;
      }
      row += delta >>> 0;
      into[i] = row;
    }
    this.#frequenciesFrom = at;
    return size;
  }

  readFrequencies(block: number, into: Uint32Array): void {
    const size = Math.min(BLOCK_ROWS, this.count - block * BLOCK_ROWS);
    const { postings } = this.#data;
    let at = this.#frequenciesFrom;
    for (let i = 0; i < size; i++) {
      let byte = postings[at++] as number;
      let value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = postings[at++] as number;
        value |= (byte & 127) << shift;
      }
      into[i] = value + 1;
    }
  }

  readPositions(place: { block: number; at: number }, frequencies: Uint32Array, into: number[]): void {
    const { positions } = this.#data;
    let at = this.#skipPositions(place, frequencies);
    const frequency = frequencies[place.at] as number;
    let last = 0;
    into.length = 0;
    for (let i = 0; i < frequency; i++) {
      let byte = positions[at++] as number;
      let delta = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = positions[at++] as number;
        delta |= (byte & 127) << shift;
      }
      last += delta >>> 0;
      into.push(last);
    }
  }

  /** @returns where the positions of a row begin. */
  #skipPositions({ block, at }: { block: number; at: number }, frequencies: Uint32Array): number {
    if (this.#positionsBlock !== block || this.#positionsRow > at) {
      this.#positionsBlock = block;
      this.#positionsRow = 0;
      this.#positionsFrom = this.#field(block, BLOCK_FIELD.positions);
    }
    let skip = 0;
    for (let row = this.#positionsRow; row < at; row++) skip += frequencies[row] as number;
    const { positions } = this.#data;
    let from = this.#positionsFrom;
    while (skip > 0) if ((positions[from++] as number) < 128) skip--;
    this.#positionsRow = at;
    this.#positionsFrom = from;
    return from;
  }

  #field(block: number, field: number): number {
    return this.#data.blocks[(this.#firstBlock + block) * BLOCK_FIELDS + field] as number;
  }
}
