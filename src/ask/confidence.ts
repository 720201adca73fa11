/**
 * Confidence of an answer, from 0 to 100: the share of facts that could be placed, times how strong the best
 * evidence is and how far it is ahead of what is left out. `docs/ask.md` (Confidence) says the same in words, with
 * what was measured.
 */
import type { Evidence } from './evidence.ts';
import type { Fact } from './passage.ts';

/** The least score of the best evidence: below it nothing supports an answer, and no facts are given. */
const STRENGTH_MIN = 0.48;

/** The least confidence of facts as they stand in the documents: below it none are given. */
const CONFIDENCE_MIN = 46;

/** True when what was found supports an answer. */
export const isStrong = (facts: readonly Fact[], tried: number, strength: Strength): boolean =>
  strength.score >= STRENGTH_MIN && confidenceOf(facts, tried, strength) >= CONFIDENCE_MIN;

const SHARES = { coverage: 0.45, score: 0.25, lead: 0.15, known: 0.15 } as const;
/** A calculation is asked for, and what is given is none. */
const UNCOMPUTED = 0.85;

export interface Strength {
  readonly coverage: number;
  readonly score: number;
  /** Ratio of the best score to the tenth best. */
  readonly lead: number;
  /** Share of the question's words that anything that was read has. */
  readonly known: number;
  readonly isUncomputed: boolean;
}

/** @param isUncomputed a calculation is asked for that could not be made. */
export function strengthOf(evidence: readonly Evidence[], isUncomputed = false): Strength {
  const [best] = evidence;
  if (best === undefined) return { coverage: 0, score: 0, lead: 0, known: 0, isUncomputed };
  const tenth = evidence[Math.min(9, evidence.length - 1)]?.score ?? 0;
  const lead = Math.min(1, (best.score - tenth) / 0.25);
  return { coverage: best.coverage, score: best.score, lead, known: best.known, isUncomputed };
}

/** @param tried drafts that were looked at for the facts. */
export function confidenceOf(facts: readonly Fact[], tried: number, strength: Strength): number {
  if (facts.length === 0) return 0;
  const placed = facts.length / Math.max(tried, facts.length);
  const { coverage, score, lead, known, isUncomputed } = strength;
  const evidence =
    SHARES.coverage * coverage + SHARES.score * score + SHARES.lead * lead + SHARES.known * known;
  return Math.round(100 * placed * evidence * (isUncomputed ? UNCOMPUTED : 1));
}
