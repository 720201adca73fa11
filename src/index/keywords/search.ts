/**
 * The best rows of one part for a keyword query: the way to find them, in slices of time.
 */
import { TIES_MAX } from '../../limits.ts';
import { Conjunction, scorePhrase } from './conjunction.ts';
import { hasBit } from '../../types/column/bitset.ts';
import { Disjunction } from './disjunction.ts';
import { rowsInLanguage } from './languages.ts';
import { ROWS_PER_TURN, scanMask } from './mask-scan.ts';
import type { KeywordMemory } from './memory.ts';
import type { KeywordQuery, KeywordSearch } from './query.ts';
import { KernelScan, kernelsTake } from './scan.ts';
import { SegmentIndex } from './segment.ts';
import type { InvertedIndex } from './postings.ts';
import type { Hits } from '../structure.ts';
import { openCursors, scoreRow, type TermCursor } from './term-cursor.ts';
import { type Task, wait } from '../../task.ts';
import { takeTurn } from '../../time-slice.ts';
import { noHits, TopRows } from '../top-rows.ts';

/** One way to find the best rows, in slices. */
interface Scan extends Disposable {
  /** Looks at about `rows` rows. @returns true when done. */
  run(rows: number): boolean;
  hits(strategy: string): Hits;
}

/** Rows of a mask are scored one by one where the query has more than so many postings for each: kernels read these quicker. */
const POSTINGS_A_ROW = { cursors: 8, kernels: 24 } as const;

const STRATEGIES = { any: 'maxscore', all: 'conjunction', phrase: 'phrase' } as const;

export function* searchKeywords(search: KeywordSearch): Task<Hits> {
  const { index, query, count, wanted, mask } = search;
  let postings = 0;
  let found = 0;
  for (const { term } of query.terms) {
    const rows = index.countOf(term);
    if (rows > 0) found++;
    postings += rows;
  }
  const missing = query.mode !== 'any' && found < query.terms.length;
  if (found === 0 || missing || count <= 0 || wanted === 0) return noHits('no terms');
  const capacity = Math.min(count, wanted, postings);
  const kernels = kernelsFor(search);
  const postingsMax = wanted * POSTINGS_A_ROW[kernels === null ? 'cursors' : 'kernels'];
  if (mask !== null && postings > postingsMax) return yield* searchMask(search, mask, capacity);
  using scan = openScan(search, kernels, capacity);
  while (!scan.run(ROWS_PER_TURN)) yield* wait(takeTurn(search.signal));
  return scan.hits(STRATEGIES[query.mode]);
}

interface KernelIndex {
  readonly index: SegmentIndex;
  readonly memory: KeywordMemory;
}

/** Where the kernels find what they need for the query; null: they do not take it. */
function kernelsFor({ index, query }: KeywordSearch): KernelIndex | null {
  if (!(index instanceof SegmentIndex) || index.memory === null) return null;
  return kernelsTake(index, query) ? { index, memory: index.memory } : null;
}

function openScan(search: KeywordSearch, kernels: KernelIndex | null, capacity: number): Scan {
  if (kernels !== null) return new KernelScan(kernels.index, kernels.memory, search, capacity);
  const { index, query } = search;
  const terms = openCursors(index, query);
  const top = new TopRows(capacity, TIES_MAX);
  const scan =
    query.mode === 'any' ? new Disjunction(search, terms, top) : new Conjunction(search, terms, top);
  return {
    run: (rows) => scan.run(rows),
    hits: (strategy) => top.hits(strategy),
    [Symbol.dispose]: () => undefined,
  };
}

/** Scores rows that come in ascending order; NaN: no match. */
export class RowScorer {
  readonly #index: InvertedIndex;
  readonly #query: KeywordQuery;
  readonly #terms: readonly TermCursor[];
  readonly #inLanguage: Uint32Array | null;

  constructor(index: InvertedIndex, query: KeywordQuery) {
    this.#index = index;
    this.#query = query;
    this.#inLanguage = query.language === null ? null : rowsInLanguage(index, query.language);
    this.#terms = openCursors(index, query);
  }

  score(row: number): number {
    const { mode, terms, norm, phrase } = this.#query;
    if (mode !== 'any' && this.#terms.length < terms.length) return Number.NaN;
    if (this.#inLanguage !== null && !hasBit(this.#inLanguage, row)) return Number.NaN;
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

function* searchMask(search: KeywordSearch, mask: Uint32Array, capacity: number): Task<Hits> {
  const top = new TopRows(capacity, TIES_MAX);
  yield* scanMask(mask, search, new RowScorer(search.index, search.query), top);
  return top.hits('mask');
}
