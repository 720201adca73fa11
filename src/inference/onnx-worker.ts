/**
 * One embedding thread: a session with a single ONNX thread, one passage a run, because the int8 model's scales
 * depend on everything in a batch. Between two passages it looks for queries, which go first, and for short jobs,
 * which share the rest with the long one equally.
 */
import { workerData } from 'node:worker_threads';
import { takeTurn } from '../time-slice.ts';
import { answerCalls, stepBack } from '../worker-calls.ts';
import { type OnnxSession, type OnnxTensor, openOnnx } from './onnx-session.ts';
import type { OnnxReply, OnnxRequest, OnnxWorkerData } from './onnx-messages.ts';
import type { EmbeddedText } from './provider.ts';
import { pooled } from './pooling.ts';
import { openTokenizer } from './tokenizer.ts';
import { cutWindows, spansOf } from './windows.ts';

/** Tokens that short jobs may owe long ones: that nobody was there to be served does not count for ever. */
const AHEAD_TOKENS_MAX = 1024;

const { modelFile, tokenizerFile, config } = workerData as OnnxWorkerData;
const { dimension } = config;

type DocumentsRequest = Extract<OnnxRequest, { kind: 'documents' }>;

/** A request, and who waits for its reply. */
interface Job<Request extends OnnxRequest> {
  readonly request: Request;
  resolve(reply: OnnxReply): void;
  reject(error: unknown): void;
}

type DocumentsJob = Job<DocumentsRequest>;

class OnnxWorker {
  readonly #session: OnnxSession;
  readonly #tokenizer = openTokenizer(tokenizerFile);
  readonly #start = this.#special(config.startToken);
  readonly #end = this.#special(config.endToken);
  readonly #urgent: Job<Exclude<OnnxRequest, DocumentsRequest>>[] = [];
  readonly #short: DocumentsJob[] = [];
  readonly #long: DocumentsJob[] = [];
  /** Tokens that short jobs have had more than long ones; from 0 to `AHEAD_TOKENS_MAX`. */
  #ahead = 0;
  #running: Promise<void> | null = null;
  #stopping = false;

  constructor(session: OnnxSession) {
    this.#session = session;
  }

  serve(request: OnnxRequest): Promise<OnnxReply> {
    return new Promise((resolve, reject) => {
      if (request.kind !== 'documents') this.#urgent.push({ request, resolve, reject });
      else (request.isShort ? this.#short : this.#long).push({ request, resolve, reject });
      this.#running ??= this.#serveAll();
    });
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#running;
    await this.#session.release();
  }

  async #serveAll(): Promise<void> {
    await this.#serveUrgent();
    for (let job = this.#next(); job; job = this.#next()) {
      await this.#serveDocuments(job);
      await this.#serveUrgent();
    }
    this.#running = null;
  }

  #next(): DocumentsJob | undefined {
    const isShortsTurn = this.#ahead === 0 || this.#long.length === 0;
    return (isShortsTurn ? this.#short.shift() : undefined) ?? this.#long.shift();
  }

  /** Between two passages of a long job. */
  async #serveOthers(job: DocumentsRequest): Promise<void> {
    await this.#serveUrgent();
    if (job.isShort) return;
    while (this.#ahead === 0 && this.#short.length > 0) {
      await this.#serveDocuments(this.#short.shift() as DocumentsJob);
      await this.#serveUrgent();
    }
  }

  async #serveUrgent(): Promise<void> {
    // A turn of the event loop lets messages in that came during the last run.
    await takeTurn();
    for (let job = this.#urgent.shift(); job; job = this.#urgent.shift()) {
      const { request, resolve, reject } = job;
      switch (request.kind) {
        case 'query':
          await this.#embedQuery(request.text).then((vector) => resolve({ kind: 'query', vector }), reject);
          break;
        case 'tokens':
          await this.#tokenizer
            .tokenize(request.text)
            .then(({ tokens }) => resolve({ kind: 'tokens', tokens }), reject);
          break;
        case 'passages':
          await this.#passages(request.text).then((spans) => resolve({ kind: 'passages', spans }), reject);
          break;
        case 'warm':
          resolve({ kind: 'warm' });
      }
    }
  }

  async #serveDocuments({ request, resolve, reject }: DocumentsJob): Promise<void> {
    try {
      const texts: EmbeddedText[] = [];
      for (const text of request.texts) {
        await this.#serveOthers(request);
        texts.push(await this.#embedDocument(text, request));
      }
      resolve({ kind: 'documents', texts });
    } catch (error) {
      reject(error);
    }
  }

  /** Null when the text has no token. A query of several windows gets the direction of their sum. */
  async #embedQuery(text: string): Promise<Float32Array | null> {
    const { count, vectors } = await this.#embedDocument(text, null);
    if (count === 0) return null;
    if (count === 1) return vectors;
    const sums = new Float64Array(dimension);
    for (let i = 0; i < vectors.length; i++) {
      sums[i % dimension] = (sums[i % dimension] as number) + (vectors[i] as number);
    }
    const norm = Math.hypot(...sums);
    return Float32Array.from(sums, (x) => x / norm);
  }

  /** @param job that it is of; null for a query. */
  async #embedDocument(text: string, job: DocumentsRequest | null): Promise<EmbeddedText> {
    const { ids, tokens, offsets } = await this.#tokenizer.tokenize(text);
    const prefix = job === null ? config.queryPrefix : config.passagePrefix;
    // The blank at its end is the one that the text's first word begins with.
    const before = (await this.#tokenizer.tokenize(prefix.trimEnd())).ids;
    const cuts = this.#cuts(tokens);
    const count = cuts.length - 1;
    const vectors = new Float32Array(count * dimension);
    for (let i = 0; i < count; i++) {
      if (i > 0) await (job === null ? this.#serveUrgent() : this.#serveOthers(job));
      const passage = [...before, ...ids.slice(cuts[i], cuts[i + 1])];
      vectors.set(await this.#run(passage), i * dimension);
      if (job?.isShort === true) this.#ahead = Math.min(AHEAD_TOKENS_MAX, this.#ahead + passage.length);
      else if (job !== null) this.#ahead = Math.max(0, this.#ahead - passage.length);
    }
    return { count, vectors, spans: spansOf(text, offsets, cuts) };
  }

  async #passages(text: string): Promise<Uint32Array> {
    const { tokens, offsets } = await this.#tokenizer.tokenize(text);
    return spansOf(text, offsets, this.#cuts(tokens));
  }

  #cuts(tokens: readonly string[]): readonly number[] {
    return cutWindows(tokens, (token) => this.#tokenizer.continuesWord(token));
  }

  #special(token: string): bigint {
    const id = this.#tokenizer.special(token);
    if (id === null) throw new Error(`the tokenizer has no token ${token}`);
    return BigInt(id);
  }

  /** @param ids tokens of one passage, without the special ones around it. */
  async #run(ids: readonly number[]): Promise<Float32Array> {
    if (this.#stopping) throw new Error('the server is shutting down');
    const length = ids.length + 2;
    const input = new BigInt64Array(length);
    input[0] = this.#start;
    for (let i = 0; i < ids.length; i++) input[i + 1] = BigInt(ids[i] as number);
    input[length - 1] = this.#end;
    const shape = [1, length];
    const inputs: Record<string, OnnxTensor> = {};
    for (const name of this.#session.inputNames) {
      inputs[name] = { data: name === 'input_ids' ? input : constantInput(name, length), shape };
    }
    const outputs = await this.#session.run(inputs);
    const { pooling } = config;
    return pooling === null
      ? floatsOf(outputs, 'sentence_embedding')
      : pooled(floatsOf(outputs, 'last_hidden_state'), dimension, pooling);
  }
}

/** @throws Error when the graph has no such output, naming those it has. */
function floatsOf(outputs: Awaited<ReturnType<OnnxSession['run']>>, name: string): Float32Array {
  const data = outputs[name]?.data;
  if (data instanceof Float32Array) return data;
  throw new Error(`the model has no output ${name}, but ${Object.keys(outputs).join(', ')}`);
}

/** Inputs that a graph may want besides the tokens: all of them are looked at, and they are one text. */
function constantInput(name: string, length: number): BigInt64Array {
  return new BigInt64Array(length).fill(name === 'attention_mask' ? 1n : 0n);
}

stepBack();
const worker = new OnnxWorker(await openOnnx(modelFile));
answerCalls((request: OnnxRequest) => worker.serve(request), {
  transfer: (reply) =>
    reply.kind !== 'documents'
      ? []
      : reply.texts.flatMap(({ vectors, spans }) => [
          vectors.buffer as ArrayBuffer,
          spans.buffer as ArrayBuffer,
        ]),
  close: () => worker.stop(),
});
