/** `node scripts/limits-table.ts`: writes docs/limits.md, the bounds of `src/limits.ts` that users can meet. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as limits from '../src/limits.ts';
import { SETTINGS } from '../src/session/settings/table.ts';

export const LIMITS_TABLE_PATH = join(import.meta.dirname, '../docs/limits.md');

type Limit = keyof typeof limits;

const VALUES: Readonly<Record<string, number>> = { ...limits };

const SECTIONS: readonly { readonly title: string; readonly rows: Partial<Record<Limit, string>> }[] = [
  {
    title: 'Connections and messages',
    rows: {
      CONNECTIONS_COUNT_MAX: 'clients that have signed in',
      CONNECTIONS_BEFORE_AUTH_COUNT_MAX: 'connections that have not',
      HTTP_CONNECTIONS_COUNT_MAX: 'HTTP connections',
      AUTHENTICATION_TIMEOUT_MS: 'time to sign in',
      STARTUP_BYTES_MAX: 'the start-up packet',
      MESSAGE_BYTES_MAX: 'one protocol message',
      STATEMENT_BYTES_MAX: 'the text of a statement',
      PARAMETERS_COUNT_MAX: 'parameters of a statement',
      PREPARED_STATEMENTS_COUNT_MAX: 'prepared statements of a session',
      CHANNEL_BYTES_MAX: 'the name of a channel of NOTIFY',
      NOTIFICATION_BYTES_MAX: 'the payload of NOTIFY',
      NOTIFICATIONS_WAITING_MAX: 'notifications that a session leaves unread',
    },
  },
  {
    title: 'Statements and values',
    rows: {
      STATEMENT_NODES_MAX: 'parts of expressions in one statement; constants of long lists are none',
      EXPRESSION_DEPTH_MAX: 'nesting of an expression',
      PLAN_DEPTH_MAX: 'operators of a plan, one over the other',
      COLUMNS_COUNT_MAX: 'columns of a relation',
      UNDECLARED_COLUMNS_COUNT_MAX: 'undeclared columns of a collection',
      NAME_BYTES_MAX: 'a name',
      VALUE_BYTES_MAX: 'a value',
      ARRAY_ELEMENTS_MAX: 'elements of an array that an assignment makes longer',
      KEYS_COUNT_MAX: 'distinct keys that one step of a statement holds',
    },
  },
  {
    title: 'Documents and search',
    rows: {
      DOCUMENT_BYTES_MAX: 'a document',
      STRUCT_DEPTH_MAX: 'nesting of structs',
      DIMENSION_MAX: 'dimensions of a vector',
      MATRIX_DIMENSION_MAX: "dimensions of a matrix's rows",
      QUERY_TEXT_CHARACTERS_MAX: 'characters of a query text or question',
      CANDIDATES_MAX: 'candidates of one index search',
      PASSAGE_TOKENS_MAX: 'tokens of a passage that is embedded; longer texts have several',
      FILTER_CHARACTERS_MAX: 'characters of a filter that is a parameter',
      WEB_CLAUSES_MAX: "phrases, fields and alternatives of a query with `syntax => 'web'`",
      FACETS_COUNT_MAX: 'facets of one search',
      LIKE_IDS_MAX: 'examples of `more_like()` by key',
      LIKE_WORDS_CHARACTERS_MAX: 'characters of examples that are searched for words',
      DIVERSE_ROWS_MAX: 'rows of a diversified result',
      SEARCHED_TEXT_BYTES_MAX: 'the text of a tsvector or tsquery',
    },
  },
  {
    title: 'Datasets, ask and research',
    rows: {
      FILE_BYTES_MAX: 'a file',
      DOC_ID_BYTES_MAX: 'a document id',
      FILE_NAME_BYTES_MAX: 'the name of a file',
      METADATA_BYTES_MAX: 'the metadata of a file',
      METADATA_FIELDS_COUNT_MAX: 'fields of metadata',
      HANDLE_DAYS_KEPT: 'days that a handle is kept after it is done',
      FAILED_HANDLE_DAYS_KEPT: 'days that a failed one is kept',
      SEARCH_RESULTS_COUNT_MAX: 'results of a search',
      SEARCH_DATASETS_COUNT_MAX: 'datasets of a search',
      SEARCH_NEIGHBOURS_COUNT_MAX: 'neighbours of a result',
      ANSWERS_KEPT_COUNT_MAX: 'answers that are kept; the oldest go',
      ANSWER_DAYS_KEPT: 'days that an answer is kept, where `--answer-days` says nothing else',
      THREAD_ANSWERS_COUNT_MAX: 'answers before it that a question of a thread knows of',
      ASK_SECONDS_MAX: 'seconds that a language model may be given for a question',
      RESEARCH_WAITING_COUNT_MAX: 'research runs that wait or are under way',
      RESEARCH_DAYS_KEPT: 'days that a research run is kept',
      RESEARCH_QUESTIONS_COUNT_MAX: 'sub-questions of a research run',
      RESEARCH_SEARCHES_COUNT_MAX: 'searches of a research run',
    },
  },
  {
    title: 'Evaluations',
    rows: {
      EVALUATION_QUESTIONS_COUNT_MAX: 'questions of an evaluation',
      EVALUATION_EXPECTED_COUNT_MAX: 'expected things of a question',
      EVALUATION_CONFIGURATIONS_COUNT_MAX: 'configurations of one statement',
      EVALUATION_RUNS_KEPT: 'runs of an evaluation that are kept; the oldest go',
      EVALUATION_RANKS_KEPT: 'ranks of a question that are kept of a run',
    },
  },
  {
    title: 'Models behind endpoints',
    rows: {
      ENDPOINT_ANSWER_BYTES_MAX: 'one answer',
      ENDPOINT_REQUEST_MS_MAX: 'time for one answer',
      ENDPOINT_WAIT_MS_MAX: 'wait that an endpoint may ask for',
      ENDPOINT_REQUESTS_COUNT_MAX: 'requests under way at a time',
    },
  },
];

/** How the server goes about its work: no user meets these as an error. */
const INTERNAL: readonly Limit[] = [
  'BATCH_ROWS_MAX',
  'SCAN_ROWS_MAX',
  'PARSE_INLINE_BYTES_MAX',
  'SOCKET_WRITE_BYTES',
  'ROWS_WAIT_MS_MAX',
  'INGESTION_LANES',
  'ASK_ENDPOINT_SECONDS',
  'ASK_GGUF_SECONDS',
  'CALL_INLINE_BYTES_MAX',
  'CALL_HELPERS_COUNT_MAX',
  'CALL_HELPER_HEAP_MB_MAX',
  'CALL_HELPER_BASE_MB',
  'BLOCK_BYTES',
  'PAGED_BLOCK_BYTES',
  'TIME_SLICE_MS',
];

const HEAD = `# Limits

What is larger is an error that says so, mostly of class \`54\` (too large, too many, too deep) or \`53\` (no room for it now), or \`22023\`
of an argument. Memory for all statements together is \`quern serve --memory\`; a statement that does not get what it wants ends with
53200. Rows, tables and datasets are not counted. [Connections](connections.md),
[large values](large-values.md) and [storage](storage.md) say more.

<!-- Written by scripts/limits-table.ts from src/limits.ts. -->
`;

/** @returns names of limits of which the page says nothing, or that it knows and there are not. */
export function undecidedLimits(): readonly string[] {
  const known = [...INTERNAL, ...SECTIONS.flatMap(({ rows }) => Object.keys(rows))];
  return [...new Set(known).symmetricDifference(new Set(Object.keys(VALUES)))];
}

function shown(name: string, value: number): string {
  if (/_MS(?:_|$)/.test(name)) return `${value / 1000} s`;
  if (!/_BYTES(?:_|$)/.test(name)) return value.toLocaleString('en');
  if (value % 2 ** 20 === 0) return `${value / 2 ** 20} MiB`;
  return value % 1024 === 0 && value >= 4096 ? `${value / 1024} KiB` : `${value.toLocaleString('en')} bytes`;
}

export function limitsTable(): string {
  const sections = SECTIONS.map(({ title, rows }) => {
    const lines = Object.entries(rows).map(
      ([name, of]) => `| ${of} | ${shown(name, VALUES[name] as number)} |`,
    );
    return `\n## ${title}\n\n| | at most |\n|---|---|\n${lines.join('\n')}\n`;
  });
  const settings = SETTINGS.filter(({ category }) => category === 'Limits').map(
    (row) => `| \`${row.name}\` | ${row.default} | ${row.summary} |`,
  );
  const settingsHead =
    '\n## By SHOW\n\nA program reads these by `SHOW` or in `pg_settings`.\n\n| setting | value | |\n|---|---|---|\n';
  return `${HEAD}${sections.join('')}${settingsHead}${settings.join('\n')}\n`;
}

if (import.meta.main) writeFileSync(LIMITS_TABLE_PATH, limitsTable());
