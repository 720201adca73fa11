/**
 * Trigram index of a text column: for each trigram the rows that have it, ascending, as differences in
 * variable-length integers. It says which rows may contain a text (Zobel, Moffat and Sacks-Davis, "Searching
 * Large Lexicons for Partially Specified Terms", VLDB 1993; PostgreSQL's pg_trgm); whoever asks looks.
 */
import { firstNot } from '../../binary-search.ts';
import { assert } from '../../assert.ts';
import type { TextNeed, WordTrigrams } from '../../types/text/text-piece.ts';
import { asUint32, shareBytes } from '../shared-bytes.ts';
import type { ColumnRows, HeadStructure, Structure, StructureInput, StructureMethod } from '../structure.ts';
import { forEachIndexed, forEachTrigram, trigramsOf } from './text.ts';

/** Lists that are intersected; further ones hardly take rows away. */
const LISTS_MAX = 8;

/** Rows of one trigram. */
interface Postings {
  readonly bytes: Uint8Array;
  readonly size: number;
}

/** Calls back with each row. */
function forEachRow({ bytes, size }: Postings, each: (row: number) => void): void {
  let row = -1;
  for (let at = 0; at < size; ) {
    let delta = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      delta |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    row += delta;
    each(row);
  }
}

class GrowingPostings implements Postings {
  bytes = new Uint8Array(4);
  size = 0;
  #last = -1;

  /** @param row not below the last one; adding that again does nothing. */
  add(row: number): void {
    let delta = row - this.#last;
    if (delta === 0) return;
    this.#last = row;
    if (this.size + 5 > this.bytes.length) {
      const grown = new Uint8Array(2 * this.bytes.length + 5);
      grown.set(this.bytes);
      this.bytes = grown;
    }
    for (; delta > 127; delta >>>= 7) this.bytes[this.size++] = (delta & 127) | 128;
    this.bytes[this.size++] = delta;
  }
}

abstract class Trigrams implements Structure {
  readonly kind = 'trigrams';
  abstract readonly rowCount: number;
  abstract readonly bytes: number;
  abstract postings(trigram: number): Postings | null;
  abstract sections(): ReadonlyMap<string, Uint8Array>;
  abstract release(): void;

  containing(needs: readonly TextNeed[]): Uint32Array | null {
    const alike = needs.flatMap((need) => ('trigrams' in need ? [this.#resembling(need)] : []));
    const withPieces = this.#withPieces(needs);
    const [first, ...others] = withPieces === null ? alike : [withPieces, ...alike];
    return first === undefined ? null : others.reduce(inBoth, first);
  }

  /** Ascending. */
  #resembling({ trigrams, least }: WordTrigrams): Uint32Array {
    const lists = trigrams.flatMap((trigram) => this.#rarest(trigram) ?? []);
    if (lists.length < least) return new Uint32Array(0);
    const counts = new Uint16Array(this.rowCount);
    for (const list of lists) {
      forEachRow(list, (row) => {
        counts[row] = (counts[row] as number) + 1;
      });
    }
    const rows: number[] = [];
    for (let row = 0; row < counts.length; row++) if ((counts[row] as number) >= least) rows.push(row);
    return Uint32Array.from(rows);
  }

  /** The shortest list among those of a word's trigram; null: no row has it. */
  #rarest(trigram: string): Postings | null {
    let rarest: Postings | null = null;
    let isThere = true;
    forEachTrigram(trigram, (bytes) => {
      const list = this.postings(bytes);
      if (list === null) isThere = false;
      else if (rarest === null || list.size < rarest.size) rarest = list;
    });
    return isThere ? rarest : null;
  }

  #withPieces(needs: readonly TextNeed[]): Uint32Array | null {
    const trigrams = new Set(needs.flatMap((need) => ('text' in need ? [...trigramsOf(need)] : [])));
    if (trigrams.size === 0) return null;
    const lists: Postings[] = [];
    for (const trigram of trigrams) {
      const list = this.postings(trigram);
      if (list === null) return new Uint32Array(0);
      lists.push(list);
    }
    lists.sort((a, b) => a.size - b.size);
    return this.#common(lists.slice(0, LISTS_MAX));
  }

  /** Rows of the first list that are in all others. */
  #common([first, ...others]: readonly Postings[]): Uint32Array {
    let rows: number[] = [];
    if (first !== undefined) forEachRow(first, (row) => rows.push(row));
    for (const list of others) {
      const kept: number[] = [];
      let next = 0;
      forEachRow(list, (row) => {
        while (next < rows.length && (rows[next] as number) < row) next++;
        if (rows[next] === row) kept.push(row);
      });
      rows = kept;
    }
    return Uint32Array.from(rows);
  }

  search(): never {
    return ranksNothing();
  }

  score(): never {
    return ranksNothing();
  }
}

function inBoth(rows: Uint32Array, others: Uint32Array): Uint32Array {
  const wanted = new Set(others);
  return rows.filter((row) => wanted.has(row));
}

function ranksNothing(): never {
  assert(false, 'trigrams rank nothing');
}

/** The head's, and what a merge fills. */
class GrowingTrigrams extends Trigrams implements HeadStructure {
  readonly #lists = new Map<number, GrowingPostings>();
  #rowCount = 0;

  get rowCount(): number {
    return this.#rowCount;
  }

  get bytes(): number {
    let bytes = 0;
    for (const list of this.#lists.values()) bytes += list.bytes.length;
    return bytes;
  }

  append(input: StructureInput): void {
    assert('values' in input, 'trigrams are made of values');
    const { values } = input;
    for (let row = 0; row < values.length; row++) {
      const text = values.get(row);
      if (typeof text === 'string') this.addText(this.#rowCount + row, text);
    }
    this.#rowCount += values.length;
  }

  /** @param row not below any row before. */
  addText(row: number, text: string): void {
    forEachIndexed(text, (trigram) => this.add(row, trigram));
  }

  add(row: number, trigram: number): void {
    let list = this.#lists.get(trigram);
    if (list === undefined) {
      list = new GrowingPostings();
      this.#lists.set(trigram, list);
    }
    list.add(row);
  }

  /** Without texts in them: rows up to here. */
  reach(rowCount: number): void {
    this.#rowCount = rowCount;
  }

  postings(trigram: number): Postings | null {
    return this.#lists.get(trigram) ?? null;
  }

  *all(): Generator<readonly [trigram: number, postings: Postings]> {
    yield* this.#lists;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    const trigrams = Uint32Array.from(this.#lists.keys()).sort();
    const ends = new Uint32Array(trigrams.length);
    const lists = Array.from(trigrams, (trigram) => this.#lists.get(trigram) as GrowingPostings);
    const postings = new Uint8Array(lists.reduce((sum, { size }) => sum + size, 0));
    let end = 0;
    for (const [i, { bytes, size }] of lists.entries()) {
      postings.set(bytes.subarray(0, size), end);
      end += size;
      ends[i] = end;
    }
    const bytesOf = ({ buffer }: Uint32Array): Uint8Array => new Uint8Array(buffer);
    return new Map([
      ['trigrams', bytesOf(trigrams)],
      ['ends', bytesOf(ends)],
      ['postings', postings],
    ]);
  }

  release(): void {
    this.#lists.clear();
  }
}

/** A segment's. */
class StoredTrigrams extends Trigrams {
  readonly rowCount: number;
  readonly #sections: ReadonlyMap<string, Uint8Array>;
  readonly #trigrams: Uint32Array;
  readonly #ends: Uint32Array;
  readonly #postings: Uint8Array;

  constructor(sections: ReadonlyMap<string, Uint8Array>, rowCount: number) {
    super();
    const section = (name: string): Uint8Array => shareBytes(sections.get(name) ?? new Uint8Array(0));
    this.rowCount = rowCount;
    this.#sections = sections;
    this.#trigrams = asUint32(section('trigrams'));
    this.#ends = asUint32(section('ends'));
    this.#postings = section('postings');
  }

  get bytes(): number {
    return this.#trigrams.byteLength + this.#ends.byteLength + this.#postings.length;
  }

  postings(trigram: number): Postings | null {
    const trigrams = this.#trigrams;
    const place = firstNot(0, trigrams.length, (at) => (trigrams[at] as number) < trigram);
    return trigrams[place] === trigram ? this.#at(place) : null;
  }

  #at(place: number): Postings {
    const start = place === 0 ? 0 : (this.#ends[place - 1] as number);
    const bytes = this.#postings.subarray(start, this.#ends[place] as number);
    return { bytes, size: bytes.length };
  }

  *all(): Generator<readonly [trigram: number, postings: Postings]> {
    for (const [place, trigram] of this.#trigrams.entries()) yield [trigram, this.#at(place)];
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    return this.#sections;
  }

  release(): void {}
}

/** A part that is older than the index: nothing is known of its rows until the merge worker has read them. */
class UnreadTrigrams extends Trigrams {
  readonly bytes = 0;
  readonly column: ColumnRows;

  constructor(column: ColumnRows) {
    super();
    this.column = column;
  }

  get rowCount(): number {
    return this.column.rowCount;
  }

  override containing(): null {
    return null;
  }

  postings(): null {
    return null;
  }

  sections(): ReadonlyMap<string, Uint8Array> {
    return new Map();
  }

  release(): void {}
}

export const TRIGRAMS: StructureMethod = {
  dimensioned: false,
  // 2: with blanks around words.
  format: 2,
  head: () => new GrowingTrigrams(),
  ofColumn: (_, column) => new UnreadTrigrams(column),
  load: (_, sections, rowCount) => new StoredTrigrams(sections, rowCount),

  merge(_, inputs, rowCount) {
    const merged = new GrowingTrigrams();
    for (const { structure, rowMap } of inputs) {
      if (structure instanceof UnreadTrigrams) {
        const { column } = structure;
        for (const [row, to] of rowMap.entries()) {
          if (to >= 0 && !column.isNull(row)) merged.addText(to, column.value(row) as string);
        }
        continue;
      }
      const known = structure instanceof StoredTrigrams || structure instanceof GrowingTrigrams;
      assert(known, 'trigrams merge with their like');
      for (const [trigram, postings] of structure.all()) {
        forEachRow(postings, (row) => {
          const to = rowMap[row] as number;
          if (to >= 0) merged.add(to, trigram);
        });
      }
    }
    merged.reach(rowCount);
    return merged;
  },

  prepare: ranksNothing,
};
