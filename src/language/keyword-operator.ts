/** What a keyword query asks of a text, by the name of its function. */
export type KeywordOperator =
  | 'match'
  | 'match_tokens'
  | 'should'
  | 'match_all'
  | 'match_any'
  | 'phrase'
  | 'fuzzy'
  | 'prefix'
  | 'bm25';
