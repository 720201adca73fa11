/**
 * Parts of a row's score, as structures tell them: plain data, for the few rows that somebody asks about.
 * Every number that the formula of `keywords/bm25.ts` takes is here, so that the score can be computed anew.
 */

/** One summand of a keyword score. */
export interface ExplainedTerm {
  /** As the query writes them; several where they mean the same term, or make a phrase. */
  readonly words: readonly string[];
  /** Visible rows with the term, in any of the fields that are scored together; null for a phrase. */
  readonly documents: number | null;
  readonly idf: number;
  /** Factor of the idf: how often the word is asked for, its weight, and how near it is to what was asked. */
  readonly boost: number;
  /** Occurrences in the row; null, like the lengths, where fields are scored together: each has its own. */
  readonly frequency: number | null;
  readonly length: number | null;
  readonly averageLength: number | null;
  readonly contribution: number;
  /** Those that have the term. */
  readonly fields: readonly ExplainedField[];
}

export interface ExplainedField {
  /** Place among the fields that are searched; in what an arm tells, the OID of the field's index. */
  readonly field: number;
  /** As the index has them. */
  readonly terms: readonly string[];
  readonly documents: number | null;
  readonly frequency: number;
  readonly length: number;
  readonly averageLength: number;
  readonly weight: number;
  /** Its share of the term's. */
  readonly contribution: number;
}

/** Terms of a keyword score, in the order they are summed in; or the passage that gives the score of a text. */
export type RowExplanation =
  | { readonly kind: 'terms'; readonly terms: readonly ExplainedTerm[] }
  | {
      readonly kind: 'passage';
      /** From 0; -1: the row has none. */
      readonly passage: number;
      readonly count: number;
    };
