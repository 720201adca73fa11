/** Input and output of ranking: passages with what each arm says of them, and ranked ones. */
import type { Vocabulary } from '../../../language/domains/vocabulary.ts';
import type { NamedDocument } from '../subjects/find-subjects.ts';
import type { SearchHit } from '../../../functions/services.ts';
import type { Parameter, Row } from '../../server-session.ts';

/** Where passages are looked for. */
export interface Target {
  readonly dataset: string;
  /** Documents that filters let through; null for all. */
  readonly documents: readonly string[] | null;
  /** Documents that the query names by whom they are of, by id; what it is kept to stands in `documents`. */
  readonly named: ReadonlyMap<string, NamedDocument>;
  /** The terms that the query is read with there. */
  readonly vocabulary: Vocabulary;
}

/** A statement of the searching session, within its transaction. */
export type Ask = (sql: string, ...parameters: readonly Parameter[]) => Promise<readonly Row[]>;

/** A chunk, or neighbouring ones as one; then what is said of one is said of the best of them. */
export interface Passage extends SearchHit {
  /** Places of its first and last chunk among those of its document. */
  readonly ordinal: number;
  readonly lastOrdinal: number;
}

/** A chunk that an arm found, with what all of them say of it: cosines with the query and what it implies, BM25. */
export interface Candidate {
  readonly dataset: string;
  readonly key: string;
  readonly docId: string;
  readonly ordinal: number;
  /** 0 until all are known. */
  readonly score: number;
  readonly semanticScore: number | null;
  readonly impliedScore: number | null;
  readonly keywordScore: number | null;
  /** From 0 to 1: how much the query says of what names its document. */
  readonly namedScore: number;
}
