/** Session for the server's own work: statements as text, rows as values by column name. */
import type { Sender } from '../inference/sender.ts';
import type { Datum } from '../types/datum.ts';

/** A value with the OID of its type. */
export type Parameter = readonly [type: number, value: Datum];

/** A row's values by the names of its columns. */
export type Row = Readonly<Record<string, Datum>>;

/** Runs a statement within a transaction. */
export type Query = (text: string, ...parameters: readonly Parameter[]) => Promise<readonly Row[]>;

/** May write the relations of datasets, which clients may only read. */
export interface ServerSession extends AsyncDisposable {
  /**
   * Runs all of `work` as one transaction; what it throws rolls everything back. One at a time.
   * @param how whether rows are stored without their embeddings.
   * @throws what `work` throws; SqlError of the commit.
   */
  transaction<Result>(
    work: (query: Query) => Promise<Result>,
    signal: AbortSignal,
    how?: { readonly embedding?: 'later' },
  ): Promise<Result>;
  /** Says, in a transaction of its own, which domain packs documents of a dataset speak the words of. */
  noteDomains(dataset: string, domains: readonly string[], signal: AbortSignal): Promise<void>;
  /** Sends texts of these datasets outside, where they may go. */
  sender(datasets: readonly string[]): Sender;
  /** Is told of what `channel` notifies, from now on. */
  listen(channel: string, hear: (payload: string) => void): void;
}
