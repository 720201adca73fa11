/** Ways to compare vectors, as far as fusion has to know them. */
import { present } from '../assert.ts';

export interface Metric {
  /** A distance: the smaller, the nearer. */
  readonly isDistance: boolean;
  /** The least that a similarity can be, or minus the largest distance; null: there is no bound. */
  readonly least: number | null;
}

/** The metric of BM25 scores, which are 0 where no word is found. */
export const WORDS = 'bm25';

const METRICS: Readonly<Record<string, Metric>> = {
  [WORDS]: { isDistance: false, least: 0 },
  cosine: { isDistance: false, least: -1 },
  dot_product: { isDistance: false, least: null },
  maxsim: { isDistance: false, least: null },
  euclidean: { isDistance: true, least: null },
  l1: { isDistance: true, least: null },
  hamming: { isDistance: true, least: null },
  jaccard: { isDistance: true, least: -1 },
};

export const metricOf = (name: string): Metric => present(METRICS[name], `metric ${name}`);
