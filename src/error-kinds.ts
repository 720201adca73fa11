/**
 * Kinds of errors for programs: what stands in an error's routine field (`R`), beside its SQLSTATE, so that a client
 * tells apart what shares one. The one table of them; `docs/errors.md` has a row for each.
 */
export interface ErrorKindRow {
  /** Class that Quern's clients raise; null: their base class, `QuernError`. */
  readonly clients: string | null;
  /** SQLSTATEs, or classes of them, that mean this kind where the error says no other. */
  readonly states: readonly string[];
  /** SQLSTATEs that it comes with where the error says so. */
  readonly besides: readonly string[];
  readonly summary: string;
}

const row = (
  clients: string | null,
  {
    states = [],
    besides = [],
  }: { readonly states?: readonly string[]; readonly besides?: readonly string[] },
  summary: string,
): ErrorKindRow => ({ clients, states, besides, summary });

const ARGUMENT = 'InvalidArgumentError';

export const ERROR_KINDS = {
  collection_not_found: row(
    'CollectionNotFoundError',
    { states: ['42P01'] },
    'There is no relation of that name.',
  ),
  collection_already_exists: row(
    'CollectionAlreadyExistsError',
    { states: ['42P07'] },
    'The name of the relation is taken.',
  ),
  partition_not_found: row(
    'PartitionNotFoundError',
    { besides: ['42P01'] },
    'The collection has no such partition (yet).',
  ),
  dataset_not_found: row(
    'DatasetNotFoundError',
    { states: ['3F000'], besides: ['42704'] },
    'There is no dataset of that name.',
  ),
  dataset_already_exists: row(
    'DatasetAlreadyExistsError',
    { states: ['42P06'], besides: ['42710'] },
    'The name of the dataset is taken.',
  ),
  upload_not_found: row(
    null,
    { besides: ['42704'] },
    'No file is coming in parts by this token: it is done, taken back, of another key, or too old.',
  ),
  document_validation: row(
    'DocumentValidationError',
    { states: ['23'], besides: ['22000', '22023', '42602', '42804', '42939', '54000', '54001', 'P0002'] },
    'Documents that cannot be: nothing is stored, and DETAIL is a JSON list of what is wrong with which.',
  ),
  schema_validation: row(
    'SchemaValidationError',
    { states: ['42611', '42939'], besides: ['42602', '42704', '42804', '22023', '54001'] },
    'A definition that cannot be: DETAIL is a JSON list of field, index and type.',
  ),
  lsn_timeout: row(
    'QueryLsnTimeoutError',
    { besides: ['57014'] },
    'The LSN that a read waits for was not there within `quern.lsn_timeout`.',
  ),
  permission_denied: row(
    'PermissionDeniedError',
    { states: ['42501', '28', '25006'] },
    'The key may not do this, or is no key.',
  ),
  quota_exceeded: row(
    'QuotaExceededError',
    { states: ['53000', '53100', '53200', '53400'] },
    'There is no room: on disk, or in the memory that a statement may hold.',
  ),
  request_too_large: row('RequestTooLargeError', { states: ['54'] }, 'Over a limit of size or number.'),
  slow_down: row(
    'SlowDownError',
    { states: ['53300', '57P03'] },
    'Too much at once: try again after a while.',
  ),
  serialization_failure: row(null, { states: ['40'] }, 'Another transaction was in the way: try again.'),
  statement_timeout: row(null, { besides: ['57014'] }, 'The statement took longer than `statement_timeout`.'),
  canceled: row(null, { states: ['57014'] }, 'The client cancelled it.'),
  connection_ended: row(
    null,
    { states: ['08', '57P01', '57P02', '57P05', '25P03', '25P04'] },
    'The connection ends.',
  ),
  content_not_found: row(ARGUMENT, { besides: ['22023'] }, 'The dataset has no content of that id.'),
  content_replaced: row(ARGUMENT, { besides: ['22023'] }, 'The document has a newer version.'),
  document_not_found: row(ARGUMENT, { besides: ['22023'] }, 'The dataset has no document of that id.'),
  answer_not_found: row(
    ARGUMENT,
    { besides: ['22023'] },
    'There is no such answer, or it is kept no longer.',
  ),
  handle_not_found: row(ARGUMENT, { besides: ['22023'] }, 'There never was such a handle.'),
  handle_expired: row(ARGUMENT, { besides: ['22023'] }, 'The handle was done long ago.'),
  handle_timeout: row(null, { besides: ['57014'] }, 'The document was not ready in time.'),
  ingestion_failed: row(
    null,
    { besides: ['55000'] },
    'The document could not be read; the message says why.',
  ),
  not_supported: row(ARGUMENT, { states: ['0A'] }, 'PostgreSQL or others have it, Quern does not.'),
  invalid_argument: row(
    ARGUMENT,
    { states: ['21', '22', '42'], besides: ['42P01', '08P01'] },
    'A value, a name or the statement is wrong.',
  ),
  internal: row(null, { states: ['XX', '58'] }, 'A mistake of ours, or of the machine.'),
} as const satisfies Readonly<Record<string, ErrorKindRow>>;

export type ErrorKind = keyof typeof ERROR_KINDS;

/** Functions of PostgreSQL that drivers (pgjdbc, postgres.js) know a statement by that has to be prepared anew. */
export type DriversRoutine = 'RevalidateCachedQuery' | 'FetchPreparedStatement';

const BY_STATE: ReadonlyMap<string, ErrorKind> = new Map(
  Object.entries(ERROR_KINDS).flatMap(([kind, { states }]) =>
    states.map((state): [string, ErrorKind] => [state, kind as ErrorKind]),
  ),
);

interface ToldError {
  readonly fields: { readonly routine?: ErrorKind | DriversRoutine | undefined };
  readonly sqlstate: string;
}

/** The kind that the error says, or else its SQLSTATE's. */
export function kindOf({ fields, sqlstate }: ToldError): ErrorKind | DriversRoutine | undefined {
  return fields.routine ?? BY_STATE.get(sqlstate) ?? BY_STATE.get(sqlstate.slice(0, 2));
}
