/** Who answers questions: implemented in `ask/`, which reaches data only through the session that asks. */
import type { AskRequest, AskRow } from '../../functions/services.ts';
import type { Query } from '../server-session.ts';

export interface Asker {
  /**
   * Rows as they come; the last one is the answer.
   * @param query runs statements as the asker, within the asker's transaction.
   * @throws SqlError 0A000, 22023, 54000, those of the statements; the signal's reason.
   */
  answer(request: AskRequest, query: Query, signal: AbortSignal): AsyncIterable<AskRow>;
}
