/** The main thread's side of the merge worker: starts it when first needed, one job at a time. */
import { Worker } from 'node:worker_threads';
import { SqlError } from '../../../errors.ts';
import { type MergeJob, type MergeReply, type MergeResult, resultBytes } from './job.ts';

function errorOf({ error, condition }: Extract<MergeReply, { error: string }>): Error {
  return condition === null ? new Error(error) : new SqlError(condition, error);
}

/** After a job of this size the worker ends: what it held goes at once, and not when V8 comes to it. */
const LARGE_BYTES = 64 * 1024 * 1024;

interface Pending {
  readonly resolve: (result: MergeResult) => void;
  readonly reject: (error: Error) => void;
}

/** Who merges: a worker, or in simulations whoever is handed in. */
export interface MergeRunner {
  /** @throws SqlError, or Error with the worker's message; the job can be tried again. */
  run(job: MergeJob): Promise<MergeResult>;
  /** Ends the job under way with `reason`; another can follow. */
  stop(reason: Error): void;
  close(): Promise<void>;
}

export class Merger implements MergeRunner {
  #worker: Worker | null = null;
  #number = 0;
  readonly #pending = new Map<number, Pending>();

  run(job: MergeJob): Promise<MergeResult> {
    const worker = this.#worker ?? this.#start();
    const number = this.#number++;
    return new Promise((resolve, reject) => {
      this.#pending.set(number, { resolve, reject });
      worker.postMessage({ number, job });
    });
  }

  stop(reason: Error): void {
    const worker = this.#worker;
    this.#fail(reason);
    void worker?.terminate();
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
    this.#fail(new Error('the merge worker was ended'));
  }

  #end(worker: Worker): void {
    this.#worker = null;
    void worker.terminate();
  }

  #start(): Worker {
    const worker = new Worker(new URL('./merge-worker.ts', import.meta.url));
    worker.unref();
    worker.on('message', (reply: MergeReply) => {
      const pending = this.#pending.get(reply.number);
      this.#pending.delete(reply.number);
      if ('result' in reply) {
        if (resultBytes(reply.result) >= LARGE_BYTES) this.#end(worker);
        pending?.resolve(reply.result);
      } else pending?.reject(errorOf(reply));
    });
    const ended = (error: Error): void => {
      // A worker that was stopped has a successor already.
      if (this.#worker === worker) this.#fail(error);
    };
    worker.on('error', ended);
    worker.on('exit', () => ended(new Error('the merge worker ended')));
    this.#worker = worker;
    return worker;
  }

  #fail(error: Error): void {
    this.#worker = null;
    for (const { reject } of this.#pending.values()) reject(error);
    this.#pending.clear();
  }
}
