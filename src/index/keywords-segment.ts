/**
 * Reads a segment's inverted index, whose layout `keywords-writer.ts` describes. Everything stays in the
 * stored bytes; a cursor decodes one block of 128 rows at a time.
 */
import { SqlError } from '../errors.ts';
import { asUint32, shareBytes } from './byte-writer.ts';
import { BLOCK_FIELDS, BLOCK_ROWS } from './keywords-writer.ts';
import {
  type BlockBounds,
  END,
  type FieldStatistics,
  type InvertedIndex,
  type PostingsCursor,
} from './postings.ts';

const SECTIONS = ['terms', 'term-offsets', 'term-table', 'blocks', 'postings', 'positions', 'lengths'];

export class SegmentIndex implements InvertedIndex {
  readonly rowCount: number;
  readonly statistics: FieldStatistics;
  readonly sections: ReadonlyMap<string, Uint8Array>;
  readonly #terms: Uint8Array;
  readonly #termOffsets: Uint32Array;
  readonly #termTable: Uint32Array;
  readonly #lengths: Uint32Array;
  readonly #data: SegmentData;

  /** @throws SqlError XX002 when a section is missing or of the wrong size. */
  constructor(sections: ReadonlyMap<string, Uint8Array>, rowCount: number) {
    this.sections = new Map(SECTIONS.map((name) => [name, shareBytes(sectionOf(sections, name))]));
    const bytes = (name: string): Uint8Array => sectionOf(this.sections, name);
    this.#terms = bytes('terms');
    this.#termOffsets = asUint32(bytes('term-offsets'));
    this.#termTable = asUint32(bytes('term-table'));
    this.#lengths = asUint32(bytes('lengths'));
    this.rowCount = rowCount;
    this.#data = {
      blocks: asUint32(bytes('blocks')),
      postings: bytes('postings'),
      positions: bytes('positions'),
    };
    if (this.#lengths.length !== rowCount || this.#termOffsets.length !== this.#termTable.length / 2 + 1) {
      throw new SqlError('index_corrupted', 'the sections of a keyword index do not fit together');
    }
    let documents = 0;
    let length = 0;
    for (const terms of this.#lengths) {
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

  lengthOf(row: number): number {
    return this.#lengths[row] ?? 0;
  }

  cursor(term: string): PostingsCursor | null {
    const wanted = Buffer.from(term);
    let low = 0;
    let high = this.#termOffsets.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      const order = Buffer.compare(this.#termAt(middle), wanted);
      if (order === 0) return this.#cursorAt(middle);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return null;
  }

  *terms(): Iterable<Uint8Array> {
    for (let i = 0; i < this.#termOffsets.length - 1; i++) yield this.#termAt(i);
  }

  #termAt(index: number): Uint8Array {
    return this.#terms.subarray(this.#termOffsets[index], this.#termOffsets[index + 1]);
  }

  #cursorAt(index: number): PostingsCursor {
    const count = this.#termTable[index * 2] as number;
    return new SegmentCursor(this.#data, count, this.#termTable[index * 2 + 1] as number);
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

class SegmentCursor implements PostingsCursor {
  readonly count: number;
  readonly largestFrequency: number;
  readonly shortestLength: number;
  row = END;
  readonly #data: SegmentData;
  readonly #firstBlock: number;
  readonly #blockCount: number;
  #block = 0;
  #at = 0;
  #size = 0;
  readonly #rows = new Uint32Array(BLOCK_ROWS);
  readonly #frequencies = new Uint32Array(BLOCK_ROWS);
  /** Where the frequencies of the block begin; decoded when first asked for. */
  #frequenciesFrom = 0;
  #frequenciesKnown = false;

  constructor(data: SegmentData, count: number, firstBlock: number) {
    this.#data = data;
    this.count = count;
    this.#firstBlock = firstBlock;
    this.#blockCount = Math.ceil(count / BLOCK_ROWS);
    let largest = 0;
    let shortest = END;
    for (let block = 0; block < this.#blockCount; block++) {
      largest = Math.max(largest, this.#field(block, 3));
      shortest = Math.min(shortest, this.#field(block, 4));
    }
    this.largestFrequency = largest;
    this.shortestLength = shortest;
    this.#load(0);
  }

  frequency(): number {
    if (!this.#frequenciesKnown) this.#decodeFrequencies();
    return this.#frequencies[this.#at] as number;
  }

  positions(): readonly number[] {
    const { positions } = this.#data;
    let skip = 0;
    const frequency = this.frequency();
    for (let i = 0; i < this.#at; i++) skip += this.#frequencies[i] as number;
    let at = this.#field(this.#block, 2);
    while (skip > 0) if ((positions[at++] as number) < 128) skip--;
    const found: number[] = [];
    let last = 0;
    for (let i = 0; i < frequency; i++) {
      let delta = 0;
      let shift = 0;
      let byte: number;
      do {
        byte = positions[at++] as number;
        delta |= (byte & 127) << shift;
        shift += 7;
      } while (byte > 127);
      last += delta >>> 0;
      found.push(last);
    }
    return found;
  }

  next(): void {
    if (++this.#at < this.#size) this.row = this.#rows[this.#at] as number;
    else this.#load(this.#block + 1);
  }

  seek(row: number): void {
    if (this.row >= row) return;
    const block = this.#find(row);
    if (block !== this.#block) this.#load(block);
    if (this.row === END) return;
    const rows = this.#rows;
    let at = this.#at;
    while ((rows[at] as number) < row) at++;
    this.#at = at;
    this.row = rows[at] as number;
  }

  blockAt(row: number): BlockBounds | null {
    const block = this.#find(row);
    if (block >= this.#blockCount) return null;
    return {
      lastRow: this.#field(block, 0),
      largestFrequency: this.#field(block, 3),
      shortestLength: this.#field(block, 4),
    };
  }

  #field(block: number, field: number): number {
    return this.#data.blocks[(this.#firstBlock + block) * BLOCK_FIELDS + field] as number;
  }

  /** First block from the current one on whose last row is at or after `row`; gallops. */
  #find(row: number): number {
    let low = this.#block;
    let step = 1;
    while (low + step < this.#blockCount && this.#field(low + step, 0) < row) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, this.#blockCount);
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#field(middle, 0) < row) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #load(block: number): void {
    this.#block = block;
    this.#at = 0;
    this.#frequenciesKnown = false;
    if (block >= this.#blockCount) {
      this.#size = 0;
      this.row = END;
      return;
    }
    this.#size = Math.min(BLOCK_ROWS, this.count - block * BLOCK_ROWS);
    const { postings } = this.#data;
    let at = this.#field(block, 1);
    let row = block === 0 ? 0 : this.#field(block - 1, 0);
    for (let i = 0; i < this.#size; i++) {
      let byte = postings[at++] as number;
      let delta = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = postings[at++] as number;
        delta |= (byte & 127) << shift;
      }
      row += delta >>> 0;
      this.#rows[i] = row;
    }
    this.#frequenciesFrom = at;
    this.row = this.#rows[0] as number;
  }

  #decodeFrequencies(): void {
    const { postings } = this.#data;
    let at = this.#frequenciesFrom;
    for (let i = 0; i < this.#size; i++) {
      let byte = postings[at++] as number;
      let value = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) {
        byte = postings[at++] as number;
        value |= (byte & 127) << shift;
      }
      this.#frequencies[i] = value + 1;
    }
    this.#frequenciesKnown = true;
  }
}
