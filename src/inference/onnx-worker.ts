/**
 * One embedding thread (the only file that imports `onnxruntime-node`): a session with a single ONNX thread,
 * one passage a run, because the int8 model's scales depend on everything in a batch. Between two passages
 * it looks for queries, which go first, and for short jobs, which share the rest with the long one equally.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { present } from '../assert.ts';
import { takeTurn } from '../time-slice.ts';
import type { OnnxReply, OnnxRequest, OnnxWorkerData } from './onnx-messages.ts';
import type { EmbeddedText } from './provider.ts';
import { TextTokenizer } from './tokenizer.ts';
import { cutWindows, spansOf } from './windows.ts';

/** Nice level of these threads, so that the main thread always gets a core when it wants one. */
const NICE = 10;

/** What short jobs may owe long ones: that nobody was there to be served does not count for ever. */
const AHEAD_TOKENS_MAX = 1024;

const port = present(parentPort, 'the port to the main thread');
const { modelFile, tokenizerFile, dimension } = workerData as OnnxWorkerData;

type DocumentsRequest = Extract<OnnxRequest, { kind: 'documents' }>;

class OnnxWorker {
  readonly #session: InferenceSession;
  readonly #tokenizer = new TextTokenizer(tokenizerFile);
  readonly #urgent: OnnxRequest[] = [];
  readonly #short: DocumentsRequest[] = [];
  readonly #long: DocumentsRequest[] = [];
  /** Tokens that short jobs have had more than long ones; from 0 to `AHEAD_TOKENS_MAX`. */
  #ahead = 0;
  #running = false;
  #stopping = false;

  constructor(session: InferenceSession) {
    this.#session = session;
  }

  async accept(request: OnnxRequest): Promise<void> {
    if (request.kind === 'stop') this.#stopping = true;
    else if (request.kind === 'documents') (request.isShort ? this.#short : this.#long).push(request);
    else this.#urgent.push(request);
    if (this.#running) return;
    this.#running = true;
    await this.#serveUrgent();
    for (let job = this.#next(); job; job = this.#next()) {
      await this.#serveDocuments(job);
      await this.#serveUrgent();
    }
    this.#running = false;
    if (!this.#stopping) return;
    await this.#session.release();
    port.close();
  }

  #next(): DocumentsRequest | undefined {
    const isShortsTurn = this.#ahead === 0 || this.#long.length === 0;
    return (isShortsTurn ? this.#short.shift() : undefined) ?? this.#long.shift();
  }

  /** Between two passages of a long job. */
  async #serveOthers(job: DocumentsRequest): Promise<void> {
    await this.#serveUrgent();
    if (job.isShort) return;
    while (this.#ahead === 0 && this.#short.length > 0) {
      await this.#serveDocuments(this.#short.shift() as DocumentsRequest);
      await this.#serveUrgent();
    }
  }

  async #serveUrgent(): Promise<void> {
    // A turn of the event loop lets messages in that came during the last run.
    await takeTurn();
    for (let request = this.#urgent.shift(); request; request = this.#urgent.shift()) {
      const urgent = request;
      await this.#answer(urgent.id, async () => {
        if (urgent.kind === 'query') {
          return { id: urgent.id, kind: 'query', vector: await this.#embedQuery(urgent.text) };
        }
        if (urgent.kind === 'tokens') {
          const { tokens } = await this.#tokenizer.tokenize(urgent.text);
          return { id: urgent.id, kind: 'tokens', tokens };
        }
        return { id: urgent.id, kind: 'warm' };
      });
    }
  }

  async #serveDocuments(job: DocumentsRequest): Promise<void> {
    await this.#answer(job.id, async () => {
      const texts: EmbeddedText[] = [];
      for (const text of job.texts) {
        await this.#serveOthers(job);
        texts.push(await this.#embedDocument(text, job));
      }
      return { id: job.id, kind: 'documents', texts };
    });
  }

  async #answer(id: number, work: () => Promise<OnnxReply>): Promise<void> {
    try {
      const reply = await work();
      const buffers: ArrayBuffer[] = [];
      if (reply.kind === 'documents') {
        for (const { vectors, spans } of reply.texts) {
          buffers.push(vectors.buffer as ArrayBuffer, spans.buffer as ArrayBuffer);
        }
      }
      port.postMessage(reply, buffers);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      port.postMessage({ id, kind: 'error', message } satisfies OnnxReply);
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
    const cuts = cutWindows(tokens);
    const count = cuts.length - 1;
    const vectors = new Float32Array(count * dimension);
    for (let i = 0; i < count; i++) {
      if (i > 0) await (job === null ? this.#serveUrgent() : this.#serveOthers(job));
      const passage = ids.slice(cuts[i], cuts[i + 1]);
      vectors.set(await this.#run(passage), i * dimension);
      if (job?.isShort === true) this.#ahead = Math.min(AHEAD_TOKENS_MAX, this.#ahead + passage.length);
      else if (job !== null) this.#ahead = Math.max(0, this.#ahead - passage.length);
    }
    return { count, vectors, spans: spansOf(text, offsets, cuts) };
  }

  /** @param ids tokens of one passage, without [CLS] and [SEP]. */
  async #run(ids: readonly number[]): Promise<Float32Array> {
    if (this.#stopping) throw new Error('the server is shutting down');
    const length = ids.length + 2;
    const input = new BigInt64Array(length);
    input[0] = BigInt(this.#tokenizer.start);
    for (let i = 0; i < ids.length; i++) input[i + 1] = BigInt(ids[i] as number);
    input[length - 1] = BigInt(this.#tokenizer.end);
    const shape = [1, length];
    const { sentence_embedding: output } = await this.#session.run({
      input_ids: new Tensor('int64', input, shape),
      attention_mask: new Tensor('int64', new BigInt64Array(length).fill(1n), shape),
      token_type_ids: new Tensor('int64', new BigInt64Array(length), shape),
    });
    return output?.data as Float32Array;
  }
}

// On Linux this is the priority of the calling thread alone, not of the process.
setPriority(0, NICE);
const session = await InferenceSession.create(modelFile, {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  executionMode: 'sequential',
});
const worker = new OnnxWorker(session);
port.on('message', (request: OnnxRequest) => void worker.accept(request));
