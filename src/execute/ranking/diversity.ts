/**
 * Maximal marginal relevance: from the candidates of a search one after the other the row that is both relevant and
 * unlike those taken before it. Carbonell and Goldstein, "The Use of MMR, Diversity-Based Reranking for Reordering
 * Documents and Producing Summaries" (1998), with λ = 1 − diversity: a row's value is
 *
 *   (1 − diversity) × score / best score − diversity × max cosine to those taken
 *
 * The best row is always the first; of equal values the one of the higher score comes first.
 */
import type { Task } from '../../task.ts';
import { wait } from '../../task.ts';
import { Pace } from '../pace.ts';
import type { Run } from '../state.ts';

export interface Relevant {
  /** Not negative. */
  readonly scores: Float64Array;
  /** Places of `scores`, best first. */
  readonly order: Uint32Array;
  /** Vectors of unit length by place; null: like none. All have one dimension. */
  readonly vectors: readonly (Float32Array | null)[];
}

/** Similarities computed between two looks at the clock. */
const PAIRS_A_LOOK = 256;

/** The first `count` places of a result that is `diversity` (0 to 1) diverse. */
export function* diversified(
  { scores, order, vectors }: Relevant,
  { count, diversity }: { readonly count: number; readonly diversity: number },
  run: Run,
): Task<Uint32Array> {
  const pace = new Pace(run, PAIRS_A_LOOK);
  const wanted = Math.min(count, order.length);
  const taken = new Uint32Array(wanted);
  const isTaken = new Uint8Array(order.length);
  const best = scores[order[0] ?? 0] || 1;
  /** By position in `order`; nothing is taken before the first. */
  const nearest = new Float64Array(order.length);
  for (let picked = 0; picked < wanted; picked++) {
    let next = -1;
    let most = Number.NEGATIVE_INFINITY;
    for (let i = 0; i < order.length; i++) {
      if (isTaken[i] === 1) continue;
      const relevance = (scores[order[i] as number] as number) / best;
      const value = (1 - diversity) * relevance - diversity * (nearest[i] as number);
      if (value <= most) continue;
      next = i;
      most = value;
      if (picked === 0) break;
    }
    isTaken[next] = 1;
    taken[picked] = order[next] as number;
    const chosen = vectors[taken[picked] as number] ?? null;
    for (let i = 0; i < order.length; i++) {
      if (isTaken[i] === 1) continue;
      const near = similarity(chosen, vectors[order[i] as number] ?? null);
      nearest[i] = picked === 0 ? near : Math.max(nearest[i] as number, near);
      const pause = pace.after(1);
      if (pause !== null) yield* wait(pause);
    }
  }
  return taken;
}

function similarity(a: Float32Array | null, b: Float32Array | null): number {
  if (a === null || b === null) return 0;
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += (a[i] as number) * (b[i] as number);
  return sum;
}
