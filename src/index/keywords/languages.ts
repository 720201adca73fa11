/**
 * The languages of an index whose texts have one each: every document has a term that names its own, so that merges
 * and restarts keep what was decided, and a part knows which languages it holds.
 */
import { QueryAnalyser } from '../../language/auto-analyser.ts';
import type { Analyser } from '../../language/analyse.ts';
import { DETECTED_LANGUAGES } from '../../language/detect-language.ts';
import { emptyBits, setBit } from '../../types/column/bitset.ts';
import { END, type InvertedIndex } from './postings.ts';

/** A query is read in those of most documents. */
const QUERY_LANGUAGES_MAX = 8;
/** No text has such a term, nor one within two edits. */
const MARK = '\u0001'.repeat(3);

export const languageTerm = (language: string): string => MARK + language;

/** Those of most documents first, at least one. */
export function heldLanguages(indexes: readonly InvertedIndex[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const language of DETECTED_LANGUAGES) {
    const term = languageTerm(language);
    counts.set(
      language,
      indexes.reduce((sum, index) => sum + index.countOf(term), 0),
    );
  }
  const held = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const names = held.slice(0, QUERY_LANGUAGES_MAX).map(([language]) => language);
  return names.length > 0 ? names : ['simple'];
}

/** @param language the only one that the query is read in; absent: all that the index holds. */
export function queryAnalyser(
  analyser: Analyser,
  indexes: readonly InvertedIndex[],
  language?: string,
): Analyser {
  const { languages } = analyser;
  if (languages === undefined) return analyser;
  if (language !== undefined) return languages.in(language);
  return new QueryAnalyser(languages, heldLanguages(indexes));
}

/** One bit a row. */
export function rowsInLanguage(index: InvertedIndex, language: string): Uint32Array {
  const bits = emptyBits(index.rowCount);
  const cursor = index.cursor(languageTerm(language));
  for (; cursor !== null && cursor.row < END; cursor.next()) setBit(bits, cursor.row);
  return bits;
}
