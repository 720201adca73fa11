/**
 * Metrics of a ranked list, by what was expected of it: recall, precision, nDCG and the reciprocal rank of one
 * question, and means and percentiles over many. The definitions are those of trec_eval (NIST), nDCG with linear gains
 * as its `ndcg_cut`: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002). Beyond these
 * a result may stand for several things at once, as a passage does for two pages. `docs/evaluation.md` has them in words.
 */

/** Expected keys, with how relevant each is: a number above 0. */
export type Expected = ReadonlyMap<string, number>;

export interface Judged {
  /** 1-based place of the first result that shows something expected; null where none does. */
  readonly rank: number | null;
  /** Share of what is expected that the results show. */
  readonly recall: number;
  /** Results that show something expected. */
  readonly relevantCount: number;
  readonly ndcg: number;
  readonly reciprocalRank: number;
  /** Largest relevance that each result shows; 0 where it shows nothing expected. */
  readonly relevances: readonly number[];
}

/**
 * Judges the first `k` results, the best first.
 *
 * @param expected what is looked for; not empty.
 * @param shown    of each result the keys of what it stands for. What an earlier result has shown brings no gain again;
 *   of what one result is the first to show, the most relevant counts as its gain.
 */
export function judge(expected: Expected, shown: readonly (readonly string[])[], k: number): Judged {
  const found = new Set<string>();
  const relevances: number[] = [];
  let gain = 0;
  for (const [place, keys] of shown.slice(0, k).entries()) {
    const known = keys.filter((key) => expected.has(key));
    const relevance = (key: string): number => expected.get(key) ?? 0;
    const fresh = known.filter((key) => !found.has(key)).map(relevance);
    gain += discounted(Math.max(0, ...fresh), place);
    relevances.push(Math.max(0, ...known.map(relevance)));
    for (const key of known) found.add(key);
  }
  const first = relevances.findIndex((relevance) => relevance > 0);
  return {
    rank: first < 0 ? null : first + 1,
    recall: found.size / expected.size,
    relevantCount: relevances.filter((relevance) => relevance > 0).length,
    ndcg: gain / idealGain(expected, k),
    reciprocalRank: first < 0 ? 0 : 1 / (first + 1),
    relevances,
  };
}

/** Gain of the best order there is: one result for each, the most relevant first. */
function idealGain(expected: Expected, k: number): number {
  const best = [...expected.values()].sort((a, b) => b - a).slice(0, k);
  return best.reduce((sum, relevance, place) => sum + discounted(relevance, place), 0);
}

/** @param place 0-based. */
const discounted = (relevance: number, place: number): number => relevance / Math.log2(place + 2);

/** Null of nothing. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** @param share 0..1; nearest rank. @returns NaN of nothing. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
