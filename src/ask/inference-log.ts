/**
 * Log of what language models were asked and its cost, in `quern.inference_log`: no texts, as these may be secret. The
 * tokens of a day are counted from there, so that a ceiling holds over restarts.
 */
import { integer, text } from '../session/datasets/parameters.ts';
import type { ServerSession } from '../session/server-session.ts';

export interface InferenceEntry {
  readonly model: string;
  readonly outcome: 'answered' | 'failed';
  /** Why it failed. */
  readonly reason: string | null;
  readonly ms: number;
  readonly counts: {
    readonly promptTokens: number;
    readonly completionTokens: number;
    /** Facts that it wrote, and those of them that stand. */
    readonly written: number;
    readonly placed: number;
  };
}

export class InferenceLog {
  readonly #openSession: () => ServerSession;
  readonly #added: () => void;

  /** @param openSession a session of the server's own. @param added is told of each row: the oldest go. */
  constructor(openSession: () => ServerSession, added: () => void = () => undefined) {
    this.#openSession = openSession;
    this.#added = added;
  }

  async add({ counts, ...entry }: InferenceEntry): Promise<void> {
    await using session = this.#openSession();
    await session.transaction(async (query) => {
      await query(
        `INSERT INTO quern.inference_log
           (at, purpose, model, outcome, reason, prompt_tokens, completion_tokens, ms,
            facts_written, facts_placed)
         VALUES (now(), 'ask', $1, $2, $3, $4, $5, $6, $7, $8)`,
        text(entry.model),
        text(entry.outcome),
        text(entry.reason),
        integer(counts.promptTokens),
        integer(counts.completionTokens),
        integer(Math.round(entry.ms)),
        integer(counts.written),
        integer(counts.placed),
      );
    }, NEVER);
    this.#added();
  }

  /** Tokens of the last 24 hours. */
  async tokensOfDay(): Promise<number> {
    await using session = this.#openSession();
    const sql = `SELECT coalesce(sum(prompt_tokens + completion_tokens), 0)::float8 AS tokens
      FROM quern.inference_log WHERE at > now() - interval '1 day'`;
    const [row] = await session.transaction((query) => query(sql), NEVER);
    return Number(row?.tokens ?? 0);
  }
}

/** Counting goes on when the asker has gone. */
const NEVER = new AbortController().signal;
