/**
 * The best rows of one part for a keyword query. Any term: MaxScore with block maxima, which reads the lists
 * of terms too weak to lift a row over the k-th score only where a stronger term already stands. All terms
 * and phrases: the lists leap over each other, the rarest first.
 *
 * Sources: Turtle and Flood, "Query Evaluation: Strategies and Optimizations" (1995); Ding and Suel, "Faster
 * Top-k Document Retrieval Using Block-Max Indexes" (2011).
 */
import { hasBit, nextBit } from '../types/bitset.ts';
import { type LengthNorm, saturation } from './bm25.ts';
import type { KeywordQuery } from './keywords-query.ts';
import { phraseFrequency } from './phrase.ts';
import { END, type InvertedIndex, type PostingsCursor } from './postings.ts';
import type { Hits } from './structure.ts';
import { takeTurn } from './time-slice.ts';
import { noHits, TopRows } from './top-rows.ts';

/** Rows looked at between two turns of the event loop: about 2 ms. */
const ROWS_PER_TURN = 16_384;
/** Bounds are summed in another order than scores: room for rounding. */
const BOUND_SLACK = 1 + 1e-9;

interface TermCursor {
  readonly cursor: PostingsCursor;
  readonly weight: number;
  /** Largest score that any row can get from this term. */
  readonly bound: number;
  /** Score in the row last looked at. */
  value: number;
}

export interface KeywordSearch {
  readonly index: InvertedIndex;
  readonly query: KeywordQuery;
  readonly count: number;
  readonly mask: Uint32Array | null;
  /** Rows the mask lets through, at most. */
  readonly wanted: number;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export async function searchKeywords(search: KeywordSearch): Promise<Hits> {
  const { index, query, count, wanted } = search;
  const cursors = openCursors(index, query);
  const missing = query.mode !== 'any' && cursors.length < query.terms.length;
  if (cursors.length === 0 || missing || count <= 0 || wanted === 0) return noHits('no terms');
  const top = new TopRows(Math.min(count, wanted, postingsOf(cursors)));
  const few = search.mask !== null && wanted * 8 < postingsOf(cursors);
  if (few) {
    await searchMask(search, top);
    return top.hits('mask');
  }
  if (query.mode !== 'any') {
    await searchAll(search, cursors, top);
    return top.hits(query.mode === 'phrase' ? 'phrase' : 'conjunction');
  }
  const prunable = cursors.every(({ weight }) => weight >= 0);
  await searchAny(search, cursors, top, prunable);
  return top.hits(prunable ? 'maxscore' : 'union');
}

function postingsOf(cursors: readonly TermCursor[]): number {
  return cursors.reduce((sum, { cursor }) => sum + cursor.count, 0);
}

/** In the order of the query's terms, which is the order scores are summed in, always. */
function openCursors(index: InvertedIndex, query: KeywordQuery): TermCursor[] {
  return query.terms.flatMap(({ term, weight }) => {
    const cursor = index.cursor(term);
    if (cursor === null) return [];
    const bound = boundOf(query.norm, weight, cursor);
    return [{ cursor, weight, bound, value: 0 }];
  });
}

function boundOf(
  norm: LengthNorm,
  weight: number,
  block: { readonly largestFrequency: number; readonly shortestLength: number },
): number {
  return weight * saturation(norm, block.largestFrequency, block.shortestLength) * BOUND_SLACK;
}

/** Scores rows that come in ascending order; NaN: no match. */
export class RowScorer {
  readonly #index: InvertedIndex;
  readonly #query: KeywordQuery;
  readonly #cursors: readonly TermCursor[];

  constructor(index: InvertedIndex, query: KeywordQuery, cursors = openCursors(index, query)) {
    this.#index = index;
    this.#query = query;
    this.#cursors = cursors;
  }

  score(row: number): number {
    const { mode, terms, norm } = this.#query;
    if (this.#cursors.length === 0) return Number.NaN;
    if (mode !== 'any' && this.#cursors.length < terms.length) return Number.NaN;
    let matched = 0;
    for (const { cursor } of this.#cursors) {
      cursor.seek(row);
      if (cursor.row === row) matched++;
    }
    if (matched === 0 || (mode !== 'any' && matched < terms.length)) return Number.NaN;
    const length = this.#index.lengthOf(row);
    if (mode === 'phrase') return this.#scorePhrase(length);
    let score = 0;
    for (const { cursor, weight } of this.#cursors) {
      if (cursor.row === row) score += weight * saturation(norm, cursor.frequency(), length);
    }
    return score;
  }

  #scorePhrase(length: number): number {
    const { phrase, norm } = this.#query;
    if (phrase === null) return Number.NaN;
    const found = this.#cursors.map(({ cursor }) => cursor.positions());
    const positions = phrase.places.map(({ term }) => found[term] ?? []);
    const offsets = phrase.places.map(({ offset }) => offset);
    const frequency = phraseFrequency(positions, offsets, phrase.slop);
    return frequency === 0 ? Number.NaN : phrase.weight * saturation(norm, frequency, length);
  }
}

async function searchMask(search: KeywordSearch, top: TopRows): Promise<void> {
  const { index, query, limit, signal } = search;
  const mask = search.mask ?? new Uint32Array(0);
  const scorer = new RowScorer(index, query);
  let left = ROWS_PER_TURN;
  for (let row = nextBit(mask, 0, limit); row < limit; row = nextBit(mask, row + 1, limit)) {
    const score = scorer.score(row);
    if (!Number.isNaN(score)) top.push(row, score);
    if (--left > 0) continue;
    await takeTurn(signal);
    left = ROWS_PER_TURN;
  }
}

async function searchAll(search: KeywordSearch, cursors: readonly TermCursor[], top: TopRows): Promise<void> {
  const { index, query, mask, limit, signal } = search;
  const scorer = new RowScorer(index, query, [...cursors]);
  const [lead, ...others] = cursors.map(({ cursor }) => cursor).sort((a, b) => a.count - b.count);
  if (lead === undefined) return;
  let left = ROWS_PER_TURN;
  while (lead.row < limit) {
    const { row } = lead;
    const further = leap(others, row);
    if (further > row) {
      lead.seek(further);
    } else {
      const score = mask === null || hasBit(mask, row) ? scorer.score(row) : Number.NaN;
      if (!Number.isNaN(score)) top.push(row, score);
      lead.next();
    }
    if (--left > 0) continue;
    await takeTurn(signal);
    left = ROWS_PER_TURN;
  }
}

/** `row` when all cursors stand there, else a later row before which they cannot meet. */
function leap(cursors: readonly PostingsCursor[], row: number): number {
  for (const cursor of cursors) {
    cursor.seek(row);
    if (cursor.row > row) return cursor.row;
  }
  return row;
}

async function searchAny(
  search: KeywordSearch,
  cursors: readonly TermCursor[],
  top: TopRows,
  prunable: boolean,
): Promise<void> {
  const scan = new MaxScore(search, cursors, top, prunable);
  while (!scan.run(ROWS_PER_TURN)) await takeTurn(search.signal);
}

class MaxScore {
  readonly #search: KeywordSearch;
  /** In the query's order, and by ascending bound. */
  readonly #cursors: readonly TermCursor[];
  readonly #byBound: readonly TermCursor[];
  /** Sum of the bounds up to and with each cursor of `#byBound`. */
  readonly #sums: Float64Array;
  readonly #top: TopRows;
  readonly #prunable: boolean;
  /** Cursors of `#byBound` before this one cannot lift a row over the threshold together. */
  #firstEssential = 0;

  constructor(search: KeywordSearch, cursors: readonly TermCursor[], top: TopRows, prunable: boolean) {
    this.#search = search;
    this.#cursors = cursors;
    this.#byBound = [...cursors].sort((a, b) => a.bound - b.bound);
    this.#sums = new Float64Array(cursors.length);
    let sum = 0;
    for (const [i, { bound }] of this.#byBound.entries()) this.#sums[i] = sum += bound;
    this.#top = top;
    this.#prunable = prunable;
  }

  /** Looks at up to `rows` rows. @returns true when done. */
  run(rows: number): boolean {
    const { mask, limit } = this.#search;
    for (let left = rows; left > 0; left--) {
      const row = this.#nextRow();
      if (row >= limit) return true;
      if (mask !== null && !hasBit(mask, row)) {
        this.#advance(row);
        continue;
      }
      if (this.#skipBlock(row)) continue;
      if (this.#mayEnter(row)) {
        this.#top.push(row, this.#score(row));
        this.#raise();
        if (this.#firstEssential === this.#byBound.length) return true;
      }
      this.#advance(row);
    }
    return false;
  }

  #nextRow(): number {
    let row = END;
    for (let i = this.#firstEssential; i < this.#byBound.length; i++) {
      const own = (this.#byBound[i] as TermCursor).cursor.row;
      if (own < row) row = own;
    }
    return row;
  }

  #advance(row: number): void {
    for (let i = this.#firstEssential; i < this.#byBound.length; i++) {
      const { cursor } = this.#byBound[i] as TermCursor;
      if (cursor.row === row) cursor.next();
    }
  }

  /** With one essential term left, a block of it that is too weak is passed over whole. */
  #skipBlock(row: number): boolean {
    if (!this.#prunable || !this.#top.full || this.#firstEssential !== this.#byBound.length - 1) return false;
    const term = this.#byBound[this.#firstEssential] as TermCursor;
    const block = term.cursor.blockAt(row);
    if (block === null) return false;
    const others = this.#firstEssential > 0 ? (this.#sums[this.#firstEssential - 1] as number) : 0;
    if (others + boundOf(this.#search.query.norm, term.weight, block) > this.#top.threshold) return false;
    term.cursor.seek(block.lastRow + 1);
    return true;
  }

  /** Moves the weak terms to `row` as long as it may still beat the threshold; false: it cannot. */
  #mayEnter(row: number): boolean {
    const { norm } = this.#search.query;
    const length = this.#search.index.lengthOf(row);
    let known = 0;
    for (let i = this.#firstEssential; i < this.#byBound.length; i++) {
      const term = this.#byBound[i] as TermCursor;
      if (term.cursor.row === row) known += this.#evaluate(term, length);
    }
    for (let i = this.#firstEssential - 1; i >= 0; i--) {
      const term = this.#byBound[i] as TermCursor;
      const { threshold } = this.#top;
      if (known * BOUND_SLACK + (this.#sums[i] as number) <= threshold) return false;
      if (term.cursor.row < row) {
        const block = term.cursor.blockAt(row);
        const below = i > 0 ? (this.#sums[i - 1] as number) : 0;
        const own = block === null ? 0 : boundOf(norm, term.weight, block);
        if (known * BOUND_SLACK + own + below <= threshold) return false;
        term.cursor.seek(row);
      }
      if (term.cursor.row === row) known += this.#evaluate(term, length);
    }
    return true;
  }

  #evaluate(term: TermCursor, length: number): number {
    term.value = term.weight * saturation(this.#search.query.norm, term.cursor.frequency(), length);
    return term.value;
  }

  /** In the query's order, so that every way of scoring gives the same bits. */
  #score(row: number): number {
    let score = 0;
    for (const { cursor, value } of this.#cursors) if (cursor.row === row) score += value;
    return score;
  }

  #raise(): void {
    if (!this.#prunable || !this.#top.full) return;
    while (
      this.#firstEssential < this.#byBound.length &&
      (this.#sums[this.#firstEssential] as number) <= this.#top.threshold
    ) {
      this.#firstEssential++;
    }
  }
}
