/**
 * An embedding model from a folder: `model.onnx` or `model_int8.onnx`, `tokenizer.json`, `config.json` and, for
 * what these leave open, `embedding.json`. Threads load it at first use. Its fingerprint covers the model, the
 * tokenizer and the way long texts are cut.
 */
import { createHash, type Hash } from 'node:crypto';
import { basename, join } from 'node:path';
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { assert, present } from '../assert.ts';
import { type ModelConfig, readModelConfig } from './model-config.ts';
import { OnnxPool } from './onnx-pool.ts';
import type { EmbeddedText, EmbeddingModel } from './provider.ts';
import { BoundedCache } from '../bounded-cache.ts';
import { PassageCache } from './passage-cache.ts';
import { checkQueryText, emptyQueryText } from './query-text.ts';
import { WINDOWING_VERSION } from './windows.ts';

const MODEL_FILES = ['model.onnx', 'model_int8.onnx'];
const TOKENIZER_FILE = 'tokenizer.json';

/** Files are hashed so much at a time. */
const PIECE_BYTES = 1 << 20;

const CACHED_QUERIES_MAX = 4096;
/** A job is small, so that threads finish together, but not so small that messages cost more than 1 %. */
const JOB_TEXTS_MAX = 8;
const JOB_CHARACTERS_MAX = 1_000;
/** Characters in all up to which a call goes before calls that want more: a row or two of an INSERT. */
const SHORT_CHARACTERS_MAX = 8_000;
/** Jobs of one call on their way at a time, per thread: enough to keep two at each. */
const JOBS_PER_THREAD = 3;

/** @returns the file with the weights; null when there is none. */
export function modelFileIn(folder: string): string | null {
  return MODEL_FILES.map((name) => join(folder, name)).find((file) => existsSync(file)) ?? null;
}

export interface OnnxModelOptions {
  readonly threads: number;
  /** Bytes of passages that are kept in memory; 0: none. */
  readonly cachedBytes: number;
}

export class OnnxModel implements EmbeddingModel, AsyncDisposable {
  readonly name: string;
  readonly isOutside = false;
  readonly fingerprint: string;
  readonly dimension: number;
  readonly leastCosine: number;
  readonly #pool: OnnxPool;
  /** The vectors of queries asked lately, by text. */
  readonly #queries = new BoundedCache<string, Float32Array>({ entriesMax: CACHED_QUERIES_MAX });

  readonly #passages: PassageCache | null;

  private constructor(
    folder: string,
    options: { modelFile: string; fingerprint: string; config: ModelConfig } & OnnxModelOptions,
  ) {
    const { modelFile, fingerprint, config, threads, cachedBytes } = options;
    this.#passages = cachedBytes > 0 ? new PassageCache(cachedBytes) : null;
    this.name = basename(folder);
    this.fingerprint = fingerprint;
    this.dimension = config.dimension;
    this.leastCosine = config.leastCosine;
    this.#pool = new OnnxPool({ modelFile, tokenizerFile: join(folder, TOKENIZER_FILE), config }, threads);
  }

  /** Reads the config, and the files once where it has no fingerprint; the model is loaded later. @param folder its name is the model's. */
  static async open(folder: string, options: OnnxModelOptions): Promise<OnnxModel> {
    const modelFile = present(modelFileIn(folder), `a model in ${folder}`);
    const config = await readModelConfig(folder);
    const hash = createHash('sha256').update(`windows ${WINDOWING_VERSION}\0`);
    if (config.fingerprint !== null) hash.update(config.fingerprint);
    else await hashFiles(hash, [modelFile, join(folder, TOKENIZER_FILE)]);
    return new OnnxModel(folder, { modelFile, fingerprint: hash.digest('hex'), config, ...options });
  }

  async embedQuery(text: string, signal: AbortSignal): Promise<Float32Array> {
    signal.throwIfAborted();
    checkQueryText(text);
    const known = this.#queries.get(text);
    if (known) return known;
    const reply = await this.#pool.request({ kind: 'query', text }, signal);
    assert(reply.kind === 'query', 'a query is answered by a vector');
    if (reply.vector === null) throw emptyQueryText();
    this.#queries.set(text, reply.vector);
    return reply.vector;
  }

  hasQuery(text: string): boolean {
    return this.#queries.get(text) !== undefined;
  }

  embedDocuments(texts: readonly string[], signal: AbortSignal): Promise<readonly EmbeddedText[]> {
    const embed = (wanted: readonly string[]) => this.#embed(wanted, signal);
    return this.#passages === null ? embed(texts) : this.#passages.embed(texts, embed);
  }

  forgetPassages(): void {
    this.#passages?.clear();
  }

  async #embed(texts: readonly string[], signal: AbortSignal): Promise<readonly EmbeddedText[]> {
    signal.throwIfAborted();
    const results = new Array<EmbeddedText>(texts.length);
    const characters = texts.reduce((sum, text) => sum + text.length, 0);
    const isShort = characters <= SHORT_CHARACTERS_MAX;
    const jobs = cutJobs(texts);
    const call = this.#pool.newCall();
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let job = jobs[next++]; job; job = jobs[next++]) {
        const wanted = job.map((place) => texts[place] as string);
        const reply = await this.#pool.request({ kind: 'documents', texts: wanted, isShort }, signal, call);
        assert(reply.kind === 'documents', 'documents are answered by passages');
        for (const [i, text] of reply.texts.entries()) results[job[i] as number] = text;
      }
    };
    const lanes = Math.min(jobs.length, this.#pool.threads * JOBS_PER_THREAD);
    await Promise.all(Array.from({ length: lanes }, lane));
    return results;
  }

  async tokens(text: string): Promise<readonly string[]> {
    const reply = await this.#pool.request({ kind: 'tokens', text }, null);
    assert(reply.kind === 'tokens', 'tokens are answered by tokens');
    return reply.tokens;
  }

  async passages(text: string): Promise<Uint32Array> {
    const reply = await this.#pool.request({ kind: 'passages', text }, null);
    assert(reply.kind === 'passages', 'passages are answered by passages');
    return reply.spans;
  }

  warm(): Promise<void> {
    return this.#pool.warm();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]();
  }
}

/** A piece is hashed while the next one is read. */
async function hashFiles(hash: Hash, files: readonly string[]): Promise<void> {
  const [first, second] = [Buffer.allocUnsafeSlow(PIECE_BYTES), Buffer.allocUnsafeSlow(PIECE_BYTES)];
  for (const name of files) {
    await using file = await open(name);
    let [piece, other] = [first, second];
    let reading = file.read(piece);
    while (true) {
      const { bytesRead } = await reading;
      if (bytesRead === 0) break;
      reading = file.read(other);
      hash.update(piece.subarray(0, bytesRead));
      [piece, other] = [other, piece];
    }
  }
}

/** Places of the texts of each job; the longest texts come first, so that no long one is left at the end. */
function cutJobs(texts: readonly string[]): readonly (readonly number[])[] {
  const size = (place: number): number => (texts[place] as string).length;
  const places = [...texts.keys()].sort((a, b) => size(b) - size(a));
  const jobs: number[][] = [];
  let characters = 0;
  for (const place of places) {
    const last = jobs.at(-1);
    if (
      last === undefined ||
      last.length === JOB_TEXTS_MAX ||
      characters + size(place) > JOB_CHARACTERS_MAX
    ) {
      jobs.push([place]);
      characters = size(place);
    } else {
      last.push(place);
      characters += size(place);
    }
  }
  return jobs;
}
