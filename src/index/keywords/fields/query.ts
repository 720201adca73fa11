/**
 * Several fields scored as one (BM25F): a word's occurrences in each field are weighted and measured against the
 * field's own length, then put together; its idf counts the documents that have it in any of the fields, and
 * saturation comes once, at the end. A word that is rare in titles and common in texts weighs the same in both.
 *
 *   odds of a field = weight × f / (k1 × (1 − b + b × length / average)),  odds = √(Σ odds of a field²)
 *   score = Σ idf × odds / (1 + odds)
 *
 * With one field of weight 1 that is BM25. Odds are put together as the sides of a right angle are: a second field
 * that has the word says in part what the first one said. A plain sum lets a few short fields outvote the text
 * (`bench relevance`: it finds less than the text alone), the largest alone finds titles less well.
 *
 * Sources: Robertson, Zaragoza and Taylor, "Simple BM25 Extension to Multiple Weighted Fields" (2004); lengths by
 * field: Zaragoza and others, "Microsoft Cambridge at TREC-13" (2004); the norm: Salton, Fox and Wu, "Extended
 * Boolean Information Retrieval" (1983).
 */
import { assert } from '../../../assert.ts';
import { type Analyser, createAnalyser, type Term } from '../../../language/analyse.ts';
import type { Corrections, SearchedField, StructureQuery } from '../../structure.ts';
import { inverseDocumentFrequency, type LengthNorm, lengthNorm } from '../bm25.ts';
import { queryAnalyser } from '../languages.ts';
import type { InvertedIndex } from '../postings.ts';
import type { KeywordRequest } from '../query.ts';
import { writtenKey } from '../words/written-key.ts';
import { correctionsOf } from './corrections.ts';
import { countDocuments, countRows, fieldStatistics, type FieldsPart } from './part.ts';

/** A word of the query: what it is in each field. */
export interface FieldsWord {
  /** By field; none where the field's analyser leaves it out. */
  readonly terms: readonly (readonly string[])[];
  /** Weights of an occurrence of a term, where it is less than one of the word's own. */
  readonly shares?: ReadonlyMap<string, number>;
  /** As the query writes it. */
  readonly words: readonly string[];
  /** Visible rows that have it in any field. */
  readonly documents: number;
  readonly idf: number;
  /** The request's weight, as often as the query has the word. */
  readonly boost: number;
  /** idf times the request's weight, as often as the query has the word. */
  readonly weight: number;
  /** False: a field takes it for a stop word, so that rows need not have it. */
  readonly required: boolean;
}

export interface FieldsQuery extends StructureQuery {
  readonly kind: 'keywords';
  /** Every required word is wanted, each in any field. */
  readonly all: boolean;
  /** Distinct words; none: nothing matches. */
  readonly words: readonly FieldsWord[];
  readonly fields: readonly FieldWeight[];
}

export interface FieldWeight {
  /** Above 0. */
  readonly weight: number;
  /** So that f / norm are the odds that f occurrences give: the weight is in it. */
  readonly norm: LengthNorm;
  readonly averageLength: number;
}

interface Word extends Pick<FieldsWord, 'terms' | 'required'> {
  readonly word: string;
  /** By field, as written; none in fields of whole values. */
  readonly written: readonly (readonly string[])[];
}

/** @param parts every part of the snapshot, its structures in the order of `fields`. */
export function prepareFields(
  fields: readonly SearchedField[],
  request: KeywordRequest,
  parts: readonly FieldsPart[],
  corrections: Corrections = [],
): FieldsQuery {
  assert(
    fields.every(({ weight }) => weight === null || weight > 0),
    'weights of fields are above 0',
  );
  const documents = sumOver(parts, countDocuments);
  const read = queryWords(readersOf(fields, parts), request);
  const words = distinctWords(read).map(({ word: plain, words, times }) => {
    const own = sumOver(parts, (part) => countRows(part, plain.terms));
    const { terms, required, shares } = corrected(plain, corrections);
    const rows = own > 0 ? own : sumOver(parts, (part) => countRows(part, terms));
    // Rows of stop words alone are no documents of the statistics.
    const idf = inverseDocumentFrequency(Math.max(documents, rows), rows);
    const boost = request.weight * times;
    const weight = idf * request.weight * times;
    return { terms, required, words, documents: rows, idf, boost, weight, ...(shares && { shares }) };
  });
  const lengths = fields.map((_, field) => averageLengthOf(field, parts));
  const weights = fieldWeights(fields, lengths, words.length);
  return {
    kind: 'keywords',
    higherIsBetter: true,
    all: request.option === 1 || request.operator === 'match_all',
    words,
    fields: lengths.map((averageLength, i) => {
      const weight = weights[i] as number;
      const { base, slope } = lengthNorm(request.k1, request.b, averageLength);
      return { weight, averageLength, norm: { base: base / weight, slope: slope / weight } };
    }),
  };
}

function averageLengthOf(field: number, parts: readonly FieldsPart[]): number {
  const documents = sumOver(parts, (part) => fieldStatistics(part, field).documents);
  const length = sumOver(parts, (part) => fieldStatistics(part, field).length);
  return documents > 0 ? length / documents : 0;
}

/**
 * Where nobody says what a field counts, one that is shorter than the query counts its share of the query's words,
 * beside the longest: who describes something in many words does not mean its title, and a title that has two of them
 * has them by chance (`bench/fusion.ts`).
 */
function fieldWeights(
  fields: readonly SearchedField[],
  lengths: readonly number[],
  words: number,
): readonly number[] {
  // A field of whole values has one term, whatever its length.
  const room = lengths.map((length, i) =>
    fields[i]?.options.options.type === 'exact' ? 1 : Math.min(1, length / Math.max(1, words)),
  );
  const most = Math.max(...room);
  return fields.map(({ weight }, i) => weight ?? ((room[i] as number) > 0 ? (room[i] as number) / most : 1));
}

/** A word with what it may be misspelt for. */
function corrected(
  { terms, written, required }: Word,
  corrections: Corrections,
): Pick<FieldsWord, 'terms' | 'required' | 'shares'> {
  const shares = new Map<string, number>();
  const owned = new Set(terms.flat());
  const all = terms.map((own, field) => {
    const added = new Map<string, number>();
    for (const word of written[field] ?? []) {
      for (const [term, share] of corrections[field]?.get(word) ?? []) {
        if (!owned.has(term)) added.set(term, Math.max(added.get(term) ?? 0, share));
      }
    }
    for (const [term, share] of added) shares.set(term, Math.max(shares.get(term) ?? 0, share));
    return [...own, ...added.keys()];
  });
  return shares.size === 0 ? { terms, required } : { terms: all, required, shares };
}

/** For `prepareFields`, of a request with `fuzzy`. @param turn waits for one. */
export async function correctFields(
  fields: readonly SearchedField[],
  request: KeywordRequest,
  parts: readonly FieldsPart[],
  turn: () => Promise<void>,
): Promise<Corrections> {
  if (request.fuzzy === undefined || request.fuzzy === 0) return [];
  const readers = readersOf(fields, parts);
  const words = queryWords(readers, request);
  const read = readers.map(({ analyser, indexes }, field) => {
    return { analyser, indexes, written: words.flatMap(({ written }) => written[field] ?? []) };
  });
  return correctionsOf(read, request.fuzzy, turn);
}

function readersOf(fields: readonly SearchedField[], parts: readonly FieldsPart[]): readonly Reader[] {
  return fields.map(({ options }, field): Reader => {
    const own = parts.flatMap(({ structures }) => structures[field] ?? []);
    const analyser = own[0]?.analyser ?? createAnalyser(options.options);
    const indexes = own.map(({ index }) => index);
    const exact = options.options.type === 'exact';
    return { analyser: queryAnalyser(analyser, indexes), indexes, exact };
  });
}

function queryWords(readers: readonly Reader[], { query }: KeywordRequest): readonly Word[] {
  const texts = typeof query === 'string' ? [query] : query;
  const words = texts.flatMap((text) => wordsOf(text, readers, isTerm));
  return words.length > 0 ? words : texts.flatMap((text) => wordsOf(text, readers, isWritten));
}

interface Reader {
  readonly analyser: Analyser;
  /** Indexes of the field's parts. */
  readonly indexes: readonly InvertedIndex[];
  /** The whole text is one term, which stands for each of its words. */
  readonly exact: boolean;
}

/**
 * Words by their place in the text, whatever the fields' languages make of them. A field of whole values that has
 * the text has every word of it.
 */
function wordsOf(
  text: string,
  readers: readonly Reader[],
  isWanted: (term: Term) => boolean,
): readonly Word[] {
  const found = readers.map(({ analyser }) => analyser.read(text).filter(isWanted));
  const places = new Set<number>();
  for (const [field, terms] of found.entries()) {
    if (!readers[field]?.exact) for (const { position } of terms) places.add(position);
  }
  if (places.size === 0 && readers.some(({ exact }) => exact)) places.add(0);
  return [...places]
    .sort((a, b) => a - b)
    .map((place) => {
      const here = found.map((own, field) =>
        own.filter(({ position }) => readers[field]?.exact || position === place),
      );
      const written = found.flatMap((own) => own.filter(({ position }) => position === place))[0];
      const word = written === undefined ? text : text.slice(written.start, written.end);
      const required = here.every((own) => own.length > 0 && !own.some(({ dispensable }) => dispensable));
      const folded = here.map((own, field) => (readers[field]?.exact ? [] : writtenWords(own)));
      return { terms: here.map((own) => own.map(keyOf)), written: folded, word, required };
    });
}

/** Stop words are looked for, as they are written, where no field has a term of the query. */
const isTerm = ({ term }: Term): boolean => term !== '';
const isWritten = ({ written }: Term): boolean => written !== '';
const keyOf = ({ term, written }: Term): string => (term === '' ? writtenKey(written) : term);

const writtenWords = (terms: readonly Term[]): readonly string[] => [
  ...new Set(terms.map(({ written }) => written).filter((written) => written !== '')),
];

/** As often as they were asked for. */
function distinctWords(words: readonly Word[]): readonly DistinctWord[] {
  const distinct = new Map<string, DistinctWord>();
  for (const word of words) {
    const key = JSON.stringify(word.terms);
    const known = distinct.get(key);
    if (known === undefined) distinct.set(key, { word, words: [word.word], times: 1 });
    else {
      known.times++;
      if (!known.words.includes(word.word)) known.words.push(word.word);
    }
  }
  return [...distinct.values()];
}

interface DistinctWord {
  readonly word: Word;
  /** As they are written. */
  readonly words: string[];
  times: number;
}

function sumOver(parts: readonly FieldsPart[], of: (part: FieldsPart) => number): number {
  return parts.reduce((sum, part) => sum + of(part), 0);
}
