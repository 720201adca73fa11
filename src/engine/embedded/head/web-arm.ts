/**
 * A web query (`"a phrase" -not title:word OR other`) over the parts of a snapshot: its alternatives, each of arms
 * that a row must match and of arms that it must not. A row's score is the sum of what it matches.
 *
 * The best rows are found by the threshold algorithm (Fagin, Lotem, Naor 2003): the best of each arm that is wanted
 * are scored by all of them, deeper and deeper, until nothing unseen could be better.
 */
import { TIES_MAX } from '../../../limits.ts';
import { indexedName, type Relation } from '../../../catalog/model.ts';
import { webRequests } from '../../../index/keywords/web-requests.ts';
import type { ExplainedTerm, RowExplanation } from '../../../index/explanation.ts';
import type { ArmRequest } from '../../../index/request.ts';

import { cutAtTies, TopRows } from '../../../index/top-rows.ts';
import { type Task, wait } from '../../../task.ts';
import { bitPositions, emptyBits, intersectBits, setBit } from '../../../types/column/bitset.ts';
import type { Candidates, Part, PreparedArm } from '../../engine.ts';

export type WebRequest = Extract<ArmRequest, { kind: 'keyword' }>;

/** Arms prepared between two turns of the event loop. */
const ARMS_PER_TURN = 2;

interface Alternative {
  readonly wanted: readonly PreparedArm[];
  readonly unwanted: readonly PreparedArm[];
}

/** @param prepare of the requests that the query consists of. */
export function* prepareWeb(
  relation: Relation,
  request: WebRequest,
  prepare: (request: ArmRequest) => Task<PreparedArm>,
  pause: () => Promise<void>,
): Task<PreparedArm> {
  let prepared = 0;
  function* all(requests: readonly ArmRequest[]): Task<readonly PreparedArm[]> {
    const arms: PreparedArm[] = [];
    for (const one of requests) {
      if (prepared++ % ARMS_PER_TURN === ARMS_PER_TURN - 1) yield* wait(pause());
      arms.push(inTurns(yield* prepare(one), pause));
    }
    return arms;
  }
  const alternatives: Alternative[] = [];
  for (const { wanted, unwanted } of webRequests(request, fieldNames(relation, request))) {
    alternatives.push({ wanted: yield* all(wanted), unwanted: yield* all(unwanted) });
  }
  const [first, second] = alternatives;
  const [only, other] = first?.wanted ?? [];
  const isOne = second === undefined && other === undefined && first?.unwanted.length === 0;
  return isOne && only !== undefined ? only : new WebArm(alternatives);
}

/** Searches of few rows end without a turn: one after the other, hundreds of them take long. */
function inTurns(arm: PreparedArm, pause: () => Promise<void>): PreparedArm {
  return {
    higherIsBetter: arm.higherIsBetter,
    async score(...asked) {
      await pause();
      return arm.score(...asked);
    },
    async search(...asked) {
      await pause();
      return arm.search(...asked);
    },
    explain: (...asked) => arm.explain(...asked),
  };
}

/** Names of what the indexes are over. */
function fieldNames(relation: Relation, request: WebRequest): readonly string[] {
  return request.indexes.map((oid) => {
    const index = relation.indexes.find((one) => one.oid === oid);
    return index === undefined ? '' : indexedName(relation, index);
  });
}

class WebArm implements PreparedArm {
  readonly higherIsBetter = true;
  readonly #alternatives: readonly Alternative[];

  constructor(alternatives: readonly Alternative[]) {
    this.#alternatives = alternatives;
  }

  async score(part: Part, rows: Uint32Array, signal: AbortSignal): Promise<Float64Array> {
    const scores = new Float64Array(rows.length).fill(Number.NaN);
    for (const alternative of this.#alternatives) {
      const { places, sums } = await scoreAlternative(alternative, { part, rows, signal });
      for (const [i, place] of places.entries()) {
        const before = scores[place] as number;
        scores[place] = (Number.isNaN(before) ? 0 : before) + (sums[i] as number);
      }
    }
    return scores;
  }

  /** Explanations of the alternatives that a row matches. */
  async explain(part: Part, rows: Uint32Array, signal: AbortSignal): Promise<readonly RowExplanation[]> {
    const told = Array.from(rows, (): ExplainedTerm[] => []);
    for (const alternative of this.#alternatives) {
      const { places } = await scoreAlternative(alternative, { part, rows, signal });
      const matching = places.map((place) => rows[place] as number);
      for (const arm of alternative.wanted) {
        const explained = (await arm.explain(part, matching, signal)) ?? [];
        for (const [i, row] of explained.entries()) {
          if (row.kind === 'terms') told[places[i] as number]?.push(...row.terms);
        }
      }
    }
    return told.map((terms) => ({ kind: 'terms', terms }));
  }

  async search(
    part: Part,
    count: number,
    mask: Uint32Array | null,
    signal: AbortSignal,
  ): Promise<Candidates> {
    for (let depth = 2 * count + TIES_MAX; ; depth *= 4) {
      const candidates = emptyBits(part.rowCount);
      let unseen = Number.NEGATIVE_INFINITY;
      for (const { wanted } of this.#alternatives) {
        const bound = await addCandidates(wanted, { part, mask, depth, signal }, candidates);
        unseen = Math.max(unseen, bound, unseen + bound);
      }
      const rows = bitPositions(candidates, part.rowCount);
      const found = ranked(rows, await this.score(part, rows, signal), count);
      const last = found.scores[count - 1];
      if (unseen === Number.NEGATIVE_INFINITY || (last !== undefined && last > unseen)) {
        return cutAtTies(found, count);
      }
    }
  }
}

interface Wanted {
  readonly part: Part;
  readonly mask: Uint32Array | null;
  readonly depth: number;
  readonly signal: AbortSignal;
}

/** @returns what a row that is not among the candidates scores at most; -Infinity: nothing. */
async function addCandidates(
  arms: readonly PreparedArm[],
  { part, mask, depth, signal }: Wanted,
  candidates: Uint32Array,
): Promise<number> {
  let bound = 0;
  const found: Uint32Array[] = [];
  for (const arm of arms) {
    const { rows, scores } = await arm.search(part, depth, mask, signal);
    bound += scores[scores.length - 1] ?? 0;
    found.push(rows);
    if (rows.length >= depth) continue;
    // These are all rows that the arm matches, and only they can match the alternative.
    for (const row of rows) setBit(candidates, row);
    return Number.NEGATIVE_INFINITY;
  }
  if (found.length === 0) {
    found.push(bitPositions(intersectBits(mask, part.visible, part.rowCount), part.rowCount));
    bound = Number.NEGATIVE_INFINITY;
  }
  for (const rows of found) for (const row of rows) setBit(candidates, row);
  return bound;
}

interface Scored {
  readonly part: Part;
  readonly rows: Uint32Array;
  readonly signal: AbortSignal;
}

/** @returns the places of the rows that match, and their scores. */
async function scoreAlternative({ wanted, unwanted }: Alternative, { part, rows, signal }: Scored) {
  let places = Uint32Array.from(rows.keys());
  let sums = new Float64Array(rows.length);
  const keepWhere = async (arm: PreparedArm, matches: boolean): Promise<void> => {
    if (places.length === 0) return;
    const scores = await arm.score(
      part,
      places.map((place) => rows[place] as number),
      signal,
    );
    const kept = places.keys().filter((i) => Number.isNaN(scores[i]) !== matches);
    const next = Uint32Array.from(kept);
    sums = Float64Array.from(next, (i) => (sums[i] as number) + (matches ? (scores[i] as number) : 0));
    places = next.map((i) => places[i] as number);
  };
  for (const arm of wanted) await keepWhere(arm, true);
  for (const arm of unwanted) await keepWhere(arm, false);
  return { places, sums };
}

/** The best of the rows that match. */
function ranked(rows: Uint32Array, scores: Float64Array, count: number) {
  const matching = scores.reduce((sum, score) => sum + (Number.isNaN(score) ? 0 : 1), 0);
  const top = new TopRows(Math.min(count, matching), TIES_MAX);
  for (const [i, row] of rows.entries()) {
    const score = scores[i] as number;
    if (!Number.isNaN(score)) top.push(row, score);
  }
  return top.hits('web');
}
