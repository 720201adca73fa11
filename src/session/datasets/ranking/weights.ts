/** Weights of the ingredients of a score. One setting for all data; `bench docs --only search` measures each. */
export interface Weights {
  /** Weight of words, where meaning is 1. */
  readonly keyword: number;
  /** Weight of the document being named in the query. */
  readonly named: number;
  /** Share that what is implied has in meaning; its words count fully unless this is 0. */
  readonly implied: number;
  /** Share of its score that an image keeps which has none of the query's words: a logo's word or two is near to any. */
  readonly wordlessImage: number;
  /** Share of its score that a passage keeps beyond those of its page, or that repeats a better one. */
  readonly heldDown: number;
  /** Share of the best named document that one named by its subject alone has: years and kinds stand in files' names. */
  readonly subject: number;
}

export const WEIGHTS: Weights = {
  keyword: 0.5,
  named: 0.5,
  implied: 0.5,
  wordlessImage: 0.5,
  heldDown: 0.5,
  subject: 0.5,
};
