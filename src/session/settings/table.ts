/**
 * Every setting a client may read or change: one row each, with PostgreSQL's names, defaults and checks.
 * `reported` ones are told to the client when they change. Settings of PostgreSQL that nothing here goes by are
 * kept because clients set them: as hints, or with the only values that are true (`only`).
 */
import * as limits from '../../limits.ts';
import { LIMITS } from './limit-rows.ts';

export const LIMIT_CATEGORY = 'Limits';

export type SettingKind =
  | { readonly type: 'bool' }
  | {
      readonly type: 'integer';
      readonly min: number;
      readonly max: number;
      readonly unit?: 'ms' | 'kB' | 's';
    }
  | { readonly type: 'real'; readonly min: number; readonly max: number }
  | { readonly type: 'enum'; readonly values: readonly string[] }
  | { readonly type: 'string' }
  /** Has a reader of its own in `values.ts`. */
  | { readonly type: 'special' };

export interface SettingRow {
  readonly name: string;
  readonly kind: SettingKind;
  readonly default: string;
  /** internal: cannot be changed; postmaster: only when the server starts. */
  readonly context: 'user' | 'internal' | 'postmaster';
  readonly reported: boolean;
  readonly category: string;
  readonly summary: string;
  /** Values that it can be set to, in lower case: nothing would come of others. */
  readonly only?: readonly string[];
  /** Any value is right: no answer depends on it, only how long one may take, or what is logged. */
  readonly hint?: true;
}

type Options = Partial<Pick<SettingRow, 'context' | 'reported' | 'category' | 'only' | 'hint'>>;

function row(
  name: string,
  kind: SettingKind,
  value: string,
  summary: string,
  options: Options = {},
): SettingRow {
  return {
    name,
    kind,
    default: value,
    context: options.context ?? 'user',
    reported: options.reported ?? false,
    category: options.category ?? 'Client Connection Defaults',
    summary,
    ...(options.only && { only: options.only }),
    ...(options.hint && { hint: true }),
  };
}

const BOOL: SettingKind = { type: 'bool' };
const STRING: SettingKind = { type: 'string' };
const SPECIAL: SettingKind = { type: 'special' };
const MILLISECONDS: SettingKind = { type: 'integer', min: 0, max: 2147483647, unit: 'ms' };
const KILOBYTES: SettingKind = { type: 'integer', min: 64, max: 2147483647, unit: 'kB' };
const ISOLATION: SettingKind = {
  type: 'enum',
  values: ['serializable', 'repeatable read', 'read committed', 'read uncommitted'],
};
const MESSAGE_LEVEL: SettingKind = {
  type: 'enum',
  values: [
    'debug5',
    'debug4',
    'debug3',
    'debug2',
    'debug1',
    'debug',
    'log',
    'info',
    'notice',
    'warning',
    'error',
  ],
};

const INTERNAL: Options = { context: 'internal', category: 'Preset Options' };
const REPORTED_INTERNAL: Options = { ...INTERNAL, reported: true };
const REPORTED: Options = { reported: true };
const PLANNER: Options = { category: 'Query Tuning', hint: true };
const HINT: Options = { hint: true };
const ON: Options = { only: ['on'] };
const OFF: Options = { only: ['off'] };
const TABLESPACES: Options = { only: ['', 'pg_default'] };
const C_LOCALE: Options = { only: ['', 'c', 'posix', 'c.utf-8', 'c.utf8'] };
const SHARE = { type: 'real', min: 0, max: 1 } as const;
const RETRIEVAL: Options = { category: 'Retrieval' };
const number = (value: number): SettingKind => ({ type: 'integer', min: value, max: value });

/** A row for each limit, but for those that are PostgreSQL's settings, or have one that may also be raised. */
const limitSettings = (known: readonly SettingRow[]): readonly SettingRow[] =>
  LIMITS.flatMap(({ rows }) => rows)
    .filter(({ setting }) => !known.some(({ name }) => name === setting))
    .map(({ setting, constant, value, says, isSettable }) => {
      const unit = /_MS(?:_|$)/.test(constant) ? { unit: 'ms' as const } : {};
      const kind: SettingKind = { type: 'integer', min: isSettable ? 1 : value, max: value, ...unit };
      const summary = `At most: ${says}.`;
      return row(setting, kind, String(value), summary, {
        context: isSettable ? 'user' : 'internal',
        category: LIMIT_CATEGORY,
      });
    });

const REPORTED_SETTINGS: readonly SettingRow[] = [
  row('in_hot_standby', BOOL, 'off', 'Shows whether the server recovers.', REPORTED_INTERNAL),
  row('integer_datetimes', BOOL, 'on', 'Dates and times are integers.', REPORTED_INTERNAL),
  row('TimeZone', SPECIAL, 'UTC', 'Time zone for displaying and interpreting time stamps.', REPORTED),
  row(
    'IntervalStyle',
    { type: 'enum', values: ['postgres', 'postgres_verbose', 'sql_standard', 'iso_8601'] },
    'postgres',
    'Display format for interval values.',
    REPORTED,
  ),
  row('search_path', SPECIAL, '"$user", public', 'Schema search order for names.', REPORTED),
  row('is_superuser', BOOL, 'on', 'Whether the current user is a superuser.', REPORTED_INTERNAL),
  row('application_name', STRING, '', 'Name of the application, for statistics and logs.', REPORTED),
  row('default_transaction_read_only', BOOL, 'off', 'Default read-only status of transactions.', REPORTED),
  row('quern.read_only', BOOL, 'off', 'The session only reads. It cannot be switched off again.', REPORTED),
  row('scram_iterations', { type: 'integer', min: 1, max: 2147483647 }, '4096', 'Unused here.', {
    ...REPORTED,
    hint: true,
  }),
  row('DateStyle', SPECIAL, 'ISO, MDY', 'Display format for dates and times.', REPORTED),
  row('standard_conforming_strings', BOOL, 'on', "'...' takes backslashes literally.", {
    ...REPORTED,
    ...ON,
  }),
  row('session_authorization', STRING, 'quern', 'The session user.', REPORTED_INTERNAL),
  row('client_encoding', SPECIAL, 'UTF8', "The client's character set encoding.", REPORTED),
  row('server_version', STRING, '17.4', 'The server version drivers go by.', REPORTED_INTERNAL),
  row('server_encoding', STRING, 'UTF8', "The server's character set encoding.", REPORTED_INTERNAL),
];

const PRESETS: readonly SettingRow[] = [
  row('server_version_num', number(170004), '170004', 'The server version as a number.', INTERNAL),
  row('block_size', number(8192), '8192', 'Size of a disk block.', INTERNAL),
  row('max_identifier_length', number(255), String(limits.NAME_BYTES_MAX), 'Bytes in a name.', INTERNAL),
  row('max_function_args', number(100), '100', 'Arguments of a function.', INTERNAL),
  row('max_index_keys', number(32), '32', 'Columns of an index.', INTERNAL),
  row('lc_collate', STRING, 'C', 'Collation order locale.', INTERNAL),
  row('lc_ctype', STRING, 'C.UTF-8', 'Character classification locale.', INTERNAL),
  row('data_checksums', BOOL, 'on', 'Blocks are authenticated.', INTERNAL),
  row('ssl', BOOL, 'on', 'TLS is offered.', { context: 'postmaster', category: 'Connections' }),
  row('password_encryption', STRING, 'scram-sha-256', 'How keys are kept.', {
    category: 'Connections',
    only: ['scram-sha-256'],
  }),
  row(
    'max_connections',
    number(limits.CONNECTIONS_COUNT_MAX),
    String(limits.CONNECTIONS_COUNT_MAX),
    'Connections at once; fewer where the system lets the server have fewer files open.',
    { context: 'postmaster', category: 'Connections' },
  ),
  row('wal_level', STRING, 'replica', 'Unused here.', { context: 'postmaster', category: 'Preset Options' }),
  row('max_prepared_transactions', number(0), '0', 'Two-phase commit is not there.', INTERNAL),
  row('shared_preload_libraries', STRING, '', 'Unused here.', INTERNAL),
];

const CLIENT_DEFAULTS: readonly SettingRow[] = [
  row('statement_timeout', MILLISECONDS, '0', 'Longest time of a statement; 0 for no limit.'),
  row('lock_timeout', MILLISECONDS, '0', 'Longest wait for a lock; 0 for no limit.'),
  row('transaction_timeout', MILLISECONDS, '0', 'Longest time of a transaction; 0 for no limit.'),
  row('idle_in_transaction_session_timeout', MILLISECONDS, '0', 'Longest idle time in a transaction.'),
  row('idle_session_timeout', MILLISECONDS, '0', 'Longest idle time of a session.'),
  row('default_transaction_isolation', ISOLATION, 'read committed', 'Isolation of new transactions.'),
  row('transaction_isolation', ISOLATION, 'read committed', "The current transaction's isolation."),
  row('transaction_read_only', BOOL, 'off', "The current transaction's read-only status."),
  row('transaction_deferrable', BOOL, 'off', 'Whether to defer a read-only transaction.', HINT),
  row('default_transaction_deferrable', BOOL, 'off', 'Default deferrable status.', HINT),
  row('extra_float_digits', { type: 'integer', min: -15, max: 3 }, '1', 'Digits shown of floats.'),
  row('bytea_output', { type: 'enum', values: ['hex', 'escape'] }, 'hex', 'Output format of bytea.'),
  row('client_min_messages', MESSAGE_LEVEL, 'notice', 'Messages that are sent to the client.'),
  row('lc_messages', STRING, 'C', 'Language of messages.', {
    only: [...(C_LOCALE.only ?? []), 'en_us', 'en_us.utf-8', 'en_us.utf8', 'english'],
  }),
  row('lc_monetary', STRING, 'C', 'Locale of amounts of money.', C_LOCALE),
  row('lc_numeric', STRING, 'C', 'Locale of numbers.', C_LOCALE),
  row('lc_time', STRING, 'C', 'Locale of dates.', C_LOCALE),
  row('default_text_search_config', STRING, 'pg_catalog.english', 'Default text search configuration.'),
  row('default_table_access_method', STRING, 'heap', 'How tables are stored.', { only: ['heap'] }),
  row('default_tablespace', STRING, '', 'Where tables are stored.', TABLESPACES),
  row('default_with_oids', BOOL, 'off', 'Tables have no oids.', OFF),
  row('temp_tablespaces', STRING, '', 'Where temporary tables are stored.', TABLESPACES),
  row('check_function_bodies', BOOL, 'on', 'CREATE FUNCTION reads bodies given as strings.'),
  row('row_security', BOOL, 'on', 'Whether policies hide rows; off: a query that they concern is refused.'),
  row('xmloption', { type: 'enum', values: ['content', 'document'] }, 'content', 'There is no XML.', {
    only: ['content'],
  }),
  row('session_replication_role', STRING, 'origin', 'Foreign keys are checked always.', {
    only: ['origin', 'local'],
  }),
  row('restrict_nonsystem_relation_kind', STRING, '', 'Unused here.'),
  row('role', SPECIAL, 'none', 'The current role.'),
  row('escape_string_warning', BOOL, 'on', 'Unused here.', HINT),
  row('backslash_quote', STRING, 'safe_encoding', "E'\\\\'' is a quote.", {
    only: ['safe_encoding', 'on'],
  }),
  row('array_nulls', BOOL, 'on', 'NULL is an element of an array.', ON),
  row('transform_null_equals', BOOL, 'off', '`= NULL` is never true.', OFF),
  row('synchronize_seqscans', BOOL, 'on', 'Unused here.', HINT),
  row('quote_all_identifiers', BOOL, 'off', 'Names are quoted where they need it.', OFF),
  row('synchronous_commit', STRING, 'on', 'Commits are always on disk when acknowledged.', HINT),
  row('log_statement', STRING, 'none', 'Unused here.', HINT),
  row('log_min_messages', STRING, 'warning', 'Unused here.', HINT),
  row(
    'log_min_duration_statement',
    { type: 'integer', min: -1, max: 2147483647, unit: 'ms' },
    '-1',
    'Unused here.',
    HINT,
  ),
  row('track_activities', BOOL, 'on', 'Statements of sessions are shown.', ON),
  row('vacuum_cost_delay', { type: 'real', min: 0, max: 100 }, '0', 'Unused here.', HINT),
];

const PLANNER_SETTINGS: readonly SettingRow[] = [
  ...[
    'seqscan',
    'indexscan',
    'indexonlyscan',
    'bitmapscan',
    'tidscan',
    'sort',
    'hashagg',
    'hashjoin',
    'mergejoin',
    'nestloop',
    'material',
    'memoize',
    'gathermerge',
    'parallel_append',
    'parallel_hash',
    'partition_pruning',
    'incremental_sort',
    'presorted_aggregate',
  ].map((name) => row(`enable_${name}`, BOOL, 'on', 'Unused here.', PLANNER)),
  row('jit', BOOL, 'off', 'Unused here.', PLANNER),
  row('geqo', BOOL, 'on', 'Unused here.', PLANNER),
  row(
    'plan_cache_mode',
    { type: 'enum', values: ['auto', 'force_generic_plan', 'force_custom_plan'] },
    'auto',
    'Unused here.',
    PLANNER,
  ),
  row('random_page_cost', { type: 'real', min: 0, max: 1e10 }, '4', 'Unused here.', PLANNER),
  row('seq_page_cost', { type: 'real', min: 0, max: 1e10 }, '1', 'Unused here.', PLANNER),
  row('cursor_tuple_fraction', { type: 'real', min: 0, max: 1 }, '0.1', 'Unused here.', PLANNER),
  row('default_statistics_target', { type: 'integer', min: 1, max: 10000 }, '100', 'Unused here.', PLANNER),
  row('join_collapse_limit', { type: 'integer', min: 1, max: 2147483647 }, '8', 'Unused here.', PLANNER),
  row('from_collapse_limit', { type: 'integer', min: 1, max: 2147483647 }, '8', 'Unused here.', PLANNER),
  row(
    'max_parallel_workers_per_gather',
    { type: 'integer', min: 0, max: 1024 },
    '0',
    'Unused here.',
    PLANNER,
  ),
  row(
    'max_parallel_maintenance_workers',
    { type: 'integer', min: 0, max: 1024 },
    '0',
    'Unused here.',
    PLANNER,
  ),
  row(
    'constraint_exclusion',
    { type: 'enum', values: ['partition', 'on', 'off'] },
    'partition',
    'Unused here.',
    PLANNER,
  ),
  row(
    'work_mem',
    KILOBYTES,
    '65536',
    'Memory of a sort, join or grouping before it goes on in temporary files.',
    { category: 'Resource Usage', hint: true },
  ),
  row(
    'temp_file_limit',
    { type: 'integer', min: -1, max: 2147483647, unit: 'kB' },
    '-1',
    'Disk space of all temporary files of a session; -1: as much as there is.',
    { category: 'Resource Usage' },
  ),
  row('maintenance_work_mem', KILOBYTES, '65536', 'Unused here.', { category: 'Resource Usage', hint: true }),
  row('temp_buffers', KILOBYTES, '8192', 'Unused here.', { category: 'Resource Usage', hint: true }),
  row('effective_cache_size', KILOBYTES, '4194304', 'Unused here.', PLANNER),
];

const QUERN_SETTINGS: readonly SettingRow[] = [
  row('quern.api_version', STRING, '1.0', 'Version of the interface.', {
    ...INTERNAL,
    category: 'Retrieval',
  }),
  row('quern.memory', KILOBYTES, '1048576', 'Memory for rows, indexes and caches (--memory).', {
    context: 'postmaster',
    category: 'Resource Usage',
  }),
  row('quern.exact', BOOL, 'off', 'Ranks every row exactly instead of asking the indexes.', RETRIEVAL),
  row(
    'quern.ef_search',
    { type: 'integer', min: 0, max: limits.CANDIDATES_MAX },
    '0',
    'Candidates kept in view in a vector graph: more find more, slower. 0: as measured when it was made.',
    RETRIEVAL,
  ),
  row(
    'quern.embedding_model',
    STRING,
    '',
    'Model of semantic indexes, embed() and tokens() that name none (--embedding-default).',
    RETRIEVAL,
  ),
  row(
    'quern.research_questions',
    { type: 'integer', min: 1, max: limits.RESEARCH_QUESTIONS_COUNT_MAX },
    '16',
    'Questions that research looks for, at most.',
    RETRIEVAL,
  ),
  row(
    'quern.research_searches',
    { type: 'integer', min: 1, max: limits.RESEARCH_SEARCHES_COUNT_MAX },
    '80',
    'Searches of one run of research, at most.',
    RETRIEVAL,
  ),
  row(
    'quern.research_timeout',
    { type: 'integer', min: 1, max: 86_400_000, unit: 'ms' },
    '120000',
    'Longest time that one run of research searches; it answers by what it has found by then.',
    RETRIEVAL,
  ),
  row(
    'quern.answer_days',
    { type: 'integer', min: 0, max: 36_500 },
    String(limits.ANSWER_DAYS_KEPT),
    'Days for which answers are kept (--answer-days).',
    { context: 'postmaster', category: 'Retrieval' },
  ),
  row(
    'quern.call_days',
    { type: 'integer', min: 1, max: 36_500 },
    String(limits.CALL_DAYS_KEPT),
    'Days for which requests to endpoints and language models are written down (--call-days).',
    { context: 'postmaster', category: 'Retrieval' },
  ),
  row('quern.keep_answers', BOOL, 'on', 'Answers of ask() are kept in quern.answers.', RETRIEVAL),
  row('quern.disabled_rules', STRING, '', 'Optimizer rules switched off, by name.', RETRIEVAL),
  row(
    'quern.unknown_columns',
    { type: 'enum', values: ['error', 'null'] },
    'error',
    'What a column is that neither the schema nor any document of a collection has.',
    { ...RETRIEVAL, ...REPORTED },
  ),
  row('quern.lsn', SPECIAL, '', "A read waits for this LSN: 'books:12'.", RETRIEVAL),
  row(
    'quern.lsn_timeout',
    MILLISECONDS,
    '0',
    'How long a read waits for quern.lsn. 0: as long as the statement may take.',
    RETRIEVAL,
  ),
  row(
    'hnsw.ef_search',
    { type: 'integer', min: 1, max: limits.CANDIDATES_MAX },
    '40',
    "pgvector's name of quern.ef_search, which goes before it.",
    RETRIEVAL,
  ),
  row('hnsw.iterative_scan', STRING, 'off', "pgvector's; searches always go on until enough is found.", {
    ...RETRIEVAL,
    hint: true,
  }),
  row(
    'pg_trgm.similarity_threshold',
    SHARE,
    '0.3',
    'What similarity() is at least where % holds.',
    RETRIEVAL,
  ),
  row(
    'pg_trgm.word_similarity_threshold',
    SHARE,
    '0.6',
    'What word_similarity() is at least where <% holds.',
    RETRIEVAL,
  ),
  row(
    'pg_trgm.strict_word_similarity_threshold',
    SHARE,
    '0.5',
    'What strict_word_similarity() is at least where <<% holds.',
    RETRIEVAL,
  ),
];

const OWN_SETTINGS: readonly SettingRow[] = [
  ...REPORTED_SETTINGS,
  ...PRESETS,
  ...CLIENT_DEFAULTS,
  ...PLANNER_SETTINGS,
  ...QUERN_SETTINGS,
];

/** Those that only superusers change, in lower case. */
export const SUPERUSER_SETTINGS: ReadonlySet<string> = new Set([
  'lc_messages',
  'session_replication_role',
  'temp_file_limit',
  'log_statement',
  'log_min_messages',
  'log_min_duration_statement',
  'track_activities',
]);

export const SETTINGS: readonly SettingRow[] = [...OWN_SETTINGS, ...limitSettings(OWN_SETTINGS)];

const BY_NAME: ReadonlyMap<string, SettingRow> = new Map(
  SETTINGS.map((setting) => [setting.name.toLowerCase(), setting]),
);

/** By name in any case; `time zone` has been folded to TimeZone by the grammar. */
export function findSetting(name: string): SettingRow | undefined {
  return BY_NAME.get(name.toLowerCase());
}
