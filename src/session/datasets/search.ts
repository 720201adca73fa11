/**
 * `search()`: the best passages of several datasets. Each dataset is searched by `hybrid()`; what they give is put
 * into one order by the arms' raw scores, which mean the same in all of them.
 */
import { present } from '../../assert.ts';
import { findNamespace, findRelation } from '../../catalog/lookup.ts';
import { liveColumns } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { SearchHit, SearchRequest } from '../../functions/services.ts';
import { QUERY_TEXT_CHARACTERS_MAX, SEARCH_RESULTS_COUNT_MAX } from '../../limits.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Runner } from '../running/runner.ts';
import type { Parameter, Row } from '../server-session.ts';
import { unknownDataset } from './definitions.ts';
import { text, texts } from './parameters.ts';
import { datasetSchema } from './relations.ts';

/** Looked at for each result that is wanted, so that crowding and duplicates leave enough. */
const CANDIDATES_A_RESULT = 3;
const CANDIDATES_MIN = 50;
const HYBRID_K_MAX = 10_000;

export async function searchDatasets(
  runner: Runner,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<readonly SearchHit[]> {
  const { query, datasets, topK, filter } = request;
  checkRequest(request);
  const hits: SearchHit[] = [];
  for (const { dataset, filter: own } of datasets) {
    if (findNamespace(runner.catalog(), dataset)?.dataset === undefined) throw unknownDataset(dataset);
    const filters = [filter, own].filter((text) => text !== null);
    const search = { dataset, query, filters, k: candidateCount(topK) };
    hits.push(...(await new DatasetSearch(runner, signal, search).hits()));
  }
  return ranked(hits).slice(0, topK);
}

const candidateCount = (topK: number): number =>
  Math.min(HYBRID_K_MAX, Math.max(CANDIDATES_MIN, topK * CANDIDATES_A_RESULT));

/** @throws SqlError 22023, 54000. */
function checkRequest({ query, datasets, topK }: SearchRequest): void {
  const wrong = (message: string): SqlError => new SqlError('invalid_parameter_value', message);
  if (datasets.length === 0) throw wrong('provide at least one dataset');
  if (topK < 1 || topK > SEARCH_RESULTS_COUNT_MAX) {
    throw wrong(`top_k must be between 1 and ${SEARCH_RESULTS_COUNT_MAX}, not ${topK}`);
  }
  if (query.length > QUERY_TEXT_CHARACTERS_MAX) {
    const message = `query text of ${query.length} characters is longer than ${QUERY_TEXT_CHARACTERS_MAX}`;
    throw new SqlError('program_limit_exceeded', message);
  }
}

interface OneSearch {
  readonly dataset: string;
  readonly query: string;
  readonly filters: readonly string[];
  readonly k: number;
}

class DatasetSearch {
  readonly #runner: Runner;
  readonly #signal: AbortSignal;
  readonly #search: OneSearch;
  readonly #schema: string;

  constructor(runner: Runner, signal: AbortSignal, search: OneSearch) {
    this.#runner = runner;
    this.#signal = signal;
    this.#search = search;
    this.#schema = datasetSchema(search.dataset);
  }

  async hits(): Promise<readonly SearchHit[]> {
    const { dataset, query, filters, k } = this.#search;
    const documents = filters.length === 0 ? null : await this.#documents(filters);
    if (documents !== null && documents.length === 0) return [];
    const parameters: Parameter[] = [text(query)];
    if (documents !== null) parameters.push(texts(documents));
    const where = documents === null ? '' : 'WHERE h.doc_id = ANY($2)';
    const chunks = quoteLiteral(`${this.#schema}.chunks`);
    const rows = await this.#query(
      `SELECT h.score, h.doc_id, h.doc_name, h.doc_type, h.content_id, h.kind, h.heading, h.text, h.doc_pages,
         h.metadata, h.version, h.semantic_score, h.keyword_score
       FROM hybrid(${chunks}, $1, columns => ARRAY['passage'], k => ${k}) h ${where}`,
      ...parameters,
    );
    return rows.map((row) => hitOf(dataset, row));
  }

  /** Ids of the documents that the filters let through. @throws SqlError of the filters. */
  async #documents(filters: readonly string[]): Promise<readonly string[]> {
    const from = `(SELECT ${(await this.#columns(filters)).join(', ')} FROM ${this.#schema}.documents)`;
    const conditions = filters.map((filter) => `(${filter}\n)`).join(' AND ');
    const rows = await this.#query(`SELECT "_id" FROM ${from} AS documents WHERE ${conditions}`);
    return rows.map((row) => String(row._id));
  }

  /** Columns of `documents` as filters see them: metadata comes first where its name is also a column. */
  async #columns(filters: readonly string[]): Promise<readonly string[]> {
    const catalog = this.#runner.catalog();
    const relation = present(findRelation(catalog, this.#search.dataset, 'documents', []), 'documents');
    const columns = liveColumns(relation);
    const asked = columns.filter(
      ({ name, undeclared }) =>
        !undeclared && name !== '_id' && filters.some((filter) => filter.includes(name)),
    );
    const fromMetadata = new Set<string>();
    for (const { name } of asked) {
      const sql = `SELECT 1 AS found FROM ${this.#schema}.documents WHERE metadata ? ${quoteLiteral(name)} LIMIT 1`;
      if ((await this.#query(sql)).length > 0) fromMetadata.add(name);
    }
    return columns.map(({ name }) => {
      const column = quoteIdentifier(name);
      return fromMetadata.has(name) ? `metadata->>${quoteLiteral(name)} AS ${column}` : column;
    });
  }

  #query(sql: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return rowsOf(this.#runner, sql, { parameters, signal: this.#signal });
  }
}

function hitOf(dataset: string, row: Row): SearchHit {
  const number = (name: string): number | null => (row[name] == null ? null : Number(row[name]));
  const text = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  return {
    score: number('score') ?? 0,
    dataset,
    docId: String(row.doc_id),
    docName: String(row.doc_name),
    docType: text('doc_type'),
    contentId: String(row.content_id),
    kind: String(row.kind),
    heading: text('heading'),
    text: String(row.text),
    pages: row.doc_pages ?? null,
    metadata: row.metadata ?? null,
    version: Number(row.version),
    semanticScore: number('semantic_score'),
    keywordScore: number('keyword_score'),
  };
}

/** One order of all hits, best first; what one dataset gave stays in its order. */
function ranked(hits: readonly SearchHit[]): readonly SearchHit[] {
  if (new Set(hits.map(({ dataset }) => dataset)).size <= 1) return hits;
  const best = (of: (hit: SearchHit) => number): number => Math.max(...hits.map(of), 0);
  const semanticBest = best(({ semanticScore }) => (semanticScore ?? -1) + 1);
  const keywordBest = best(({ keywordScore }) => keywordScore ?? 0);
  const scored = hits.map((hit) => {
    const semantic = semanticBest === 0 ? 0 : ((hit.semanticScore ?? -1) + 1) / semanticBest;
    const keyword = keywordBest === 0 ? 0 : (hit.keywordScore ?? 0) / keywordBest;
    return { ...hit, score: (semantic + keyword) / 2 };
  });
  return scored.sort((a, b) => b.score - a.score);
}
