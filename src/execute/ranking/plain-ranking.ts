/**
 * The best rows by one score and nothing else. One thing to know: what an index gives comes in that order with exact
 * scores, so that rows need no look; the primary keys of those that tie are read, and no others.
 */
import type { Candidates as Hits, Part } from '../../engine/engine.ts';
import { BATCH_ROWS_MAX, CANDIDATES_MAX, TIES_MAX } from '../../limits.ts';
import type { Task } from '../../task.ts';
import { joinNumbers } from '../../types/column/numbers.ts';
import { type Batch, Float64Vector, type Vector } from '../../types/column/vector.ts';
import { partsOf } from '../scan/part-rows.ts';
import type { ScanSource } from '../scan/scan-rows.ts';
import type { RankedSource } from './best-rows.ts';
import { GUARDS } from '../guards.ts';
import { readCandidates } from './candidates.ts';
import { type EligibleRows, eligibleRows, searchArm } from './part-search.ts';
import { turn } from '../state.ts';
import { byScore, firstByKey, placesOf, type ScoredRows } from './ties.ts';

/** Scored rows, and the places of the best among them, best first. */
export interface RankedRows extends ScoredRows {
  readonly best: Uint32Array;
}

/**
 * @param matching as `searchParts` of `top-k.ts` takes it.
 * @returns null where that takes more than what the index gives: the scan is ranked by more than a score, rows
 *          without one are wanted, or very many tie.
 */
export function* plainRanking(
  source: RankedSource,
  wanted: number,
  matching: ScanSource | null,
): Task<RankedRows | null> {
  const { score, first, plain } = source.plan.request;
  if (!plain || score === null || first === null || wanted >= CANDIDATES_MAX) return null;
  if (source.arms[score]?.higherIsBetter !== first.descending) return null;
  const parts: Part[] = [];
  const found: Hits[] = [];
  let isAll = true;
  for (const part of partsOf(source)) {
    if (parts.length > 0) yield* turn(source.run);
    const rows = yield* eligibleRows(matching ?? source, part);
    if (rows.eligible === 0) continue;
    const hits = yield* searchTies(source, score, { part, wanted, ...rows });
    if (hits === null) return null;
    isAll &&= hits.rows.length >= rows.eligible;
    parts.push(part);
    found.push(hits);
  }
  const all = joined(parts, found);
  const order = found.length === 1 ? placesOf(all.rows.length) : byScore(all.scores, first.descending);
  const last = order[wanted - 1];
  // Rows without a score are wanted where there are too few with one, or words that count nothing.
  const hasEnough =
    last !== undefined && (source.plan.arms[score]?.kind !== 'keyword' || (all.scores[last] as number) > 0);
  if (!hasEnough && !isAll && matching === null) return null;
  return { ...all, best: yield* firstByKey(source, all, { order, wanted }) };
}

/** A part's best rows, and all that tie with the last one wanted; null where these are very many. */
function* searchTies(
  source: ScanSource,
  arm: number,
  { part, mask, wanted, eligible }: EligibleRows & { readonly part: Part; readonly wanted: number },
): Task<Hits | null> {
  for (let count = wanted; count < CANDIDATES_MAX; count *= GUARDS.deeper) {
    const hits = yield* searchArm(source, arm, { part, mask, count });
    const { length } = hits.rows;
    const isWhole = length < count + TIES_MAX || length >= eligible;
    if (isWhole || hits.scores[length - 1] !== hits.scores[wanted - 1]) return hits;
  }
  return null;
}

function joined(parts: readonly Part[], found: readonly Hits[]): ScoredRows {
  const [only, other] = found;
  if (only !== undefined && other === undefined) {
    return { parts, partOf: new Uint32Array(only.rows.length), rows: only.rows, scores: only.scores };
  }
  const partOf = joinNumbers(found.map(({ rows }, number) => new Uint32Array(rows.length).fill(number)));
  const scores = new Float64Array(partOf.length);
  let at = 0;
  for (const hits of found) {
    scores.set(hits.scores, at);
    at += hits.scores.length;
  }
  return { parts, partOf, rows: joinNumbers(found.map(({ rows }) => rows)), scores };
}

/** Rows of a plain ranking as the scan gives them. */
export class PlainRows implements Disposable {
  readonly #source: RankedSource;
  readonly #ranked: RankedRows;
  readonly #known: ReadonlyMap<number, Vector>;

  constructor(source: RankedSource, ranked: RankedRows) {
    this.#source = source;
    this.#ranked = ranked;
    const { plan } = source;
    const position = plan.columns.length + (plan.request.score ?? 0);
    this.#known = new Map([[position, new Float64Vector(ranked.scores)]]);
  }

  /** As that of `BestRows`. */
  *batch(start: number): Task<Batch> {
    const places = this.#ranked.best.subarray(start, start + BATCH_ROWS_MAX);
    return yield* readCandidates(this.#source, { ...this.#ranked, known: this.#known }, places);
  }

  [Symbol.dispose](): void {
    // As many as may be candidates are not counted.
  }
}
