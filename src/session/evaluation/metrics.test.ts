/** Metrics by hand, against published examples, and what must hold of any ranking. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judge, mean, percentile } from './metrics.ts';

const of = (relevances: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(relevances).filter(([, relevance]) => relevance > 0));
const one = (ids: Iterable<string>): string[][] => [...ids].map((id) => [id]);

describe('nDCG', () => {
  it('is .785 in the example of Wikipedia, "Discounted cumulative gain"', () => {
    const relevances = of({ a: 3, b: 2, c: 3, d: 0, e: 1, f: 2, g: 3, h: 2 });
    expect(judge(relevances, one('abcdef'), 6).ndcg).toBeCloseTo(0.785, 3);
  });

  it('is what scikit-learn documents for its ndcg_score', () => {
    const relevances = of({ a: 10, b: 0, c: 0, d: 1, e: 5 });
    expect(judge(relevances, one('edcba'), 10).ndcg).toBeCloseTo(0.69569, 4);
    expect(judge(relevances, one('bcdae'), 10).ndcg).toBeCloseTo(0.49, 2);
    expect(judge(relevances, one('bcdae'), 4).ndcg).toBeCloseTo(0.35, 2);
  });

  it('is 1 for the best order, and for its first k', () => {
    const relevances = of({ a: 1, b: 2, c: 3 });
    expect(judge(relevances, one('cba'), 10).ndcg).toBe(1);
    expect(judge(relevances, one('cba'), 2).ndcg).toBe(1);
    expect(judge(relevances, [], 10).ndcg).toBe(0);
  });
});

describe('by hand', () => {
  const relevances = of({ a: 1, b: 1, c: 1, d: 1 });

  it('of four that are expected two are found, the first in second place', () => {
    const judged = judge(relevances, one('xaybz'), 5);
    expect(judged).toMatchObject({
      rank: 2,
      reciprocalRank: 0.5,
      recall: 0.5,
      relevantCount: 2,
      relevances: [0, 1, 0, 1, 0],
    });
    const ideal = 1 + 1 / Math.log2(3) + 1 / 2 + 1 / Math.log2(5);
    expect(judged.ndcg).toBeCloseTo((1 / Math.log2(3) + 1 / Math.log2(5)) / ideal, 12);
  });

  it('what comes after k is not seen', () => {
    expect(judge(relevances, one('xxa'), 2)).toMatchObject({
      rank: null,
      reciprocalRank: 0,
      recall: 0,
      ndcg: 0,
    });
  });

  it('what is shown twice brings its gain once, and is relevant twice', () => {
    const judged = judge(of({ a: 1 }), one('aa'), 2);
    expect(judged).toMatchObject({ ndcg: 1, recall: 1, relevantCount: 2 });
  });

  it('one result may show several: both are found, the more relevant is its gain', () => {
    const judged = judge(of({ a: 1, b: 3 }), [['a', 'b', 'x'], ['a']], 5);
    expect(judged).toMatchObject({ rank: 1, recall: 1, relevances: [3, 1] });
    expect(judged.ndcg).toBeCloseTo(3 / (3 + 1 / Math.log2(3)), 12);
  });
});

interface TrecEval {
  readonly judged: Readonly<Record<string, number>>;
  readonly ranked: readonly string[];
  readonly ndcg: number;
  readonly recall: number;
  readonly precision: number;
  readonly reciprocalRank: number;
}

/** Rankings by chance with what trec_eval says of them at 10 (as it is in pytrec_eval-terrier 0.5.11). */
const TREC_EVAL = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../../sql-tests/fixtures/trec-eval.json'), 'utf8'),
) as readonly TrecEval[];

it.each(TREC_EVAL)('trec_eval says of $ranked: nDCG $ndcg, recall $recall, precision $precision', (known) => {
  const judged = judge(of(known.judged), one(known.ranked), 10);
  expect(judged.ndcg).toBeCloseTo(known.ndcg, 9);
  expect(judged.recall).toBeCloseTo(known.recall, 9);
  expect(judged.relevantCount / 10).toBeCloseTo(known.precision, 9);
  // It looks for the first one without end.
  const reciprocal = known.reciprocalRank < 0.1 ? 0 : known.reciprocalRank;
  expect(judged.reciprocalRank).toBeCloseTo(reciprocal, 9);
});

it('all figures are from 0 to 1, and no order beats the best', () => {
  const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
  const relevances = fc.dictionary(keys, fc.integer({ min: 1, max: 4 }), { minKeys: 1 });
  const shown = fc.array(fc.array(keys, { maxLength: 3 }), { maxLength: 8 });
  fc.assert(
    fc.property(relevances, shown, fc.integer({ min: 1, max: 9 }), (expected, results, k) => {
      const { ndcg, recall, reciprocalRank, rank } = judge(of(expected), results, k);
      for (const figure of [ndcg, recall, reciprocalRank]) {
        expect(figure).toBeGreaterThanOrEqual(0);
        expect(figure).toBeLessThanOrEqual(1 + 1e-12);
      }
      expect(rank === null).toBe(recall === 0);
    }),
  );
});

it('means and percentiles', () => {
  expect(mean([])).toBeNull();
  expect(mean([1, 2, 6])).toBe(3);
  expect(percentile([], 0.5)).toBeNaN();
  expect(percentile([5, 1, 3], 0.5)).toBe(3);
  expect(percentile([5, 1, 3], 0.95)).toBe(5);
  expect(percentile([5, 1, 3], 1)).toBe(5);
});
