/**
 * ts_rank and ts_rank_cd: PostgreSQL's formulas (tsrank.c), single precision where it has it.
 */
import { SqlError } from '../../errors.ts';
import { nodesOf, type QueryNode, type TsQuery } from '../../types/text/text-search-query.ts';
import {
  type Lexeme,
  placeOf,
  POSITION_MAX,
  type TsVector,
  weightOf,
} from '../../types/text/text-search-vector.ts';
import { finderIn, matches } from './text-search-match.ts';

/** Weights of D, C, B and A. */
const USUAL_WEIGHTS = [0.1, 0.2, 0.4, 1];
const NORM = { logLength: 1, length: 2, extents: 4, unique: 8, logUnique: 16, plusOne: 32 } as const;
/** π² / 6, as PostgreSQL rounds it. */
const SQUARES = 1.64493406685;
const single = Math.fround;

type Word = Extract<QueryNode, { kind: 'word' }>;

/** @param given {D, C, B, A}; negative ones are the usual. @throws SqlError 2202E, 22004, 22023. */
function weightsOf(given: readonly (number | null)[] | null): readonly number[] {
  if (given === null) return USUAL_WEIGHTS.map(single);
  if (given.length < USUAL_WEIGHTS.length) {
    throw new SqlError('array_subscript_error', 'array of weight is too short');
  }
  return USUAL_WEIGHTS.map((usual, i) => {
    const weight = given[i];
    if (weight === null || weight === undefined) {
      throw new SqlError('null_value_not_allowed', 'array of weight must not contain nulls');
    }
    if (weight > 1) throw new SqlError('invalid_parameter_value', 'weight out of range');
    return single(weight >= 0 ? weight : usual);
  });
}

function wordsOf(query: TsQuery): readonly Word[] {
  const words = new Map<string, Word>();
  for (const node of nodesOf(query))
    if (node.kind === 'word' && !words.has(node.word)) words.set(node.word, node);
  return [...words]
    .sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    .map(([, word]) => word);
}

const lengthOf = (vector: TsVector): number =>
  vector.reduce((sum, { positions }) => sum + Math.max(1, positions.length), 0);

export interface RankOptions {
  readonly weights: readonly (number | null)[] | null;
  readonly norm: number;
}

export function rank(vector: TsVector, query: TsQuery, { weights, norm }: RankOptions): number {
  const weight = weightsOf(weights);
  if (vector.length === 0 || query === null) return 0;
  const together = query.kind === 'and' || query.kind === 'phrase';
  const found = together ? rankTogether(vector, query, weight) : rankApart(vector, query, weight);
  return normalised(single(found < 0 ? 1e-20 : found), vector, norm);
}

function normalised(found: number, vector: TsVector, norm: number): number {
  let value = found;
  const length = lengthOf(vector);
  if (norm & NORM.logLength) value = single(value / (Math.log(length + 1) / Math.LN2));
  if (norm & NORM.length) value = single(value / length);
  if (norm & NORM.unique) value = single(value / vector.length);
  if (norm & NORM.logUnique) value = single(value / (Math.log(vector.length + 1) / Math.LN2));
  if (norm & NORM.plusOne) value = single(value / single(value + 1));
  return value;
}

/** A lexeme's positions; of one without them, a single one far away. */
const positionsOf = ({ positions }: Lexeme): readonly number[] =>
  positions.length > 0 ? positions : [POSITION_MAX];

/** calc_rank_or: every word by itself. */
function rankApart(vector: TsVector, query: TsQuery, weight: readonly number[]): number {
  const words = wordsOf(query);
  let sum = 0;
  for (const word of words) {
    for (const lexeme of finderIn(vector)({ ...word, weights: 0 })) {
      let own = 0;
      let best = -1;
      let bestAt = 0;
      for (const [j, position] of positionsOf(lexeme).entries()) {
        const value = weight[weightOf(position)] as number;
        own = single(own + value / ((j + 1) * (j + 1)));
        if (value > best) [best, bestAt] = [value, j];
      }
      sum = single(sum + (best + own - best / ((bestAt + 1) * (bestAt + 1))) / SQUARES);
    }
  }
  return words.length > 0 ? single(sum / words.length) : sum;
}

/** calc_rank_and: every two words by how near they stand. */
function rankTogether(vector: TsVector, query: TsQuery, weight: readonly number[]): number {
  const words = wordsOf(query);
  if (words.length < 2) return rankApart(vector, query, weight);
  let sum = -1;
  const seen: (Lexeme | undefined)[] = [];
  for (const [i, word] of words.entries()) {
    for (const lexeme of finderIn(vector)({ ...word, weights: 0 })) {
      seen[i] = lexeme;
      for (const other of seen.slice(0, i)) if (other) sum = nearness(lexeme, other, { weight, sum });
    }
  }
  return sum;
}

function nearness(
  a: Lexeme,
  b: Lexeme,
  { weight, sum }: { readonly weight: readonly number[]; readonly sum: number },
): number {
  let result = sum;
  const stripped = a.positions.length === 0 || b.positions.length === 0;
  for (const l of positionsOf(a)) {
    for (const p of positionsOf(b)) {
      const distance = Math.abs(placeOf(l) - placeOf(p)) || (stripped ? POSITION_MAX + 1 : 0);
      if (distance === 0) continue;
      const weights = single((weight[weightOf(l)] as number) * (weight[weightOf(p)] as number));
      const value = single(Math.sqrt(single(weights * wordDistance(distance))));
      result = single(result < 0 ? value : 1 - (1 - result) * (1 - value));
    }
  }
  return result;
}

function wordDistance(words: number): number {
  return single(words > 100 ? 1e-30 : 1 / (1.005 + 0.05 * Math.exp(words / 1.5 - 2)));
}

/** A position of the document with the words of the query that stand there. */
interface Entry {
  readonly position: number;
  readonly words: readonly Word[];
}

/** Cover density: Clarke, Cormack and Tudhope, "Relevance Ranking for One to Three Term Queries" (1999). */
export function rankByCovers(vector: TsVector, query: TsQuery, { weights, norm }: RankOptions): number {
  const weight = weightsOf(weights);
  const entries = query === null ? [] : entriesOf(vector, query);
  let sum = 0;
  let extents = 0;
  let distances = 0;
  let last = 0;
  for (const { begin, end } of coversOf(entries, query)) {
    const inverse = entries.slice(begin, end + 1).reduce((total, { position }) => {
      return total + 1 / (weight[weightOf(position)] as number);
    }, 0);
    const [from, to] = [entries[begin], entries[end]].map((entry) => placeOf(entry?.position ?? 0));
    const span = (to ?? 0) - (from ?? 0) - (end - begin);
    const noise = span < 0 ? Math.trunc((end - begin) / 2) : span;
    sum += (end - begin + 1) / inverse / (1 + noise);
    const middle = ((to ?? 0) + (from ?? 0)) / 2;
    if (extents > 0 && middle > last) distances += 1 / (middle - last);
    last = middle;
    extents++;
  }
  return single(normalisedCovers(sum, { vector, norm, extents, distances }));
}

function normalisedCovers(
  found: number,
  of: { vector: TsVector; norm: number; extents: number; distances: number },
): number {
  let value = found;
  const { vector, norm, extents, distances } = of;
  const length = lengthOf(vector);
  if (norm & NORM.logLength && vector.length > 0) value /= Math.log(length + 1);
  if (norm & NORM.length && length > 0) value /= length;
  if (norm & NORM.extents && extents > 0 && distances > 0) value /= extents / distances;
  if (norm & NORM.unique && vector.length > 0) value /= vector.length;
  if (norm & NORM.logUnique && vector.length > 0) value /= Math.log(vector.length + 1) / Math.LN2;
  if (norm & NORM.plusOne) value /= value + 1;
  return value;
}

function entriesOf(vector: TsVector, query: TsQuery): readonly Entry[] {
  const byPosition = new Map<number, Word[]>();
  const find = finderIn(vector);
  for (const node of nodesOf(query)) {
    if (node.kind !== 'word') continue;
    for (const { positions } of find(node)) {
      for (const position of positions) byPosition.set(position, [...(byPosition.get(position) ?? []), node]);
    }
  }
  return [...byPosition]
    .map(([position, words]) => ({ position, words }))
    .sort((a, b) => placeOf(a.position) - placeOf(b.position));
}

/** The shortest runs of entries that match the query, left to right. */
function* coversOf(entries: readonly Entry[], query: TsQuery): Iterable<{ begin: number; end: number }> {
  for (let from = 0; from < entries.length; ) {
    const end = reaching(entries, query, { from, to: entries.length - 1, step: 1 });
    if (end < 0) return;
    const begin = reaching(entries, query, { from: end, to: from, step: -1 });
    if (begin >= 0) yield { begin, end };
    from = begin < 0 ? from + 1 : begin + 1;
  }
}

/** The first entry from `from` on with which those passed match; -1: none. */
function reaching(
  entries: readonly Entry[],
  query: TsQuery,
  { from, to, step }: { readonly from: number; readonly to: number; readonly step: 1 | -1 },
): number {
  const met = new Map<Word, number[]>();
  for (let at = from; step > 0 ? at <= to : at >= to; at += step) {
    const { position, words } = entries[at] as Entry;
    for (const word of words) {
      const known = met.get(word);
      if (known) known.push(position);
      else met.set(word, [position]);
    }
    const found = matches(query, (word) => {
      const positions = met.get(word);
      return positions ? [{ word: word.word, positions }] : [];
    });
    if (found) return at;
  }
  return -1;
}
