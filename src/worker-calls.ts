/**
 * Calls of a worker thread: a request goes there, its reply comes back, and errors cross as data, because a clone
 * would lose their class. The thread starts with the first call, and again with the first after it has ended; what
 * it had not answered then fails. It keeps the process alive only while something is asked of it.
 */
import { setPriority } from 'node:os';
import { parentPort, Worker, type WorkerOptions } from 'node:worker_threads';
import { present } from './assert.ts';
import { type Condition, type ErrorFields, firstError, SqlError } from './errors.ts';

export interface CrossingError {
  readonly message: string;
  /** Null for an error that is none of a client's. */
  readonly condition: Condition | null;
  readonly fields: ErrorFields;
  readonly stack: string | undefined;
}

export function crossing(thrown: unknown): CrossingError {
  const error = firstError(thrown);
  const { message, stack } = error instanceof Error ? error : { message: String(error), stack: undefined };
  if (!(error instanceof SqlError)) return { message, condition: null, fields: {}, stack };
  const { cause: _, ...fields } = error.fields;
  return { message, condition: error.condition, fields, stack };
}

export function crossed({ message, condition, fields, stack }: CrossingError): Error {
  const error = condition === null ? new Error(message) : new SqlError(condition, message, fields);
  if (stack !== undefined) error.stack = stack;
  return error;
}

/** To the thread; null: no call comes any more. */
type Call<Request> = { readonly id: number; readonly request: Request } | null;

/** From the thread. */
type Answer<Reply> =
  | { readonly id: number; readonly reply: Reply }
  | { readonly id: number; readonly error: CrossingError };

interface Waiting<Reply> {
  readonly resolve: (reply: Reply) => void;
  readonly reject: (error: unknown) => void;
}

/** The caller's side. */
export class WorkerCalls<Request, Reply> {
  readonly #file: URL;
  readonly #options: WorkerOptions;
  readonly #waiting = new Map<number, Waiting<Reply>>();
  #worker: Worker | null = null;
  #lastId = 0;

  /** @param file whose thread says `answerCalls`. */
  constructor(file: URL, options: WorkerOptions = {}) {
    this.#file = file;
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /**
   * @param transfer memory of the request that goes over to the thread.
   * @throws what the thread threw, or why it ended.
   */
  call(request: Request, transfer: readonly ArrayBuffer[] = []): Promise<Reply> {
    return new Promise((resolve, reject) => {
      this.#worker ??= this.#start();
      const id = ++this.#lastId;
      this.#worker.postMessage({ id, request } satisfies Call<Request>, transfer);
      this.#worker.ref();
      this.#waiting.set(id, { resolve, reject });
    });
  }

  /** Ends the thread wherever it is. What it has not answered fails with `reason`. */
  async end(reason: Error): Promise<void> {
    const worker = this.#worker;
    this.#fail(reason);
    await worker?.terminate();
  }

  /** Has the thread end by itself, when it has answered. */
  async close(): Promise<void> {
    const worker = this.#worker;
    if (worker === null) return;
    const ended = new Promise((done) => {
      worker.once('exit', done);
    });
    worker.ref();
    worker.postMessage(null);
    await ended;
  }

  #start(): Worker {
    const worker = new Worker(this.#file, this.#options);
    worker.unref();
    // One that was ended can have a successor already.
    const ended = (error: unknown): void => {
      if (this.#worker === worker) this.#fail(error);
    };
    worker.on('message', (answer: Answer<Reply>) => {
      if (this.#worker === worker) this.#settle(answer, worker);
    });
    worker.on('error', ended);
    worker.on('messageerror', ended);
    worker.on('exit', (code) => ended(new Error(`exit code ${code}`)));
    return worker;
  }

  #settle(answer: Answer<Reply>, worker: Worker): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (this.#waiting.size === 0) worker.unref();
    if ('reply' in answer) waiting?.resolve(answer.reply);
    else waiting?.reject(crossed(answer.error));
  }

  #fail(error: unknown): void {
    this.#worker = null;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(error);
  }
}

interface Answering<Reply> {
  /** Memory of a reply that goes over to the caller. */
  readonly transfer?: (reply: Reply) => readonly ArrayBuffer[];
  /** Before the thread ends by itself. */
  readonly close?: () => void | Promise<void>;
}

/** The thread's side: calls `serve` with each request as it comes. */
export function answerCalls<Request, Reply>(
  serve: (request: Request) => Reply | Promise<Reply>,
  { transfer = () => [], close }: Answering<Reply> = {},
): void {
  const port = present(parentPort, 'the port to the thread that started this one');
  const answer = async (id: number, request: Request): Promise<void> => {
    try {
      const reply = await serve(request);
      port.postMessage({ id, reply } satisfies Answer<Reply>, transfer(reply));
    } catch (error) {
      port.postMessage({ id, error: crossing(error) } satisfies Answer<Reply>);
    }
  };
  port.on('message', async (call: Call<Request>) => {
    if (call !== null) {
      await answer(call.id, call.request);
      return;
    }
    await close?.();
    port.close();
  });
}

const NICE = 10;

/** Lets the main thread have a core when it wants one. On Linux this is of the calling thread alone. */
export function stepBack(): void {
  setPriority(0, NICE);
}
