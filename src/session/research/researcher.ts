/** Who researches: implemented in `ask/research/`, by jobs of the server that go on when nobody waits for them. */
import type { AskRequest, AskRow } from '../../functions/services.ts';

export interface ResearchRequest extends Pick<AskRequest, 'question' | 'datasets' | 'filter'> {
  readonly askedBy: string;
  /** Goes on though nobody waits for it. */
  readonly isBackground: boolean;
  readonly keepsAnswer: boolean;
  readonly questionsMax: number;
  readonly searchesMax: number;
  /** Time of all searches together. */
  readonly timeMaxMs: number;
}

export interface Researcher {
  /**
   * Asks for it, durably; the same that is under way for the same asker is not begun twice.
   * @returns its id, a UUID. @throws SqlError 22023, 42704, 53400, 54000.
   */
  start(request: ResearchRequest, signal: AbortSignal): Promise<string>;
  /**
   * Asks for it, and gives what it does, as it comes. A cancelled statement (57014) cancels what no other one waits for;
   * whoever is gone otherwise leaves it going on. @throws as `start` and `rows`.
   */
  answer(
    request: ResearchRequest,
    signal: AbortSignal,
    answered: (answerId: string | null) => void,
  ): AsyncIterable<AskRow>;
  /**
   * Rows of steps and result, from the beginning, as they come.
   * @param answered is told the id of the answer that was kept, when it is there; null where answers are not kept.
   * @param how whether the run goes on when all are gone who waited for it but this one, and this one is cancelled.
   * @throws SqlError 22023 for one that is not there, 57014 for one that was cancelled, that of one that failed.
   */
  rows(
    id: string,
    signal: AbortSignal,
    answered: (answerId: string | null) => void,
    how: { readonly onlyLooks: boolean },
  ): AsyncIterable<AskRow>;
  /** @returns false where there is none that is under way. */
  cancel(id: string): Promise<boolean>;
}
