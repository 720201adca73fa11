/** Shared memory of the threads that build a graph, and the loop each of them runs. */
import type { Kernels } from '../kernels.ts';
import { MERGE_PROGRESS } from '../structure.ts';

/** Words of the control block. */
export const GRAPH_WORK = { next: 0, active: 1, closed: 2, failed: 3, bytes: 16 } as const;

export interface GraphWork {
  /** Vectors and graph. */
  readonly memory: WebAssembly.Memory;
  readonly control: Int32Array;
  /** Entries in the order in which they are dealt with. */
  readonly order: Uint32Array;
  /** The entries are in the graph and get new neighbours. */
  readonly repair: boolean;
  /** Address of this thread's job. */
  readonly job: number;
  /** MERGE_PROGRESS words. */
  readonly progress: Int32Array | null;
}

/** Deals with entries until none is left or the work is closed, which it is when one of the threads fails. */
export function workOn(work: GraphWork, kernels: Kernels): void {
  const { control, order, repair, job, progress } = work;
  Atomics.add(control, GRAPH_WORK.active, 1);
  try {
    while (Atomics.load(control, GRAPH_WORK.closed) === 0) {
      const at = Atomics.add(control, GRAPH_WORK.next, 1);
      if (at >= order.length) break;
      if (repair) kernels.repairEntry(job, order[at] as number);
      else kernels.insertEntry(job, order[at] as number);
      if (progress !== null) Atomics.add(progress, MERGE_PROGRESS.done, 1);
    }
  } catch (error) {
    Atomics.store(control, GRAPH_WORK.failed, 1);
    Atomics.store(control, GRAPH_WORK.closed, 1);
    throw error;
  } finally {
    Atomics.sub(control, GRAPH_WORK.active, 1);
    Atomics.notify(control, GRAPH_WORK.active);
  }
}
