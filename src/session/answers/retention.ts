/** How long and how many rows of what Quern writes down by itself are kept: the oldest go, in the background, a few at a time. */
import { ANSWERS_KEPT_COUNT_MAX } from '../../limits.ts';
import { texts } from '../datasets/parameters.ts';
import type { Query, ServerSession } from '../server-session.ts';

/** Rows that go at a time. */
export const SLICE = 200;
/** They are looked through after so many more, or so long. */
const LOOKED_THROUGH_ROWS = 1_000;
const LOOKED_THROUGH_MS = 600_000;

/** Bounds of what is kept. */
export interface Kept {
  /** Older ones go. */
  readonly days: number;
  /** More go, the oldest first. */
  readonly countMax: number;
}

interface RetentionHost {
  readonly openSession: () => ServerSession;
  readonly nowMs: () => number;
  readonly report: (error: unknown) => void;
  /** Takes away at most `SLICE` of those that are too old or too many. @returns how many; fewer than that: no more are. */
  readonly forgetSome: (query: Query) => Promise<number>;
}

export class Retention {
  readonly #host: RetentionHost;
  readonly #closing = new AbortController();
  #looking: Promise<void> | null = null;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #kept = 0;

  constructor(host: RetentionHost) {
    this.#host = host;
  }

  /** One more is kept. */
  kept(): void {
    this.#kept++;
    const nowMs = this.#host.nowMs();
    const isDue = this.#kept >= LOOKED_THROUGH_ROWS || nowMs - this.#lookedMs >= LOOKED_THROUGH_MS;
    if (!isDue || this.#looking !== null || this.#closing.signal.aborted) return;
    this.#kept = 0;
    this.#lookedMs = nowMs;
    this.#looking = this.forget()
      .catch((error: unknown) => {
        if (!this.#closing.signal.aborted) this.#host.report(error);
      })
      .finally(() => {
        this.#looking = null;
      });
  }

  /** Takes away all that is too old, or too many. */
  async forget(): Promise<void> {
    const { signal } = this.#closing;
    await using session = this.#host.openSession();
    for (let gone = SLICE; gone >= SLICE; ) {
      gone = await session.transaction((query) => this.#host.forgetSome(query), signal);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('closing'));
    await this.#looking;
  }
}

/** With their facts and citations. */
export async function forgetAnswers(
  query: Query,
  { days, countMax = ANSWERS_KEPT_COUNT_MAX }: Pick<Kept, 'days'> & Partial<Kept>,
): Promise<number> {
  const [row] = await query('SELECT count(*)::integer AS count FROM quern.answers');
  const tooMany = Math.min(SLICE, Math.max(0, Number(row?.count ?? 0) - countMax));
  const old = await query(
    `SELECT answer_id::text AS id FROM quern.answers
     WHERE finished_at < clock_timestamp() - interval '${days} days' LIMIT ${SLICE}`,
  );
  const oldest = await query(
    `SELECT answer_id::text AS id FROM quern.answers ORDER BY answer_id LIMIT ${tooMany}`,
  );
  const ids = [...new Set([...old, ...oldest].map(({ id }) => String(id)))].slice(0, SLICE);
  if (ids.length === 0) return 0;
  for (const relation of ['answers', 'facts', 'citations', 'answer_origins'])
    await query(`DELETE FROM quern.${relation} WHERE answer_id = ANY($1::text[]::uuid[])`, texts(ids));
  return ids.length;
}
