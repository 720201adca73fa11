/**
 * Interface of a session to `wire/` and `http/`. The session knows SQL and no bytes; they know bytes and no
 * SQL. Values cross as column vectors and datums; the codecs are in `types/`.
 */
import type { Notice, SqlError } from '../errors.ts';
import type { Notification } from './statements/notifications.ts';
import type { OutputColumn } from '../plan/plan.ts';
import type { Datum } from '../types/datum.ts';
import type { FormatSettings } from '../types/type.ts';
import type { Batch } from '../types/column/vector.ts';

export type { Notification, OutputColumn };

/** Where a statement's results go. Calls come in order; a returned promise is awaited (back-pressure). */
export interface ResultSink {
  /** Before the rows of a simple query. Extended queries are described by the portal. */
  describe(columns: readonly OutputColumn[]): void;
  rows(batch: Batch, columns: readonly OutputColumn[], settings: FormatSettings): void | Promise<void>;
  /** More rows take a while: those there are go to the client now. */
  flush?(): void;
  /** True when the column at a position is sent as text; absent: all are. */
  isText?(position: number): boolean;
  /** `SELECT 3`, `INSERT 0 1`. */
  complete(tag: string): void;
  emptyQuery(): void;
  suspended(): void;
  notice(notice: Notice): void;
  /** A setting that is reported to clients changed. */
  parameterStatus(name: string, value: string): void;
  /** COPY TO STDOUT begins; `copyData` and `copyDone` follow. A sink without these cannot copy. */
  copyOut?(shape: CopyShape): void;
  /** Piece i of the bytes ends at `ends[i]`; a piece is a row, which some clients read as such. */
  copyData?(bytes: Uint8Array, ends: readonly number[]): void | Promise<void>;
  copyDone?(): void;
  /** COPY FROM STDIN: what the client sends, until it says that it is done. @throws SqlError 57014, 08P01. */
  copyIn?(shape: CopyShape & { readonly signal: AbortSignal }): AsyncIterable<Uint8Array>;
}

/** How the data of a COPY looks. */
export interface CopyShape {
  readonly isBinary: boolean;
  readonly columnCount: number;
}

/** Memory that somebody takes, counted inside --memory. */
export interface Holding extends Disposable {
  /** @throws SqlError 53200 when there is not so much; nothing more is held then. */
  hold(bytes: number): void;
}

/** I idle, T in a transaction, E in a failed one. */
export type TransactionStatus = 'I' | 'T' | 'E';

/** Verbs give a promise only when they have to wait; what is wrong is thrown, or the promise rejected. */
export interface Session extends AsyncDisposable {
  readonly processId: number;
  readonly secretKey: number;
  status(): TransactionStatus;
  /** Settings reported after start-up, in order. */
  reportedSettings(): ReadonlyMap<string, string>;
  formatSettings(): FormatSettings;
  /** LSN of the last commit that wrote; null before one. The newest, where it wrote to several relations. */
  lastLsn(): string | null;

  /** Counts what the client has sent. */
  openAccount(): Holding;

  /**
   * The first commit that writes stores the request, until this is called anew; null: none does.
   * @returns true when the request of before was stored.
   */
  doOnce(request: OnceRequest | null): boolean;

  /** How far the statement is that runs; null where that is not known. */
  progress(): StatementProgress | null;

  /** Runs every statement of the text; an error ends it and is thrown. */
  simpleQuery(text: string, sink: ResultSink): void | Promise<void>;

  /** Extended protocol. Errors are thrown; the caller then skips to Sync. @param types OIDs, 0 for unknown. */
  parse(name: string, text: string, types: readonly number[], sink: ResultSink): void | Promise<void>;
  parameterTypes(statement: string): readonly number[];
  /** Null when the statement returns no rows. */
  describeStatement(statement: string): readonly OutputColumn[] | null;
  /** A parameter that is too large to be read at once. */
  readParameter(bytes: Uint8Array, type: number, isBinary: boolean): Promise<Datum>;
  bind(
    portal: string,
    statement: string,
    parameters: readonly Datum[],
    sink: ResultSink,
  ): void | Promise<void>;
  describePortal(portal: string): readonly OutputColumn[] | null;
  /** @param maxRows 0 for all. */
  execute(portal: string, maxRows: number, sink: ResultSink): void | Promise<void>;
  closeStatement(name: string): void;
  closePortal(name: string): void | Promise<void>;
  /** An error was told to the client, the session's own or the wire's: the transaction has failed. */
  fail(error: unknown): void;
  /** Ends the implicit transaction. */
  sync(sink: ResultSink): void | Promise<void>;

  /** @param end called when the server ends this session: another one asked for it, or it was idle too long. */
  onTerminate(end: (reason: SqlError) => void): void;

  /** @param tell called for what other sessions notify, at any time that the protocol allows it. */
  onNotification(tell: (notification: Notification) => void): void;

  /** Ends the running statement with 57014; may be called at any time. */
  cancel(reason: SqlError): void;
}

/** COPY, and the building of an index; totals are 0 where they are not known. */
export interface StatementProgress {
  /** `COPY FROM`, `CREATE INDEX`. */
  readonly command: string;
  readonly phase?: string;
  readonly bytes?: number;
  readonly bytes_total?: number;
  readonly rows: number;
  readonly rows_total?: number;
}

/** A request whose client names it, and may send it again when it has heard nothing. */
export interface OnceRequest {
  /** `id` of its bearer. */
  readonly owner: string;
  readonly id: string;
  /** Tells apart what it asks for. Of a request with data it is known when all of that has come: it waits for the rest. */
  digest(): string | Promise<string>;
}

export interface DoneRequest {
  /** Command tag of its last statement. */
  readonly tag: string;
  /** Null: it wrote to nothing that has LSNs, or the server ended before it was noted. */
  readonly lsn: string | null;
}

/** Who has shown a key, and opens sessions with it: many short ones, where a connection is one long one. */
export interface Bearer {
  /** How a request of this id ended. Null: none has written. @throws SqlError 22023 where it was another one. */
  doneBefore(request: OnceRequest): Promise<DoneRequest | null>;
  /** Notes how a request ended that was stored; durable when it resolves. */
  noteEnd(request: OnceRequest, done: DoneRequest): Promise<void>;
  /** The same for all requests with the key, whatever its text, and of no other key. */
  readonly id: string;
  /** Counts what the client has sent. */
  openAccount(): Holding;
  /** @throws SqlError 22023, 42704 for a wrong setting, 53300. */
  open(settings: ReadonlyMap<string, string>): Session;
}

export interface StartupParameters {
  readonly user: string;
  readonly database: string;
  readonly settings: ReadonlyMap<string, string>;
  readonly remoteAddress: string;
  readonly encrypted: boolean;
}

/** The connection that a proof is bound to, and how the client wants to give it. */
export interface ProofChannel {
  readonly mechanism: string;
  /** Hash of the server's certificate; null: there is none. */
  readonly binding: Uint8Array | null;
}

/** Shows that the client knows its password, without telling it. */
export interface ProofExchange {
  /** @returns the server's first message. @throws SqlError 08P01, 28000. */
  begin(message: string): string;
  /** @returns the session, and the server's own proof. @throws SqlError as `authenticate`, and 08P01, 28000. */
  end(message: string): Promise<{ readonly session: Session; readonly final: string }>;
}

/** The server's side of sessions: made once by `main.ts`. */
export interface SessionFactory {
  /** True when clients prove their password; absent, or false: its text is asked for. */
  takesProofs?(): boolean;
  exchange?(startup: StartupParameters, channel: ProofChannel): ProofExchange;
  /**
   * Who shows a certificate of an authority that is trusted. Null: a password is asked for all the same.
   * @throws SqlError 28000 for one of another name.
   */
  certified?(startup: StartupParameters, commonName: string): Session | null;
  /** @throws SqlError 28P01 (never says which part was wrong), 3D000, 53300. */
  authenticate(startup: StartupParameters, password: string): Promise<Session>;
  /** A cancel request that came on another connection. */
  cancel(processId: number, secretKey: number): void;
}
