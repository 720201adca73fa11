/**
 * `hybrid(…, explain => true)`: what each arm gave to the rows that are shown, and what its own score is made of.
 */
import type { Part } from '../../engine/engine.ts';
import { type Task, wait } from '../../task.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import type { ScanSource } from '../scan/scan-rows.ts';
import { checkpoint } from '../state.ts';
import type { Candidates } from './candidates.ts';
import { explainArm, type Json, rounded } from '../arms/explanations.ts';
import { type Fused, type FusedArm, type FusionMethod, judgedAmong } from './fusion-methods.ts';

/** A search that is done. */
interface FusedSearch extends Fused {
  readonly name: string;
  readonly method: FusionMethod;
  readonly arms: readonly FusedArm[];
  /** Where the arms' scores are in the scan's output, and whether the smaller one is the better. */
  readonly rankings: readonly {
    readonly position: number;
    readonly metric: { readonly isDistance: boolean };
  }[];
}

/** @param best places of the candidates that are shown, in their order. */
export function* explainFused(
  source: ScanSource,
  search: FusedSearch,
  { candidates, best }: { readonly candidates: Candidates; readonly best: Uint32Array },
): Task<Vector> {
  const inArms: Json[][] = [];
  for (const [i, { position }] of search.rankings.entries()) {
    const own = yield* explainRows(source, position - source.plan.columns.length, candidates, best);
    const part = partOfArm(search, i);
    inArms.push(own.map((row, shown) => ({ ...row, ...part(best[shown] as number) })));
  }
  const texts: string[] = [];
  for (const [shown, place] of best.entries()) {
    const score = rounded(search.scores[place] as number);
    const arms = inArms.map((rows) => rows[shown]);
    texts.push(formatJsonb(jsonOf({ method: search.name, score, arms })));
    const pause = checkpoint(source.run);
    if (pause !== null) yield* wait(pause);
  }
  return vectorOf('text', texts);
}

/** An arm's contribution to the score of a candidate: contributions add up to it. */
function partOfArm(
  { method, rankings, arms, scores, shares, weights }: FusedSearch,
  i: number,
): (place: number) => Json {
  const arm = arms[i] as FusedArm;
  const least = method.least(arm);
  const known = arm.scores.filter((score) => !Number.isNaN(score));
  const best = known.reduce((most, score) => Math.max(most, score), Number.NEGATIVE_INFINITY);
  const normalized = method.contributions(arm, judgedAmong(arms));
  const shown = (value: number): number => rounded(rankings[i]?.metric.isDistance ? -value : value);
  return (place) => {
    const share = shares[i]?.[place] as number;
    const [rank, score] = [arm.ranks[place] as number, arm.scores[place] as number];
    return {
      arm: arm.kind,
      score: Number.isNaN(score) ? null : shown(score),
      rank: rank === 0 ? null : rank,
      ...(least === null || !Number.isFinite(best) ? {} : { least: shown(least), best: shown(best) }),
      normalized: rounded(normalized[place] as number),
      weight: rounded(weights[i] as number),
      contribution: rounded(share * (scores[place] as number)),
      share: rounded(share),
    };
  };
}

/** An arm's explanation of the candidates at some places, part by part. */
function* explainRows(
  source: ScanSource,
  arm: number,
  { parts, partOf, rows }: Candidates,
  places: Uint32Array,
): Task<Json[]> {
  const told: Json[] = new Array(places.length);
  for (const [number, part] of parts.entries()) {
    const shown = [...places.keys()]
      .filter((i) => partOf[places[i] as number] === number)
      .sort((a, b) => rowAt(rows, places, a) - rowAt(rows, places, b));
    const own = Uint32Array.from(shown, (i) => rowAt(rows, places, i));
    const explained = yield* explainArm(source, arm, { part: part as Part, rows: own });
    for (const [at, i] of shown.entries()) told[i] = explained[at] ?? {};
  }
  return told;
}

const rowAt = (rows: ArrayLike<number>, places: Uint32Array, i: number): number =>
  rows[places[i] as number] as number;
