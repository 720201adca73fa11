/**
 * How the scores of several arms become one. Every method gives each arm's contribution to a row; the score is
 * their weighted mean. Of several semantic arms the best one counts: a text that means what is asked in one of its
 * columns need not mean it in all of them.
 *
 * - `softmax`: how probable each row is by the arm alone: the odds grow by one factor with each standard deviation of
 *   its score, so that arms of any scale agree. Of words it is counted from a row without any, which has 0. An arm
 *   whose rows are all alike spreads its say over them. Meaning counts the more, the better it agrees with the words.
 * - `linear`: each score as a share of the best one, from the least that the measure can give (cosine: -1 or what the
 *   model says, BM25: 0), or from the least candidate where it has none (inner products, distances: these count as
 *   their negatives). An arm weighs the more, the farther its best row stands out, and meaning the more, the better
 *   it agrees with the words.
 *   Bruch, Gai and Ingber, "An Analysis of Fusion Functions for Hybrid Retrieval" (2023), theoretical minimum.
 * - `minmax`: each score as a share of the way from the least to the best of the candidates.
 * - `rrf`: 1 / (60 + rank). Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion" (2009).
 */
import type { FusedKind } from '../../plan/plan.ts';

/** One arm over all candidates: NaN where it has no score, rank 0 where it is not among the arm's best. */
export interface FusedArm {
  readonly kind: FusedKind;
  /** The least that a score can be, the largest being the best; null where there is no bound. */
  readonly least: number | null;
  readonly scores: Float64Array;
  readonly ranks: Int32Array;
}

export interface FusionMethod {
  /** Weights of the arms when the call gives none. One setting for all data: measured by `bench/relevance.ts`. */
  readonly weights: (arms: readonly FusedArm[]) => readonly number[];
  /** The score that contributes nothing; null where scores are not looked at. */
  readonly least: (arm: FusedArm) => number | null;
  /**
   * Contribution of each candidate before weighting; 0 where the arm has nothing to say.
   * @param judged as `judgedAmong` gives it.
   */
  readonly contributions: (arm: FusedArm, judged: Uint8Array) => Float64Array;
}

const RRF_K = 60;
/** Cosines lie closer together than what words score. */
const SEMANTIC_WEIGHT = 7;
/** Best rows of the words that meaning is asked about. */
const ASKED_ROWS = 10;
/** Best rows of each arm by which it is judged how sure the arms are, however many more are wanted. */
const JUDGED_ROWS = 100;

export interface SoftmaxParameters {
  /** Deviations that make a row e times as probable. */
  readonly words: number;
  readonly meaning: number;
  /** The weight of an arm of meaning that places first what the words found best; words have 1. */
  readonly weight: number;
}

/** Fitted by `bench/fusion.ts`, each group of sets left out in turn. */
export const SOFTMAX: SoftmaxParameters = { words: 2.4, meaning: 1.7, weight: 1.7 };

export const FUSION_METHODS: Readonly<Record<string, FusionMethod>> = {
  softmax: softmax(SOFTMAX),
  linear: {
    weights: (arms) => {
      const judged = judgedRows(arms);
      return judged.map((arm) => {
        const trust = isOfMeaning(arm) ? SEMANTIC_WEIGHT * agreement(arm, judged) ** 2 : 1;
        return trust * prominence(fromLeast(arm));
      });
    },
    least: ({ scores, least }) => least ?? leastOf(scores),
    contributions: (arm) => fromLeast(arm),
  },
  minmax: {
    weights: (arms) => arms.map(() => 1),
    least: ({ scores }) => leastOf(scores),
    contributions: ({ scores }) => between(scores, leastOf(scores)),
  },
  rrf: {
    weights: (arms) => arms.map(() => 1),
    least: () => null,
    contributions: ({ ranks }) => Float64Array.from(ranks, (rank) => (rank === 0 ? 0 : 1 / (RRF_K + rank))),
  },
};

export function softmax({ words, meaning, weight }: SoftmaxParameters): FusionMethod {
  return {
    weights: (arms) => {
      const judged = judgedRows(arms);
      return judged.map((arm) => (isOfMeaning(arm) ? weight * agreement(arm, judged) : 1));
    },
    least: ({ kind }) => (kind === 'keyword' ? 0 : null),
    contributions: (arm, judged) => probabilities(arm, arm.kind === 'keyword' ? words : meaning, judged),
  };
}

/** True for meaning; without a least score its candidates are spread over the whole way from 0 to 1, as words are. */
const isOfMeaning = ({ kind, least }: FusedArm): boolean => kind !== 'keyword' && least !== null;

function probabilities({ kind, scores }: FusedArm, temperature: number, judged: Uint8Array): Float64Array {
  // A row without any of the words has a score, one without a vector has none.
  const all = kind === 'keyword' ? scores.map((score) => score || 0) : scores;
  const known = knownOf(all, judged);
  const unit = deviationOf(known) * temperature;
  let greatest = Number.NEGATIVE_INFINITY;
  for (const score of known) if (score > greatest) greatest = score;
  const odds = (score: number): number =>
    unit > ALIKE ? Math.exp((score - greatest) / unit) : Number(score === greatest);
  const nothing = kind === 'keyword' ? odds(0) : 0;
  const own = new Float64Array(all.length);
  let sum = 0;
  for (let row = 0; row < own.length; row++) {
    const score = all[row] as number;
    if (Number.isNaN(score)) continue;
    own[row] = odds(score);
    if (judged[row] === 1) sum += own[row] as number;
  }
  for (let row = 0; row < own.length; row++) {
    if (!Number.isNaN(all[row])) own[row] = ((own[row] as number) - nothing) / (sum || 1);
  }
  return own;
}

/** The scores of judged rows that have one. */
function knownOf(scores: Float64Array, judged: Uint8Array): Float64Array {
  const known = new Float64Array(scores.length);
  let count = 0;
  for (let row = 0; row < scores.length; row++) {
    const score = scores[row] as number;
    if (judged[row] === 1 && !Number.isNaN(score)) known[count++] = score;
  }
  return known.subarray(0, count);
}

function fromLeast({ scores, least }: FusedArm): Float64Array {
  return between(scores, least ?? leastOf(scores));
}

/** The arms over the rows that they are judged by. */
function judgedRows(arms: readonly FusedArm[]): readonly FusedArm[] {
  const judged = judgedAmong(arms);
  if (judged.every((is) => is === 1)) return arms;
  return arms.map(({ scores, ranks, ...arm }) => ({
    ...arm,
    scores: scores.filter((_, row) => judged[row] === 1),
    ranks: ranks.filter((_, row) => judged[row] === 1),
  }));
}

/** 1 for candidates that any arm has among its best. */
export function judgedAmong(arms: readonly FusedArm[]): Uint8Array {
  const judged = new Uint8Array(arms[0]?.ranks.length ?? 0);
  for (const { ranks } of arms) {
    for (let row = 0; row < judged.length; row++) if (isAmong(JUDGED_ROWS, ranks[row])) judged[row] = 1;
  }
  return judged;
}

const isAmong = (most: number, rank = 0): boolean => rank > 0 && rank <= most;

/**
 * How high, from 0 to 1 among the candidates, an arm places what the words found best. A model that does not know the
 * language, or what is meant, places it anywhere: it must not cost what the words have found. 1 where they found nothing.
 */
function agreement(arm: FusedArm, arms: readonly FusedArm[]): number {
  const places = between(arm.scores, leastOf(arm.scores));
  let [asked, sum] = [0, 0];
  for (const { kind, ranks } of arms) {
    if (kind !== 'keyword') continue;
    for (let row = 0; row < places.length; row++) {
      if (!isAmong(ASKED_ROWS, ranks[row])) continue;
      asked++;
      sum += places[row] as number;
    }
  }
  return asked === 0 ? 1 : sum / asked;
}

/**
 * How sure an arm is: how far its best contribution, in standard deviations, stands out among all. A model that does
 * not know the language, or words that are everywhere, rate many rows alike, and must not cost what the other arm has
 * found. 1 where all are alike: they then change nothing.
 */
function prominence(contributions: Float64Array): number {
  const best = contributions.reduce((most, value) => Math.max(most, value), 0);
  const deviation = deviationOf(contributions);
  return deviation > ALIKE ? (best - meanOf(contributions)) / deviation : 1;
}

function meanOf(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}

/** The standard deviation; 0 of no values. */
function deviationOf(values: Float64Array): number {
  if (values.length === 0) return 0;
  const mean = meanOf(values);
  let sum = 0;
  for (const value of values) sum += (value - mean) ** 2;
  return Math.sqrt(sum / values.length);
}

/** Deviations up to this are of rounding. */
const ALIKE = 1e-7;

function leastOf(scores: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (const score of scores) if (score < least) least = score;
  return least;
}

/** Each score's share of the way from `least` to the greatest; 0 below. */
function between(scores: Float64Array, least: number): Float64Array {
  let greatest = least;
  for (const score of scores) if (score > greatest) greatest = score;
  const range = greatest - least || 1;
  return scores.map((score) => (score > least ? (score - least) / range : 0));
}

/**
 * @param weights one an arm, not negative; their sum is not 0.
 * @returns scores, and per arm the share of its contribution in each score (0 where the score is 0), and its weight in
 *   the mean.
 */
export function fuse(method: FusionMethod, arms: readonly FusedArm[], weights: readonly number[]): Fused {
  const weightsOf = (kind: FusedKind): readonly number[] => weights.filter((_, i) => arms[i]?.kind === kind);
  const others = [...weightsOf('keyword'), ...weightsOf('vector')].reduce((sum, weight) => sum + weight, 0);
  const total = others + Math.max(0, ...weightsOf('semantic'));
  const ofMean = weights.map((weight) => weight / total);
  const judged = judgedAmong(arms);
  const parts = arms.map((arm, i) => {
    const part = method.contributions(arm, judged);
    for (let row = 0; row < part.length; row++) part[row] = (ofMean[i] as number) * (part[row] as number);
    return part;
  });
  keepBest(parts.filter((_, i) => arms[i]?.kind === 'semantic'));
  const scores = new Float64Array(arms[0]?.scores.length ?? 0);
  for (const part of parts) {
    for (let row = 0; row < scores.length; row++)
      scores[row] = (scores[row] as number) + (part[row] as number);
  }
  const shares = parts.map((part) =>
    part.map((value, row) => (scores[row] ? value / (scores[row] as number) : 0)),
  );
  return { scores, shares, weights: ofMean };
}

export interface Fused {
  readonly scores: Float64Array;
  readonly shares: readonly Float64Array[];
  readonly weights: readonly number[];
}

/** Keeps the largest contribution of each row; the first of equal ones. */
function keepBest(parts: readonly Float64Array[]): void {
  const [first, ...others] = parts;
  if (first === undefined || others.length === 0) return;
  for (let row = 0; row < first.length; row++) {
    const own = parts.map((part) => part[row] as number);
    const best = own.indexOf(Math.max(...own));
    for (const [i, part] of parts.entries()) if (i !== best) part[row] = 0;
  }
}
