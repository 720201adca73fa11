/** Who answers questions: implemented in `ask/`, which reaches data only through the session that asks. */
import type { AskRequest, AskRow } from '../../functions/services.ts';
import type { Query } from '../server-session.ts';

export interface Asker {
  /**
   * Rows as they come; the last one is the answer.
   * @param query runs statements as the asker, within the asker's transaction.
   * @throws SqlError 0A000, 22023, 54000, those of the statements; the signal's reason.
   */
  answer(request: ThreadedRequest, query: Query, signal: AbortSignal): AsyncIterable<AskRow>;
}

export interface ThreadedRequest extends AskRequest {
  /** What it follows, the newest last. */
  readonly former: readonly FormerAnswer[];
}

/** An answer of the same asker's in the same thread. */
export interface FormerAnswer {
  readonly answerId: string;
  readonly question: string;
  /** The question made whole; null where it was. */
  readonly understood: string | null;
  readonly facts: readonly string[];
  /** Of which its facts are. */
  readonly documents: readonly { readonly dataset: string; readonly docId: string }[];
}
