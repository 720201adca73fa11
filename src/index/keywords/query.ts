/**
 * A keyword predicate made ready for one snapshot: terms by the index's analyser, with weights from the
 * statistics of all its parts' visible rows.
 */
import { AssertionError } from '../../assert.ts';
import type { Analyser } from '../../language/analyse.ts';
import { inverseDocumentFrequency, type LengthNorm, lengthNorm } from './bm25.ts';
import type { FieldStatistics, InvertedIndex } from './postings.ts';
import { type QueryTerm, queryTerms } from './words/query-terms.ts';
import type { WindowScores } from './window-scores.ts';
import type { ArmRequest } from '../request.ts';
import type { StructureQuery } from '../structure.ts';

export type KeywordRequest = Extract<ArmRequest, { kind: 'keyword' }>;

export interface KeywordQuery extends StructureQuery {
  readonly kind: 'keywords';
  /** any: one term is enough; all: every term; phrase: every term, together. */
  readonly mode: 'any' | 'all' | 'phrase';
  /** Distinct terms; none: nothing matches. The weight holds idf and the request's weight. */
  readonly terms: readonly KeywordTerm[];
  readonly norm: LengthNorm;
  readonly averageLength: number;
  readonly phrase: Phrase | null;
  /** Language of the rows it is about; null: all. */
  readonly language: string | null;
}

export interface KeywordTerm {
  readonly term: string;
  /** idf × boost. */
  readonly weight: number;
  /** As the query writes it. */
  readonly words: readonly string[];
  /** Visible rows with it. */
  readonly documents: number;
  readonly idf: number;
  /** As often as it is asked for, each time by its share and the request's weight. */
  readonly boost: number;
}

/** A search of one part. */
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

export interface Phrase {
  /** For each place: index into the query's terms, and word offset. */
  readonly places: readonly number[];
  readonly offsets: readonly number[];
  readonly slop: number;
  /** Sum of the places' idf, times the request's weight. */
  readonly weight: number;
}

/** Counts that the weights of a query follow from. */
interface CountedKeywords {
  readonly index: InvertedIndex;
  readonly analyser: Analyser;
  statistics(visible: Uint32Array | null, limit: number): FieldStatistics;
  /** Visible rows with the term. */
  countOf(term: string, visible: Uint32Array | null, limit: number): number;
}

/** A part's structure with what the snapshot sees of it. */
export interface KeywordPart {
  readonly structure: CountedKeywords;
  readonly visible: Uint32Array | null;
  readonly limit: number;
}

export function prepareKeywordQuery(
  analyser: Analyser,
  request: KeywordRequest,
  parts: readonly KeywordPart[],
): KeywordQuery {
  const indexes = parts.map(({ structure }) => structure.index);
  const terms = queryTerms(analyser, request, indexes);
  const statistics = parts.map(({ structure, visible, limit }) => structure.statistics(visible, limit));
  const { documents, length } = sum(statistics);
  const averageLength = documents > 0 ? length / documents : 0;
  const norm = lengthNorm(request.k1, request.b, averageLength);
  const places = new Map<string, number>();
  const distinct: GatheredTerm[] = [];
  let total = 0;
  const expands = request.operator === 'fuzzy' || request.operator === 'prefix';
  const rowsOf = expands ? null : wordRows(terms, parts);
  for (const { term, word, share, offset } of terms) {
    const known = distinct[places.get(term) ?? -1];
    const rows = known?.documents ?? rowsOf?.get(offset) ?? rowsWith(parts, term);
    // Rows of stop words alone are no documents of the statistics.
    const idf = known?.idf ?? inverseDocumentFrequency(Math.max(documents, rows), rows);
    const boost = share * request.weight;
    const weight = idf * share * request.weight;
    if (known === undefined) {
      places.set(term, distinct.push({ term, words: [word], documents: rows, idf, boost, weight }) - 1);
    } else {
      known.weight += weight;
      known.boost += boost;
      if (!known.words.includes(word)) known.words.push(word);
    }
    total += idf;
  }
  const mode = modeOf(request);
  const phrase =
    mode === 'phrase'
      ? {
          places: terms.map(({ term }) => places.get(term) as number),
          offsets: terms.map(({ offset }) => offset),
          slop: Math.max(0, request.option),
          weight: total * request.weight,
        }
      : null;
  const language = request.language ?? null;
  return {
    kind: 'keywords',
    higherIsBetter: true,
    mode,
    terms: distinct,
    norm,
    averageLength,
    phrase,
    language,
  };
}

type GatheredTerm = Omit<KeywordTerm, 'words' | 'boost' | 'weight'> & {
  readonly words: string[];
  boost: number;
  weight: number;
};

/** True when a row is to have each of the words. */
export const wantsEach = (request: KeywordRequest): boolean => modeOf(request) !== 'any';

function modeOf(request: KeywordRequest): KeywordQuery['mode'] {
  switch (request.operator) {
    case 'match_all':
      return 'all';
    case 'phrase':
      return 'phrase';
    case 'match':
    case 'match_tokens':
      return request.option === 1 ? 'all' : 'any';
    case 'should':
    case 'match_any':
    case 'fuzzy':
    case 'prefix':
    case 'bm25':
      return 'any';
    case 'web':
    case 'web_signs':
      throw new AssertionError('a web query is asked as the requests it consists of');
  }
}

function sum(parts: readonly FieldStatistics[]): FieldStatistics {
  let documents = 0;
  let length = 0;
  for (const part of parts) {
    documents += part.documents;
    length += part.length;
  }
  return { documents, length };
}

/** By offset, of words that languages take for several terms: as many as have the most common of them. */
function wordRows(terms: readonly QueryTerm[], parts: readonly KeywordPart[]): ReadonlyMap<number, number> {
  const rows = new Map<number, number>();
  if (parts[0]?.structure.analyser.languages === undefined) return rows;
  for (const { term, offset } of terms) {
    rows.set(offset, Math.max(rows.get(offset) ?? 0, rowsWith(parts, term)));
  }
  return rows;
}

/** Visible rows with the term. */
function rowsWith(parts: readonly KeywordPart[], term: string): number {
  let count = 0;
  for (const { structure, visible, limit } of parts) count += structure.countOf(term, visible, limit);
  return count;
}
