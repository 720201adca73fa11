/**
 * The best rows of one part for a keyword query: the way to find them, in slices of time.
 */
import { nextBit } from '../types/bitset.ts';
import { Conjunction, scorePhrase } from './conjunction.ts';
import { Disjunction, type WindowScores } from './disjunction.ts';
import type { KeywordQuery } from './keywords-query.ts';
import type { InvertedIndex } from './postings.ts';
import { type Hits, TIES_MAX } from './structure.ts';
import { openCursors, scoreRow, type TermCursor } from './term-cursor.ts';
import { takeTurn } from './time-slice.ts';
import { noHits, TopRows } from './top-rows.ts';

/** Rows looked at between two turns of the event loop: about 2 ms. */
const ROWS_PER_TURN = 32_768;

export interface KeywordSearch {
  readonly index: InvertedIndex;
  readonly query: KeywordQuery;
  /** Rows wanted; up to TIES_MAX more come when they score as the last one does. */
  readonly count: number;
  readonly mask: Uint32Array | null;
  /** Rows the mask lets through, at most. */
  readonly wanted: number;
  readonly limit: number;
  readonly window: WindowScores;
  readonly signal: AbortSignal;
}

export async function searchKeywords(search: KeywordSearch): Promise<Hits> {
  const { index, query, count, wanted, mask } = search;
  const terms = openCursors(index, query);
  const missing = query.mode !== 'any' && terms.length < query.terms.length;
  if (terms.length === 0 || missing || count <= 0 || wanted === 0) return noHits('no terms');
  const postings = terms.reduce((sum, { cursor }) => sum + cursor.count, 0);
  const top = new TopRows(Math.min(count, wanted, postings), TIES_MAX);
  if (mask !== null && wanted * 8 < postings) {
    await searchMask(search, mask, top);
    return top.hits('mask');
  }
  const scan =
    query.mode === 'any' ? new Disjunction(search, terms, top) : new Conjunction(search, terms, top);
  while (!scan.run(ROWS_PER_TURN)) await takeTurn(search.signal);
  return top.hits(query.mode === 'any' ? 'maxscore' : query.mode === 'all' ? 'conjunction' : 'phrase');
}

/** Scores rows that come in ascending order; NaN: no match. */
export class RowScorer {
  readonly #index: InvertedIndex;
  readonly #query: KeywordQuery;
  readonly #terms: readonly TermCursor[];

  constructor(index: InvertedIndex, query: KeywordQuery) {
    this.#index = index;
    this.#query = query;
    this.#terms = openCursors(index, query);
  }

  score(row: number): number {
    const { mode, terms, norm, phrase } = this.#query;
    if (mode !== 'any' && this.#terms.length < terms.length) return Number.NaN;
    let matched = 0;
    for (const { cursor } of this.#terms) {
      cursor.seek(row);
      if (cursor.row === row) matched++;
    }
    if (matched === 0 || (mode !== 'any' && matched < terms.length)) return Number.NaN;
    const length = this.#index.lengths[row] as number;
    if (phrase !== null) return scorePhrase(this.#terms, phrase, norm, length);
    return scoreRow(this.#terms, norm, row, length);
  }
}

async function searchMask(search: KeywordSearch, mask: Uint32Array, top: TopRows): Promise<void> {
  const { index, query, limit, signal } = search;
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
