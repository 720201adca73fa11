/**
 * An embedding model behind an HTTP endpoint in OpenAI's form: `POST …/embeddings` with `{model, input}`, answered by
 * `{data: [{index, embedding}]}`. One thing to know: nobody here knows its tokenizer or, before its first answer, its
 * dimension. Texts are cut by `text-pieces.ts`; the index that holds the vectors refuses those of another dimension.
 */
import { BoundedCache } from '../bounded-cache.ts';
import { SqlError } from '../errors.ts';
import { DIMENSION_MAX, ENDPOINT_REQUESTS_COUNT_MAX } from '../limits.ts';
import { TimeSlice } from '../time-slice.ts';
import { askEndpoint, endpointFailed, type JsonEndpoint } from './json-endpoint.ts';
import type { EmbeddedText, EmbeddingModel } from './provider.ts';
import { checkQueryText } from './query-text.ts';
import type { Sender } from './sender.ts';
import { Slots } from './slots.ts';
import { passagesOf } from './text-pieces.ts';
import { WINDOWING_VERSION } from './windows.ts';

/** Inputs of one request; some servers take no more. */
const INPUTS_MAX = 32;
/** Numbers of one answer: read by the main thread in a few milliseconds. */
const ANSWER_NUMBERS_MAX = 32_768;
/** Requests of one call on their way: one place is left for others. */
const LANES_MAX = ENDPOINT_REQUESTS_COUNT_MAX - 1;
/** Somebody waits for a query; a statement that embeds documents waits rather than begins anew. */
const ATTEMPTS_MAX = { query: 2, documents: 5 } as const;
const CACHED_QUERIES_BYTES_MAX = 8 * 1024 * 1024;
/** Part of the fingerprint: grows when `text-pieces.ts` cuts otherwise. */
const PIECES_VERSION = 1;

type Purpose = keyof typeof ATTEMPTS_MAX;

interface Asking {
  readonly signal: AbortSignal;
  readonly sender: Sender;
}

export interface EmbeddingEndpoint {
  /** Without `/embeddings` at the end. */
  readonly url: string;
  /** Names of its models. */
  readonly models: readonly string[];
  /** That it is asked for; null: as many as it gives. */
  readonly dimensions: number | null;
  readonly queryPrefix: string;
  readonly passagePrefix: string;
  readonly key: string | null;
}

/** Queries asked in the same turn for the same statement, which go together. */
interface QueryCall {
  readonly signal: AbortSignal;
  readonly sender: Sender;
  readonly texts: string[];
  readonly vectors: Promise<readonly Float32Array[]>;
}

export class RemoteModel implements EmbeddingModel {
  readonly name: string;
  readonly isOutside = true;
  readonly fingerprint: string;
  readonly leastCosine = -1;
  readonly #endpoint: JsonEndpoint;
  readonly #options: EmbeddingEndpoint;
  readonly #slots = new Slots(ENDPOINT_REQUESTS_COUNT_MAX);
  readonly #queries = new BoundedCache<string, Float32Array>({
    sizeMax: CACHED_QUERIES_BYTES_MAX,
    sizeOf: ({ byteLength }, text) => byteLength + 2 * text.length,
  });
  /** That queries are added to until the end of this turn. */
  #gathering: QueryCall | null = null;
  #dimension: number;

  constructor(name: string, options: EmbeddingEndpoint) {
    const { url, key, dimensions, passagePrefix } = options;
    this.name = name;
    this.#options = options;
    this.#dimension = dimensions ?? 0;
    this.#endpoint = { what: `the endpoint of embedding model "${name}"`, flag: '--embedding-url', url, key };
    // Where the model is does not matter: an endpoint may move.
    const cut = `${WINDOWING_VERSION}.${PIECES_VERSION}`;
    this.fingerprint = `endpoint ${JSON.stringify([name, dimensions, passagePrefix, cut])}`;
  }

  get dimension(): number {
    return this.#dimension;
  }

  async embedQuery(text: string, signal: AbortSignal, sender: Sender): Promise<Float32Array> {
    signal.throwIfAborted();
    checkQueryText(text);
    const refusal = sender.refusal();
    // Whether others have asked the same is nobody's to learn.
    if (refusal !== null) throw refusal;
    const known = this.#queries.get(text);
    if (known) return known;
    const gathering = this.#gathering;
    const isSame = gathering?.signal === signal && gathering.sender === sender;
    const call = isSame ? gathering : this.#newCall(signal, sender);
    const place = call.texts.push(text) - 1;
    const vector = (await call.vectors)[place] as Float32Array;
    this.#queries.set(text, vector);
    return vector;
  }

  #newCall(signal: AbortSignal, sender: Sender): QueryCall {
    const texts: string[] = [];
    const send = async (): Promise<readonly Float32Array[]> => {
      // Those that are asked in the same turn come along.
      await Promise.resolve();
      if (this.#gathering === call) this.#gathering = null;
      return (await this.#embedTexts(texts, 'query', { signal, sender })).map(directionOf);
    };
    const call: QueryCall = { signal, sender, texts, vectors: send() };
    this.#gathering = call;
    return call;
  }

  hasQuery(text: string): boolean {
    return this.#queries.get(text) !== undefined;
  }

  embedDocuments(
    texts: readonly string[],
    signal: AbortSignal,
    sender: Sender,
  ): Promise<readonly EmbeddedText[]> {
    return this.#embedTexts(texts, 'documents', { signal, sender });
  }

  async tokens(): Promise<readonly string[]> {
    throw new SqlError(
      'feature_not_supported',
      `the tokens of embedding model "${this.name}" are not known`,
      {
        hint: 'It runs behind an endpoint; only models that run here tell their tokens.',
      },
    );
  }

  passages(text: string): Promise<Uint32Array> {
    return passagesOf(text, new TimeSlice(() => performance.now()));
  }

  async warm(): Promise<void> {
    // Nothing to load.
  }

  async #embedTexts(
    texts: readonly string[],
    purpose: Purpose,
    asking: Asking,
  ): Promise<readonly EmbeddedText[]> {
    const prefix = purpose === 'query' ? this.#options.queryPrefix : this.#options.passagePrefix;
    const slice = new TimeSlice(() => performance.now());
    const inputs: string[] = [];
    const cuts: Uint32Array[] = [];
    for (const text of texts) {
      const spans = await passagesOf(text, slice);
      cuts.push(spans);
      for (let i = 0; i < spans.length; i += 2) inputs.push(prefix + text.slice(spans[i], spans[i + 1]));
    }
    const vectors = await this.#embedInputs(inputs, purpose, asking);
    let next = 0;
    return cuts.map((spans) => {
      const count = spans.length / 2;
      const own = new Float32Array(count * this.#dimension);
      for (let i = 0; i < count; i++) own.set(vectors[next++] as Float32Array, i * this.#dimension);
      return { count, vectors: own, spans };
    });
  }

  /** In the order of the inputs, of unit length. */
  async #embedInputs(
    inputs: readonly string[],
    purpose: Purpose,
    asking: Asking,
  ): Promise<readonly Float32Array[]> {
    const vectors = new Array<Float32Array>(inputs.length);
    const failed = new AbortController();
    const either = { ...asking, signal: AbortSignal.any([asking.signal, failed.signal]) };
    let next = 0;
    const lane = async (): Promise<void> => {
      while (next < inputs.length) {
        const from = next;
        const to = Math.min(from + this.#inputsMax(), inputs.length);
        next = to;
        const given = await this.#request(inputs.slice(from, to), purpose, either);
        for (const [i, vector] of given.entries()) vectors[from + i] = vector;
      }
    };
    const lanes = Math.min(LANES_MAX, Math.ceil(inputs.length / this.#inputsMax()));
    try {
      await Promise.all(Array.from({ length: lanes }, lane));
    } finally {
      failed.abort();
    }
    return vectors;
  }

  #inputsMax(): number {
    return Math.max(1, Math.min(INPUTS_MAX, Math.floor(ANSWER_NUMBERS_MAX / Math.max(1, this.#dimension))));
  }

  async #request(
    input: readonly string[],
    purpose: Purpose,
    asking: Asking,
  ): Promise<readonly Float32Array[]> {
    const { dimensions } = this.#options;
    const { signal } = asking;
    using _ = await this.#slots.take(purpose === 'query', signal);
    const body = { model: this.name, input, ...(dimensions !== null && { dimensions }) };
    const attempts = ATTEMPTS_MAX[purpose];
    const question = { purpose: 'embedding', path: '/embeddings', body, attempts, ...asking } as const;
    const answer = await askEndpoint(this.#endpoint, question);
    return this.#vectorsOf(answer, input.length);
  }

  /** @throws SqlError 58000 where the answer is not one vector an input, all of the model's dimension. */
  #vectorsOf(answer: unknown, count: number): readonly Float32Array[] {
    const { data } = (answer ?? {}) as { data?: unknown };
    const items: readonly unknown[] = Array.isArray(data) ? data : [];
    if (items.length !== count) throw this.#failed(`it gave ${items.length} vectors for ${count} texts`);
    const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
    let dimension = this.#dimension;
    for (const [place, item] of items.entries()) {
      const { index = place, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
      if (typeof index !== 'number' || !(index in vectors) || vectors[index] !== undefined) {
        throw this.#failed('its vectors are not numbered as the texts are');
      }
      const vector = this.#unitVector(embedding, dimension);
      dimension = vector.length;
      vectors[index] = vector;
    }
    this.#dimension = dimension;
    return vectors as Float32Array[];
  }

  /** @param dimension 0: any. */
  #unitVector(embedding: unknown, dimension: number): Float32Array {
    const numbers: readonly unknown[] = Array.isArray(embedding) ? embedding : [];
    if (numbers.length !== dimension && dimension > 0) {
      throw this.#failed(`it gave a vector of ${numbers.length} dimensions, not ${dimension}`);
    }
    if (numbers.length === 0 || numbers.length > DIMENSION_MAX) {
      throw this.#failed(`it gave a vector of ${numbers.length} dimensions`);
    }
    let squares = 0;
    for (const x of numbers) squares += typeof x === 'number' ? x * x : Number.NaN;
    if (!(squares > 0 && squares < Number.POSITIVE_INFINITY)) {
      throw this.#failed('it gave a vector without a direction');
    }
    const norm = Math.sqrt(squares);
    return Float32Array.from(numbers as readonly number[], (x) => x / norm);
  }

  #failed(reason: string): SqlError {
    return endpointFailed(this.#endpoint, reason);
  }
}

/** A text of several passages has the direction of their sum. */
function directionOf({ count, vectors }: EmbeddedText): Float32Array {
  if (count === 1) return vectors;
  const dimension = vectors.length / count;
  const sums = new Float64Array(dimension);
  for (const [i, x] of vectors.entries()) sums[i % dimension] = (sums[i % dimension] as number) + x;
  const norm = Math.hypot(...sums);
  return Float32Array.from(sums, (x) => (norm === 0 ? 0 : x / norm));
}
