/**
 * Embedding threads and what they have to do. A query goes at once to the thread with the fewest queries,
 * where it overtakes passages; so do the documents of short calls, which share the thread's time with others.
 * Documents of long calls wait here in small jobs, two per thread on their way, so that no thread is ever idle
 * between two messages, and each call's in its turn. Threads start at first use and again after a crash.
 */
import './no-telemetry.ts';
import { assert } from '../assert.ts';
import { SqlError } from '../errors.ts';
import { programFile } from '../program-file.ts';
import { WorkerCalls } from '../worker-calls.ts';
import type { OnnxReply, OnnxRequest, OnnxWorkerData } from './onnx-messages.ts';

/** Jobs of documents a thread has been sent and not answered. */
const DOCUMENT_JOBS_PER_WORKER = 2;

interface Job {
  readonly work: OnnxRequest;
  readonly resolve: (reply: OnnxReply) => void;
  readonly reject: (reason: unknown) => void;
  settled: boolean;
}

interface Thread {
  readonly calls: WorkerCalls<OnnxRequest, OnnxReply>;
  /** That it has been sent and not answered. */
  jobs: number;
  /** Those of long calls among them. */
  documents: number;
}

export class OnnxPool implements AsyncDisposable {
  readonly #threads: readonly Thread[];
  /** Jobs of long calls, by call; the call whose turn it is comes first. */
  readonly #waiting = new Map<number, Job[]>();
  #lastCall = 0;
  #closed = false;

  constructor(data: OnnxWorkerData, threads: number) {
    assert(threads >= 1, 'at least one embedding thread');
    const file = programFile('./onnx-worker', import.meta.url);
    this.#threads = Array.from({ length: threads }, () => {
      return { calls: new WorkerCalls(file, { workerData: data }), jobs: 0, documents: 0 };
    });
  }

  get threads(): number {
    return this.#threads.length;
  }

  /** A number for what one caller wants at a time. */
  newCall(): number {
    return ++this.#lastCall;
  }

  /**
   * @param call whose documents they are.
   * @throws the signal's reason when aborted; SqlError 58000 when the thread dies.
   */
  request(work: OnnxRequest, signal: AbortSignal | null, call = 0): Promise<OnnxReply> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#closed) throw new SqlError('admin_shutdown', 'the embedding threads have been stopped');
      const abort = (): void => settle(() => reject(signal?.reason));
      const settle = (action: () => void): void => {
        if (job.settled) return;
        job.settled = true;
        signal?.removeEventListener('abort', abort);
        action();
      };
      const job: Job = {
        work,
        resolve: (reply) => settle(() => resolve(reply)),
        reject: (reason) => settle(() => reject(reason)),
        settled: false,
      };
      signal?.addEventListener('abort', abort, { once: true });
      if (isLong(work)) {
        const queue = this.#waiting.get(call);
        if (queue === undefined) this.#waiting.set(call, [job]);
        else queue.push(job);
        this.#dispatch();
      } else {
        this.#send(this.#leastBusy(), job);
      }
    });
  }

  /** Starts every thread and waits until each has its model. */
  async warm(): Promise<void> {
    const loaded = this.#threads.map(
      (thread) =>
        new Promise<OnnxReply>((resolve, reject) => {
          this.#send(thread, { work: { kind: 'warm' }, resolve, reject, settled: false });
        }),
    );
    await Promise.all(loaded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const job of [...this.#waiting.values()].flat()) job.reject(stopped('the server is shutting down'));
    this.#waiting.clear();
    // Each ends itself between two runs: to end it inside one would abort the process.
    await Promise.all(this.#threads.map(({ calls }) => calls.close()));
  }

  /** The thread with the fewest urgent jobs, then the fewest of all. */
  #leastBusy(): Thread {
    const load = ({ calls, jobs, documents }: Thread): number =>
      (jobs - documents) * 1000 + documents + (calls.isRunning ? 0 : 0.5);
    return this.#threads.reduce((best, thread) => (load(thread) < load(best) ? thread : best));
  }

  #dispatch(): void {
    for (;;) {
      const thread = this.#idlest();
      if (thread.documents >= DOCUMENT_JOBS_PER_WORKER) return;
      const job = this.#nextJob();
      if (job === undefined) return;
      this.#send(thread, job);
    }
  }

  /** A job of the call whose turn it is, which then goes behind the others. */
  #nextJob(): Job | undefined {
    for (const [call, queue] of this.#waiting) {
      this.#waiting.delete(call);
      const job = queue.find(({ settled }) => !settled);
      if (job === undefined) continue;
      const rest = queue.slice(queue.indexOf(job) + 1);
      if (rest.length > 0) this.#waiting.set(call, rest);
      return job;
    }
    return undefined;
  }

  #idlest(): Thread {
    return this.#threads.reduce((best, thread) => (thread.documents < best.documents ? thread : best));
  }

  /** When the thread dies, its jobs fail; others go to a new one. */
  #send(thread: Thread, job: Job): void {
    const documents = isLong(job.work) ? 1 : 0;
    thread.jobs++;
    thread.documents += documents;
    const done = (): void => {
      thread.jobs--;
      thread.documents -= documents;
      if (!this.#closed) this.#dispatch();
    };
    void thread.calls
      .call(job.work)
      .then(job.resolve, (error: Error) => job.reject(stopped(error.message)))
      .then(done);
  }
}

const isLong = (work: OnnxRequest): boolean => work.kind === 'documents' && !work.isShort;

function stopped(reason: string): SqlError {
  return new SqlError('system_error', `the embedding model failed: ${reason}`);
}
