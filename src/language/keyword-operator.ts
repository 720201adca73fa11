/** Keyword operators, by the name of their function. */
export type KeywordOperator =
  | 'match'
  | 'match_tokens'
  | 'should'
  | 'match_all'
  | 'match_any'
  | 'phrase'
  | 'fuzzy'
  | 'prefix'
  | 'bm25'
  | WebOperator;

/**
 * match(…, syntax => 'web'), a text of words and signs (`web-query.ts`); and its signs alone, which hybrid() takes for
 * conditions.
 */
type WebOperator = 'web' | 'web_signs';
