/**
 * Embedding models as the database sees them. One row a provider in `registry.ts`. Texts go in, unit-length vectors
 * come out; a text's vector depends on that text alone.
 */

import type { Reranker } from './reranker.ts';
import type { Sender } from './sender.ts';

export interface EmbeddingModel {
  /** Name in `semantic_index(model => …)`. */
  readonly name: string;
  /** True when its texts go to an endpoint outside. */
  readonly isOutside: boolean;
  /** Changes whenever the vectors would: a semantic index stores it and refuses to mix. */
  readonly fingerprint: string;
  readonly dimension: number;
  /** Cosine of vectors that have nothing in common, as the model's own config tells it; -1 where it does not. */
  readonly leastCosine: number;
  /**
   * A query's vector, served before passages that are waiting; cached by text.
   * @throws SqlError 22023 when the text has no token, 54000 when it is too long, 42501 where it may not go outside.
   */
  embedQuery(text: string, signal: AbortSignal, sender: Sender): Promise<Float32Array>;
  /** True when the vector of a query is at hand. */
  hasQuery(text: string): boolean;
  /**
   * Each text cut into passages and embedded; results in the order of the texts. A text without a token
   * (empty, or blanks) has no passage.
   */
  embedDocuments(
    texts: readonly string[],
    signal: AbortSignal,
    sender: Sender,
  ): Promise<readonly EmbeddedText[]>;
  /** Tokens as the model sees them, for `tokens(text)`. */
  tokens(text: string): Promise<readonly string[]>;
  /** Where the passages of a text lie, as `embedDocuments` cuts it: UTF-16 start and end of each. */
  passages(text: string): Promise<Uint32Array>;
  /** Loads what the first use would load; for the background of a start. */
  warm(): Promise<void>;
}

/** `count` passages of one text: vectors of unit length, row by row; spans as UTF-16 start and end. */
export interface EmbeddedText {
  readonly count: number;
  readonly vectors: Float32Array;
  readonly spans: Uint32Array;
}

export interface Inference extends AsyncDisposable {
  /** @throws SqlError 42704 listing the models there are. */
  model(name: string): EmbeddingModel;
  models(): readonly string[];
  /** Name of the one that is meant where none is named; it need not be there. */
  readonly defaultModel: string;
  /** Vectors of passages that are kept in memory go: texts that they are of have been dropped. */
  forgetPassages?(): void;
  /** @throws SqlError 55000 when none is configured. */
  reranker(): Reranker;
}
