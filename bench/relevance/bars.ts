/** Parts that `bench relevance` shares: the models, and figures beside their bars. */
import { report } from '../statistics.ts';

export const MULTILINGUAL = 'multilingual-e5-small';
export const ENGLISH = 'all-minilm-l6-v2';
/** The first one embeds what is loaded, the others take its place. */
export const MODELS = [MULTILINGUAL, ENGLISH, 'bge-small-en-v1.5'] as const;
export type Model = (typeof MODELS)[number];

/** @param least the figure's bar. */
export function reportBar(
  what: string,
  figure: number,
  least: number,
  facts: Readonly<Record<string, string>> = {},
): void {
  // Figures are sums of floats.
  const verdict = figure >= least - 1e-9 ? 'met' : 'MISSED';
  report(what, figure, { bar: `>= ${least}, ${verdict}`, ...facts });
}

/** On a line of its own, beside what is measured. */
export const progress = (text: string): void => void process.stderr.write(`${text}\n`);
