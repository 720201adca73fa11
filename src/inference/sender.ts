/**
 * The gate that texts pass on their way to an endpoint outside. One thing to know: `askEndpoint` takes nothing without a
 * sender, whoever asks and for whatever: what a sender does not let through is not sent, and what is not written down is
 * not sent either.
 */
import { createHash } from 'node:crypto';
import type { SqlError } from '../errors.ts';

/** Work that endpoints do. */
export type OutsidePurpose = 'answer' | 'embedding' | 'rerank';

/** A request to an endpoint: what is told of it, and never its texts. */
export interface OutsideCall {
  readonly purpose: OutsidePurpose;
  readonly host: string;
  readonly model: string | null;
  /** Size of its body. */
  readonly bytes: number;
  /** SHA-256 of its body, in hexadecimal digits. */
  readonly digest: string;
}

export interface OutsideEnd {
  readonly ms: number;
  /** As the endpoint counts them; null where it does not. */
  readonly tokens: number | null;
  readonly outcome: 'answered' | 'failed';
}

/** Ends the row of a call. */
export type EndCall = (end: OutsideEnd) => Promise<void>;

interface Rules {
  /** Why nothing may go out now; null: it may. Asked at each request. */
  refusal(): SqlError | null;
  /** Writes the call down before it is made. @throws where it cannot: the call is not made then. */
  begin(call: OutsideCall): Promise<EndCall>;
}

/** On whose behalf, and of what, texts are sent. */
export class Sender {
  readonly #rules: Rules;

  constructor(rules: Rules) {
    this.#rules = rules;
  }

  refusal(): SqlError | null {
    return this.#rules.refusal();
  }

  /** @throws SqlError 42501 where it may not be sent. */
  async begin({
    purpose,
    url,
    body,
  }: {
    readonly purpose: OutsidePurpose;
    readonly url: string;
    readonly body: string;
  }): Promise<EndCall> {
    const refusal = this.#rules.refusal();
    if (refusal !== null) throw refusal;
    const { model } = JSON.parse(body) as { readonly model?: unknown };
    return this.#rules.begin({
      purpose,
      host: new URL(url).host,
      model: typeof model === 'string' ? model : null,
      bytes: Buffer.byteLength(body),
      digest: createHash('sha256').update(body).digest('hex'),
    });
  }
}
