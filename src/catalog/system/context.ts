/**
 * Sources of system relations besides the catalog: facts of the engine and the session, by callback,
 * so that reading one costs nothing until its rows are asked for.
 */
import type { FunctionContext } from '../../functions/function.ts';
import type { Datum } from '../../types/datum.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';
import type { ColumnStatistics } from '../column-statistics.ts';
import type { TableLockMode } from '../lock-modes.ts';
import type { Catalog } from '../model.ts';

export interface SystemContext {
  readonly catalog: Catalog;
  /** OID of the role that looks; absent: the owner. */
  readonly role?: number;
  readonly settings: FormatSettings;
  readonly functions: FunctionContext;
  readonly facts: SystemFacts;
}

export interface SystemFacts {
  /** The server's own. */
  region(): string;
  /** Partitions of a relation in name order. */
  partitions(relation: number): readonly string[];
  /** In Unix milliseconds; null where it is not known. */
  partitionCreatedMs(relation: number, partition: string): number | null;
  /** Newest LSN as a decimal string, "0" before the first write. */
  lsn(relation: number, partition: string | null): string;
  /** Size of one partition, or of all together with what is outside of any. */
  size(relation: number, partition?: string): SizeFact;
  statistics(relation: number): {
    readonly rows: number | null;
    /** By attribute number; null or absent before ANALYZE. */
    readonly analysis?: { readonly columns: ReadonlyMap<number, ColumnStatistics> } | null;
  };
  settings(): Iterable<SettingFact>;
  sessions(): Iterable<SessionFact>;
  /** API keys that the session may know of. */
  apiKeys(): Iterable<KeyFact>;
  locks(): Iterable<LockFact>;
  indexBuilds(): Iterable<IndexBuildFact>;
  caches(): Iterable<CacheFact>;
  /** Made since the server started, and bytes written to them. */
  temporaryFiles(): { readonly files: number; readonly bytes: number };
  /** Runs of a relation's rows, in the order of partitions and of rows. */
  segments(relation: number): Iterable<SegmentFact>;
  preparedStatements(): Iterable<PreparedFact>;
  cursors(): Iterable<CursorFact>;
}

/** Null where the role may not know it, or nobody does. */
export interface SizeFact {
  readonly rows: number | null;
  readonly bytes: number | null;
  /** The last write, in Unix milliseconds. */
  readonly changedMs: number | null;
}

/** Memory held for one kind of things; counts are since the start. */
export interface CacheFact {
  readonly kind:
    | 'block'
    | 'column'
    | 'order'
    | 'mask'
    | 'structure'
    | 'key table'
    | 'statement'
    | 'transaction'
    | 'head';
  readonly bytes: number;
  readonly entries: number;
  readonly hits: number;
  readonly misses: number;
  readonly evictions: number;
}

export interface SettingFact {
  readonly name: string;
  readonly value: string;
  readonly default: string;
  readonly type: 'bool' | 'integer' | 'real' | 'string' | 'enum';
  readonly unit: string | null;
  readonly summary: string;
  readonly values: readonly string[] | null;
  /** pg_settings.context: who may change it. */
  readonly context: 'user' | 'superuser' | 'internal' | 'postmaster' | 'backend';
}

/** Times are microseconds since 2000-01-01 UTC. */
export interface SessionFact {
  readonly processId: number;
  /** Whose session it is: OID of the role that signed in. */
  readonly role: number;
  readonly applicationName: string;
  /** Null: it came from nowhere, as one that the server opens itself. */
  readonly clientAddress: string | null;
  readonly startedMicros: bigint;
  readonly transactionMicros: bigint | null;
  readonly queryMicros: bigint | null;
  readonly state: 'active' | 'idle' | 'idle in transaction' | 'idle in transaction (aborted)';
  readonly query: string;
  /** Null: none is under way. */
  readonly copy: CopyFact | null;
}

/** A COPY under way. */
export interface CopyFact {
  readonly command: 'COPY FROM' | 'COPY TO';
  /** 0 of a query, and of a file. */
  readonly relation: number;
  readonly bytes: number;
  /** 0 where it is not known. */
  readonly bytesTotal: number;
  readonly rows: number;
}

/** Times are Unix milliseconds. */
export interface KeyFact {
  readonly name: string;
  /** Beginning of its newest text; '' of a chosen one. */
  readonly prefix: string;
  readonly role: string;
  readonly scope: {
    readonly collections: readonly string[] | null;
    readonly partitions: readonly string[] | null;
    readonly datasets: readonly string[] | null;
    readonly addresses: readonly string[] | null;
    readonly readOnly: boolean;
    readonly staysHere: boolean;
    readonly attributes: Readonly<Record<string, string>>;
  };
  readonly createdMs: number | null;
  readonly expiresMs: number | null;
  /** The last of those that were replaced goes until then. */
  readonly oldUntilMs: number | null;
  /** A day, `2027-01-31`. */
  readonly lastUsed: string | null;
}

export interface LockFact {
  readonly on:
    | { readonly kind: 'relation'; readonly relation: number }
    | { readonly kind: 'tuple'; readonly relation: number; readonly row: number }
    /** `part` 1: the halves of one bigint; 2: two integers. */
    | {
        readonly kind: 'advisory';
        readonly key: { readonly high: number; readonly low: number; readonly part: 1 | 2 };
      }
    | { readonly kind: 'object'; readonly relation: number };
  readonly processId: number;
  readonly mode: TableLockMode;
  readonly granted: boolean;
}

/** A build of indexes that a statement waits for. */
export interface IndexBuildFact {
  readonly relation: number;
  /** 0: all of the relation's. */
  readonly index: number;
  readonly command: string;
  readonly processId: number;
  readonly phase: string;
  /** Blocks of the new segment, while they are written. */
  readonly blocksTotal: number;
  readonly blocksDone: number;
  readonly tuplesTotal: number;
  readonly tuplesDone: number;
  readonly partitionsTotal: number;
  readonly partitionsDone: number;
}

/** A run of rows that are kept and searched together. */
export interface SegmentFact {
  readonly partition: string | null;
  /** Null: the head, whose rows lie in memory. */
  readonly segment: number | null;
  readonly state: 'head' | 'merging' | 'segment';
  readonly rows: number;
  readonly deleted: number;
  /** Columns and search structures: on disk, for the head in memory. */
  readonly bytes: number;
  readonly indexes: readonly IndexSegmentFact[];
}

/** An index's facts about a segment. */
export interface IndexSegmentFact {
  readonly index: number;
  readonly kind: string;
  /** `building`: the index is younger, and the segment is searched without it. */
  readonly state: 'ready' | 'building';
  readonly bytes: number;
  readonly graph: GraphFact | null;
  /** Time of the merge that made it; null where it is not known. */
  readonly buildMs: number | null;
}

/** A graph of vectors. */
export interface GraphFact {
  readonly entries: number;
  /** Neighbours an entry is linked to. */
  readonly m: number;
  /** Entries that a search keeps in view when the statement does not say. */
  readonly efSearch: number;
}

export interface PreparedFact {
  readonly name: string;
  readonly statement: string;
  readonly preparedMicros: bigint;
  readonly parameterTypes: readonly number[];
  readonly resultTypes: readonly number[] | null;
  readonly fromSql: boolean;
}

export interface CursorFact {
  readonly name: string;
  readonly statement: string;
  readonly hold: boolean;
  readonly binary: boolean;
  readonly scroll: boolean;
  readonly createdMicros: bigint;
}

/** For tests, binding and wherever there is no engine: nothing stored, no settings, no sessions. */
export const NO_FACTS: SystemFacts = {
  region: () => 'local',
  partitions: () => [],
  partitionCreatedMs: () => null,
  lsn: () => '0',
  size: () => ({ rows: 0, bytes: 0, changedMs: null }),
  statistics: () => ({ rows: 0 }),
  settings: () => [],
  sessions: () => [],
  apiKeys: () => [],
  locks: () => [],
  indexBuilds: () => [],
  caches: () => [],
  temporaryFiles: () => ({ files: 0, bytes: 0 }),
  segments: () => [],
  preparedStatements: () => [],
  cursors: () => [],
};

export interface SystemColumn {
  readonly name: string;
  readonly type: TypeRef;
  readonly notNull: boolean;
}

export interface SystemRelation {
  readonly oid: number;
  readonly schema: string;
  readonly name: string;
  /** pg_class.relkind. */
  readonly kind: 'r' | 'v';
  readonly columns: readonly SystemColumn[];
  /** One array a row, in column order. */
  rows(context: SystemContext): Iterable<readonly Datum[]>;
}

/** A row by column name; columns left out are NULL, or the type's zero where they are NOT NULL. */
export type NamedRow = Readonly<Record<string, Datum>>;
export type RowSource = (context: SystemContext) => Iterable<NamedRow>;
/** Rows by relation name. */
export type RowSources = Readonly<Record<string, RowSource>>;
