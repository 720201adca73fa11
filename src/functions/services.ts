/**
 * Services of a statement for its functions, beside settings and catalog of the session: they know the statement
 * that asks, and end with it. Implemented in `session/running/`. A call made by a helper process has none of it
 * (`CallContext` in `function.ts`).
 */
import type { ArrayDatum, Datum, RecordDatum } from '../types/datum.ts';

export interface SessionServices {
  readonly session: SessionAdministration;
  readonly typedText: TypedTextServices;
  readonly sequences: SequenceServices;
  readonly advisoryLocks: AdvisoryLockServices;
  readonly inference: InferenceServices;
  readonly datasets: DatasetServices;
  readonly research: ResearchServices;
  readonly savedQueries: SavedQueryServices;
  readonly documents: DocumentServices;
}

/** Documents as JSON. */
export interface BroughtJson {
  readonly json: string;
  /** It has been read as JSON. */
  readonly isRead: boolean;
}

/** Documents of a request: JSON, or names of fields and an array for each. */
export type BroughtDocuments = BroughtJson | { readonly names: ArrayDatum; readonly columns: RecordDatum };

/**
 * Documents as a request (`docs/documents.md`). @returns the LSN; null where the transaction goes on.
 * @throws SqlError with `document_validation` for what is wrong with them; 25006, 42602, 42P01, 42809, 42501.
 */
interface DocumentServices {
  upsert(relation: string, documents: BroughtDocuments): Promise<string | null>;
  /** @returns '' where nothing was there to update. @param strict whether an absent document is a fault. */
  update(relation: string, documents: BroughtJson, strict: boolean): Promise<string | null>;
  /** Rows that an update is about to write, for its own statement; none for any other. */
  rows(): readonly (readonly Datum[])[];
}

interface SessionAdministration {
  /** LSN of this session's last write: the largest where it wrote several collections. */
  lastLsn(): string | null;
  /** Newest LSN of a collection or partition (`books`, `books$acme`); null when it is not there. */
  lsn(name: string): string | null;
  /** Random numbers of the session begin anew. @param seed from -1 to 1. */
  seed(seed: number): void;
  /** @throws SqlError 22023. */
  notify(channel: string, payload: string): void;
  listeningChannels(): readonly string[];
  /** @returns false when there is no such session. */
  cancelStatement(processId: number): boolean;
  terminate(processId: number): boolean;
  startedMicros(): bigint;
  /** Null in a session of the server's own. */
  clientAddress(): string | null;
  /** The sessions that a session waits for. */
  blockers(processId: number): readonly number[];
  /** Changes the encryption key. @throws SqlError 42501, 55000, F0000 where the next one is not to be had. */
  rekey(): Promise<void>;
  /** Rejects with the reason of a cancel. */
  sleep(seconds: number): Promise<void>;
  /** Compares an index with exact search: jsonb. @throws SqlError 42P01, 42703, 42704, 22023. */
  checkRecall(request: RecallRequest): Promise<Datum>;
  /** Follows the chain of the audit. @returns what was found, as JSON. @throws SqlError XX001, 42501. */
  verifyAudit(): Promise<string>;
  /** Text of the key where a share of the rows begins; null: not known. @throws SqlError 42P01, 42501, 22023. */
  keyAt(relation: string, share: number): Promise<string | null>;
}

/** @param source `films`, `films.title`, with schema and partition as in FROM. @throws SqlError 42P01, 42703, 42809. */
interface TypedTextServices {
  /** At most `k`, the best first. @throws SqlError 22023 for `k`, 54000 for the text. */
  complete(
    source: string,
    typed: { readonly text: string; readonly k: number },
  ): Promise<readonly Completion[]>;
  /** Null where nothing is to be corrected. */
  correct(source: string, text: string): Promise<string | null>;
}

export interface Completion {
  readonly text: string;
  /** Rows. */
  readonly count: number;
  readonly kind: 'word' | 'value';
  readonly column: string;
}

export interface RecallRequest {
  readonly relation: string;
  readonly column: string;
  /** SQL text of a condition. */
  readonly filter: string | null;
  readonly k: number;
  /** Stored values that are asked for. */
  readonly sample: number;
}

/** Sequences by OID. All throw SqlError 42P01 and 42809 for what is none, but for `isCalled`. */
interface SequenceServices {
  /** @param isServer for the server's own statement. @throws SqlError 2200H, 25006, 42501. */
  next(sequence: number, isServer: boolean): bigint;
  /** The sequence's last value of this session. @throws SqlError 55000 before it took one. */
  current(sequence: number): bigint;
  /** This session's last value of any sequence. @throws SqlError 55000. */
  last(): bigint;
  /**
   * @param state `called`: whether `last` has been taken, or is the one to take next.
   * @throws SqlError 22003, 25006, 42501.
   */
  set(
    sequence: number,
    state: { readonly last: bigint; readonly called: boolean },
    isServer: boolean,
  ): bigint;
  lastValue(sequence: number): bigint;
  isCalled(sequence: number): boolean;
  /** The sequence of a serial or identity column as SQL names it. @throws SqlError 42P01, 42703. */
  ownedBy(table: string, column: string): string | null;
}

/** One bigint or two integers. */
export type AdvisoryLockKey = readonly [bigint] | readonly [number, number];

export interface AdvisoryLockForm {
  readonly mode: 'exclusive' | 'share';
  readonly until: 'session' | 'transaction';
}

interface AdvisoryLockServices {
  /** @throws SqlError 40P01, 55P03; rejects with the reason of a cancel. */
  lock(key: AdvisoryLockKey, form: AdvisoryLockForm): Promise<void>;
  /** @returns false when it is not to be had at once. */
  tryLock(key: AdvisoryLockKey, form: AdvisoryLockForm): boolean;
  /** @returns false, with a warning, when the session has none. */
  unlock(key: AdvisoryLockKey, mode: AdvisoryLockForm['mode']): boolean;
  unlockAll(): void;
}

/** As many results as texts, in their order. */
interface InferenceServices {
  /** Vectors of unit length, as the model embeds queries. @param model null: the setting quern.embedding_model. */
  embed(texts: readonly string[], model: string | null): Promise<readonly Float32Array[]>;
  /** @throws SqlError 54000 for a text that is too long. */
  tokens(texts: readonly string[], model: string | null): Promise<readonly (readonly string[])[]>;
  /** How well each text answers the query; larger is better. */
  rerank(texts: readonly string[], query: string): Promise<readonly number[]>;
}

/** A file on its way into a dataset. */
export interface Upload {
  readonly dataset: string;
  readonly docId: string;
  readonly name: string;
  readonly data: Uint8Array;
  /** A canonical jsonb text. */
  readonly metadata: string | null;
}

/** A dataset that is searched, or part of it. */
export interface WantedDataset {
  readonly dataset: string;
  readonly filter: string | null;
  /** Ids of the only documents that are searched, null for all; absent: those that the query names, if it does. */
  readonly documents?: readonly string[] | null;
}

export interface SearchRequest {
  readonly query: string;
  readonly datasets: readonly WantedDataset[];
  readonly topK: number;
  /** SQL text of a condition on metadata, for all datasets. */
  readonly filter: string | null;
  /** Pages: each with what stands on it; documents without pages give chunks. */
  readonly results: 'passages' | 'chunks' | 'pages';
  /** Chunks before and after each, whose texts are wanted too. */
  readonly neighbours: number;
}

/** A hit of `search`; scores are null where an arm did not find it. */
export interface SearchHit {
  readonly score: number;
  readonly dataset: string;
  readonly docId: string;
  readonly docName: string;
  readonly docType: string | null;
  readonly contentId: string;
  /** Ids of all chunks in its text, in order. */
  readonly contentIds: readonly string[];
  readonly kind: string;
  readonly heading: string | null;
  readonly text: string;
  readonly pages: Datum;
  readonly metadata: Datum;
  readonly version: number;
  readonly semanticScore: number | null;
  readonly keywordScore: number | null;
}

export interface SearchResult extends SearchHit {
  /** The query's name of whom its document is of, and whether that is sure; nulls where it names none. */
  readonly named: string | null;
  readonly isNamedSurely: boolean | null;
  /** Texts of its neighbours; null where there are none, or none are wanted. */
  readonly before: string | null;
  readonly after: string | null;
}

export type AskMode = 'auto' | 'summarize' | 'research';

export interface AskRequest {
  readonly question: string;
  readonly datasets: SearchRequest['datasets'];
  readonly mode: AskMode;
  /** As `SearchRequest` has it. */
  readonly filter: string | null;
  /** Name of the thread that it is part of, or id of an answer that it follows. */
  readonly thread: string | null;
}

/** A row of `ask`, in the order in which they come: progress and facts, and one answer as the last. */
export type AskRow =
  | {
      readonly kind: 'progress';
      readonly update: string;
      /** The question as it was understood, where that is another; kept. */
      readonly understood?: string;
    }
  | {
      readonly kind: 'fact';
      readonly fact: string;
      readonly refIds: readonly string[];
      readonly isComputed: boolean;
      /** The words that it rests on; not shown, but kept. */
      readonly quotes: readonly FactQuote[];
    }
  | {
      readonly kind: 'answer';
      /** References behind the facts' ids, as JSON has them. */
      readonly refs: Readonly<Record<string, AnswerRef>>;
      /** 0 to 100. */
      readonly confidence: number;
      /** The language model that wrote facts; not shown, but kept. */
      readonly model?: string;
    };

/** Words of a reference, with offsets into its text. */
export interface FactQuote {
  readonly refId: string;
  /** Version of the document, when it was read. */
  readonly version: number;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Fate of a quote of a kept answer; nulls where it stands nowhere. */
export interface Reverified {
  readonly factNumber: number;
  readonly citationNumber: number;
  readonly fact: string;
  readonly refId: string;
  readonly dataset: string;
  readonly docId: string;
  readonly quote: string;
  readonly stands: boolean;
  readonly reason: string;
  readonly contentId: string | null;
  readonly pages: readonly number[] | null;
}

export interface AnswerRef {
  readonly dataset: string;
  readonly doc_id: string;
  readonly doc_name: string;
  readonly doc_type: string | null;
  readonly content_id: string;
  readonly content: { readonly text: string; readonly doc_pages: readonly number[] };
  readonly quotes: readonly {
    readonly text: string;
    readonly start: number;
    readonly end: number;
    /** Left, top, right, bottom of a line's words, in points from the page's top left. */
    readonly boxes: readonly { readonly page: number; readonly box: readonly number[] }[];
  }[];
}

export interface PageOf {
  readonly dataset: string;
  readonly docId: string;
  /** 1-based. */
  readonly page: number;
  readonly dpi: number;
}

/** All throw SqlError 42704 for a dataset, 22023 for a handle or document that is not there. */
interface DatasetServices {
  /** @returns a handle. @throws SqlError 22023, 54000. */
  upload(upload: Upload): Promise<string>;
  /** The last handle that this session asked for; null when it has asked for nothing. */
  lastHandle(): string | null;
  /** @returns a handle, also where there is no such document. */
  deleteDocument(dataset: string, docId: string): Promise<string>;
  /** @param metadata fields to put; null takes one away. @returns a handle. */
  updateMetadata(dataset: string, docId: string, metadata: string): Promise<string>;
  /** @throws SqlError 55000 with the reason of a failure. */
  isDone(handle: string): Promise<boolean>;
  /** Resolves when it is done. @throws SqlError as `isDone`; 57014 when the time is over. */
  waitFor(handle: string, seconds: number): Promise<void>;
  /** jsonb: each document's metadata by its id, those left out that are not there. @param fields null: all. */
  metadata(dataset: string, ids: readonly string[], fields: readonly string[] | null): Promise<string>;
  /** The bytes as they were uploaded. @throws SqlError 54000 for a large one. */
  file(dataset: string, docId: string): Promise<Uint8Array>;
  /** A document as one text: Markdown, or a JSON object with its chunks. @throws SqlError 22023. */
  export(dataset: string, docId: string, format: string): Promise<string>;
  /** @param terms JSON: an array of terms. @returns how many. @throws SqlError 22023, which names the row; 54000. */
  putTerms(dataset: string, terms: string): Promise<number>;
  /** @param subjects JSON: rows of `doc_id` and `names`. @returns how many names. @throws SqlError 22023. */
  putSubjects(dataset: string, subjects: string): Promise<number>;
  /** @returns how many there were. @throws SqlError 22023. */
  dropSubjects(dataset: string, docId: string, names: readonly string[]): Promise<number>;
  /** @returns how many there were. */
  dropTerms(dataset: string, ids: readonly string[]): Promise<number>;
  /** The best passages, best first. @throws SqlError 22023, 42704, those of the filter. */
  search(request: SearchRequest): Promise<readonly SearchResult[]>;
  /** Rows as they come; mode research is that of `ResearchServices`. @throws SqlError 22023, 54000, and as `search`. */
  ask(request: AskRequest): AsyncIterable<AskRow>;
  /** Checks the quotes of a kept answer: a row a quote. @throws SqlError 22023. */
  reverify(answerId: string): Promise<readonly Reverified[]>;
  /** The id of what this session was answered last; null where nothing was, or it was not kept. */
  lastAnswer(): string | null;
  /** A page as PNG. @throws SqlError 0A000, 22023, 54000, 55000. */
  page(page: PageOf): Promise<Uint8Array>;
  /** jsonb. @param version null: the one that answers now. */
  content(dataset: string, contentId: string, version: number | null): Promise<string>;
}

/** Runs of research by their ids, UUIDs. All throw SqlError 0A000 where no server runs them. */
interface ResearchServices {
  /** Rows as they come. @throws SqlError 22023, 42704, 53400, 54000, 57014. */
  rows(request: Omit<AskRequest, 'mode' | 'thread'>): AsyncIterable<AskRow>;
  /** @returns its id at once; it goes on in the background. @throws as `rows`. */
  start(request: Omit<AskRequest, 'mode' | 'thread'>): Promise<string>;
  /** Steps and result, from the beginning. @throws SqlError 22023, 57014, that of its failure. */
  result(id: string): AsyncIterable<AskRow>;
  /** @returns false where it is not under way. */
  cancel(id: string): Promise<boolean>;
}

/** A statement that is kept by name. */
export interface SavedQuery {
  readonly name: string;
  readonly statement: string;
  /** jsonb: an array of values for `$1`, `$2` …; null: none are kept. */
  readonly params: string | null;
}

/** One's own, by role and limited key. All throw SqlError 42602 and 54000 for names and texts that cannot be kept. */
interface SavedQueryServices {
  /** @throws SqlError 22023, 42710 where one of this name is not to be replaced. */
  save(query: SavedQuery, replaces: boolean): Promise<void>;
  /** @returns false where there is none. @throws SqlError 42710. */
  rename(name: string, to: string): Promise<boolean>;
  /** @returns false where there is none. */
  drop(name: string): Promise<boolean>;
}
