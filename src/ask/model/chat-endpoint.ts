/**
 * A language model behind an HTTP endpoint in OpenAI's form: `POST …/chat/completions`. One thing to know: what it
 * writes is a text like any other, of which nothing is believed (`written-facts.ts`).
 */
import { ASK_MODEL_MS_MAX, ENDPOINT_REQUESTS_COUNT_MAX } from '../../limits.ts';
import { askEndpoint, type JsonEndpoint } from '../../inference/json-endpoint.ts';
import { Slots } from '../../inference/slots.ts';

export interface Prompt {
  readonly system: string;
  readonly user: string;
  /** JSON Schema of what is to be written. */
  readonly schema: unknown;
}

export interface Written {
  readonly text: string;
  /** As the endpoint counts them; 0 where it does not. */
  readonly promptTokens: number;
  readonly completionTokens: number;
}

export interface LanguageModel {
  readonly name: string;
  /** @throws Error when it does not answer in time, or not in the form that was asked for; the signal's reason. */
  write(prompt: Prompt, signal: AbortSignal): Promise<Written>;
}

export interface ChatOptions {
  readonly url: string;
  readonly model: string;
  readonly key: string | null;
  /** For one question, repairs included. */
  readonly timeoutMs?: number;
}

/** Somebody waits for the answer. */
const ATTEMPTS_MAX = 2;
/** What one answer may cost. */
const COMPLETION_TOKENS_MAX = 2_000;

export class ChatEndpoint implements LanguageModel {
  readonly name: string;
  readonly #endpoint: JsonEndpoint;
  readonly #timeoutMs: number;
  readonly #slots = new Slots(ENDPOINT_REQUESTS_COUNT_MAX);

  constructor({ url, model, key, timeoutMs = ASK_MODEL_MS_MAX }: ChatOptions) {
    this.name = model;
    this.#endpoint = { what: `language model "${model}"`, flag: '--ask-url', url, key };
    this.#timeoutMs = timeoutMs;
  }

  async write({ system, user, schema }: Prompt, signal: AbortSignal): Promise<Written> {
    const timeout = AbortSignal.timeout(this.#timeoutMs);
    const either = AbortSignal.any([signal, timeout]);
    try {
      using _ = await this.#slots.take(false, either);
      const body = {
        model: this.name,
        messages: [
          { role: 'system', content: system },
          { role: 'user', content: user },
        ],
        temperature: 0,
        max_tokens: COMPLETION_TOKENS_MAX,
        response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
      };
      const question = { path: '/chat/completions', body, attempts: ATTEMPTS_MAX, signal: either };
      return writtenIn(await askEndpoint(this.#endpoint, question));
    } catch (error) {
      signal.throwIfAborted();
      if (timeout.aborted) throw new Error(`no answer within ${this.#timeoutMs / 1000} s`);
      throw error;
    }
  }
}

/** `{choices: [{message: {content}}], usage: {prompt_tokens, completion_tokens}}`. */
function writtenIn(answer: unknown): Written {
  const { choices, usage } = (answer ?? {}) as {
    readonly choices?: readonly { readonly message?: { readonly content?: unknown } }[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
  const text = Array.isArray(choices) ? choices[0]?.message?.content : undefined;
  if (typeof text !== 'string') throw new Error('its answer has no text');
  return {
    text,
    promptTokens: countIn(usage?.prompt_tokens),
    completionTokens: countIn(usage?.completion_tokens),
  };
}

const countIn = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : 0;
