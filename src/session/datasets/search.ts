/** `search()`: the best passages of several datasets. Here it is settled what may be found; `ranking/` finds it. */
import { present } from '../../assert.ts';
import { findNamespace, findRelation } from '../../catalog/lookup.ts';
import { liveColumns } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { SearchHit, SearchRequest } from '../../functions/services.ts';
import { QUERY_TEXT_CHARACTERS_MAX, SEARCH_RESULTS_COUNT_MAX } from '../../limits.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Runner } from '../running/runner.ts';
import { unknownDataset } from './definitions.ts';
import type { Ask, Target } from './ranking/passage.ts';
import { rankedPassages } from './ranking/rank.ts';
import { datasetSchema } from './relations.ts';

export async function searchDatasets(
  runner: Runner,
  request: SearchRequest,
  signal: AbortSignal,
): Promise<readonly SearchHit[]> {
  const { query, datasets, topK, filter } = request;
  checkRequest(request);
  const ask: Ask = (sql, ...parameters) => rowsOf(runner, sql, { parameters, signal });
  const targets: Target[] = [];
  for (const { dataset, filter: own } of datasets) {
    if (findNamespace(runner.catalog(), dataset)?.dataset === undefined) throw unknownDataset(dataset);
    const filters = [filter, own].filter((text) => text !== null);
    const documents =
      filters.length === 0 ? null : await new Filtering(runner, ask, dataset).documents(filters);
    targets.push({ dataset, documents });
  }
  return rankedPassages(ask, targets, { query, topK });
}

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

/** What filters mean in one dataset. */
class Filtering {
  readonly #runner: Runner;
  readonly #ask: Ask;
  readonly #dataset: string;
  readonly #schema: string;

  constructor(runner: Runner, ask: Ask, dataset: string) {
    this.#runner = runner;
    this.#ask = ask;
    this.#dataset = dataset;
    this.#schema = datasetSchema(dataset);
  }

  /** Ids of the documents that the filters let through. @throws SqlError of the filters. */
  async documents(filters: readonly string[]): Promise<readonly string[]> {
    const from = `(SELECT ${(await this.#columns(filters)).join(', ')} FROM ${this.#schema}.documents)`;
    const conditions = filters.map((filter) => `(${filter}\n)`).join(' AND ');
    const rows = await this.#ask(`SELECT "_id" FROM ${from} AS documents WHERE ${conditions}`);
    return rows.map((row) => String(row._id));
  }

  /** Columns of `documents` as filters see them: metadata comes first where its name is also a column. */
  async #columns(filters: readonly string[]): Promise<readonly string[]> {
    const catalog = this.#runner.catalog();
    const relation = present(findRelation(catalog, this.#dataset, 'documents', []), 'documents');
    const columns = liveColumns(relation);
    const asked = columns.filter(
      ({ name, undeclared }) =>
        !undeclared && name !== '_id' && filters.some((filter) => filter.includes(name)),
    );
    const fromMetadata = new Set<string>();
    for (const { name } of asked) {
      const sql = `SELECT 1 AS found FROM ${this.#schema}.documents WHERE metadata ? ${quoteLiteral(name)} LIMIT 1`;
      if ((await this.#ask(sql)).length > 0) fromMetadata.add(name);
    }
    return columns.map(({ name }) => {
      const column = quoteIdentifier(name);
      return fromMetadata.has(name) ? `metadata->>${quoteLiteral(name)} AS ${column}` : column;
    });
  }
}
