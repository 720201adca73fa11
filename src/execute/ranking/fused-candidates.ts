/** Candidates of a fusion: each arm's best rows, all of them with the exact scores of every arm. */
import { findPosition } from '../../binary-search.ts';
import { present } from '../../assert.ts';
import { findIndex } from '../../catalog/model.ts';
import type { Part, PreparedArm } from '../../engine/engine.ts';
import type { FusedRanking } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Vector } from '../../types/column/vector.ts';
import { armColumn, nullArmColumn } from '../arms/arms.ts';
import { modelOf } from '../embedding/embeddings.ts';
import type { ScanSource } from '../scan/scan-rows.ts';
import { addressOf, partOfAddress, rowOfAddress } from './addresses.ts';
import type { RankedSource } from './best-rows.ts';
import type { FusedArm } from './fusion-methods.ts';
import type { LeftOut } from './likeness.ts';
import { plainRanking, type RankedRows } from './plain-ranking.ts';
import { placesOf, type ScoredRows } from './ties.ts';
import { bestRows } from './top-k.ts';

const NO_ROWS: RankedRows = {
  parts: [],
  partOf: [],
  rows: new Uint32Array(0),
  scores: new Float64Array(0),
  best: new Uint32Array(0),
};

/**
 * An arm's best rows that match.
 *
 * @param leftOut rows that are not ranked, though they would be among the best.
 */
export function* rankArm(
  source: RankedSource,
  { kind, position }: FusedRanking,
  { depth, leftOut }: { readonly depth: number; readonly leftOut: LeftOut },
): Task<RankedRows> {
  if ((source.arms[position - source.plan.columns.length] ?? null) === null) return NO_ROWS;
  let wanted = depth;
  for (const rows of leftOut.values()) wanted += rows.size;
  // Rows without a match are not ranked: nobody need look for some to fill up with.
  const ranked = (yield* plainRanking(source, wanted, source)) ?? (yield* anyRanking(source, wanted));
  const { parts, partOf, rows, scores } = ranked;
  const isRanked = (place: number): boolean => {
    const score = scores[place] as number;
    if (Number.isNaN(score) || (kind === 'keyword' && score <= 0)) return false;
    const part = parts[partOf[place] as number] as Part;
    return leftOut.get(part)?.has(rows[place] as number) !== true;
  };
  return { ...ranked, best: ranked.best.filter(isRanked).subarray(0, depth) };
}

/** By keys and rows that have to be looked at. */
function* anyRanking(source: RankedSource, wanted: number): Task<RankedRows> {
  using found = yield* bestRows(source, wanted, source);
  const best = yield* found.ranked();
  const parts = [...new Set(best.map(({ part }) => part))];
  return {
    parts,
    partOf: best.map(({ part }) => parts.indexOf(part)),
    rows: Uint32Array.from(best, ({ row }) => row),
    scores: Float64Array.from(best, ({ key }) => key ?? Number.NaN),
    best: placesOf(best.length),
  };
}

export interface FusedCandidates {
  /** In stored order. */
  readonly rows: Omit<ScoredRows, 'scores'>;
  readonly arms: readonly FusedArm[];
  /** The arms' scores as columns, by their positions in the scan's output. */
  readonly known: ReadonlyMap<number, Vector>;
}

/** All that any arm has found, once. */
export function* gather(
  source: ScanSource,
  rankings: readonly FusedRanking[],
  found: readonly RankedRows[],
): Task<FusedCandidates> {
  const parts = [...new Set(found.flatMap((ranked) => (ranked.best.length > 0 ? ranked.parts : [])))];
  const addresses = found.map((ranked) => addressesOf(ranked, parts));
  const all = distinct(addresses);
  const rows = { parts, partOf: new Uint32Array(all.length), rows: new Uint32Array(all.length) };
  for (let i = 0; i < all.length; i++) {
    rows.partOf[i] = partOfAddress(all[i] as number);
    rows.rows[i] = rowOfAddress(all[i] as number);
  }
  const arms: FusedArm[] = [];
  const known = new Map<number, Vector>();
  for (const [i, ranking] of rankings.entries()) {
    const { ranks, scores } = rankedAmong(all, addresses[i] ?? NOWHERE, found[i] ?? NO_ROWS);
    const index = ranking.position - source.plan.columns.length;
    const arm = present(source.plan.arms[index], 'arm');
    const prepared = source.arms[index] ?? null;
    if (prepared !== null) yield* scoreOthers(source, prepared, rows, { ranks, scores });
    known.set(ranking.position, prepared === null ? nullArmColumn(arm, all.length) : armColumn(arm, scores));
    const least = leastScore(source, ranking);
    arms.push({ kind: ranking.kind, least, scores: comparable(scores, ranking), ranks });
  }
  return { rows, arms, known };
}

const NOWHERE = new Float64Array(0);

/** Ranks and scores of an arm's best rows, at their places among all candidates. */
function rankedAmong(all: Float64Array, addresses: Float64Array, { best, scores }: RankedRows) {
  const own = { ranks: new Int32Array(all.length), scores: new Float64Array(all.length).fill(Number.NaN) };
  for (let at = 0; at < addresses.length; at++) {
    const place = findPosition(all, all.length, addresses[at] as number);
    own.ranks[place] = at + 1;
    own.scores[place] = scores[best[at] as number] as number;
  }
  return own;
}

/** An arm's best rows, in their order. */
function addressesOf({ parts: own, partOf, rows, best }: RankedRows, parts: readonly Part[]): Float64Array {
  const numbers = own.map((part) => parts.indexOf(part));
  const addresses = new Float64Array(best.length);
  for (let at = 0; at < best.length; at++) {
    const place = best[at] as number;
    addresses[at] = addressOf(numbers[partOf[place] as number] as number, rows[place] as number);
  }
  return addresses;
}

/** Ascending, each once. */
function distinct(lists: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let count = 0;
  for (const list of lists) {
    all.set(list, count);
    count += list.length;
  }
  all.sort();
  let end = 0;
  for (let i = 0; i < count; i++) {
    if (i === 0 || all[i] !== all[i - 1]) all[end++] = all[i] as number;
  }
  return all.subarray(0, end);
}

/** Scores of the candidates that an arm has not ranked; what its search gave is not computed again. */
function* scoreOthers(
  { run }: ScanSource,
  prepared: PreparedArm,
  { parts, partOf, rows }: FusedCandidates['rows'],
  { ranks, scores }: { readonly ranks: Int32Array; readonly scores: Float64Array },
): Task<void> {
  for (let from = 0, to = 0; from < rows.length; from = to) {
    const part = partOf[from] as number;
    const places: number[] = [];
    for (; to < rows.length && partOf[to] === part; to++) if (ranks[to] === 0) places.push(to);
    if (places.length === 0) continue;
    const others = new Uint32Array(places.length);
    for (let i = 0; i < places.length; i++) others[i] = rows[places[i] as number] as number;
    const scored = yield* wait(prepared.score(parts[part] as Part, others, run.context.signal));
    for (let i = 0; i < places.length; i++) scores[places[i] as number] = scored[i] as number;
  }
}

/** The larger, the better; NaN: none. */
function comparable(scores: Float64Array, { kind, metric: { isDistance } }: FusedRanking): Float64Array {
  if (kind === 'keyword') return scores.map((score) => score || Number.NaN);
  return isDistance ? scores.map((score) => -score) : scores;
}

/** The least score that the measure can give; of a model's vectors, what the model says. */
function leastScore({ plan, run }: ScanSource, { position, metric }: FusedRanking): number | null {
  const arm = present(plan.arms[position - plan.columns.length], 'arm');
  if (arm.kind !== 'semantic' && arm.kind !== 'vector') return metric.least;
  const { index } = present(findIndex(run.snapshot.catalog, arm.index), `index ${arm.index}`);
  return index.kind === 'semantic' ? modelOf(index, run.context.inference).leastCosine : metric.least;
}
