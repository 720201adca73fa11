/**
 * Facts that answer a question, and confidence of an answer, from 0 to 100: the share of facts that could be placed,
 * times how strong the best evidence is and how far it is ahead of what is left out. `docs/ask.md` (Confidence) says
 * the same in words, with what was measured.
 */
import type { Evidence } from './evidence/evidence.ts';
import { factsOf, type FactsRequest, type FoundFacts } from './facts.ts';
import type { Fact } from './passage.ts';
import { WEIGHTS } from './weights.ts';

/** The least confidence of facts as they stand in the documents: below it none are given. */
const CONFIDENCE_MIN = 46;

/** True when what was found supports an answer. */
const isStrong = (facts: readonly Fact[], tried: number, strength: Strength): boolean =>
  strength.score >= WEIGHTS.scoreMin && confidenceOf(facts, tried, strength) >= CONFIDENCE_MIN;

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

/** Facts of an answer, and of one passage, by mode: a summary has a point of each. */
export const MODES = {
  auto: { factsMax: 5, factsAPassage: 2 },
  summarize: { factsMax: 8, factsAPassage: 1 },
} as const;

export interface FoundAnswer {
  readonly found: FoundFacts;
  readonly strength: Strength;
  /** Those that are given; none where they are too weak. */
  readonly facts: readonly Fact[];
  /** 0 to 100; 0 without facts. */
  readonly confidence: number;
}

/** Facts that answer a question of its passages: `ask()` is one of it, research one for each of its questions. */
export async function foundAnswer(request: FactsRequest): Promise<FoundAnswer> {
  const found = await factsOf(request);
  const strength = strengthOf(found.evidence, found.isUncomputed);
  const facts = isStrong(found.facts, found.tried, strength) ? found.facts : [];
  return { found, strength, facts, confidence: confidenceOf(facts, found.tried, strength) };
}
