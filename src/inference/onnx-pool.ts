/**
 * Embedding threads and what they have to do. A query goes at once to the thread with the fewest queries,
 * where it overtakes passages; documents wait here in small jobs, two per thread on their way, so that no
 * thread is ever idle between two messages. Threads start at first use and again after a crash.
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
  documents: number;
}

export class OnnxPool implements AsyncDisposable {
  readonly #data: OnnxWorkerData;
  readonly #threads: (Thread | null)[];
  readonly #waiting: Job[] = [];
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

  /** @throws the signal's reason when aborted; SqlError 58000 when the thread dies. */
  request(work: OnnxWork, signal: AbortSignal | null): Promise<OnnxReply> {
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
      if (work.kind === 'documents') {
        this.#waiting.push(job);
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
    for (const job of this.#waiting.splice(0)) job.reject(stopped('the server is shutting down'));
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
      while (this.#waiting[0]?.settled) this.#waiting.shift();
      if (this.#waiting.length === 0) return;
      const slot = this.#idlest();
      if (slot < 0) return;
      this.#send(slot, this.#waiting.shift() as Job);
    }
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
    if (job.work.kind === 'documents') thread.documents++;
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
    if (job.work.kind === 'documents') thread.documents--;
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

function stopped(reason: string): SqlError {
  return new SqlError('system_error', `the embedding model failed: ${reason}`);
}
