/** The main thread's side of the merge worker: starts it when first needed, one job at a time. */
import { programFile } from '../../../program-file.ts';
import { WorkerCalls } from '../../../worker-calls.ts';
import { type MergeJob, type MergeResult, resultBytes } from './job.ts';

/** After a job of this size the worker ends: what it held goes at once, and not when V8 comes to it. */
const LARGE_BYTES = 64 * 1024 * 1024;

/** Who merges: a worker, or in simulations whoever is handed in. */
export interface MergeRunner {
  /** @throws SqlError, or what else the worker threw; the job can be tried again. */
  run(job: MergeJob): Promise<MergeResult>;
  /** Ends the job under way with `reason`; another can follow. */
  stop(reason: Error): void;
  close(): Promise<void>;
}

export class Merger implements MergeRunner {
  readonly #calls = new WorkerCalls<MergeJob, MergeResult>(programFile('./merge-worker', import.meta.url));

  async run(job: MergeJob): Promise<MergeResult> {
    const result = await this.#calls.call(job);
    if (resultBytes(result) >= LARGE_BYTES) void this.close();
    return result;
  }

  stop(reason: Error): void {
    void this.#calls.end(reason);
  }

  close(): Promise<void> {
    return this.#calls.end(new Error('the merge worker was ended'));
  }
}
