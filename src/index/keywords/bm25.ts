/**
 * BM25 as Lucene computes it since version 8, which leaves the constant factor (k1 + 1) out:
 *
 *   idf = ln(1 + (N − n + 0.5) / (n + 0.5)),  score = Σ idf × f / (f + k1 × (1 − b + b × length / average))
 *
 * N: visible rows with at least one term; n: those with this term; lengths are exact (Lucene rounds them).
 * Source: Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009).
 */

/** The part of the formula that a field's length changes: k1 × (1 − b) + slope × length. */
export interface LengthNorm {
  readonly base: number;
  readonly slope: number;
}

export function inverseDocumentFrequency(documents: number, withTerm: number): number {
  return Math.log(1 + (documents - withTerm + 0.5) / (withTerm + 0.5));
}

/** @param averageLength of the visible rows that have terms; 0 when there are none. */
export function lengthNorm(k1: number, b: number, averageLength: number): LengthNorm {
  return { base: k1 * (1 - b), slope: averageLength > 0 ? (k1 * b) / averageLength : 0 };
}

/** f / (f + norm), in [0, 1); grows with frequency, falls with length. */
export function saturation(norm: LengthNorm, frequency: number, length: number): number {
  return frequency / (frequency + norm.base + norm.slope * length);
}
