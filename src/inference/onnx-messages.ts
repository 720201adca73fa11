/**
 * Messages between the main thread and an embedding worker. Plain data; vectors travel by transfer.
 */
import type { ModelConfig } from './model-config.ts';
import type { EmbeddedText } from './provider.ts';

export interface OnnxWorkerData {
  readonly modelFile: string;
  readonly tokenizerFile: string;
  readonly config: ModelConfig;
}

/**
 * Queries overtake documents; a job of documents is served one passage at a time, and short ones get half of
 * the time between the passages of others.
 */
export type OnnxRequest =
  | { readonly kind: 'query'; readonly text: string }
  | {
      readonly kind: 'documents';
      readonly texts: readonly string[];
      /** All that its call wants: it need not wait behind calls that want more. */
      readonly isShort: boolean;
    }
  | { readonly kind: 'tokens' | 'passages'; readonly text: string }
  | { readonly kind: 'warm' };

export type OnnxReply =
  | { readonly kind: 'query'; readonly vector: Float32Array | null }
  | { readonly kind: 'documents'; readonly texts: readonly EmbeddedText[] }
  | { readonly kind: 'tokens'; readonly tokens: readonly string[] }
  | { readonly kind: 'passages'; readonly spans: Uint32Array }
  | { readonly kind: 'warm' };
