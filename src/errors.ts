/**
 * Errors that a client can be told: conditions by PostgreSQL's names with their SQLSTATE, and `SqlError`.
 * Source: PostgreSQL 18, appendix A "PostgreSQL Error Codes".
 */

import type { DriversRoutine, ErrorKind } from './error-kinds.ts';

/** Condition name to SQLSTATE. A condition that is not in this table cannot be raised. */
export const SQLSTATES = {
  successful_completion: '00000',
  warning: '01000',
  warning_privilege_not_revoked: '01006',
  warning_privilege_not_granted: '01007',
  connection_exception: '08000',
  connection_failure: '08006',
  protocol_violation: '08P01',
  feature_not_supported: '0A000',
  invalid_grant_operation: '0LP01',
  cardinality_violation: '21000',
  data_exception: '22000',
  string_data_right_truncation: '22001',
  numeric_value_out_of_range: '22003',
  null_value_not_allowed: '22004',
  zero_length_character_string: '2200F',
  invalid_datetime_format: '22007',
  datetime_field_overflow: '22008',
  invalid_time_zone_displacement_value: '22009',
  division_by_zero: '22012',
  invalid_preceding_or_following_size: '22013',
  invalid_argument_for_ntile_function: '22014',
  invalid_argument_for_nth_value_function: '22016',
  interval_field_overflow: '22015',
  character_not_in_repertoire: '22021',
  invalid_parameter_value: '22023',
  invalid_escape_sequence: '22025',
  substring_error: '22011',
  string_data_length_mismatch: '22026',
  invalid_row_count_in_limit_clause: '2201W',
  invalid_row_count_in_result_offset_clause: '2201X',
  invalid_argument_for_logarithm: '2201E',
  invalid_argument_for_power_function: '2201F',
  invalid_argument_for_width_bucket_function: '2201G',
  invalid_regular_expression: '2201B',
  sequence_generator_limit_exceeded: '2200H',
  invalid_text_representation: '22P02',
  invalid_use_of_escape_character: '2200C',
  invalid_binary_representation: '22P03',
  bad_copy_file_format: '22P04',
  untranslatable_character: '22P05',
  array_subscript_error: '2202E',
  invalid_argument_for_sql_json_datetime_function: '22031',
  invalid_json_text: '22032',
  invalid_sql_json_subscript: '22033',
  non_numeric_sql_json_item: '22036',
  singleton_sql_json_item_required: '22038',
  sql_json_array_not_found: '22039',
  sql_json_member_not_found: '2203A',
  sql_json_number_not_found: '2203B',
  sql_json_object_not_found: '2203C',
  not_null_violation: '23502',
  restrict_violation: '23001',
  foreign_key_violation: '23503',
  unique_violation: '23505',
  check_violation: '23514',
  active_sql_transaction: '25001',
  read_only_sql_transaction: '25006',
  no_active_sql_transaction: '25P01',
  in_failed_sql_transaction: '25P02',
  idle_in_transaction_session_timeout: '25P03',
  transaction_timeout: '25P04',
  invalid_sql_statement_name: '26000',
  invalid_authorization_specification: '28000',
  invalid_password: '28P01',
  dependent_objects_still_exist: '2BP01',
  invalid_cursor_name: '34000',
  invalid_catalog_name: '3D000',
  invalid_schema_name: '3F000',
  savepoint_exception: '3B001',
  serialization_failure: '40001',
  deadlock_detected: '40P01',
  syntax_error: '42601',
  insufficient_privilege: '42501',
  cannot_coerce: '42846',
  grouping_error: '42803',
  windowing_error: '42P20',
  invalid_recursion: '42P19',
  invalid_foreign_key: '42830',
  invalid_name: '42602',
  name_too_long: '42622',
  reserved_name: '42939',
  datatype_mismatch: '42804',
  indeterminate_datatype: '42P18',
  collation_mismatch: '42P21',
  indeterminate_collation: '42P22',
  wrong_object_type: '42809',
  generated_always: '428C9',
  undefined_column: '42703',
  undefined_function: '42883',
  undefined_table: '42P01',
  undefined_parameter: '42P02',
  undefined_object: '42704',
  duplicate_column: '42701',
  duplicate_cursor: '42P03',
  duplicate_database: '42P04',
  duplicate_function: '42723',
  duplicate_prepared_statement: '42P05',
  duplicate_schema: '42P06',
  duplicate_table: '42P07',
  duplicate_alias: '42712',
  duplicate_object: '42710',
  ambiguous_column: '42702',
  ambiguous_function: '42725',
  ambiguous_parameter: '42P08',
  ambiguous_alias: '42P09',
  invalid_column_reference: '42P10',
  invalid_column_definition: '42611',
  invalid_cursor_definition: '42P11',
  invalid_function_definition: '42P13',
  invalid_prepared_statement_definition: '42P14',
  invalid_schema_definition: '42P15',
  invalid_table_definition: '42P16',
  invalid_object_definition: '42P17',
  with_check_option_violation: '44000',
  insufficient_resources: '53000',
  disk_full: '53100',
  out_of_memory: '53200',
  too_many_connections: '53300',
  configuration_limit_exceeded: '53400',
  program_limit_exceeded: '54000',
  statement_too_complex: '54001',
  too_many_columns: '54011',
  too_many_arguments: '54023',
  object_not_in_prerequisite_state: '55000',
  object_in_use: '55006',
  cant_change_runtime_param: '55P02',
  lock_not_available: '55P03',
  query_canceled: '57014',
  admin_shutdown: '57P01',
  crash_shutdown: '57P02',
  cannot_connect_now: '57P03',
  database_dropped: '57P04',
  idle_session_timeout: '57P05',
  system_error: '58000',
  io_error: '58030',
  undefined_file: '58P01',
  config_file_error: 'F0000',
  lock_file_exists: 'F0001',
  no_data_found: 'P0002',
  internal_error: 'XX000',
  data_corrupted: 'XX001',
  index_corrupted: 'XX002',
} as const;

export type Condition = keyof typeof SQLSTATES;

/** Optional fields of an error; names follow PostgreSQL's ErrorResponse fields. */
export interface ErrorFields {
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
  /** 1-based character offset in the statement text. */
  readonly position?: number | undefined;
  /** As `position`, in `internalQuery`: SQL that a value of the statement is. */
  readonly internalPosition?: number | undefined;
  readonly internalQuery?: string | undefined;
  readonly where?: string | undefined;
  readonly schema?: string | undefined;
  readonly table?: string | undefined;
  readonly column?: string | undefined;
  readonly dataType?: string | undefined;
  readonly constraint?: string | undefined;
  /** Which of the kinds that share a SQLSTATE it is, for programs: `collection_not_found`. */
  readonly routine?: ErrorKind | DriversRoutine | undefined;
  readonly severity?: 'ERROR' | 'FATAL' | undefined;
  readonly cause?: unknown;
}

/** The user's condition: SQLSTATE, a lower-case message that names the object, a hint with the next step. */
export class SqlError extends Error {
  override readonly name = 'SqlError';
  readonly condition: Condition;
  readonly fields: ErrorFields;

  constructor(condition: Condition, message: string, fields: ErrorFields = {}) {
    super(message, fields.cause === undefined ? undefined : { cause: fields.cause });
    this.condition = condition;
    this.fields = fields;
  }

  /** Five characters, e.g. `42703`. */
  get sqlstate(): string {
    return SQLSTATES[this.condition];
  }

  /** The same error with fields added where it has none yet (a position found further out, say). */
  with(fields: ErrorFields): SqlError {
    const error = new SqlError(this.condition, this.message, { ...fields, ...this.fields });
    if (this.stack !== undefined) error.stack = this.stack;
    return error;
  }
}

/** A message that does not end the statement. */
export interface Notice {
  readonly severity: 'NOTICE' | 'WARNING' | 'INFO' | 'DEBUG' | 'LOG';
  readonly condition: Condition;
  readonly message: string;
  readonly detail?: string | undefined;
  readonly hint?: string | undefined;
}

/** Shorthand for what PostgreSQL has and Quern has not (yet): 0A000 with the feature's name. */
export function notSupported(feature: string, fields: ErrorFields = {}): SqlError {
  return new SqlError('feature_not_supported', `${feature} is not supported`, fields);
}

/** Raised when a bound of ours is met or the stack is used up: the client cannot tell, and is told the same. */
export function tooDeep(): SqlError {
  return new SqlError('statement_too_complex', 'stack depth limit exceeded', {
    hint: 'Write the statement with fewer levels of nesting, a long list as an array, or several statements.',
  });
}

/** V8's own bounds, in its words. */
const SIZES =
  /^Invalid (?:string|array|typed array|regular expression) length|BigInt size exceeded|allocation failed|Map maximum size|Set maximum size/;

/**
 * The error that came first: what `using` and `Promise.any` wrap it in tells only that more went wrong after it.
 * A disposal that fails as well holds the error of its block as `suppressed`.
 */
export function firstError(error: unknown): unknown {
  let first = error;
  for (;;) {
    if (first instanceof SuppressedError) first = first.suppressed;
    else if (first instanceof AggregateError && first.errors.length > 0) first = first.errors[0];
    else return first;
  }
}

/** The client's error for one that V8 raises for its bounds; null where the error is our own mistake. */
export function sqlErrorOf(thrown: unknown): SqlError | null {
  const error = firstError(thrown);
  if (error instanceof SqlError) return error;
  if (!(error instanceof RangeError)) return null;
  if (error.message.includes('call stack')) return tooDeep();
  if (!SIZES.test(error.message)) return null;
  return new SqlError('program_limit_exceeded', 'a value is too large', {
    hint: 'Work on smaller values, in several rows.',
    cause: error,
  });
}
