/**
 * The inverted index of the head: a list per term that grows at its end. Searches that began before an
 * append see its rows too, but all lie at or above their limit.
 */
import { type LengthNorm, saturation } from './bm25.ts';
import {
  BLOCK_ROWS,
  END,
  type FieldStatistics,
  type InvertedIndex,
  PostingsCursor,
  type PostingsReader,
  type TermList,
} from './postings.ts';

interface GrowingList {
  readonly rows: number[];
  /** Where the positions of each row end in `positions`. */
  readonly ends: number[];
  readonly positions: number[];
  /** By block: the largest frequency and the shortest field. */
  readonly largestFrequencies: number[];
  readonly shortestLengths: number[];
}

export class HeadIndex implements InvertedIndex {
  readonly #lists = new Map<string, GrowingList>();
  #lengths = new Uint32Array(256);
  #terms: readonly Uint8Array[] = [];
  /** Terms that `#terms` lacks. */
  #newTerms: Uint8Array[] = [];
  #rowCount = 0;
  #documents = 0;
  #length = 0;
  #bytes = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  /** An estimate: JavaScript arrays do not tell. */
  get bytes(): number {
    return this.#bytes + this.#lengths.byteLength;
  }

  get statistics(): FieldStatistics {
    return { documents: this.#documents, length: this.#length };
  }

  /** Adds the next row. */
  add(terms: readonly { readonly term: string; readonly position: number }[]): void {
    const row = this.#rowCount;
    if (row === this.#lengths.length) this.#growLengths();
    this.#lengths[row] = terms.length;
    for (const { term, position } of terms) this.#addOccurrence(this.#listOf(term), position, terms.length);
    this.#bytes += terms.length * 8;
    if (terms.length > 0) this.#documents++;
    this.#length += terms.length;
    this.#rowCount++;
  }

  get lengths(): Uint32Array {
    return this.#lengths;
  }

  countOf(term: string): number {
    return this.#lists.get(term)?.rows.length ?? 0;
  }

  cursor(term: string, block = new Uint32Array(2 * BLOCK_ROWS)): PostingsCursor | null {
    const list = this.#lists.get(term);
    return list ? new PostingsCursor(new HeadReader(list), block) : null;
  }

  /** Sorted when asked for: new terms are merged with those sorted before. */
  get terms(): TermList {
    if (this.#newTerms.length > 0) {
      this.#terms = mergeSorted(this.#terms, this.#newTerms.sort(Buffer.compare));
      this.#newTerms = [];
    }
    const terms = this.#terms;
    return {
      count: terms.length,
      at: (place) => terms[place] as Uint8Array,
      compare: (place, other) => Buffer.compare(terms[place] as Uint8Array, other),
    };
  }

  #listOf(term: string): GrowingList {
    let list = this.#lists.get(term);
    if (list === undefined) {
      list = { rows: [], ends: [], positions: [], largestFrequencies: [], shortestLengths: [] };
      this.#lists.set(term, list);
      this.#newTerms.push(Buffer.from(term));
      this.#bytes += 200 + term.length * 2;
    }
    return list;
  }

  /** @param length terms of the row. */
  #addOccurrence(list: GrowingList, position: number, length: number): void {
    const { rows, ends, positions } = list;
    let last = rows.length - 1;
    positions.push(position);
    if (rows[last] === this.#rowCount) ends[last] = positions.length;
    else {
      last = rows.push(this.#rowCount) - 1;
      ends.push(positions.length);
      this.#bytes += 16;
    }
    const frequency = positions.length - (last > 0 ? (ends[last - 1] as number) : 0);
    const block = Math.floor(last / BLOCK_ROWS);
    list.largestFrequencies[block] = Math.max(list.largestFrequencies[block] ?? 0, frequency);
    list.shortestLengths[block] = Math.min(list.shortestLengths[block] ?? END, length);
  }

  #growLengths(): void {
    const larger = new Uint32Array(this.#lengths.length * 2);
    larger.set(this.#lengths);
    this.#lengths = larger;
  }
}

function mergeSorted(a: readonly Uint8Array[], b: readonly Uint8Array[]): Uint8Array[] {
  const merged: Uint8Array[] = [];
  let j = 0;
  for (const term of a) {
    while (j < b.length && Buffer.compare(b[j] as Uint8Array, term) < 0) merged.push(b[j++] as Uint8Array);
    merged.push(term);
  }
  while (j < b.length) merged.push(b[j++] as Uint8Array);
  return merged;
}

class HeadReader implements PostingsReader {
  readonly count: number;
  readonly blockCount: number;
  readonly #list: GrowingList;

  constructor(list: GrowingList) {
    this.#list = list;
    this.count = list.rows.length;
    this.blockCount = Math.ceil(this.count / BLOCK_ROWS);
  }

  lastRow(block: number): number {
    return this.#list.rows[Math.min(this.count, (block + 1) * BLOCK_ROWS) - 1] as number;
  }

  saturationOf(block: number | null, norm: LengthNorm): number {
    if (block === null) {
      let largest = 0;
      for (let i = 0; i < this.blockCount; i++) largest = Math.max(largest, this.saturationOf(i, norm));
      return largest;
    }
    const { largestFrequencies, shortestLengths } = this.#list;
    return saturation(norm, largestFrequencies[block] as number, shortestLengths[block] as number);
  }

  readRows(block: number, into: Uint32Array): number {
    const from = block * BLOCK_ROWS;
    const size = Math.min(BLOCK_ROWS, this.count - from);
    for (let i = 0; i < size; i++) into[i] = this.#list.rows[from + i] as number;
    return size;
  }

  readFrequencies(block: number, into: Uint32Array): void {
    const from = block * BLOCK_ROWS;
    const to = Math.min(this.count, from + BLOCK_ROWS);
    for (let i = from; i < to; i++) {
      into[i - from] = (this.#list.ends[i] as number) - (this.#list.ends[i - 1] ?? 0);
    }
  }

  readPositions({ block, at }: { block: number; at: number }, _: Uint32Array, into: number[]): void {
    const row = block * BLOCK_ROWS + at;
    const { ends, positions } = this.#list;
    into.length = 0;
    for (let i = ends[row - 1] ?? 0; i < (ends[row] as number); i++) into.push(positions[i] as number);
  }
}
