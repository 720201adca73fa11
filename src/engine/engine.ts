/**
 * The engine: collections that last. `embedded/` implements it over LMDB; a distributed engine later
 * implements the same interface. `laws.test.ts` states what every implementation must keep:
 *
 * 1. A snapshot never changes: it shows all of every commit before it and nothing of later ones.
 * 2. A commit is acknowledged (its promise resolves) only when it would survive kill -9; it is all there
 *    or not at all.
 * 3. A row number names one version of one row for ever; an update makes a new row with a new number.
 * 4. `search` returns only rows that are visible in the snapshot and allowed by the mask, best first, ties
 *    by `_id`; fewer than `count` only when no more qualify.
 * 5. A row that a transaction holds locked stays as its mode says until the transaction ends, also when a
 *    new version of it is committed meanwhile. A cycle of waits ends with 40P01 for one of them.
 * 6. What a serializable transaction has read is unchanged by others when it commits, or it fails with 40001,
 *    unless it wrote nothing.
 */
import type { LockWait, RowLockMode, TableLockMode } from '../catalog/lock-modes.ts';
import type { ColumnStatistics } from '../catalog/column-statistics.ts';
import type { Catalog } from '../catalog/model.ts';
import type { SequenceState } from '../catalog/sequences.ts';
import type { CacheFact, IndexBuildFact, LockFact, SegmentFact } from '../catalog/system/context.ts';
import type { RowExplanation } from '../index/explanation.ts';
import type { ArmRequest, Passages } from '../index/request.ts';
import type { Completions } from '../index/typed-text.ts';
import type { Datum } from '../types/datum.ts';
import type { KeyBounds } from '../types/column/key-bounds.ts';
import type { OrderKey } from '../types/column/order-key.ts';
import type { TextNeed } from '../types/text/text-piece.ts';
import type { Vector } from '../types/column/vector.ts';

/** Memory that several draw from, in bytes. */
export interface MemoryPool {
  /** The most that may be claimed together. */
  readonly limit: number;
  readonly claimed: number;
  /** @returns false when there is not so much left; nothing is claimed then. */
  claim(bytes: number): boolean;
  release(bytes: number): void;
}

/** Where a chain of entries ends. */
export interface ChainEnd {
  /** Number of the last entry; the first is 1. */
  readonly sequence: number;
  /** Hash of the last entry and so of all; empty before the first. */
  readonly hash: string;
}

export interface Engine {
  /** The newest committed catalog. */
  catalog(): Catalog;
  snapshot(): Snapshot;
  /** @param options.session whose locks the transaction's are counted to; without: its own. */
  begin(options: { isolation: Isolation; readOnly: boolean; session?: SessionLocks }): Transaction;
  /** @param session `timeoutMs` says how long it waits for a lock at most; 0: for ever. */
  sessionLocks(session: { processId: number; timeoutMs: () => number }): SessionLocks;
  /** Locks that sessions hold or wait for, in no order. */
  locks(): Iterable<LockFact>;
  /** Process numbers of the sessions that this one waits for. */
  blockers(processId: number): readonly number[];
  /** Newest LSN of a collection or partition as a decimal string, "0" before its first write. */
  lsn(relation: number, partition: string | null): string;
  /** Resolves when `lsn` is visible; rejects with the signal's reason. */
  waitForLsn(relation: number, partition: string | null, lsn: string, signal: AbortSignal): Promise<void>;
  /**
   * Makes what the indexes of a relation keep, for all rows there are, and waits for it. Without it that
   * happens in the background; queries are answered exactly all the while.
   * @throws SqlError 53100, 58030, 22000 where the work failed; the signal's reason.
   */
  buildIndexes(relation: number, request: BuildRequest): Promise<void>;
  /** Builds that statements wait for. */
  indexBuilds(): Iterable<IndexBuildFact>;
  /** Memory that statements draw from; within the limit of `memory()`. */
  readonly statementMemory: MemoryPool;
  /** Limit of memory, in bytes, and what is held of it. */
  memory(): { readonly limit: number; readonly caches: readonly CacheFact[] };
  /** Runs of a relation's rows as they are now. */
  segments(relation: number): Iterable<SegmentFact>;
  statistics(relation: number): RelationStatistics;
  /** The size of one partition (null: the rows outside of any), or of all together; goes through them. */
  size(relation: number, partition?: string | null): TableSize;
  /** Where the chain of `quern.audit_entries` ends, as the root has it. */
  chainEnd(): ChainEnd;
  /** Bytes of the data file, those included that hold nothing for now. */
  diskBytes(): number;
  /** Keeps what ANALYZE found, in place of what was known of the same columns. Not part of any transaction. */
  keepAnalysis(relation: number, analysis: Analysis): Promise<void>;
  /** Turns head into segments now: for tests, CHECKPOINT and VACUUM FULL. */
  flush(): Promise<void>;
  /** Makes away with rows of these relations that are gone; there is nothing to wait for where none are. */
  clean(relations: readonly number[]): Promise<void>;
  /** Gives the disk back what nothing needs any more; commits wait meanwhile. @throws SqlError 53100, 58030. */
  compact(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Under the last one a transaction that writes commits only while all that it has read is still so; one that does
 * not write has read the state after some commit, and nothing of later ones, which needs no look.
 */
export type Isolation = 'read committed' | 'repeatable read' | 'serializable';

/** Bounds that a scan asked of a column. */
export interface ColumnBounds extends KeyBounds {
  /** Attribute number. */
  readonly attribute: number;
}

export interface BuildRequest {
  /** The index it is about; 0: all of the relation's. */
  readonly index: number;
  /** For `pg_stat_progress_create_index`: CREATE INDEX, REINDEX … */
  readonly command: string;
  readonly processId: number;
  /** True when what is there is made anew. */
  readonly renews: boolean;
  /** The work ends when the signal does; else it goes on in the background. */
  readonly stops: boolean;
  readonly signal: AbortSignal;
}

/** How to take a lock. */
export interface LockRequest<Mode> {
  readonly mode: Mode;
  readonly wait: LockWait;
  readonly signal: AbortSignal;
}

/** A number that clients have agreed on: one bigint (`part` 1) or two integers (`part` 2), as unsigned halves. */
export interface AdvisoryKey {
  readonly high: number;
  readonly low: number;
  readonly part: 1 | 2;
}

/** Advisory locks of one session. Each mode is counted: what is locked twice is unlocked twice. */
export interface SessionLocks {
  /**
   * @returns false when it is not to be had without waiting and `wait` is not `block`.
   * @throws SqlError 40P01, 55P03; the signal's reason.
   */
  lock(
    key: AdvisoryKey,
    request: LockRequest<'share' | 'exclusive'>,
    until: 'transaction' | 'session',
  ): Promise<boolean> | boolean;
  /** @returns false when the session does not hold it. */
  unlock(key: AdvisoryKey, mode: 'share' | 'exclusive'): boolean;
  /** Unlocks what is not the transaction's. */
  unlockAll(): void;
}

export interface TableSize {
  readonly rows: number;
  readonly bytes: number;
  /** When it was last written to, in Unix milliseconds; null: never, or before that was kept. */
  readonly changedMs: number | null;
}

/** At hand for every statement. */
export interface RelationStatistics {
  readonly rows: number;
  /** Rows written since there is the relation; some may be gone. */
  readonly written: number;
  /** The newest; null before the first. */
  readonly analysis: Analysis | null;
}

/** Results of ANALYZE, with what `RelationStatistics` said then. */
export interface Analysis {
  readonly rows: number;
  readonly written: number;
  /** By attribute number. */
  readonly columns: ReadonlyMap<number, ColumnStatistics>;
}

/** Read view of one statement. Cheap to make; release it with `using`. */
export interface Snapshot extends Disposable {
  readonly catalog: Catalog;
  /** The newest commit that it shows. */
  readonly sequence: number;
  /** It may show more than commits: what its own transaction wrote. */
  readonly showsOwnWrites: boolean;
  /**
   * The immutable runs of rows (segments, then the head) of a relation; [] for a partition not there.
   *
   * @param remembered what is looked for in them has been told (`remember`), or was known before: else a
   *   transaction that remembers its reads has read all of them.
   */
  parts(relation: number, partition: string | null, remembered?: boolean): readonly Part[];
  /** True when a transaction will be asked at its commit what it has read. */
  readonly remembersReads: boolean;
  /** Rows are looked for that meet all of these; whether there are others is of no matter. */
  remember(relation: number, partition: string | null, bounds: readonly ColumnBounds[]): void;
  /** The catalog itself is read, as rows. */
  rememberCatalog(): void;
  /** Row by unique index; null when no visible row has that key. Key values in index column order. */
  lookup(relation: number, partition: string | null, index: number, key: readonly Datum[]): RowAddress | null;
  /** As `lookup`, and of a deferrable index all rows that share the key until it is checked, in the order of a scan. */
  lookupAll(
    relation: number,
    partition: string | null,
    index: number,
    key: readonly Datum[],
  ): readonly RowAddress[];
  /**
   * Called before vectors of a semantic index are read by row (`Part.passages`).
   * @throws SqlError 40001 where the snapshot is older than the index: it may show rows without their vectors.
   */
  requireIndex(relation: number, index: number): void;
  /** Words of a keyword index, or of the one inside of a semantic index; null while it holds nothing. */
  words(
    relation: number,
    partition: string | null,
    index: number,
  ): IndexWords | null | Promise<IndexWords | null>;
  /** Makes a ranking ready for this snapshot: structures in memory, term statistics, quantised query. */
  prepare(relation: number, partition: string | null, arm: ArmRequest): PreparedArm | Promise<PreparedArm>;
  /** Completions of a text that is typed, by an index of words. @param count words wanted. */
  complete(
    relation: number,
    partition: string | null,
    typed: { readonly index: number; readonly text: string; readonly count: number },
  ): Promise<PartCompletions>;
  /** A text with words that no row has replaced by the nearest that some have; null: nothing to replace. */
  correct(
    relation: number,
    partition: string | null,
    typed: { readonly indexes: readonly number[]; readonly text: string; readonly signal: AbortSignal },
  ): Promise<string | null>;
  /**
   * The same view with fewer rows of one relation or partition, which nothing tells apart from rows that are not there.
   * To be released by itself.
   * @param shown rows that stay, by part of this view; null: all. A mask that is the same object shows the same part, so that what
   *   is known of it is kept.
   */
  narrowed(relation: number, partition: string | null, shown: ReadonlyMap<Part, RowMask> | null): Snapshot;
  /** In name order. */
  partitions(relation: number): readonly string[];
  hasPartition(relation: number, partition: string): boolean;
  /** When its first write was, in Unix milliseconds; null: not committed, or of before that was kept. */
  partitionCreatedMs(relation: number, partition: string): number | null;
}

export interface PartCompletions extends Omit<Completions, 'rows'> {
  /** Rows whose short text may begin as what was typed, ascending in each part. */
  readonly rows: readonly { readonly part: Part; readonly rows: Uint32Array }[];
}

/** Words as an index has them. */
export interface IndexWords {
  /** Terms of a text, with where they are written. */
  analyse(text: string): readonly { readonly term: string; readonly start: number; readonly end: number }[];
  countRows(terms: readonly string[]): TermCounts | Promise<TermCounts>;
}

export interface TermCounts {
  /** Rows that have a term at all. */
  readonly documents: number;
  /** Rows that have each of the terms. */
  readonly counts: Float64Array;
}

export interface RowAddress {
  readonly part: Part;
  readonly row: number;
  readonly rowNumber: number;
}

/** Rows of a part. */
export interface RowMask {
  /** One bit a row (`types/column/bitset.ts`). */
  readonly bits: Uint32Array;
  /** How many are set. */
  readonly count: number;
}

/** Masks of a part by keys of whoever made them, kept as long as the memory budget has room for them. */
export interface KeptMasks {
  get(key: string): RowMask | undefined;
  set(key: string, mask: RowMask): void;
}

/** A run of rows in insertion order, addressed 0..rowCount-1. */
export interface Part {
  /** Names these rows as they are shown: no other part has it, or had it. */
  readonly id: number;
  readonly rowCount: number;
  /** One bit a row, 1 = visible in the snapshot (bit i of word i>>5); null when all are. */
  readonly visible: Uint32Array | null;
  /** Immutable row numbers, ascending. */
  readonly rowNumbers: Float64Array;
  readonly masks: KeptMasks;
  /**
   * Rows [start, end) of the columns by attribute number, converted to the catalog's types: at once when
   * they are in memory.
   */
  read(
    attributes: readonly number[],
    start: number,
    end: number,
  ): readonly Vector[] | Promise<readonly Vector[]>;
  /** As `read`, some rows; others are not decoded. @param rows ascending positions. */
  readRows(attributes: readonly number[], rows: Uint32Array): readonly Vector[] | Promise<readonly Vector[]>;
  /** Bounds of a column's values run by run, where the engine keeps them: a filter passes over runs. */
  zones?(attribute: number): Promise<Zones | null>;
  /**
   * The rows by a column's values, visible or not, where the engine keeps that (it makes it when first asked):
   * rows with wanted values are found without looking at others.
   */
  order?(attribute: number): Promise<ValueOrder | null>;
  /**
   * Ascending positions, visible or not, of all rows that may have all that is needed, by an ngram index of their text;
   * null where it cannot tell.
   */
  containing?(index: number, needs: readonly TextNeed[]): Uint32Array | null;
  /**
   * Passages kept by a semantic index for some rows, where the engine can give them back: an UPDATE then
   * embeds only texts that changed. Null: not kept. Absent: every text is embedded again.
   */
  passages?(index: number, rows: Uint32Array): Promise<readonly (Passages | null)[]>;
}

/**
 * Least and greatest value, not counting NULLs, of rows [i × rows, (i + 1) × rows); int64 may be rounded.
 * A run without values has Infinity and -Infinity.
 */
export interface Zones {
  readonly rows: number;
  readonly least: Float64Array;
  readonly greatest: Float64Array;
}

/**
 * A part's rows by the order keys (`column/order-key.ts`) of one column. Keys may be coarser than values, so rows of
 * equal keys can differ.
 */
export interface ValueOrder {
  /** Positions of the rows that are not NULL, by key, then ascending. */
  readonly rows: Uint32Array;
  /** Positions of the others, ascending. */
  readonly nulls: Uint32Array;
  /** The first place in `rows` whose key is not below `key`; `after`: whose key is above it. */
  place(key: OrderKey, after: boolean): number;
  /** Places [start, end) in `rows` that have the key of the one at `place`. */
  ties(place: number): { readonly start: number; readonly end: number };
}

export interface PreparedArm {
  /** True when a larger score is a better one (similarity, BM25); false for distances. */
  readonly higherIsBetter: boolean;
  /**
   * Exact scores of the given rows of a part. NaN: NULL column (vector arms) or no match (keyword arms).
   * @param rows ascending positions in the part.
   */
  score(part: Part, rows: Uint32Array, signal: AbortSignal): Float64Array | Promise<Float64Array>;
  /**
   * The best `count` rows of a part with exact scores, and those that score as the last one does, up to TIES_MAX of
   * these at the least; best first, ties by row. Keyword arms return matching rows only.
   * @param mask one bit a row, rows wanted (visibility is applied besides); null: all.
   */
  search(
    part: Part,
    count: number,
    mask: Uint32Array | null,
    signal: AbortSignal,
  ): Candidates | Promise<Candidates>;
  /** Explanations of the scores of the given ascending rows; null where the score is all there is to tell. */
  explain(part: Part, rows: Uint32Array, signal: AbortSignal): Explained | Promise<Explained>;
}

export type Explained = readonly RowExplanation[] | null;

export interface Candidates {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
  /** How they were found, for EXPLAIN ANALYZE. */
  readonly strategy: string;
  /** Entries of the index that were compared with the query, and rows then scored exactly. */
  readonly compared?: number;
  readonly rescored?: number;
}

/**
 * Rows to write. Columns are row-aligned; `embeddings` holds, for every semantic index of the relation,
 * the passages' vectors of every row (made before, so that a commit never waits for a model).
 */
export interface NewRows {
  readonly length: number;
  /** By attribute number; a live column that is missing here is NULL. */
  readonly columns: ReadonlyMap<number, Vector>;
  /** By index OID, then by row: passages of the text, or null where the text is NULL. */
  readonly embeddings: ReadonlyMap<number, readonly (Passages | null)[]>;
  /** Rows, deleted before, whose new versions these are; -1: none. Absent: all rows are new. */
  readonly replaces?: Float64Array;
  /** Attributes that may differ from the row replaced; absent: any may. */
  readonly changed?: ReadonlySet<number>;
}

export interface Transaction extends AsyncDisposable {
  /**
   * Sees committed data as the isolation level says, and this transaction's own writes.
   *
   * @param newest sees all that is committed by now, whatever the isolation level: for checks that must not
   *   miss what others did.
   */
  snapshot(newest?: boolean): Snapshot;
  /** True when its commit has something to store. */
  readonly hasWritten: boolean;
  /** This transaction's catalog, its own changes included. */
  catalog(): Catalog;
  /**
   * Adds rows. With `replace`, rows of equal primary key are replaced; a later row of the same call wins. Where
   * `rows.replaces` says which those are, another one is 23505.
   * @returns the new rows' numbers.
   * @throws SqlError 23505 naming constraint and key; waits for other writers of the same key.
   */
  insert(
    relation: number,
    partition: string | null,
    rows: NewRows,
    conflict: 'error' | 'replace',
    signal: AbortSignal,
  ): Promise<Float64Array>;
  /**
   * Locks rows, then says what has become of each: its own number where it is still there, that of its
   * newest version (which is not locked) where another transaction changed it, -1 where it is gone or skipped.
   * @throws SqlError 40001 for a row that changed, but under read committed; 55P03, 40P01; the signal's reason.
   */
  lock(
    relation: number,
    partition: string | null,
    rowNumbers: Float64Array,
    request: LockRequest<RowLockMode>,
  ): Promise<Float64Array>;
  /**
   * Locks a whole relation. Null: had at once.
   *
   * @param request.passes waits until the lock could be had, and does not keep it where that is so at once.
   * @throws as `lock`.
   */
  lockTable(
    relation: number,
    request: LockRequest<TableLockMode> & { readonly passes?: boolean },
  ): Promise<void> | null;
  /**
   * Looks at the keys that rows of this transaction may share in deferrable indexes. Null: there is none. What is
   * not asked for is looked at by `commit`.
   *
   * @param due whether it is the turn of an index, by its OID.
   * @throws SqlError 23505 naming constraint and key; waits for other writers of the same key.
   */
  checkKeys(due: (index: number) => boolean, signal: AbortSignal): Promise<void> | null;
  /** True when `checkKeys` has rows of the relation to look at. */
  hasDoubtfulKeys(relation: number): boolean;
  /**
   * Keeps other changes of the catalog away: what is looked up in it from then on stays so. Null: had at once.
   * @throws as `lock`.
   */
  lockCatalog(signal: AbortSignal): Promise<void> | null;
  /** The commit has an LSN of the relation, though nothing of it should change. */
  touch(relation: number, partition: string | null): void;
  /** Removes rows that `lock` gave. An update is `delete` and `insert` of the new version. */
  delete(relation: number, partition: string | null, rowNumbers: Float64Array): void;
  truncate(relation: number, partition: string | null): void;
  dropPartition(relation: number, partition: string): void;
  /** Takes locks that keep other schema changes of the same relation away. */
  changeCatalog(change: (catalog: Catalog) => Catalog, signal: AbortSignal): Promise<void>;
  /**
   * The next number of a sequence as its definition says: not given back by a rollback, durable with the
   * commit. Null when it has no more.
   * @throws SqlError 25006 in a read-only transaction.
   */
  nextValue(sequence: number): bigint | null;
  /** Like `nextValue`, not undone by a rollback. */
  setValue(sequence: number, state: SequenceState): void;
  sequenceState(sequence: number): SequenceState;
  /** A mark to roll back to; that ends the locks taken since, too. */
  savepoint(): number;
  rollbackTo(savepoint: number): void;
  /** @returns LSN by `relation` or `relation$partition` OID key of every collection written. */
  commit(): ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>;
  rollback(): void;
}
