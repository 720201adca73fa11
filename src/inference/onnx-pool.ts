/**
 * Embedding threads and what they have to do. A query goes at once to the thread with the fewest queries,
 * where it overtakes passages; so do the documents of short calls, which share the thread's time with others.
 * Documents of long calls wait here in small jobs, two per thread on their way, so that no thread is ever idle
 * between two messages, and each call's in its turn. Threads start at first use and again after a crash.
 */
import { Worker } from 'node:worker_threads';
import { assert } from '../assert.ts';
import { SqlError } from '../errors.ts';
import type { OnnxReply, OnnxRequest, OnnxWorkerData } from './onnx-messages.ts';

/** Jobs of documents a thread has been sent and not answered. */
const DOCUMENT_JOBS_PER_WORKER = 2;

/** A request before it has its number. */
export type OnnxWork = OnnxRequest extends infer R
  ? R extends { id: number }
    ? Omit<R, 'id'>
    : never
  : never;

interface Job {
  readonly work: OnnxWork;
  readonly resolve: (reply: OnnxReply) => void;
  readonly reject: (reason: unknown) => void;
  settled: boolean;
}

interface Thread {
  readonly worker: Worker;
  readonly jobs: Map<number, Job>;
  /** Jobs of long calls. */
  documents: number;
}

export class OnnxPool implements AsyncDisposable {
  readonly #data: OnnxWorkerData;
  readonly #threads: (Thread | null)[];
  /** Jobs of long calls, by call; the call whose turn it is comes first. */
  readonly #waiting = new Map<number, Job[]>();
  #lastCall = 0;
  #lastId = 0;
  #closed = false;

  constructor(data: OnnxWorkerData, threads: number) {
    assert(threads >= 1, 'at least one embedding thread');
    this.#data = data;
    this.#threads = new Array<Thread | null>(threads).fill(null);
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
  request(work: OnnxWork, signal: AbortSignal | null, call = 0): Promise<OnnxReply> {
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
      (_, slot) =>
        new Promise<OnnxReply>((resolve, reject) => {
          this.#send(slot, { work: { kind: 'warm' }, resolve, reject, settled: false });
        }),
    );
    await Promise.all(loaded);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    for (const job of [...this.#waiting.values()].flat()) job.reject(stopped('the server is shutting down'));
    this.#waiting.clear();
    const ends = this.#threads.map((thread) => {
      if (thread === null) return undefined;
      const ended = new Promise((resolve) => thread.worker.once('exit', resolve));
      thread.worker.ref();
      thread.worker.postMessage({ id: 0, kind: 'stop' } satisfies OnnxRequest);
      return ended;
    });
    await Promise.all(ends);
  }

  /** The thread with the fewest urgent jobs, then the fewest of all. */
  #leastBusy(): number {
    let best = 0;
    let least = Number.POSITIVE_INFINITY;
    for (const [slot, thread] of this.#threads.entries()) {
      const urgent = thread === null ? 0 : thread.jobs.size - thread.documents;
      const load = urgent * 1000 + (thread?.documents ?? 0) + (thread === null ? 0.5 : 0);
      if (load < least) [best, least] = [slot, load];
    }
    return best;
  }

  #dispatch(): void {
    for (;;) {
      const slot = this.#idlest();
      if (slot < 0) return;
      const job = this.#nextJob();
      if (job === undefined) return;
      this.#send(slot, job);
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

  /** The thread with the fewest jobs of documents, -1 when all have enough. */
  #idlest(): number {
    let best = -1;
    let least = DOCUMENT_JOBS_PER_WORKER;
    for (const [slot, thread] of this.#threads.entries()) {
      const documents = thread?.documents ?? 0;
      if (documents < least) [best, least] = [slot, documents];
    }
    return best;
  }

  #send(slot: number, job: Job): void {
    const thread = this.#threads[slot] ?? this.#start(slot);
    const id = ++this.#lastId;
    thread.jobs.set(id, job);
    if (isLong(job.work)) thread.documents++;
    thread.worker.ref();
    thread.worker.postMessage({ id, ...job.work });
  }

  #start(slot: number): Thread {
    const worker = new Worker(new URL('./onnx-worker.ts', import.meta.url), { workerData: this.#data });
    const thread: Thread = { worker, jobs: new Map(), documents: 0 };
    this.#threads[slot] = thread;
    worker.on('message', (reply: OnnxReply) => this.#receive(thread, reply));
    worker.on('error', (error) => this.#bury(slot, thread, error instanceof Error ? error.message : 'crash'));
    worker.on('exit', (code) => this.#bury(slot, thread, `exit code ${code}`));
    return thread;
  }

  #receive(thread: Thread, reply: OnnxReply): void {
    const job = thread.jobs.get(reply.id);
    if (job === undefined) return;
    thread.jobs.delete(reply.id);
    if (isLong(job.work)) thread.documents--;
    if (thread.jobs.size === 0) thread.worker.unref();
    if (reply.kind === 'error') job.reject(stopped(reply.message));
    else job.resolve(reply);
    this.#dispatch();
  }

  /** The thread's jobs fail; others go to a new thread. */
  #bury(slot: number, thread: Thread, reason: string): void {
    if (this.#threads[slot] !== thread) return;
    this.#threads[slot] = null;
    for (const job of thread.jobs.values()) job.reject(stopped(reason));
    thread.jobs.clear();
    if (!this.#closed) this.#dispatch();
  }
}

const isLong = (work: OnnxWork): boolean => work.kind === 'documents' && !work.isShort;

function stopped(reason: string): SqlError {
  return new SqlError('system_error', `the embedding model failed: ${reason}`);
}
