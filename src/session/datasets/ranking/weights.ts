/** Weights of the ingredients of a score. One setting for all data; `bench docs --only search` measures each. */
export interface Weights {
  /** Weight of words, where meaning is 1. */
  readonly keyword: number;
  /** Weight of the document being named in the query. */
  readonly named: number;
  /** Share that what is implied has in meaning; its words count fully unless this is 0. */
  readonly implied: number;
}

export const WEIGHTS: Weights = { keyword: 0.5, named: 0.5, implied: 0.5 };
