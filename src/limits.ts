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
