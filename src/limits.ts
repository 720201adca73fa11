/**
 * Every bound a client can meet, unit last in its name. Values come from the product contract where it
 * fixes them; `SHOW ALL` and the docs list those of `LIMITS`.
 */
export const BATCH_ROWS_MAX = 1024;
/** A scan whose rows are dealt with quickly gives this many at a time. */
export const SCAN_ROWS_MAX = 16 * 1024;

/** Wire: one message, statement text, start-up packet. */
export const MESSAGE_BYTES_MAX = 64 * 1024 * 1024;
export const STATEMENT_BYTES_MAX = 16 * 1024 * 1024;
export const STARTUP_BYTES_MAX = 10_000;
export const PARAMETERS_COUNT_MAX = 65_535;
export const CONNECTIONS_COUNT_MAX = 2_000;
export const CONNECTIONS_BEFORE_AUTH_COUNT_MAX = 1_200;
export const HTTP_CONNECTIONS_COUNT_MAX = 200;
/** A request to /sql as JSON: what is larger comes as COPY's data. */
export const HTTP_REQUEST_BYTES_MAX = 8 * 1024 * 1024;
export const HTTP_REQUEST_ID_BYTES_MAX = 255;
/** Requests to /sql that are answered at a time. */
export const HTTP_ANSWERS_COUNT_MAX = 500;
/** For so long a repeat of a request with an id is not done again. */
export const REQUEST_HOURS_KEPT = 24;
/** Transactions that wait for their next request: of all keys, of one, and for how long if nothing shorter is set. */
export const HTTP_TRANSACTIONS_COUNT_MAX = 1_000;
export const HTTP_TRANSACTIONS_OF_KEY_COUNT_MAX = 20;
/** Streams that many requests are answered by. */
export const HTTP_STREAMS_OF_KEY_COUNT_MAX = 20;
export const HTTP_TRANSACTION_IDLE_MS = 30_000;
export const HTTP_TRANSACTION_IDLE_MS_MAX = 600_000;
/** Files that come in parts, and are not yet whole: of all keys, of one, their bytes as they were told, and for how long. */
export const UPLOADS_COUNT_MAX = 1_000;
export const UPLOADS_OF_KEY_COUNT_MAX = 20;
export const UPLOADS_OF_KEY_BYTES_MAX = 4 * 1024 * 1024 * 1024;
export const UPLOAD_HOURS_KEPT = 24;
/** Between two pieces of a request. */
export const HTTP_BODY_IDLE_MS_MAX = 60_000;
export const AUTHENTICATION_TIMEOUT_MS = 60_000;
export const PREPARED_STATEMENTS_COUNT_MAX = 10_000;
/** Parts of expressions in one statement; constants of long VALUES and lists, and what all their rows do, count once. */
export const STATEMENT_NODES_MAX = 80_000;
/** Above this the statement is parsed in a worker thread. */
export const PARSE_INLINE_BYTES_MAX = 8 * 1024;
export const SOCKET_WRITE_BYTES = 64 * 1024;
/** Rows are sent after so long, however few they are. */
export const ROWS_WAIT_MS_MAX = 10;
export const CHANNEL_BYTES_MAX = 63;
export const NOTIFICATION_BYTES_MAX = 7_999;
/** A session that leaves more of them unread is ended. */
export const NOTIFICATIONS_WAITING_MAX = 100_000;

/** SQL shapes. */
export const EXPRESSION_DEPTH_MAX = 1_000;
/** Operators one over the other; twice as many of the hungriest overflow the stack. */
export const PLAN_DEPTH_MAX = 600;
export const COLUMNS_COUNT_MAX = 1_600;
export const UNDECLARED_COLUMNS_COUNT_MAX = 1_000;
export const NAME_BYTES_MAX = 255;
/** Elements of an array that an assignment to one of them makes longer. */
export const ARRAY_ELEMENTS_MAX = 10_000_000;

/** Documents and retrieval. */
export const STRUCT_DEPTH_MAX = 16;
/** Structs and lists of a document, one within the other. */
export const DOCUMENT_DEPTH_MAX = 63;
export const DOCUMENT_BYTES_MAX = 200_000;
/** Bytes of a dataset's file. */
export const FILE_BYTES_MAX = 512 * 1024 * 1024;
export const DOC_ID_BYTES_MAX = 1_024;
export const FILE_NAME_BYTES_MAX = 1_024;
export const METADATA_BYTES_MAX = 64 * 1024;
/** Each is a column of its dataset's documents. */
export const METADATA_FIELDS_COUNT_MAX = 256;
/** Terms of a dataset's users: of one dataset, names of one, words of a name, characters of a name or formula. */
export const TERMS_COUNT_MAX = 1_000_000;
export const TERM_NAMES_COUNT_MAX = 100;
export const TERM_WORDS_MAX = 8;
export const TERM_CHARACTERS_MAX = 1_000;
/** Vectors of passages that each model has embedded lately: some 16,000 of 384 dimensions. */
export const EMBEDDED_PASSAGES_BYTES_MAX = 32 * 1024 * 1024;
/** Files that are parsed at a time. */
export const INGESTION_LANES = 2;
/** After it is done; a failed one is kept longer. */
export const HANDLE_DAYS_KEPT = 7;
export const FAILED_HANDLE_DAYS_KEPT = 30;
export const SEARCH_RESULTS_COUNT_MAX = 1_000;
export const SEARCH_DATASETS_COUNT_MAX = 1_000;
export const SEARCH_NEIGHBOURS_COUNT_MAX = 10;
/** Answers that are kept: the oldest go, and those that are older than `--answer-days`. */
export const ANSWERS_KEPT_COUNT_MAX = 100_000;
export const ANSWER_DAYS_KEPT = 90;
/** Requests to endpoints, and to language models, that are written down: as answers, and `--call-days`. */
export const CALLS_KEPT_COUNT_MAX = 1_000_000;
export const CALL_DAYS_KEPT = 365;
/** Entries of the audit: older ones go, and more than so many, the chain's end staying what it is. */
export const AUDIT_DAYS_KEPT = 730;
export const AUDIT_KEPT_COUNT_MAX = 10_000_000;
/** Refusals of one address that are written down a minute; more are counted. */
export const AUDIT_REFUSALS_MINUTE_MAX = 20;
/** Entries that wait to be stored. */
export const AUDIT_WAITING_COUNT_MAX = 10_000;
/** Answers before it that a question of a thread knows of. */
export const THREAD_ANSWERS_COUNT_MAX = 5;
export const API_KEYS_COUNT_MAX = 10_000;
/** Keys that a proof of a password is tried against. */
export const SCRAM_KEYS_COUNT_MAX = 1000;
/** Browsers that are signed in with one key (the oldest go), and how long one is: unused, and in all. */
export const BROWSERS_A_KEY_COUNT_MAX = 20;
export const BROWSER_IDLE_HOURS = 12;
export const BROWSER_DAYS = 30;
/** The link of the first start, and codes of commands that sign in by a browser; how many of these wait. */
export const LINK_MINUTES = 10;
export const DEVICE_CODE_MINUTES = 10;
export const DEVICE_CODES_COUNT_MAX = 200;
export const DIMENSION_MAX = 16_384;
export const MATRIX_DIMENSION_MAX = 1_024;
export const QUERY_TEXT_CHARACTERS_MAX = 8_192;
/** Phrases, fields and alternatives of a query with `syntax => 'web'`. */
export const WEB_CLAUSES_MAX = 256;
/** Examples that `more_like` takes by key, and characters of their texts that are searched for words. */
export const LIKE_IDS_MAX = 10_000;
export const LIKE_WORDS_CHARACTERS_MAX = 1_000_000;
/** Rows of a result that is diversified: each is compared with all candidates. */
export const DIVERSE_ROWS_MAX = 1_000;
/** SQL that a parameter is (`filter => $1`): it is parsed and bound in one turn. */
export const FILTER_CHARACTERS_MAX = 8_192;
/** The text that becomes a tsvector or tsquery; PostgreSQL's bound of the vector itself. */
export const SEARCHED_TEXT_BYTES_MAX = 1_048_575;
export const CANDIDATES_MAX = 10_000;
/** Rows beyond those asked for that a search gives because they score as the last one does. */
export const TIES_MAX = 64;
export const PASSAGE_TOKENS_MAX = 254;

/** Statements that are kept by name: of a role or limited key, bytes of one, and of its parameters. */
export const SAVED_QUERIES_COUNT_MAX = 1_000;
export const SAVED_QUERY_BYTES_MAX = 1024 * 1024;
export const SAVED_QUERY_PARAMETERS_BYTES_MAX = 64 * 1024;

/** Evaluations: questions of one, what is expected of a question, and configurations of one statement. */
export const EVALUATION_QUESTIONS_COUNT_MAX = 100_000;
export const EVALUATION_EXPECTED_COUNT_MAX = 10_000;
export const EVALUATION_CONFIGURATIONS_COUNT_MAX = 100;
/** Runs kept of an evaluation; older ones go when it runs again. */
export const EVALUATION_RUNS_KEPT = 100;
/** Ranks of a question that are kept of a run. */
export const EVALUATION_RANKS_KEPT = 20;

/** Endpoints that embed or rerank: one answer, how long it may take, and the longest wait that one may ask for. */
export const ENDPOINT_ANSWER_BYTES_MAX = 16 * 1024 * 1024;
export const ENDPOINT_REQUEST_MS_MAX = 60_000;
export const ENDPOINT_WAIT_MS_MAX = 60_000;
/** That a language model has for a question where nothing else is set; facts are extracted then. */
export const ASK_ENDPOINT_SECONDS = 30;
export const ASK_GGUF_SECONDS = 120;
export const ASK_SECONDS_MAX = 3_600;
export const ENDPOINT_REQUESTS_COUNT_MAX = 4;

/** Research: runs that wait or are under way; how long those that have ended are kept. */
export const RESEARCH_WAITING_COUNT_MAX = 1_000;
export const RESEARCH_DAYS_KEPT = 30;
export const RESEARCH_QUESTIONS_COUNT_MAX = 64;
export const RESEARCH_SEARCHES_COUNT_MAX = 500;
/** Settings of the session that asks, which a run keeps. */
export const RESEARCH_SETTINGS_BYTES_MAX = 64 * 1024;

/** One value: texts by UTF-16 unit, bytes, arrays with 24 bytes an element (`types/weight.ts`). */
export const VALUE_BYTES_MAX = 256 * 1024 * 1024;
/** A call whose arguments weigh more is made by a process that can be killed. */
export const CALL_INLINE_BYTES_MAX = 1024 * 1024;
export const CALL_HELPERS_COUNT_MAX = 2;
/** Heap that one of them may hold, where --memory does not allow for less; a call that needs more is 53200. */
export const CALL_HELPER_HEAP_MB_MAX = 1024;
/** JavaScript's heap of one that holds nothing. */
export const CALL_HELPER_BASE_MB = 48;

/** Facets of one search: each is a query over its hits. */
export const FACETS_COUNT_MAX = 32;

/** Distinct keys that one step of a statement may hold: a Map's own bound. */
export const KEYS_COUNT_MAX = 16_000_000;

/** Storage. */
export const BLOCK_BYTES = 64 * 1024;
/** A block of a section that is read in ranges; sealed, it fills two pages of the file. */
export const PAGED_BLOCK_BYTES = 8_128;

/** How long the main thread may compute before it lets sockets have a turn. */
export const TIME_SLICE_MS = 2;

/** A limit that users can meet: what SHOW and docs/limits.md tell of it. */
export interface LimitRow {
  readonly setting: string;
  /** Name of the constant, and its value. */
  readonly constant: string;
  readonly value: number;
  readonly says: string;
  /** True when SET may lower it. */
  readonly isSettable: boolean;
}

function fixed(setting: string, constant: Readonly<Record<string, number>>, says: string): LimitRow {
  const [[name, value] = ['', 0]] = Object.entries(constant);
  return { setting, constant: name, value, says, isSettable: false };
}

const lowered = (...row: Parameters<typeof fixed>): LimitRow => ({ ...fixed(...row), isSettable: true });

/** All limits that users can meet; one that sessions may lower is gone by wherever it is asked of `SessionSettings`. */
export const LIMITS: readonly { readonly title: string; readonly rows: readonly LimitRow[] }[] = [
  {
    title: 'Connections and messages',
    rows: [
      fixed('max_connections', { CONNECTIONS_COUNT_MAX }, 'clients that have signed in'),
      fixed(
        'quern.max_connections_before_sign_in',
        { CONNECTIONS_BEFORE_AUTH_COUNT_MAX },
        'connections that have not',
      ),
      fixed('quern.max_http_connections', { HTTP_CONNECTIONS_COUNT_MAX }, 'HTTP connections'),
      fixed('quern.max_http_request_bytes', { HTTP_REQUEST_BYTES_MAX }, 'a request to /sql as JSON'),
      fixed(
        'quern.max_http_answers',
        { HTTP_ANSWERS_COUNT_MAX },
        'requests to /sql that are answered at a time',
      ),
      fixed('quern.request_hours', { REQUEST_HOURS_KEPT }, "hours that a request's id is kept"),
      fixed('quern.max_http_request_id_bytes', { HTTP_REQUEST_ID_BYTES_MAX }, "a request's id"),
      fixed(
        'quern.max_http_transactions',
        { HTTP_TRANSACTIONS_COUNT_MAX },
        'transactions that wait for their next request to /sql',
      ),
      fixed(
        'quern.max_http_transactions_of_key',
        { HTTP_TRANSACTIONS_OF_KEY_COUNT_MAX },
        'of them, those of one key',
      ),
      fixed(
        'quern.max_http_streams_of_key',
        { HTTP_STREAMS_OF_KEY_COUNT_MAX },
        'streams of answers of one key',
      ),
      fixed(
        'quern.http_transaction_idle_time',
        { HTTP_TRANSACTION_IDLE_MS },
        'time that they wait where `idle_in_transaction_session_timeout` says nothing else',
      ),
      fixed(
        'quern.max_http_transaction_idle_time',
        { HTTP_TRANSACTION_IDLE_MS_MAX },
        'the longest such time',
      ),
      fixed('quern.max_uploads', { UPLOADS_COUNT_MAX }, 'files that come in parts and are not yet whole'),
      fixed('quern.max_uploads_of_key', { UPLOADS_OF_KEY_COUNT_MAX }, '… of one key'),
      fixed('quern.max_upload_bytes_of_key', { UPLOADS_OF_KEY_BYTES_MAX }, '… of one key, together'),
      fixed(
        'quern.upload_hours',
        { UPLOAD_HOURS_KEPT },
        'hours that such a file is kept after its last part',
      ),
      fixed('quern.max_http_pause', { HTTP_BODY_IDLE_MS_MAX }, 'time between two pieces of a request'),
      fixed('quern.max_sign_in_time', { AUTHENTICATION_TIMEOUT_MS }, 'time to sign in'),
      fixed(
        'quern.max_browsers',
        { BROWSERS_A_KEY_COUNT_MAX },
        'browsers signed in with one key; the oldest go',
      ),
      fixed(
        'quern.browser_idle_hours',
        { BROWSER_IDLE_HOURS },
        'hours that an unused browser stays signed in',
      ),
      fixed('quern.browser_days', { BROWSER_DAYS }, 'days that a browser stays signed in'),
      fixed('quern.link_minutes', { LINK_MINUTES }, "minutes that the first start's link is good for"),
      fixed(
        'quern.device_code_minutes',
        { DEVICE_CODE_MINUTES },
        'minutes that a code of `quern login` is good for',
      ),
      fixed('quern.max_device_codes', { DEVICE_CODES_COUNT_MAX }, 'codes of `quern login` that wait'),
      fixed('quern.max_startup_bytes', { STARTUP_BYTES_MAX }, 'the start-up packet'),
      fixed('quern.max_message_bytes', { MESSAGE_BYTES_MAX }, 'one protocol message'),
      fixed('quern.max_statement_bytes', { STATEMENT_BYTES_MAX }, 'the text of a statement'),
      fixed('quern.max_parameters', { PARAMETERS_COUNT_MAX }, 'parameters of a statement'),
      fixed(
        'quern.max_prepared_statements',
        { PREPARED_STATEMENTS_COUNT_MAX },
        'prepared statements of a session',
      ),
      fixed('quern.max_channel_bytes', { CHANNEL_BYTES_MAX }, 'the name of a channel of NOTIFY'),
      fixed('quern.max_notification_bytes', { NOTIFICATION_BYTES_MAX }, 'the payload of NOTIFY'),
      fixed(
        'quern.max_unread_notifications',
        { NOTIFICATIONS_WAITING_MAX },
        'notifications that a session leaves unread',
      ),
    ],
  },
  {
    title: 'Statements and values',
    rows: [
      fixed(
        'quern.max_statement_parts',
        { STATEMENT_NODES_MAX },
        'parts of expressions in one statement; constants of long lists are none',
      ),
      fixed('quern.max_expression_depth', { EXPRESSION_DEPTH_MAX }, 'nesting of an expression'),
      fixed('quern.max_plan_depth', { PLAN_DEPTH_MAX }, 'operators of a plan, one over the other'),
      fixed('quern.max_columns', { COLUMNS_COUNT_MAX }, 'columns of a relation'),
      fixed(
        'quern.max_undeclared_columns',
        { UNDECLARED_COLUMNS_COUNT_MAX },
        'undeclared columns of a collection',
      ),
      fixed('max_identifier_length', { NAME_BYTES_MAX }, 'a name'),
      fixed('quern.max_value_bytes', { VALUE_BYTES_MAX }, 'a value'),
      fixed(
        'quern.max_assigned_elements',
        { ARRAY_ELEMENTS_MAX },
        'elements of an array that an assignment makes longer',
      ),
      fixed(
        'quern.max_distinct_keys',
        { KEYS_COUNT_MAX },
        'distinct keys that one step of a statement holds',
      ),
    ],
  },
  {
    title: 'Documents and search',
    rows: [
      lowered('quern.max_document_bytes', { DOCUMENT_BYTES_MAX }, 'a document'),
      fixed(
        'quern.max_document_depth',
        { DOCUMENT_DEPTH_MAX },
        "nesting of structs and lists in a document's field",
      ),
      fixed('quern.max_struct_depth', { STRUCT_DEPTH_MAX }, 'nesting of structs that a schema declares'),
      fixed('quern.max_dimension', { DIMENSION_MAX }, 'dimensions of a vector'),
      fixed('quern.max_matrix_dimension', { MATRIX_DIMENSION_MAX }, "dimensions of a matrix's rows"),
      fixed(
        'quern.max_query_characters',
        { QUERY_TEXT_CHARACTERS_MAX },
        'characters of a query text or question',
      ),
      fixed('quern.max_candidates', { CANDIDATES_MAX }, 'candidates of one index search'),
      fixed(
        'quern.max_passage_tokens',
        { PASSAGE_TOKENS_MAX },
        'tokens of a passage that is embedded; longer texts have several',
      ),
      fixed(
        'quern.max_filter_characters',
        { FILTER_CHARACTERS_MAX },
        'characters of a filter that is a parameter',
      ),
      fixed(
        'quern.max_web_clauses',
        { WEB_CLAUSES_MAX },
        "phrases, fields and alternatives of a query with `syntax => 'web'`",
      ),
      fixed('quern.max_facets', { FACETS_COUNT_MAX }, 'facets of one search'),
      fixed('quern.max_like_ids', { LIKE_IDS_MAX }, 'examples of `more_like()` by key'),
      fixed(
        'quern.max_like_characters',
        { LIKE_WORDS_CHARACTERS_MAX },
        'characters of examples that are searched for words',
      ),
      fixed('quern.max_diverse_rows', { DIVERSE_ROWS_MAX }, 'rows of a diversified result'),
      fixed('quern.max_tsvector_bytes', { SEARCHED_TEXT_BYTES_MAX }, 'the text of a tsvector or tsquery'),
    ],
  },
  {
    title: 'Datasets, ask and research',
    rows: [
      lowered('quern.max_file_bytes', { FILE_BYTES_MAX }, 'a file'),
      lowered('quern.max_doc_id_bytes', { DOC_ID_BYTES_MAX }, 'a document id'),
      lowered('quern.max_file_name_bytes', { FILE_NAME_BYTES_MAX }, 'the name of a file'),
      lowered('quern.max_metadata_bytes', { METADATA_BYTES_MAX }, 'the metadata of a file'),
      lowered('quern.max_metadata_fields', { METADATA_FIELDS_COUNT_MAX }, 'fields of metadata'),
      fixed('quern.max_terms', { TERMS_COUNT_MAX }, 'terms of a dataset'),
      fixed('quern.max_term_names', { TERM_NAMES_COUNT_MAX }, 'names of a term'),
      fixed('quern.max_term_words', { TERM_WORDS_MAX }, "words of a term's name"),
      fixed(
        'quern.max_term_characters',
        { TERM_CHARACTERS_MAX },
        "characters of a term's name, part, kind or formula",
      ),
      fixed('quern.handle_days', { HANDLE_DAYS_KEPT }, 'days that a handle is kept after it is done'),
      fixed('quern.failed_handle_days', { FAILED_HANDLE_DAYS_KEPT }, 'days that a failed one is kept'),
      lowered('quern.max_top_k', { SEARCH_RESULTS_COUNT_MAX }, 'results of a search'),
      lowered('quern.max_search_datasets', { SEARCH_DATASETS_COUNT_MAX }, 'datasets of a search'),
      lowered('quern.max_neighbours', { SEARCH_NEIGHBOURS_COUNT_MAX }, 'neighbours of a result'),
      fixed('quern.max_answers', { ANSWERS_KEPT_COUNT_MAX }, 'answers that are kept; the oldest go'),
      fixed(
        'quern.answer_days',
        { ANSWER_DAYS_KEPT },
        'days that an answer is kept, where `--answer-days` says nothing else',
      ),
      fixed(
        'quern.max_calls',
        { CALLS_KEPT_COUNT_MAX },
        'rows of `quern.outside_calls`, and of `quern.inference_log`; the oldest go',
      ),
      fixed(
        'quern.call_days',
        { CALL_DAYS_KEPT },
        'days that they are kept, where `--call-days` says nothing else',
      ),
      fixed('quern.max_audit_entries', { AUDIT_KEPT_COUNT_MAX }, 'rows of `quern.audit`; the oldest go'),
      fixed(
        'quern.audit_days',
        { AUDIT_DAYS_KEPT },
        'days that they are kept, where `--audit-days` says nothing else',
      ),
      fixed(
        'quern.max_audit_refusals',
        { AUDIT_REFUSALS_MINUTE_MAX },
        'refusals of one address that are written down a minute; more are counted',
      ),
      fixed(
        'quern.max_audit_waiting',
        { AUDIT_WAITING_COUNT_MAX },
        'entries of the audit that wait to be stored',
      ),
      fixed(
        'quern.max_thread_answers',
        { THREAD_ANSWERS_COUNT_MAX },
        'answers before it that a question of a thread knows of',
      ),
      fixed(
        'quern.max_ask_seconds',
        { ASK_SECONDS_MAX },
        'seconds that a language model may be given for a question',
      ),
      fixed(
        'quern.max_research_runs',
        { RESEARCH_WAITING_COUNT_MAX },
        'research runs that wait or are under way',
      ),
      fixed('quern.research_days', { RESEARCH_DAYS_KEPT }, 'days that a research run is kept'),
      fixed(
        'quern.max_research_questions',
        { RESEARCH_QUESTIONS_COUNT_MAX },
        'sub-questions of a research run',
      ),
      fixed('quern.max_research_searches', { RESEARCH_SEARCHES_COUNT_MAX }, 'searches of a research run'),
      fixed(
        'quern.max_research_settings_bytes',
        { RESEARCH_SETTINGS_BYTES_MAX },
        'bytes of the settings of a session that begins research',
      ),
    ],
  },
  {
    title: 'Saved queries',
    rows: [
      fixed(
        'quern.max_saved_queries',
        { SAVED_QUERIES_COUNT_MAX },
        'saved queries of a role, or limited key',
      ),
      fixed('quern.max_saved_query_bytes', { SAVED_QUERY_BYTES_MAX }, 'the statement of one'),
      fixed(
        'quern.max_saved_query_parameters_bytes',
        { SAVED_QUERY_PARAMETERS_BYTES_MAX },
        'the values of its parameters, as JSON',
      ),
    ],
  },
  {
    title: 'Evaluations',
    rows: [
      fixed(
        'quern.max_evaluation_questions',
        { EVALUATION_QUESTIONS_COUNT_MAX },
        'questions of an evaluation',
      ),
      fixed('quern.max_expected_things', { EVALUATION_EXPECTED_COUNT_MAX }, 'expected things of a question'),
      fixed(
        'quern.max_configurations',
        { EVALUATION_CONFIGURATIONS_COUNT_MAX },
        'configurations of one statement',
      ),
      fixed(
        'quern.max_evaluation_runs',
        { EVALUATION_RUNS_KEPT },
        'runs of an evaluation that are kept; the oldest go',
      ),
      fixed(
        'quern.max_evaluation_ranks',
        { EVALUATION_RANKS_KEPT },
        'ranks of a question that are kept of a run',
      ),
    ],
  },
  {
    title: 'Models behind endpoints',
    rows: [
      fixed('quern.max_endpoint_answer_bytes', { ENDPOINT_ANSWER_BYTES_MAX }, 'one answer'),
      fixed('quern.max_endpoint_time', { ENDPOINT_REQUEST_MS_MAX }, 'time for one answer'),
      fixed('quern.max_endpoint_wait', { ENDPOINT_WAIT_MS_MAX }, 'wait that an endpoint may ask for'),
      fixed('quern.max_endpoint_requests', { ENDPOINT_REQUESTS_COUNT_MAX }, 'requests under way at a time'),
    ],
  },
];
