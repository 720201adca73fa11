/** The driver's errors as this client's, and which of them may be asked again. */
import * as errors from '../errors.ts';
import type { Address } from './address.ts';

/** A server's error as `postgres` gives it, as far as it is used. */
interface Told {
  readonly code?: unknown;
  readonly severity?: unknown;
  readonly message: string;
  readonly detail?: string;
  readonly hint?: string;
  readonly routine?: string;
}

type ErrorClass = new (message: string, details?: errors.ErrorDetails) => errors.QuernError;

/** By the kind that the server tells (`docs/errors.md`). */
const KINDS: Readonly<Record<string, ErrorClass>> = {
  collection_not_found: errors.CollectionNotFoundError,
  collection_already_exists: errors.CollectionAlreadyExistsError,
  partition_not_found: errors.PartitionNotFoundError,
  dataset_not_found: errors.DatasetNotFoundError,
  dataset_already_exists: errors.DatasetAlreadyExistsError,
  document_validation: errors.DocumentValidationError,
  schema_validation: errors.SchemaValidationError,
  lsn_timeout: errors.QueryLsnTimeoutError,
  permission_denied: errors.PermissionDeniedError,
  quota_exceeded: errors.QuotaExceededError,
  request_too_large: errors.RequestTooLargeError,
  slow_down: errors.SlowDownError,
  serialization_failure: errors.ConflictError,
  statement_timeout: errors.CancelledError,
  canceled: errors.CancelledError,
  connection_ended: errors.ConnectionLostError,
  handle_timeout: errors.WaitTimeoutError,
  ingestion_failed: errors.IngestionError,
  invalid_argument: errors.InvalidArgumentError,
  not_supported: errors.InvalidArgumentError,
  content_not_found: errors.InvalidArgumentError,
  content_replaced: errors.InvalidArgumentError,
  document_not_found: errors.InvalidArgumentError,
  handle_not_found: errors.InvalidArgumentError,
  handle_expired: errors.InvalidArgumentError,
};

/** One fault as a sentence. */
function faultText({
  kind,
  document_offset: offset,
  field,
  expected,
  got,
  message,
  count,
}: errors.Fault): string {
  if (kind === 'more_faults') return `${count} more faults`;
  const about = offset === undefined ? 'the batch' : `document ${offset}`;
  const parts = [
    `${about}${field === undefined ? '' : `, field ${JSON.stringify(field)}`}: ${kind.replaceAll('_', ' ')}`,
    ...(expected === undefined ? [] : [`expected ${expected}`]),
    ...(got === undefined ? [] : [`got ${got}`]),
    ...(message === undefined ? [] : [String(message)]),
  ];
  return parts.join(', ');
}

const SAID_MAX = 5;

function messageOf(told: string, faults: readonly errors.Fault[]): string {
  if (faults.length === 0) return told;
  const more = faults.length > SAID_MAX ? `; and ${faults.length - SAID_MAX} more` : '';
  return `${faults.slice(0, SAID_MAX).map(faultText).join('; ')}${more} (${told})`;
}

function faultsOf(detail: string | undefined): readonly errors.Fault[] {
  if (detail === undefined || !detail.startsWith('[')) return [];
  try {
    return JSON.parse(detail) as errors.Fault[];
  } catch {
    return [];
  }
}

/** Errors that the contract calls otherwise than PostgreSQL. */
const SAID: Readonly<Record<string, (message: string) => string>> = {
  '22012': () => 'Divide by zero',
  '22003': (message) => `overflow: ${message}`,
};

const isTold = (error: Error): error is Error & Told => 'severity' in error;

/** Codes of the system and the driver for a connection that ended. */
const LOST = new Set(['CONNECTION_CLOSED', 'CONNECTION_DESTROYED', 'ECONNRESET', 'EPIPE']);
/** It may be there in a moment. */
const PASSING = new Set([
  ...LOST,
  'CONNECTION_ENDED_EARLY',
  'CONNECT_TIMEOUT',
  'ETIMEDOUT',
  'ECONNREFUSED',
  'EAI_AGAIN',
]);
const TLS = /CERT|TLS|SSL|SELF_SIGNED|EPROTO|ENDED_EARLY|ALTNAME/i;

/** @returns an error of this client's; errors that are none of the way or the server's stay what they are. */
export function failureOf(error: unknown, address: Address): unknown {
  if (!(error instanceof Error) || error instanceof errors.QuernError) return error;
  if (isTold(error)) {
    const { code, message, detail, hint, routine: kind } = error;
    const made = KINDS[kind ?? ''] ?? errors.ServerError;
    const faults = faultsOf(detail);
    const said = messageOf(SAID[String(code)]?.(message) ?? message, faults);
    return new made(said, {
      sqlstate: String(code),
      hint,
      detail,
      kind,
      errors: faults,
      cause: error,
    });
  }
  const code = 'code' in error ? String(error.code) : '';
  if (LOST.has(code)) {
    return new errors.ConnectionLostError('the connection ended while the statement ran', { cause: error });
  }
  return code === '' ? error : unreachedOf(error, address);
}

/** The way to the server failed: nothing was sent. */
export function unreachedOf(error: unknown, address: Address): unknown {
  if (error instanceof errors.QuernError) return error;
  if (!(error instanceof Error) || isTold(error)) return withAdvice(failureOf(error, address), address);
  const where = address.host.includes(':')
    ? `[${address.host}]:${address.port}`
    : `${address.host}:${address.port}`;
  const code = 'code' in error ? String(error.code) : '';
  const isTls = address.tls !== 'off' && TLS.test(`${code} ${error.message}`);
  const hint = isTls
    ? 'certificates are verified except on loopback: NODE_EXTRA_CA_CERTS names a file of those to trust, https: false leaves TLS out; is a Quern server listening there?'
    : 'is a Quern server running there?';
  return new errors.ConnectionFailedError(
    `cannot reach ${where}${isTls ? ' with TLS' : ''}: ${error.message || code}`,
    {
      hint: `the server is from ${address.hostFrom}; ${hint} (host, port, region, https, QUERN_HOST, QUERN_PORT)`,
      cause: error,
    },
  );
}

/** A key that was refused: where it comes from. */
function withAdvice(error: unknown, address: Address): unknown {
  if (!(error instanceof errors.PermissionDeniedError) || error.hint !== undefined) return error;
  const hint = `the key is from ${address.keyFrom} (apiKey, QUERN_API_KEY)`;
  const { message, sqlstate, detail, kind, cause } = error;
  return new errors.PermissionDeniedError(message, { sqlstate, hint, detail, kind, cause });
}

/**
 * True when a statement may be asked again.
 * @param repeatable it reads, or writes the same documents as the first time.
 */
export function mayRetry(error: unknown, repeatable: boolean): boolean {
  if (error instanceof errors.ConnectionLostError) return repeatable;
  if (error instanceof errors.ConnectionFailedError) {
    return PASSING.has(String((error.cause as Told | undefined)?.code));
  }
  if (error instanceof errors.QuernError && error.sqlstate === STARTING) return true;
  return error instanceof errors.ConflictError || error instanceof errors.SlowDownError;
}

/** The server starts, or ends. */
const STARTING = '57P03';
