/** Parameters of the softmax fusion, chosen by all groups of sets but one and judged by that one, all ways. */
import {
  fuse,
  type FusedArm,
  SOFTMAX,
  softmax,
  type SoftmaxParameters,
} from '../../src/execute/ranking/fusion-methods.ts';
import { report } from '../statistics.ts';
import type { Asked, Collected } from './collect.ts';

/** Hybrid may be so far below the better arm. */
const BAR = -0.003;
const TOP = 10;
const DEPTH = 100;
/** Sets of which one answer is meant: mean reciprocal rank instead of nDCG@10. */
const KNOWN_ITEMS: readonly string[] = ['films', 'titles', 'tatqa'];
/** A fit is the mean over the better arm, and how far the worst is below it, so often. */
const WORST_COUNTS = 2;

const GRID: readonly SoftmaxParameters[] = [1.4, 2, 2.4].flatMap((words) =>
  [1, 1.4, 1.7].flatMap((meaning) => [1, 1.4, 1.7].map((weight) => ({ words, meaning, weight }))),
);

interface Judged {
  readonly set: Collected;
  readonly words: number;
  readonly meaning: number;
  /** @param parameters the engine's where none are given. */
  hybrid(parameters?: SoftmaxParameters): number;
}

/** Prints a line a set with the engine's parameters, and a line a set by those of the fold that leaves it out. */
export function judgeFolds(collected: readonly Collected[]): void {
  const all = collected.map(judge);
  const better = ({ words, meaning }: Judged): number => Math.max(words, meaning);
  for (const one of all) {
    const own = one.hybrid();
    const facts = { words: shown(one.words), meaning: shown(one.meaning), hybrid: shown(own) };
    reportGain(nameOf(one.set), own - better(one), facts);
  }
  const gains = GRID.map((parameters) => all.map((one) => one.hybrid(parameters) - better(one)));
  for (const group of new Set(all.map(({ set }) => set.group))) {
    const isLeft = (i: number): boolean => all[i]?.set.group === group;
    const fits = gains.map((own) => fitOf(own.filter((_, i) => !isLeft(i))));
    const best = fits.indexOf(Math.max(...fits));
    const facts = Object.fromEntries(
      Object.entries(GRID[best] ?? {}).map(([name, value]) => [name, String(value)]),
    );
    for (const [i, one] of all.entries()) {
      if (isLeft(i)) reportGain(`left out: ${nameOf(one.set)}`, gains[best]?.[i] as number, facts);
    }
  }
  reportWords(all);
}

/** All columns by words, beside the text alone. */
function reportWords(all: readonly Judged[]): void {
  for (const { set, words } of all) {
    const alone = all.find((other) => !other.set.allColumns && isSame(other.set, set));
    if (!set.allColumns || alone === undefined) continue;
    reportGain(`${nameOf(set)}: words of all columns over the text’s`, words - alone.words, {});
  }
}

const isSame = (one: Collected, other: Collected): boolean =>
  one.name === other.name && one.model === other.model;

const nameOf = ({ name, model, allColumns }: Collected): string =>
  `${name}, ${model}${allColumns ? ', all columns' : ''}`;

const shown = (value: number): string => value.toFixed(4);

function reportGain(what: string, gain: number, facts: Readonly<Record<string, string>>): void {
  report(`fusion: ${what}`, gain, { bar: `>= ${BAR}, ${gain >= BAR ? 'met' : 'MISSED'}`, ...facts });
}

const fitOf = (gains: readonly number[]): number =>
  gains.reduce((sum, gain) => sum + gain, 0) / gains.length + WORST_COUNTS * Math.min(0, ...gains);

function judge(set: Collected): Judged {
  const asked = set.asked.filter(({ relevantCount }) => relevantCount > 0);
  const figure = KNOWN_ITEMS.includes(set.name) ? reciprocalRank : discountedGain;
  const meanOf = (scoresOf: (one: Asked) => ArrayLike<number | null>): number =>
    asked.reduce((sum, one) => sum + figure(placesOf(scoresOf(one), one.relevant), one.relevantCount), 0) /
    asked.length;
  const arms = new Map(asked.map((one) => [one, armsOf(one)]));
  return {
    set,
    words: meanOf(({ words }) => words),
    meaning: meanOf(({ meaning }) => meaning),
    hybrid(parameters = SOFTMAX) {
      const method = softmax(parameters);
      return meanOf((one) => {
        const own = arms.get(one) ?? [];
        return fuse(method, own, method.weights(own)).scores;
      });
    },
  };
}

/** As `hybrid()` has them; every model's cosines have a least, which the softmax does not look at. */
function armsOf({ words, meaning }: Asked): readonly FusedArm[] {
  return [
    { kind: 'semantic', least: -1, ...scored(meaning) },
    { kind: 'keyword', least: 0, ...scored(words) },
  ];
}

function scored(values: readonly (number | null)[]): Pick<FusedArm, 'scores' | 'ranks'> {
  const scores = Float64Array.from(values, (value) => value || Number.NaN);
  const order = [...scores.keys()]
    .filter((row) => !Number.isNaN(scores[row]))
    .sort((a, b) => (scores[b] as number) - (scores[a] as number));
  const ranks = new Int32Array(scores.length);
  for (const [place, row] of order.slice(0, DEPTH).entries()) ranks[row] = place + 1;
  return { scores, ranks };
}

/** Places of the relevant rows by score, from 0, best first; those without a score have none. */
function placesOf(scores: ArrayLike<number | null>, relevant: readonly number[]): number[] {
  const all = Array.from(scores, (score) => score || Number.NEGATIVE_INFINITY);
  return relevant
    .map((row) => ({ row, own: all[row] as number }))
    .filter(({ own }) => own !== Number.NEGATIVE_INFINITY)
    .map(({ row, own }) => all.filter((score, other) => score > own || (score === own && other < row)).length)
    .sort((a, b) => a - b);
}

function reciprocalRank([first]: readonly number[]): number {
  return first === undefined || first >= DEPTH ? 0 : 1 / (first + 1);
}

function discountedGain(places: readonly number[], relevantCount: number): number {
  const discount = (place: number): number => 1 / Math.log2(place + 2);
  const ideal = Array.from({ length: Math.min(TOP, relevantCount) }, (_, place) => discount(place));
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return sum(places.filter((place) => place < TOP).map(discount)) / sum(ideal);
}
