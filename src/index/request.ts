/**
 * Requests of a ranking to an index, with every expression evaluated: plain data, the same for all engines.
 */

import type { KeywordOperator } from '../language/keyword-operator.ts';
import type { BitsDatum, MatrixDatum, SparseDatum } from '../types/datum.ts';

/** A vector of any kind. */
export type VectorDatum = Float32Array | Uint8Array | BitsDatum | SparseDatum | MatrixDatum;

/** The index's metric as `vector_distance` gives it, or the value of an operator. */
export type VectorArmValue = 'metric' | '<=>' | '<->' | '<#>' | '<+>' | '<~>' | '<%>';

/** One ranking, ready to run; bound expressions are evaluated already. */
export type ArmRequest =
  | {
      readonly kind: 'vector';
      /** A vector or semantic index. */
      readonly index: number;
      /** A value of the column's type; a float32 vector for all dense ones. */
      readonly query: VectorDatum;
      readonly value: VectorArmValue;
      /** `quern.ef_search`: candidates kept in view in a graph; 0: what was measured when it was made. */
      readonly ef?: number;
      /** Matrices to score exactly after a first pass; absent or 0: as many as prove the answer. */
      readonly candidates?: number;
    }
  | {
      readonly kind: 'keyword';
      readonly indexes: readonly number[];
      /**
       * Several indexes as the fields of one text, with the weight of each (above 0; null: nobody says); absent: each
       * by itself, and scores are summed.
       */
      readonly together?: readonly (number | null)[];
      readonly operator: KeywordOperator;
      /** Query text, or tokens for match_tokens, match_all and match_any. */
      readonly query: string | readonly string[];
      readonly weight: number;
      /** match(): 1 when all terms are wanted; phrase(): slop; fuzzy(): distance. */
      readonly option: number;
      /** match(): edits that words of the texts may differ from those of the query, −1: by length; absent: none. */
      readonly fuzzy?: number;
      /** Language of the rows that are asked for, in an index whose texts have one each; absent: all. */
      readonly language?: string;
      readonly b: number;
      readonly k1: number;
    };

/** Vectors of one text's passages, `count` × dimension floats, each of unit length. */
export interface Passages {
  readonly count: number;
  readonly vectors: Float32Array;
  /** Where each passage lies in the text: start and end in UTF-16 units, `2 × count` numbers. */
  readonly spans: Uint32Array;
}
