/** Searches and questions over datasets. */
import { chosen, filterText, type Metadata } from './dataset.ts';
import { InvalidArgumentError } from './errors.ts';
import { type Options, optionsOf } from './options.ts';
import { Expression } from './query/expression.ts';
import type { Connection } from './wire/connection.ts';
import type { Statement } from './wire/link.ts';
import { fromBase64 } from './wire/base64.ts';
import { checkName } from './wire/names.ts';

/** A dataset by name, or with a condition for it alone. */
export type DatasetInput =
  | string
  | { readonly dataset: string; readonly filter?: Expression | string | null | undefined };

export type Content =
  | { readonly type: 'chunk'; readonly data: { readonly text: string; readonly docPages: readonly number[] } }
  | { readonly type: 'image'; readonly data: { readonly mimeType: string; readonly data: Uint8Array } }
  | { readonly type: 'page'; readonly data: { readonly pageNumber: number; readonly image?: Uint8Array } };

/** A passage that was found or cited. */
export interface SearchResult {
  readonly docId: string;
  /** Media type of the document, such as `application/pdf`. */
  readonly docType: string;
  readonly dataset: string;
  readonly contentId: string;
  readonly docName: string;
  readonly content?: Content;
  readonly metadata: Metadata;
  readonly score?: number;
  /** Words that facts rest on, of a reference of an answer. */
  readonly quotes?: readonly Quote[];
}

/** Words of a content's text, from `start` to `end` (UTF-16). */
export interface Quote {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export interface Fact {
  readonly fact: string;
  /** Keys of the answer's `refs`. */
  readonly refIds: readonly string[];
}

/** A step under way. */
export interface Progress {
  readonly type: 'progress';
  readonly update: string;
}

/** The last thing that `ask` gives. */
export interface Answer {
  readonly type: 'answer';
  readonly facts: readonly Fact[];
  readonly refs: Readonly<Record<string, SearchResult>>;
  /** 0 to 100. */
  readonly confidence: number;
}

export interface SearchOptions {
  /** For all datasets: a condition on metadata. */
  readonly filter?: Expression | string | undefined;
  /** Names of metadata in the results. */
  readonly selectFields?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface AskOptions extends SearchOptions {
  readonly mode?: 'auto' | 'summarize' | 'research' | undefined;
  /** True when references carry what they refer to. Default true. */
  readonly includeContent?: boolean | undefined;
}

const SEARCH = ['filter', 'selectFields', 'signal'] as const;
const ASK = [...SEARCH, 'includeContent'] as const;

/** @internal */
export const searchOptions = (given: Options<SearchOptions>): SearchOptions =>
  optionsOf<SearchOptions>('search', given, SEARCH);

/** @internal */
export const askOptions = (call: 'ask' | 'research', given: Options<AskOptions>): AskOptions =>
  optionsOf<AskOptions>(call, given, call === 'ask' ? [...ASK, 'mode'] : ASK);

function filterOf(filter: Expression | string | null | undefined): string | null {
  if (filter === undefined || filter === null || typeof filter === 'string') return filter ?? null;
  if (filter instanceof Expression) return filterText(filter);
  throw new InvalidArgumentError('a filter is an expression, or a condition as text');
}

function datasetsJson(datasets: readonly DatasetInput[]): string {
  if (!Array.isArray(datasets) || datasets.length === 0) {
    throw new InvalidArgumentError('provide at least one dataset');
  }
  return JSON.stringify(
    datasets.map((one: DatasetInput) => {
      if (typeof one === 'string') return checkName('dataset', one);
      if (typeof one !== 'object' || one === null) throw new InvalidArgumentError('a dataset is a name');
      return { dataset: checkName('dataset', one.dataset), filter: filterOf(one.filter) };
    }),
  );
}

const TOP_K_MAX = 1000;
const COLUMNS = 'score, dataset, doc_id, doc_name, doc_type, content_id, kind, text, doc_pages, metadata';

/** @internal The content that a reference refers to. */
export async function getContent(
  connection: Connection,
  dataset: string,
  contentId: string,
): Promise<Content> {
  const sql = 'SELECT quern.get_content($1::text, $2::text)';
  const { values } = await connection.run({ sql, params: [dataset, contentId] });
  return contentOf((values[0]?.[0] ?? {}) as TextContent);
}

/** @internal Passages, the best first. */
export async function* search(
  connection: Connection,
  query: string,
  datasets: readonly DatasetInput[],
  topK: number,
  { filter, selectFields = [], signal }: SearchOptions = {},
): AsyncGenerator<SearchResult> {
  if (!Number.isInteger(topK) || topK < 1 || topK > TOP_K_MAX) {
    throw new InvalidArgumentError(`topK (top_k) is an integer from 1 to ${TOP_K_MAX}, not ${topK}`);
  }
  const sql = `SELECT ${COLUMNS} FROM search($1::text, $2::jsonb, top_k => $3::int, filter => $4::text)`;
  const params = [query, datasetsJson(datasets), String(topK), filterOf(filter)];
  for await (const row of connection.stream({ sql, params }, { signal })) {
    const found = resultOf(row, selectFields);
    const isImage = row.kind === 'image';
    yield isImage
      ? { ...found, content: await getContent(connection, found.dataset, found.contentId) }
      : found;
  }
}

interface FoundRow extends Record<string, unknown> {
  readonly text?: string | null;
  readonly kind?: string;
  readonly doc_pages?: readonly number[] | null;
}

interface ImageContent {
  readonly mime_type?: string;
  readonly data?: string;
}

function resultOf(row: FoundRow, fields: readonly string[]): SearchResult {
  return {
    docId: String(row.doc_id),
    docType: String(row.doc_type ?? ''),
    dataset: String(row.dataset),
    contentId: String(row.content_id),
    docName: String(row.doc_name),
    content: contentOf({ text: row.text ?? '', doc_pages: row.doc_pages ?? [] }),
    metadata: chosen((row.metadata ?? {}) as Metadata, fields),
    ...(typeof row.score === 'number' && { score: row.score }),
  };
}

interface TextContent {
  readonly text?: string;
  readonly doc_pages?: readonly number[];
}

/** A content as the server tells it: `{text, doc_pages}` or `{mime_type, data}`. */
function contentOf(told: TextContent | ImageContent): Content {
  if ('data' in told && told.data !== undefined) {
    const { mime_type: mimeType = 'application/octet-stream', data } = told;
    return { type: 'image', data: { mimeType, data: fromBase64(data) } };
  }
  const { text = '', doc_pages: docPages = [] } = told as TextContent;
  return { type: 'chunk', data: { text, docPages } };
}

const askStatement = (
  name: 'ask' | 'research',
  question: string,
  datasets: readonly DatasetInput[],
  { filter, mode }: AskOptions,
): Statement => {
  const params = [question, datasetsJson(datasets), filterOf(filter)];
  const call = `${name}($1::text, $2::jsonb, filter => $3::text`;
  if (mode === undefined) return { sql: `SELECT * FROM ${call})`, params };
  return { sql: `SELECT * FROM ${call}, mode => $4::text)`, params: [...params, mode] };
};

/** @internal Steps as they are done, and last the answer. */
export async function* ask(
  connection: Connection,
  name: 'ask' | 'research',
  question: string,
  datasets: readonly DatasetInput[],
  options: AskOptions = {},
): AsyncGenerator<Progress | Answer> {
  if (typeof question !== 'string') throw new InvalidArgumentError('the question is a string');
  const facts: Fact[] = [];
  const rows = connection.stream(askStatement(name, question, datasets, options), { signal: options.signal });
  for await (const row of rows) {
    if (row.kind === 'progress') yield { type: 'progress', update: String(row.update) };
    else if (row.kind === 'fact') {
      facts.push({ fact: String(row.fact), refIds: (row.ref_ids ?? []) as string[] });
    } else yield answerOf(row, facts, options);
  }
}

type ToldRef = Record<string, unknown> & {
  readonly content?: TextContent | ImageContent;
  readonly quotes?: readonly Quote[];
};

function answerOf(
  row: Record<string, unknown>,
  facts: readonly Fact[],
  { selectFields = [], includeContent = true }: AskOptions,
): Answer {
  const refs = Object.entries((row.refs ?? {}) as Record<string, ToldRef>).map(([id, told]) => {
    const result: SearchResult = {
      docId: String(told.doc_id),
      docType: String(told.doc_type ?? ''),
      dataset: String(told.dataset),
      contentId: String(told.content_id),
      docName: String(told.doc_name),
      metadata: chosen((told.metadata ?? {}) as Metadata, selectFields),
      ...(includeContent && told.content !== undefined && { content: contentOf(told.content) }),
      ...(told.quotes !== undefined && { quotes: told.quotes }),
    };
    return [id, result] as const;
  });
  return { type: 'answer', facts, refs: Object.fromEntries(refs), confidence: Number(row.confidence ?? 0) };
}
