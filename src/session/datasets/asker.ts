/** Who answers questions: implemented in `ask/`, which reaches data only through the session that asks. */
import type { AskRequest, AskRow } from '../../functions/services.ts';
import type { Sender } from '../../inference/sender.ts';
import type { Query } from '../server-session.ts';

export interface Asker {
  /**
   * Rows as they come; the last one is the answer.
   * @param query runs statements as the asker, within the asker's transaction.
   * @param sender of its datasets and of those of former answers: without leave, no model outside is asked.
   * @throws SqlError 0A000, 22023, 54000, those of the statements; the signal's reason.
   */
  answer(request: ThreadedRequest, query: Query, signal: AbortSignal, sender: Sender): AsyncIterable<AskRow>;
  /**
   * Checks that quotes of answers stand in what their documents hold now, in the order of the quotes.
   * @param quotes of datasets that are there. @throws as `answer`.
   */
  standing(quotes: readonly CitedQuote[], query: Query, signal: AbortSignal): Promise<readonly Standing[]>;
}

/** Words that a fact rests on, and where they stood. */
export interface CitedQuote {
  /** Number of the fact. */
  readonly fact: number;
  readonly refId: string;
  readonly dataset: string;
  readonly docId: string;
  readonly contentId: string;
  readonly pages: readonly number[];
  readonly quote: string;
  /** Line of the content, 1-based. */
  readonly line: number;
}

/** Where a quote stands now; nulls where it stands nowhere. */
export interface Standing {
  readonly stands: boolean;
  readonly reason:
    | 'in place'
    | 'moved'
    | 'changed'
    | 'document deleted'
    | 'document not ready'
    | 'dataset dropped';
  readonly contentId: string | null;
  readonly pages: readonly number[] | null;
}

export interface ThreadedRequest extends AskRequest {
  /** Answers that it follows, the newest last. */
  readonly former: readonly FormerAnswer[];
}

/** An answer of the same asker's in the same thread. */
export interface FormerAnswer {
  readonly answerId: string;
  readonly question: string;
  /** The question made whole; null where it was. */
  readonly understood: string | null;
  readonly facts: readonly string[];
  /** Documents of its facts. */
  readonly documents: readonly FormerDocument[];
}

export interface FormerDocument {
  readonly dataset: string;
  readonly docId: string;
}
