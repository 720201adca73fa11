/**
 * The best rows of one part for a query over several fields, and scores of given rows.
 */
import { TIES_MAX } from '../../../limits.ts';
import { assert } from '../../../assert.ts';
import { countBits } from '../../../types/column/bitset.ts';
import { runTask, type Task, wait } from '../../../task.ts';
import { takeTurn } from '../../../time-slice.ts';
import type { FieldsMethod, Hits, PartFields, SearchRange } from '../../structure.ts';
import { cutAtTies, noHits, TopRows } from '../../top-rows.ts';
import { ROWS_PER_TURN, scanMask } from '../mask-scan.ts';
import type { WindowScores } from '../window-scores.ts';
import { FieldsConjunction } from './conjunction.ts';
import { openWords, scoreWords, type WordCursor } from './cursor.ts';
import { FieldsDisjunction } from './disjunction.ts';
import { explainFields } from './explain.ts';
import type { FieldsPart } from './part.ts';
import { type FieldsQuery, correctFields, prepareFields } from './query.ts';

/** A search of one part. */
export interface FieldsSearch {
  readonly part: FieldsPart;
  readonly query: FieldsQuery;
  readonly mask: Uint32Array | null;
  readonly limit: number;
  readonly window: WindowScores;
}

/** The best `count` rows that the mask lets through, and those that tie with the last of them. */
function* searchFields(
  part: FieldsPart,
  query: FieldsQuery,
  { count, mask, signal }: Omit<SearchRange, 'limit'>,
): Task<Hits> {
  const held = part.structures.find((structure) => structure !== null);
  const words = openWords(part, query);
  if (held === undefined || words.length === 0 || lacksWord(words, query) || count <= 0) {
    return noHits('no terms');
  }
  const limit = Math.min(part.limit, held.rowCount);
  const wanted = countBits(mask, limit);
  if (wanted === 0) return noHits('no terms');
  const postings = words.reduce((sum, word) => sum + word.count, 0);
  const top = new TopRows(Math.min(count, wanted, postings), TIES_MAX);
  const search = { part, query, mask, limit, window: held.window };
  if (mask !== null && wanted * 8 < postings) {
    yield* scanMask(mask, { limit, signal }, new FieldsScorer(part, query), top);
    return cutAtTies(top.hits('mask'), count);
  }
  const conjunction = query.all && words.some(({ required }) => required);
  const scan = conjunction
    ? new FieldsConjunction(search, words, top)
    : new FieldsDisjunction(search, words, top);
  while (!scan.run(ROWS_PER_TURN)) yield* wait(takeTurn(signal));
  return cutAtTies(top.hits(conjunction ? 'conjunction' : 'maxscore'), count);
}

/** True when all words are wanted and no row has one of them. */
function lacksWord(words: readonly WordCursor[], query: FieldsQuery): boolean {
  return query.all && countRequired(words) < countRequired(query.words);
}

const countRequired = (words: readonly { readonly required: boolean }[]): number =>
  words.filter(({ required }) => required).length;

/** Exact scores of the given ascending rows; NaN: no match. */
function scoreFields(part: FieldsPart, query: FieldsQuery, rows: Uint32Array): Float64Array {
  const scorer = new FieldsScorer(part, query);
  return Float64Array.from(rows, (row) => scorer.score(row));
}

/** Scores rows that come in ascending order; NaN: no match. */
class FieldsScorer {
  readonly #query: FieldsQuery;
  readonly #words: readonly WordCursor[];
  readonly #hopeless: boolean;

  constructor(part: FieldsPart, query: FieldsQuery) {
    this.#query = query;
    this.#words = openWords(part, query);
    this.#hopeless = lacksWord(this.#words, query);
  }

  score(row: number): number {
    if (this.#hopeless) return Number.NaN;
    let matched = false;
    for (const word of this.#words) {
      word.seek(row);
      if (word.row === row) matched = true;
      else if (this.#query.all && word.required) return Number.NaN;
    }
    if (!matched) return Number.NaN;
    return scoreWords(this.#words, row);
  }
}

export const KEYWORD_FIELDS: FieldsMethod = {
  async corrections(fields, request, parts, turn) {
    assert(request.kind === 'keyword', 'keyword structures answer keyword requests');
    return correctFields(fields, request, parts.map(keywordsOf), turn);
  },
  prepare(fields, request, parts, corrections) {
    assert(request.kind === 'keyword', 'keyword structures answer keyword requests');
    return prepareFields(fields, request, parts.map(keywordsOf), corrections);
  },
  search: (part, query, range) => runTask(searchFields(keywordsOf(part), query as FieldsQuery, range)),
  score: (part, query, rows) => scoreFields(keywordsOf(part), query as FieldsQuery, rows),
  explain: (part, query, rows, parts) =>
    explainFields(
      { part: keywordsOf(part), parts: parts.map(keywordsOf), query: query as FieldsQuery },
      rows,
      scoreFields(keywordsOf(part), query as FieldsQuery, rows),
    ),
};

function keywordsOf(part: PartFields): FieldsPart {
  assert(
    part.structures.every((structure) => structure === null || structure.kind === 'keywords'),
    'fields are searched by their words',
  );
  return part as FieldsPart;
}
