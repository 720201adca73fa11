/**
 * Interface of a language model to an answer: it writes a text when asked. One thing to know: of that text
 * nothing is believed (`written-facts.ts`).
 */
import type { Sender } from '../../inference/sender.ts';

export interface Prompt {
  readonly system: string;
  readonly user: string;
  /** JSON Schema of what is to be written. */
  readonly schema: unknown;
  /** The most tokens that it may write. */
  readonly tokensMax: number;
}

export interface Written {
  readonly text: string;
  /** As the model counts them; null where it does not. */
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
}

export interface LanguageModel {
  readonly name: string;
  /** True when its prompts go to an endpoint outside. */
  readonly isOutside: boolean;
  /** Passages that it is given to read, in bytes of UTF-8. */
  readonly readBytesMax: number;
  readonly tokensMax: number;
  /** @throws Error when it cannot; the signal's reason. */
  write(prompt: Prompt, signal: AbortSignal, sender: Sender): Promise<Written>;
}

/** Fewer than most texts have: words of English take four, numbers and other scripts two or three. */
const BYTES_A_TOKEN = 3;

/** Where nobody counts them. */
export const tokensOf = (text: string): number => Math.ceil(Buffer.byteLength(text) / BYTES_A_TOKEN);
