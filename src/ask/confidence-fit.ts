/**
 * Log odds that an answer is right, for each unit of a term of `confidence.ts`: data, printed by `bench ask --only
 * confidence`, which fits them on one part of its questions and judges them on another.
 */
export const FIT = {
  found: -1.41,
  coverage: 2.73,
  score: 1.89,
  choice: -0.9,
  computed: 2.46,
  uncomputed: -3.44,
  uncomputedOfChoice: 4.22,
} as const;
