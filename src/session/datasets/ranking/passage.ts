/** What ranking takes and gives: passages of chunks with what each arm says of them, and ranked ones. */
import type { SearchHit } from '../../../functions/services.ts';
import type { Parameter, Row } from '../../server-session.ts';

/** Where passages are looked for. */
export interface Target {
  readonly dataset: string;
  /** Documents that filters let through; null for all. */
  readonly documents: readonly string[] | null;
}

/** A statement of the searching session, within its transaction. */
export type Ask = (sql: string, ...parameters: readonly Parameter[]) => Promise<readonly Row[]>;

/** A chunk that an arm found. */
export interface Passage extends SearchHit {
  /** Its place among the chunks of its document. */
  readonly ordinal: number;
}
