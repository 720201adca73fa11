/**
 * Tools for agents: a table, one row a tool. All only read. What a document says is content of results, never a
 * call: nothing here looks into it.
 */
import type { Answer, SearchResult } from '../typescript/src/asking.ts';
import type { Client } from '../typescript/src/client.ts';

type Schema = Readonly<Record<string, unknown>>;

interface ToolCall {
  readonly client: Client;
  readonly signal: AbortSignal;
  /** Tells the agent's side what is being done. */
  readonly progress: (message: string) => void;
}

/** Short text first, the same as data beside it. */
export interface ToolResult {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Schema;
  // biome-ignore lint/suspicious/noExplicitAny: arguments are checked against `input` before.
  readonly run: (args: any, call: ToolCall) => Promise<ToolResult>;
}

const object = (properties: Schema, required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});
const text = (description: string): Schema => ({ type: 'string', description });
const DATASETS: Schema = {
  type: 'array',
  items: { type: 'string' },
  minItems: 1,
  description: 'names of datasets',
};
const FILTER = text(
  "a condition on documents' metadata as in SQL's WHERE: fiscal_year >= 2022 AND ticker = 'ACME'",
);

/** Where an agent reads what a reference refers to. */
const contentUri = (dataset: string, contentId: string): string =>
  `quern://content/${encodeURIComponent(dataset)}/${encodeURIComponent(contentId)}`;

const refJson = ({
  docId,
  docName,
  docType,
  dataset,
  contentId,
  content,
}: SearchResult): Record<string, unknown> => ({
  doc_id: docId,
  doc_name: docName,
  doc_type: docType,
  dataset,
  content_id: contentId,
  uri: contentUri(dataset, contentId),
  ...(content?.type === 'chunk' && { text: content.data.text, doc_pages: content.data.docPages }),
});

const pagesText = (ref: SearchResult): string => {
  const pages = ref.content?.type === 'chunk' ? ref.content.data.docPages : [];
  return pages.length === 0 ? '' : `, page ${pages.join(', ')}`;
};

function answerResult({ facts, refs, confidence }: Answer): ToolResult {
  const numbers = new Map(Object.keys(refs).map((id, at) => [id, at + 1]));
  const lines = facts.map(
    ({ fact, refIds }) => `- ${fact} ${refIds.map((id) => `[${numbers.get(id)}]`).join('')}`,
  );
  const cited = Object.entries(refs).map(
    ([id, ref]) => `[${numbers.get(id)}] ${ref.docName}${pagesText(ref)}`,
  );
  const none = 'Nothing in these datasets answers that.';
  return {
    text:
      facts.length === 0
        ? none
        : [...lines, '', ...cited, '', `confidence ${Math.round(confidence)} of 100`].join('\n'),
    data: {
      facts: facts.map(({ fact, refIds }) => ({ fact, ref_ids: refIds })),
      refs: Object.fromEntries(Object.entries(refs).map(([id, ref]) => [id, refJson(ref)])),
      confidence,
    },
  };
}

async function answered(steps: ReturnType<Client['ask']>, { progress }: ToolCall): Promise<ToolResult> {
  for await (const step of steps) {
    if (step.type === 'answer') return answerResult(step);
    progress(step.update);
  }
  throw new Error('the server ended without an answer');
}

const rowsResult = (name: string, rows: readonly Readonly<Record<string, unknown>>[]): ToolResult => ({
  text: rows.length === 0 ? '(none)' : rows.map((row) => JSON.stringify(row, bigints)).join('\n'),
  data: JSON.parse(JSON.stringify({ [name]: rows }, bigints)) as Record<string, unknown>,
});

const bigints = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

const TOP_K = { type: 'integer', minimum: 1, maximum: 100, description: 'how many; 10' };
/** Rows that a query gives at most. */
const ROWS_MAX = 1000;

interface QueryArguments {
  readonly sql: string;
  readonly params?: readonly unknown[];
}

/** Runs one statement; the server decides what it may do: its session may only read, and takes one statement. */
async function query(
  { sql, params = [] }: QueryArguments,
  { client, signal }: ToolCall,
): Promise<ToolResult> {
  // One more than is given tells that there are more; how many, nobody has counted.
  const rows = await client.readOnly(sql, params, { signal, maxRows: ROWS_MAX + 1 });
  const cut = rows.slice(0, ROWS_MAX);
  const truncated = rows.length > cut.length;
  const { text: lines, data } = rowsResult('rows', cut);
  const more = `\n(the first ${ROWS_MAX} rows; there are more: add a condition, or ask for count(*))`;
  return { text: truncated ? `${lines}${more}` : lines, data: { ...data, row_count: cut.length, truncated } };
}

interface AskArguments {
  readonly question: string;
  readonly datasets: readonly string[];
  readonly mode?: 'auto' | 'summarize';
  readonly filter?: string;
}

interface SearchArguments {
  readonly query: string;
  readonly datasets: readonly string[];
  readonly top_k?: number;
  readonly filter?: string;
}

async function search(
  { query: wanted, datasets, top_k: topK = 10, filter }: SearchArguments,
  { client, signal }: ToolCall,
): Promise<ToolResult> {
  const found: SearchResult[] = [];
  for await (const one of client.search(wanted, datasets, topK, { filter, signal })) found.push(one);
  const shown = found.map((one, at) => {
    const content = one.content?.type === 'chunk' ? one.content.data.text : '(image)';
    return `${at + 1}. ${one.docName}${pagesText(one)}\n${content}`;
  });
  return { text: shown.join('\n\n') || '(none)', data: { results: found.map(refJson) } };
}

const QUESTION = text('the question, in words');

export const TOOLS: readonly Tool[] = [
  {
    name: 'list_datasets',
    title: 'List datasets',
    description: 'The datasets: documents that ask, search and research read.',
    input: object({}, []),
    run: async (_, { client }) =>
      rowsResult(
        'datasets',
        (await client.datasets().list()).map((one) => ({ ...one })),
      ),
  },
  {
    name: 'ask',
    title: 'Ask',
    description:
      'Answers a question from datasets with facts; each cites passages that hold its words, on true pages.',
    input: object(
      { question: QUESTION, datasets: DATASETS, mode: { enum: ['auto', 'summarize'] }, filter: FILTER },
      ['question', 'datasets'],
    ),
    run: ({ question, datasets, mode, filter }: AskArguments, call) =>
      answered(call.client.ask(question, datasets, { mode, filter, signal: call.signal }), call),
  },
  {
    name: 'search',
    title: 'Search',
    description: 'The passages of datasets that fit a query best, by meaning and words.',
    input: object({ query: text('what to look for'), datasets: DATASETS, top_k: TOP_K, filter: FILTER }, [
      'query',
      'datasets',
    ]),
    run: search,
  },
  {
    name: 'research',
    title: 'Research',
    description:
      'Answers a larger question: plans questions, searches for each, weighs evidence, names contradictions.',
    input: object({ question: QUESTION, datasets: DATASETS, filter: FILTER }, ['question', 'datasets']),
    run: ({ question, datasets, filter }: AskArguments, call) =>
      answered(call.client.research(question, datasets, { filter, signal: call.signal }), call),
  },
  {
    name: 'list_collections',
    title: 'List collections',
    description: 'The collections (tables with search indexes) that query reads.',
    input: object({}, []),
    run: async (_, { client }) =>
      rowsResult(
        'collections',
        (await client.collections().list()).map(({ name, region, schema }) => ({
          name,
          region,
          fields: Object.keys(schema),
        })),
      ),
  },
  {
    name: 'describe_collection',
    title: 'Describe a collection',
    description: 'Fields of a collection with their types and indexes, and those that its documents brought.',
    input: object({ name: text("the collection's name") }, ['name']),
    run: async ({ name }: { readonly name: string }, { client }) => {
      await client.collections().get(name);
      const sql =
        'SELECT fields, undeclared FROM quern.collections WHERE schema = current_schema() AND name = $1';
      return rowsResult('collection', await client.readOnly(sql, [name]));
    },
  },
  {
    name: 'query',
    title: 'Query',
    description:
      'One SQL statement that reads, PostgreSQL dialect, $1 … for params. semantic_similarity(column, text), match(text) with bm25_score(), vector_distance(column, vector) rank.',
    input: object(
      { sql: text('the statement'), params: { type: 'array', description: 'values of $1, $2 …' } },
      ['sql'],
    ),
    run: query,
  },
];
