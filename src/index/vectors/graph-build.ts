/**
 * Inserts entries into a graph with several threads. The caller's thread works as well and waits for the
 * others, so this belongs into a worker. One thing to know: threads take entries from one counter in shared
 * memory, and a thread that starts late finds the work closed and leaves.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { assert } from '../../assert.ts';
import { programFile } from '../../program-file.ts';
import { GRAPH_WORK, type GraphWork, workOn } from './graph-work.ts';
import { GraphJob } from './graph-job.ts';
import type { VectorGraph } from './graph.ts';

const LOCKS = 4096;
/** Fewer entries a thread are not worth its start of about 50 ms. */
const ENTRIES_PER_THREAD_MIN = 2_000;
const ENTRIES_WITHOUT_BOUND = 0xffff_ffff;
/** How long one wait for other threads lasts before it looks again. */
const WAIT_MS = 1_000;

export interface GraphInserts {
  /** Entries kept in view while one is inserted. */
  readonly ef: number;
  /** Entries to insert (or to repair), first things first. */
  readonly order: Uint32Array;
  readonly repair: boolean;
  readonly progress: Int32Array | null;
}

export function buildGraph(graph: VectorGraph, { ef, order, repair, progress }: GraphInserts): void {
  const { memory } = graph;
  const fit = Math.floor(order.length / ENTRIES_PER_THREAD_MIN);
  const threads = Math.max(1, Math.min(availableParallelism(), fit));
  const room = memory.borrow(LOCKS * 4);
  new Int32Array(memory.buffer, room.address, LOCKS).fill(0);
  const locks = { address: room.address, count: LOCKS };
  const jobs = Array.from({ length: threads }, () => {
    return new GraphJob(graph, { ef, comparedMax: ENTRIES_WITHOUT_BOUND, mask: null, locks });
  });
  const shared = new Uint32Array(new SharedArrayBuffer(order.byteLength));
  shared.set(order);
  const control = new Int32Array(new SharedArrayBuffer(GRAPH_WORK.bytes));
  const work = jobs.map(({ address: job }): GraphWork => {
    return { memory: memory.shared, control, order: shared, repair, job, progress };
  });
  const workers = work.slice(1).map((workerData) => {
    const worker = new Worker(programFile('./graph-worker', import.meta.url), { workerData });
    worker.unref();
    // `failed` tells the error: an event comes when the graph has long been given away.
    worker.on('error', () => undefined);
    return worker;
  });
  workOn(work[0] as GraphWork, memory.kernels);
  Atomics.store(control, GRAPH_WORK.closed, 1);
  for (;;) {
    const active = Atomics.load(control, GRAPH_WORK.active);
    if (active === 0) break;
    Atomics.wait(control, GRAPH_WORK.active, active, WAIT_MS);
  }
  for (const worker of workers) void worker.terminate();
  for (const job of jobs) job[Symbol.dispose]();
  memory.giveBack(room);
  assert(Atomics.load(control, GRAPH_WORK.failed) === 0, 'every thread dealt with its entries');
}
