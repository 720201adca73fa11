/** Why rows of one field have their scores: the formula of `bm25.ts` with its numbers, term by term. */
import type { ExplainedField, ExplainedTerm } from '../explanation.ts';
import { saturation } from './bm25.ts';
import { frequencyOfPhrase } from './conjunction.ts';
import type { InvertedIndex } from './postings.ts';
import type { KeywordQuery, KeywordTerm } from './query.ts';
import { RowScorer } from './search.ts';
import { openCursors, type TermCursor } from './term-cursor.ts';
import { textOfKey } from './words/written-key.ts';

/** @param rows ascending. @returns for each of them its terms in the query's order; none where it does not match. */
export function explainRows(
  index: InvertedIndex,
  query: KeywordQuery,
  rows: Uint32Array,
): readonly (readonly ExplainedTerm[])[] {
  const scorer = new RowScorer(index, query);
  const cursors = openCursors(index, query);
  const found = query.terms.filter(({ term }) => index.countOf(term) > 0);
  return Array.from(rows, (row) => {
    if (Number.isNaN(scorer.score(row))) return [];
    for (const { cursor } of cursors) cursor.seek(row);
    const length = index.lengths[row] as number;
    if (query.phrase !== null) return [explainPhrase(query, cursors, length)];
    return found.flatMap((term, i) => {
      const { cursor } = cursors[i] as TermCursor;
      return cursor.row === row ? [explainTerm(query, term, { frequency: cursor.frequency(), length })] : [];
    });
  });
}

interface Occurrences {
  readonly frequency: number;
  readonly length: number;
}

function explainTerm(
  { norm, averageLength }: KeywordQuery,
  { term, words, documents, idf, boost }: KeywordTerm,
  { frequency, length }: Occurrences,
): ExplainedTerm {
  const contribution = idf * boost * saturation(norm, frequency, length);
  const whole = { words, documents, idf, boost, frequency, length, averageLength, contribution };
  return { ...whole, fields: [onlyField(whole, [term])] };
}

function explainPhrase(query: KeywordQuery, cursors: readonly TermCursor[], length: number): ExplainedTerm {
  const { norm, averageLength, terms } = query;
  const phrase = query.phrase as NonNullable<KeywordQuery['phrase']>;
  const places = phrase.places.map((place) => terms[place] as KeywordTerm);
  const idf = places.reduce((sum, place) => sum + place.idf, 0);
  const frequency = frequencyOfPhrase(cursors, phrase);
  const whole = {
    words: places.flatMap(({ words }) => words),
    documents: null,
    idf,
    boost: idf === 0 ? 0 : phrase.weight / idf,
    frequency,
    length,
    averageLength,
    contribution: phrase.weight * saturation(norm, frequency, length),
  };
  return {
    ...whole,
    fields: [
      onlyField(
        whole,
        places.map(({ term }) => term),
      ),
    ],
  };
}

const onlyField = (
  {
    documents,
    frequency,
    length,
    averageLength,
    contribution,
  }: Omit<ExplainedField, 'field' | 'terms' | 'weight'>,
  terms: readonly string[],
): ExplainedField => ({
  field: 0,
  terms: terms.map(textOfKey),
  documents,
  frequency,
  length,
  averageLength,
  weight: 1,
  contribution,
});
