/**
 * The inverted index of the head: a list per term that grows at its end. Searches that began before an
 * append see its rows too, but all lie at or above their limit.
 */
import type { FieldStatistics, InvertedIndex, PostingsCursor, BlockBounds } from './postings.ts';
import { END } from './postings.ts';

interface TermList {
  readonly rows: number[];
  /** Where the positions of each row end in `positions`. */
  readonly ends: number[];
  readonly positions: number[];
  largestFrequency: number;
  shortestLength: number;
}

export class HeadIndex implements InvertedIndex {
  readonly #lists = new Map<string, TermList>();
  #lengths = new Uint32Array(256);
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

  lengthOf(row: number): number {
    return this.#lengths[row] ?? 0;
  }

  cursor(term: string): PostingsCursor | null {
    const list = this.#lists.get(term);
    return list ? new HeadCursor(list) : null;
  }

  *terms(): Iterable<Uint8Array> {
    yield* Array.from(this.#lists.keys(), (term) => Buffer.from(term)).sort(Buffer.compare);
  }

  #listOf(term: string): TermList {
    let list = this.#lists.get(term);
    if (list === undefined) {
      list = { rows: [], ends: [], positions: [], largestFrequency: 0, shortestLength: END };
      this.#lists.set(term, list);
      this.#bytes += 200 + term.length * 2;
    }
    return list;
  }

  /** @param length terms of the row. */
  #addOccurrence(list: TermList, position: number, length: number): void {
    const { rows, ends, positions } = list;
    let last = rows.length - 1;
    positions.push(position);
    if (rows[last] === this.#rowCount) ends[last] = positions.length;
    else {
      last = rows.push(this.#rowCount) - 1;
      ends.push(positions.length);
      if (length < list.shortestLength) list.shortestLength = length;
      this.#bytes += 16;
    }
    const frequency = positions.length - (last > 0 ? (ends[last - 1] as number) : 0);
    if (frequency > list.largestFrequency) list.largestFrequency = frequency;
  }

  #growLengths(): void {
    const larger = new Uint32Array(this.#lengths.length * 2);
    larger.set(this.#lengths);
    this.#lengths = larger;
  }
}

class HeadCursor implements PostingsCursor {
  row: number;
  readonly #list: TermList;
  #at = 0;

  constructor(list: TermList) {
    this.#list = list;
    this.row = list.rows[0] ?? END;
  }

  get count(): number {
    return this.#list.rows.length;
  }

  get largestFrequency(): number {
    return this.#list.largestFrequency;
  }

  get shortestLength(): number {
    return this.#list.shortestLength;
  }

  frequency(): number {
    return (this.#list.ends[this.#at] as number) - (this.#list.ends[this.#at - 1] ?? 0);
  }

  positions(): readonly number[] {
    return this.#list.positions.slice(this.#list.ends[this.#at - 1] ?? 0, this.#list.ends[this.#at]);
  }

  next(): void {
    this.row = this.#list.rows[++this.#at] ?? END;
  }

  /** Gallops, then halves: a seek costs the logarithm of its distance. */
  seek(row: number): void {
    if (this.row >= row) return;
    const { rows } = this.#list;
    let step = 1;
    let low = this.#at;
    while ((rows[low + step] ?? END) < row) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, rows.length);
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((rows[middle] as number) < row) low = middle + 1;
      else high = middle;
    }
    this.#at = low;
    this.row = rows[low] ?? END;
  }

  blockAt(row: number): BlockBounds | null {
    const lastRow = this.#list.rows.at(-1) ?? END;
    if (row > lastRow) return null;
    const { largestFrequency, shortestLength } = this.#list;
    return { lastRow, largestFrequency, shortestLength };
  }
}
