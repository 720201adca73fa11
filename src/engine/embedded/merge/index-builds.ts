/** Builds of indexes that statements wait for, and how far the merge that does the work is. */
import type { IndexBuildFact } from '../../../catalog/system/context.ts';
import { MERGE_PHASES, MERGE_PROGRESS } from '../../../index/structure.ts';
import type { BuildRequest } from '../../engine.ts';

interface BuildWaiter extends Omit<BuildRequest, 'signal'> {
  readonly relation: number;
  /** Null: done. */
  readonly end: (error: Error | null) => void;
}

/** Statements that wait for indexes of a relation. */
export class BuildWaiters {
  readonly #waiters = new Set<BuildWaiter>();

  /**
   * Resolves once the builds of the relation have ended well.
   * @param abandoned called when the signal comes and the build shall stop with it, before the waiter is gone.
   * @throws what the builds ended with, the signal's reason.
   */
  wait(relation: number, { signal, ...request }: BuildRequest, abandoned: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        if (request.stops) abandoned();
        waiter.end(signal.reason as Error);
      };
      const waiter: BuildWaiter = {
        ...request,
        relation,
        end: (error) => {
          signal.removeEventListener('abort', abort);
          this.#waiters.delete(waiter);
          if (error === null) resolve();
          else reject(error);
        },
      };
      this.#waiters.add(waiter);
      signal.addEventListener('abort', abort, { once: true });
    });
  }

  of(relation: number): readonly BuildWaiter[] {
    return [...this.#waiters].filter((waiter) => waiter.relation === relation);
  }

  all(): readonly BuildWaiter[] {
    return [...this.#waiters];
  }
}

/** How far the merge under way is. */
export interface Progress {
  readonly relation: number;
  /** MERGE_PROGRESS words, which the worker counts up. */
  readonly counts: Int32Array;
  /** Blocks of the new segment, known once the worker has made it. */
  blocksTotal: number;
  blocksDone: number;
  /** Nobody wants it any more. */
  stopped: boolean;
}

type Counts = Pick<IndexBuildFact, 'phase' | 'blocksTotal' | 'blocksDone' | 'tuplesTotal' | 'tuplesDone'>;

/** @param progress null: the build has not begun. */
export function progressCounts(progress: Progress | null): Counts {
  if (progress === null)
    return { phase: 'initializing', blocksTotal: 0, blocksDone: 0, tuplesTotal: 0, tuplesDone: 0 };
  const { counts, blocksTotal, blocksDone } = progress;
  const phase = blocksTotal > 0 ? 'writing blocks' : MERGE_PHASES[counts[MERGE_PROGRESS.phase] ?? 0];
  return {
    phase: phase ?? 'initializing',
    blocksTotal,
    blocksDone,
    tuplesTotal: counts[MERGE_PROGRESS.total] ?? 0,
    tuplesDone: counts[MERGE_PROGRESS.done] ?? 0,
  };
}
