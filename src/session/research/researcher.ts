/** Who researches: implemented in `ask/research/`, by jobs of the server that go on when nobody waits for them. */
import type { AskRequest, AskRow } from '../../functions/services.ts';
import type { RowOwner, Starter } from '../whose.ts';

export interface ResearchRequest extends Pick<AskRequest, 'question' | 'datasets' | 'filter'> {
  readonly askedBy: string;
  readonly owner: RowOwner;
  readonly starter: Starter;
  /** Goes on though nobody waits for it. */
  readonly isBackground: boolean;
  readonly keepsAnswer: boolean;
  readonly questionsMax: number;
  readonly searchesMax: number;
  /** Time of all searches together. */
  readonly timeMaxMs: number;
}

/** A document of which a run tells. */
export interface RunDocument {
  readonly dataset: string;
  readonly docId: string;
}

/** Whoever looks at runs: what is theirs, and may be seen by them, is asked each time, of what is so by then. */
export interface RunReader {
  owns(owner: RowOwner): boolean;
  /** True where all the documents may be seen. @throws the reason of a cancel. */
  sees(documents: readonly RunDocument[]): Promise<boolean>;
}

/** A statement that waits for a run. */
export interface Onlooker {
  readonly reader: RunReader;
  readonly signal: AbortSignal;
  /** Is told the id of the answer that was kept, when it is there; null where answers are not kept. */
  answered(answerId: string | null): void;
}

export interface Researcher {
  /**
   * Asks for it, durably; the same that is under way for the same starter is not begun twice.
   * @returns its id, a UUID. @throws SqlError 22023, 42704, 53400, 54000.
   */
  start(request: ResearchRequest, signal: AbortSignal): Promise<string>;
  /**
   * Asks for it, and gives what it does, as it comes. A cancelled statement (57014) cancels what no other one waits for;
   * whoever is gone otherwise leaves it going on. @throws as `start` and `rows`.
   */
  answer(request: ResearchRequest, onlooker: Onlooker): AsyncIterable<AskRow>;
  /**
   * Rows of steps and result, from the beginning, as they come.
   * @param how whether the run goes on when all are gone who waited for it but this one, and this one is cancelled.
   * @throws SqlError 22023 for one that is not there or not the reader's, 42501 for one that cites what may not be seen,
   *   57014 for one that was cancelled, that of one that failed.
   */
  rows(id: string, onlooker: Onlooker, how: { readonly onlyLooks: boolean }): AsyncIterable<AskRow>;
  /** @returns false where there is none of the reader's that is under way. */
  cancel(id: string, reader: RunReader): Promise<boolean>;
}
