/**
 * The inverted index of the head: lists that grow at their end, one per term, and one per word as written that does
 * not stand for a term by itself. Searches that began before an append see its rows too, but all lie at or above
 * their limit.
 */
import { type LengthNorm, saturation } from './bm25.ts';
import type { Term } from '../../language/analyse.ts';
import {
  BLOCK_ROWS,
  END,
  type FieldStatistics,
  type InvertedIndex,
  PostingsCursor,
  type PostingsReader,
  placeOf,
  type TermList,
  type WordList,
} from './postings.ts';
import { isWrittenKey, wordOfKey } from './words/written-key.ts';

/** The rows of one term or word. */
class GrowingList {
  readonly rows: number[] = [];
  /** Occurrences up to and with each row. */
  readonly ends: number[] = [];
  /** Positions of all occurrences. */
  readonly positions: number[] = [];
  /** By block: the largest frequency and the shortest field. */
  readonly largestFrequencies: number[] = [];
  readonly shortestLengths: number[] = [];

  /** @param length terms of the row. @returns whether the row is new. */
  add(row: number, position: number, length: number): boolean {
    const { rows, ends } = this;
    let last = rows.length - 1;
    const isNew = rows[last] !== row;
    const before = (isNew ? ends[last] : ends[last - 1]) ?? 0;
    if (isNew) {
      last = rows.push(row) - 1;
      ends.push(before);
    }
    this.positions.push(position);
    const end = (ends[last] as number) + 1;
    ends[last] = end;
    const block = Math.floor(last / BLOCK_ROWS);
    const { largestFrequencies, shortestLengths } = this;
    largestFrequencies[block] = Math.max(largestFrequencies[block] ?? 0, end - before);
    shortestLengths[block] = Math.min(shortestLengths[block] ?? END, length);
    return isNew;
  }

  copy(): GrowingList {
    const copy = new GrowingList();
    append(copy.rows, this.rows);
    append(copy.ends, this.ends);
    append(copy.positions, this.positions);
    append(copy.largestFrequencies, this.largestFrequencies);
    append(copy.shortestLengths, this.shortestLengths);
    return copy;
  }
}

/** A spread argument has bounds. */
function append(into: number[], values: readonly number[]): void {
  for (const value of values) into.push(value);
}

interface GrowingTerm {
  readonly list: GrowingList;
  /** The one word that stands for it so far, and shares its list; '': there are several. */
  word: string;
}

/** A word as written that is not spelt as the term whose list it shares. */
interface GrowingWord {
  list: GrowingList;
  /** The term whose list it shares; null: the list is its own. */
  term: string | null;
}

type Occurrence = Pick<Term, 'term' | 'written' | 'position'>;

export class HeadIndex implements InvertedIndex {
  readonly #lists = new Map<string, GrowingTerm>();
  readonly #written = new Map<string, GrowingWord>();
  readonly #terms = new SortedTexts();
  readonly #words = new SortedTexts();
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

  /** Adds the next row. @param words with stop words, whose term is ''. */
  add(words: readonly Occurrence[]): void {
    const row = this.#rowCount;
    if (row === this.#lengths.length) this.#growLengths();
    let length = 0;
    for (const { term } of words) if (term !== '') length++;
    this.#lengths[row] = length;
    for (const { term, written, position } of words) {
      const held = term === '' ? null : this.#termOf(term);
      if (held === null || held.word !== written || written === '') {
        this.#addWritten(held, { term, written, position }, length);
      }
      if (held?.list.add(row, position, length)) this.#bytes += 16;
    }
    this.#bytes += length * 8;
    if (length > 0) this.#documents++;
    this.#length += length;
    this.#rowCount++;
  }

  get lengths(): Uint32Array {
    return this.#lengths;
  }

  countOf(key: string): number {
    return this.#listOf(key)?.rows.length ?? 0;
  }

  cursor(key: string, block = new Uint32Array(2 * BLOCK_ROWS)): PostingsCursor | null {
    const list = this.#listOf(key);
    return list ? new PostingsCursor(new HeadReader(list), block) : null;
  }

  #listOf(key: string): GrowingList | undefined {
    if (!isWrittenKey(key)) return this.#lists.get(key)?.list;
    const word = wordOfKey(key);
    const spelt = this.#lists.get(word);
    return spelt?.word === word ? spelt.list : this.#written.get(word)?.list;
  }

  /** Sorted when asked for: new terms are merged with those sorted before. */
  get terms(): TermList {
    const { entries } = this.#terms;
    return {
      ...placesOf(entries),
      countAt: (place) => this.countOf((entries[place] as SortedText).text),
    };
  }

  isWord(place: number): boolean {
    const { text } = this.#terms.entries[place] as SortedText;
    return this.#lists.get(text)?.word === text;
  }

  get words(): WordList {
    const { entries } = this.#words;
    const held = (place: number): GrowingWord =>
      this.#written.get((entries[place] as SortedText).text) as GrowingWord;
    return {
      ...placesOf(entries),
      countAt: (place) => held(place).list.rows.length,
      sharedTerm: (place) => {
        const { term } = held(place);
        return term === null ? -1 : placeOf(this.terms, Buffer.from(term));
      },
      cursor: (place) =>
        new PostingsCursor(new HeadReader(held(place).list), new Uint32Array(2 * BLOCK_ROWS)),
    };
  }

  #termOf(term: string): GrowingTerm {
    let held = this.#lists.get(term);
    if (held === undefined) {
      held = { list: new GrowingList(), word: '' };
      this.#lists.set(term, held);
      this.#terms.add(term);
      this.#bytes += 200 + term.length * 2;
    }
    return held;
  }

  /** An occurrence of a word, before that of its term. @param held its term; null: a stop word. */
  #addWritten(held: GrowingTerm | null, occurrence: Occurrence, length: number): void {
    const { written, position } = occurrence;
    let word = this.#written.get(written);
    if (word === undefined || word.term !== null || (held !== null && held.word !== '')) {
      if (this.#shares(held, occurrence)) return;
      word = written === '' ? undefined : this.#written.get(written);
      word ??= written === '' ? undefined : this.#setWritten(written, new GrowingList(), null);
    }
    if (word?.list.add(this.#rowCount, position, length)) this.#bytes += 16;
    this.#bytes += 8;
  }

  /** True when a word can have the list of its term, which is new; else whatever shared these lists stops doing so. */
  #shares(held: GrowingTerm | null, { term, written }: Occurrence): boolean {
    const spelt = this.#lists.get(written);
    const word = this.#written.get(written);
    const isFirst = held !== null && held.list.rows.length === 0;
    if (isFirst && written !== '' && word === undefined && spelt?.word !== written) {
      held.word = written;
      if (written !== term) this.#setWritten(written, held.list, term);
      return true;
    }
    if (held !== null) this.#unshare(held);
    if (spelt?.word === written) this.#unshare(spelt);
    const sharing = word?.term ?? null;
    if (sharing !== null) this.#unshare(this.#termOf(sharing));
    return false;
  }

  #setWritten(written: string, list: GrowingList, term: string | null): GrowingWord {
    const word = { list, term };
    this.#written.set(written, word);
    this.#words.add(written);
    this.#bytes += 200 + written.length * 2;
    return word;
  }

  /** The term's only word gets a list of its own, with the rows so far. */
  #unshare(held: GrowingTerm): void {
    const { word: written } = held;
    if (written === '') return;
    held.word = '';
    const list = held.list.copy();
    this.#bytes += 16 * list.rows.length + 8 * list.positions.length;
    const word = this.#written.get(written);
    if (word === undefined) this.#setWritten(written, list, null);
    else Object.assign(word, { list, term: null });
  }

  #growLengths(): void {
    const larger = new Uint32Array(this.#lengths.length * 2);
    larger.set(this.#lengths);
    this.#lengths = larger;
  }
}

interface SortedText {
  readonly text: string;
  readonly bytes: Uint8Array;
}

/** Distinct texts in bytewise order. */
class SortedTexts {
  #sorted: readonly SortedText[] = [];
  #added: SortedText[] = [];

  add(text: string): void {
    this.#added.push({ text, bytes: Buffer.from(text) });
  }

  get entries(): readonly SortedText[] {
    if (this.#added.length > 0) {
      this.#sorted = mergeSorted(
        this.#sorted,
        this.#added.sort((a, b) => Buffer.compare(a.bytes, b.bytes)),
      );
      this.#added = [];
    }
    return this.#sorted;
  }
}

function placesOf(entries: readonly SortedText[]): Pick<TermList, 'count' | 'at' | 'compare'> {
  const at = (place: number): Uint8Array => (entries[place] as SortedText).bytes;
  return { count: entries.length, at, compare: (place, other) => Buffer.compare(at(place), other) };
}

function mergeSorted(a: readonly SortedText[], b: readonly SortedText[]): SortedText[] {
  const merged: SortedText[] = [];
  let j = 0;
  for (const entry of a) {
    while (j < b.length && Buffer.compare((b[j] as SortedText).bytes, entry.bytes) < 0) {
      merged.push(b[j++] as SortedText);
    }
    merged.push(entry);
  }
  while (j < b.length) merged.push(b[j++] as SortedText);
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
