/**
 * A language model from a GGUF file, run by `node-llama-cpp` in a process of its own: a file that makes the library
 * crash ends that process and no more. It starts with the server, and again with the question after its end.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { setPriority } from 'node:os';
import { basename } from 'node:path';
import { SqlError } from '../../errors.ts';
import { Slots } from '../../inference/slots.ts';
import { programFile } from '../../program-file.ts';
import { unlessAborted } from '../../unless-aborted.ts';
import type { GgufReply, GgufRequest } from './gguf-worker.ts';
import type { LanguageModel, Prompt, Written } from './language-model.ts';

const WORKER = programFile('./gguf-worker', import.meta.url);
const LIBRARY = 'node-llama-cpp';
const MAGIC = 'GGUF';
/**
 * Bytes that its process holds beside the file, some of it laid out once more: Node, the library, the context. SmolLM2-135M,
 * a file of 94 MB, took 500.
 */
const PROCESS_BYTES = 384 * 1024 * 1024;
const FILE_SHARE = 1.5;
/** Behind everything that other clients wait for. */
const NICENESS = 5;
/** Who is told to stop does so after the word it writes; who reads hears nothing until the end, and is killed. */
const STOP_MS_MAX = 50;

export interface GgufFile {
  readonly path: string;
  /** Bytes that it takes of `--memory`. */
  readonly bytes: number;
}

/** @throws SqlError F0000 where it is no such file, or there is nobody to run it. */
export function findGguf(path: string, library = LIBRARY): GgufFile {
  const wrong = (reason: string, hint?: string): SqlError =>
    new SqlError('config_file_error', `--ask-gguf ${reason}: ${path}`, hint === undefined ? {} : { hint });
  const status = statSync(path, { throwIfNoEntry: false });
  if (status === undefined) throw wrong('names no file');
  if (!status.isFile()) throw wrong('must name a file, not a folder or device');
  if (magicOf(path) !== MAGIC) throw wrong('must name a GGUF file, and this is none');
  if (!isInstalled(library)) {
    throw wrong(`needs the npm package ${library}`, `Install it beside quern: npm install ${library}`);
  }
  return { path, bytes: FILE_SHARE * status.size + PROCESS_BYTES };
}

export function isInstalled(library = LIBRARY): boolean {
  try {
    createRequire(import.meta.url).resolve(library);
    return true;
  } catch {
    return false;
  }
}

function magicOf(path: string): string {
  const bytes = Buffer.alloc(MAGIC.length);
  const file = openSync(path, 'r');
  try {
    readSync(file, bytes);
  } finally {
    closeSync(file);
  }
  return bytes.toString('latin1');
}

export class GgufModel implements LanguageModel, Disposable {
  readonly name: string;
  readonly isOutside = false;
  readonly readBytesMax = 6_000;
  readonly tokensMax = 800;
  readonly #path: string;
  readonly #slots = new Slots(1);
  #worker: ChildProcess | null = null;

  constructor({ path }: GgufFile) {
    this.#path = path;
    this.name = basename(path);
  }

  /** Id of the process that runs it; null while there is none. */
  get processId(): number | null {
    return this.#worker?.pid ?? null;
  }

  /** @throws Error that says why it cannot. */
  async load(): Promise<void> {
    await this.#inTurn({ kind: 'load', path: this.#path }, new AbortController().signal);
  }

  async write(prompt: Prompt, signal: AbortSignal): Promise<Written> {
    const reply = await this.#inTurn({ kind: 'write', path: this.#path, ...prompt }, signal);
    if (reply.kind !== 'written') throw new Error('it wrote nothing');
    return reply;
  }

  [Symbol.dispose](): void {
    this.#worker?.kill('SIGKILL');
    this.#worker = null;
  }

  /** The next one's turn is when the process is done with this one, whoever waited for it. */
  async #inTurn(request: GgufRequest, signal: AbortSignal): Promise<GgufReply> {
    const turn = await this.#slots.take(false, signal);
    const replied = this.#ask(request, signal).finally(() => turn[Symbol.dispose]());
    const reply = await unlessAborted(replied, signal);
    if (reply.kind === 'failed') throw new Error(reply.message);
    return reply;
  }

  async #ask(request: GgufRequest, signal: AbortSignal): Promise<GgufReply> {
    const worker = this.#started();
    const reply = Promise.withResolvers<GgufReply>();
    let force: NodeJS.Timeout | null = null;
    const gone = (code: number | null, killed: string | null): void =>
      reply.reject(new Error(`its process ended (${killed ?? code})`));
    const stop = (): void => {
      if (worker.connected) worker.send({ kind: 'stop' } satisfies GgufRequest);
      force = setTimeout(() => worker.kill('SIGKILL'), STOP_MS_MAX).unref();
    };
    worker.on('message', reply.resolve);
    worker.once('exit', gone);
    worker.once('error', reply.reject);
    signal.addEventListener('abort', stop, { once: true });
    try {
      signal.throwIfAborted();
      worker.send(request);
      return await reply.promise;
    } finally {
      if (force !== null) clearTimeout(force);
      worker.off('message', reply.resolve);
      worker.off('exit', gone);
      worker.off('error', reply.reject);
      signal.removeEventListener('abort', stop);
    }
  }

  #started(): ChildProcess {
    if (this.#worker !== null) return this.#worker;
    const worker = fork(WORKER, [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], execArgv: [], env: {} });
    if (worker.pid !== undefined) setPriority(worker.pid, NICENESS);
    const ended = (): void => {
      if (this.#worker === worker) this.#worker = null;
    };
    worker.on('exit', ended);
    worker.on('error', ended);
    worker.unref();
    worker.channel?.unref();
    this.#worker = worker;
    return worker;
  }
}
