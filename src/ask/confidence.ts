/**
 * Facts that answer a question, and confidence of an answer, from 0 to 100: of a hundred answers with the same one, so
 * many are right. Whether anything supports an answer at all is told apart from that. `docs/ask.md` (Confidence) says
 * the same in words, with what was measured.
 */
import { FIT } from './confidence-fit.ts';
import type { Evidence } from './evidence/evidence.ts';
import { factsOf, type FactsRequest, type FoundFacts } from './facts.ts';
import type { Fact } from './passage.ts';
import { WEIGHTS } from './weights.ts';

export interface Strength {
  /** Those of the best evidence. */
  readonly coverage: number;
  readonly score: number;
  /** How far the best is ahead of the tenth best: 0..1. */
  readonly lead: number;
  /** How much there was to choose from: 0 for one passage, 1 for as many as a search gives. */
  readonly choice: number;
  /** A calculation is asked for that could not be made. */
  readonly isUncomputed: boolean;
}

/** The best one's lead over the tenth best counts up to this. */
const LEAD_MAX = 0.25;
/** Passages of a search. */
const PASSAGES_COUNT = 24;

export function strengthOf(
  evidence: readonly Evidence[],
  { passages, isUncomputed }: { readonly passages: number; readonly isUncomputed: boolean },
): Strength {
  const choice = Math.min(1, Math.log(Math.max(1, passages)) / Math.log(PASSAGES_COUNT));
  const [best] = evidence;
  if (best === undefined) return { coverage: 0, score: 0, lead: 0, choice, isUncomputed };
  const tenth = evidence[Math.min(9, evidence.length - 1)]?.score ?? 0;
  const lead = Math.min(1, (best.score - tenth) / LEAD_MAX);
  return { coverage: best.coverage, score: best.score, lead, choice, isUncomputed };
}

/** True when what was found supports an answer. */
const supports = ({ coverage, lead }: Strength): boolean =>
  coverage + WEIGHTS.lead * lead >= WEIGHTS.supportMin;

export type Terms = Readonly<Partial<Record<keyof typeof FIT, number>>>;

/** Terms of the log odds that an answer is right, by what kind of answer it is. */
export function termsOf(facts: readonly Fact[], { coverage, score, choice, isUncomputed }: Strength): Terms {
  if (facts.some(({ isComputed }) => isComputed)) return { computed: 1 };
  if (isUncomputed) return { uncomputed: 1, uncomputedOfChoice: choice };
  return { found: 1, coverage, score, choice };
}

/** @param tried drafts that were looked at for the facts. */
export function confidenceOf(facts: readonly Fact[], tried: number, strength: Strength): number {
  if (facts.length === 0) return 0;
  const placed = facts.length / Math.max(tried, facts.length);
  const terms = Object.entries(termsOf(facts, strength)) as [keyof typeof FIT, number][];
  const odds = terms.reduce((sum, [name, value]) => sum + FIT[name] * value, 0);
  return Math.round((100 * placed) / (1 + Math.exp(-odds)));
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
  const { evidence, isUncomputed } = found;
  const strength = strengthOf(evidence, { passages: request.passages.length, isUncomputed });
  const facts = supports(strength) ? found.facts : [];
  return { found, strength, facts, confidence: confidenceOf(facts, found.tried, strength) };
}
