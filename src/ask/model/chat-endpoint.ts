/** A language model behind an HTTP endpoint in OpenAI's form: `POST …/chat/completions`. */
import { ENDPOINT_REQUESTS_COUNT_MAX } from '../../limits.ts';
import { askEndpoint, type JsonEndpoint } from '../../inference/json-endpoint.ts';
import type { Sender } from '../../inference/sender.ts';
import { Slots } from '../../inference/slots.ts';
import type { LanguageModel, Prompt, Written } from './language-model.ts';

export interface ChatOptions {
  readonly url: string;
  readonly model: string;
  readonly key: string | null;
}

/** Somebody waits for the answer. */
const ATTEMPTS_MAX = 2;
const WAIT_MS_MAX = 10_000;
/** Read in one turn of the main thread, and far more than it may write. */
const ANSWER_BYTES_MAX = 512 * 1024;

export class ChatEndpoint implements LanguageModel {
  readonly name: string;
  readonly isOutside = true;
  readonly readBytesMax = 24_000;
  readonly tokensMax = 2_000;
  readonly #endpoint: JsonEndpoint;
  readonly #slots = new Slots(ENDPOINT_REQUESTS_COUNT_MAX);

  constructor({ url, model, key }: ChatOptions) {
    this.name = model;
    this.#endpoint = { what: `language model "${model}"`, flag: '--ask-url', url, key };
  }

  async write(
    { system, user, schema, tokensMax }: Prompt,
    signal: AbortSignal,
    sender: Sender,
  ): Promise<Written> {
    using _ = await this.#slots.take(false, signal);
    const body = {
      model: this.name,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
      temperature: 0,
      max_tokens: tokensMax,
      response_format: { type: 'json_schema', json_schema: { name: 'answer', strict: true, schema } },
    };
    const question = {
      purpose: 'answer' as const,
      path: '/chat/completions',
      body,
      attempts: ATTEMPTS_MAX,
      waitMsMax: WAIT_MS_MAX,
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
      sender,
    };
    return writtenIn(await askEndpoint(this.#endpoint, question));
  }
}

/** `{choices: [{message: {content}}], usage: {prompt_tokens, completion_tokens}}`. */
function writtenIn(answer: unknown): Written {
  const { choices, usage } = (answer ?? {}) as {
    readonly choices?: readonly {
      readonly message?: { readonly content?: unknown; readonly refusal?: unknown } | null;
    }[];
    readonly usage?: Readonly<Record<string, unknown>>;
  };
  const message = Array.isArray(choices) ? choices[0]?.message : undefined;
  const text = message?.content;
  if (typeof text !== 'string' && typeof message?.refusal === 'string')
    throw new Error('it refuses to answer');
  if (typeof text !== 'string') throw new Error('its answer has no text');
  return {
    text,
    promptTokens: countIn(usage?.prompt_tokens),
    completionTokens: countIn(usage?.completion_tokens),
  };
}

const countIn = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
