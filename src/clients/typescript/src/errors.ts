/** Errors of the client. Every class derives from `QuernError`; `kind` tells apart what shares a class. */

/** One fault of a batch or a schema: its kind, the document's offset in the batch, the field, and what the kind adds. */
export interface Fault {
  readonly kind: string;
  readonly document_offset?: number;
  readonly field?: string;
  readonly [more: string]: unknown;
}

export interface ErrorDetails {
  /** The five characters of the SQL standard; absent where no server was asked. */
  readonly sqlstate?: string | undefined;
  readonly hint?: string | undefined;
  readonly detail?: string | undefined;
  /** A machine-readable word, as `docs/errors.md` lists them. */
  readonly kind?: string | undefined;
  readonly errors?: readonly Fault[] | undefined;
  readonly cause?: unknown;
}

/** Anything that Quern or the way to it refused. */
export class QuernError extends Error {
  readonly sqlstate: string | undefined;
  readonly hint: string | undefined;
  readonly detail: string | undefined;
  readonly kind: string | undefined;
  readonly errors: readonly Fault[];

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = new.target.name;
    this.sqlstate = details.sqlstate;
    this.hint = details.hint;
    this.detail = details.detail;
    this.kind = details.kind;
    this.errors = details.errors ?? [];
  }
}

/** An argument, an expression or a query that can never work. */
export class InvalidArgumentError extends QuernError {}
/** There is no collection of that name. */
export class CollectionNotFoundError extends QuernError {}
/** There is a collection of that name already. */
export class CollectionAlreadyExistsError extends QuernError {}
/** Nobody has written to that partition yet. */
export class PartitionNotFoundError extends QuernError {}
/** A collection that cannot be made. */
export class CollectionValidationError extends QuernError {}
/** A schema with faults; `errors` lists them. */
export class SchemaValidationError extends CollectionValidationError {}
/** Documents with faults; `errors` lists all of the batch, of which nothing was stored. */
export class DocumentValidationError extends QuernError {}
/** There is no dataset of that name. */
export class DatasetNotFoundError extends QuernError {}
/** There is a dataset of that name already. */
export class DatasetAlreadyExistsError extends QuernError {}
/** The key is wrong, or its role may not do this. */
export class PermissionDeniedError extends QuernError {}
/** The write that a read was to wait for did not become visible in time. */
export class QueryLsnTimeoutError extends QuernError {}
/** A limit on what one may keep or use is reached. */
export class QuotaExceededError extends QuernError {}
/** A request over one of the server's limits on sizes. */
export class RequestTooLargeError extends QuernError {}
/** The server has too much to do; it was asked again as `RetryConfig` says, in vain. */
export class SlowDownError extends QuernError {}
/** Another writer was first (40001, 40P01), also when asked again. */
export class ConflictError extends QuernError {}
/** The statement was cancelled, or took longer than `statement_timeout`. */
export class CancelledError extends QuernError {}
/** No connection: nobody listens there, the name is unknown, TLS was refused. Nothing was sent. */
export class ConnectionFailedError extends QuernError {}
/** The connection ended while a statement ran. Of a write nobody can tell whether it was done. */
export class ConnectionLostError extends ConnectionFailedError {}
/** A file could not be read; the message is the reason. */
export class IngestionError extends QuernError {}
/** `waitForHandle` waited `timeoutSecs`; the work goes on. */
export class WaitTimeoutError extends QuernError {}
/** The server's own fault, or an error without a class of its own: see `sqlstate`. */
export class ServerError extends QuernError {}
