/** `search()`: what it takes, and the columns that it gives. What it does is behind `services.ts`. */
import { SqlError } from '../../errors.ts';
import type { Datum } from '../../types/datum.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import { OID } from '../../types/oids.ts';
import type { FunctionContext, SetFunction } from '../function.ts';
import type { SearchRequest, SearchResult } from '../services.ts';
import { DATASET_FORMS } from './wanted-datasets.ts';

const COLUMNS: readonly {
  readonly name: string;
  readonly type: string;
  readonly value: (result: SearchResult) => Datum;
}[] = [
  { name: 'score', type: 'float8', value: ({ score }) => score },
  { name: 'dataset', type: 'text', value: ({ dataset }) => dataset },
  { name: 'doc_id', type: 'text', value: ({ docId }) => docId },
  { name: 'doc_name', type: 'text', value: ({ docName }) => docName },
  { name: 'doc_type', type: 'text', value: ({ docType }) => docType },
  { name: 'content_id', type: 'text', value: ({ contentId }) => contentId },
  { name: 'kind', type: 'text', value: ({ kind }) => kind },
  { name: 'text', type: 'text', value: ({ text }) => text },
  { name: 'doc_pages', type: '_int4', value: ({ pages }) => pages },
  { name: 'metadata', type: 'jsonb', value: ({ metadata }) => metadata },
  { name: 'heading', type: 'text', value: ({ heading }) => heading },
  { name: 'version', type: 'int4', value: ({ version }) => version },
  { name: 'semantic_score', type: 'float8', value: ({ semanticScore }) => semanticScore },
  { name: 'keyword_score', type: 'float8', value: ({ keywordScore }) => keywordScore },
  { name: 'before', type: 'text', value: ({ before }) => before },
  { name: 'after', type: 'text', value: ({ after }) => after },
  { name: 'content_ids', type: '_text', value: ({ contentIds }) => arrayDatum(OID.text, contentIds) },
  { name: 'named', type: 'text', value: ({ named }) => named },
  { name: 'named_surely', type: 'bool', value: ({ isNamedSurely }) => isNamedSurely },
];

async function* search(
  { services }: FunctionContext,
  request: SearchRequest,
): AsyncGenerator<readonly Datum[]> {
  for (const result of await services.datasets.search(request)) {
    yield COLUMNS.map(({ value }) => value(result));
  }
}

const wrong = (message: string, hint?: string): SqlError =>
  new SqlError('invalid_parameter_value', message, { hint });

const RESULTS = ['passages', 'chunks', 'pages'] as const;

/** @throws SqlError 22023. */
function resultsOf(name: string): SearchRequest['results'] {
  const known = RESULTS.find((one) => one === name);
  if (known !== undefined) return known;
  throw wrong(`results of search are not "${name}"`, `They are ${RESULTS.join(', ')}.`);
}

const TOP_K = 10;

export const DATASET_SETS: readonly SetFunction[] = DATASET_FORMS.map((form) => ({
  name: 'quern.search',
  args: ['text', form.type, 'int4', 'text', 'text', 'int4'],
  argNames: ['query', 'datasets', 'top_k', 'filter', 'results', 'neighbours'],
  defaults: [`'${TOP_K}'`, 'null', "'passages'", "'0'"],
  returns: 'record',
  columns: COLUMNS.map(({ name, type: columnType }) => ({ name, type: columnType })),
  strict: false,
  effort: 0,
  volatility: 'volatile',
  effect: 'none',
  summary: 'The best passages of datasets for a query, best first.',
  example: [`SELECT count(*) FROM quern.search(NULL, NULL::${form.sqlType})`, '0'],
  rows: (context, query, datasets, topK, filter, results, neighbours) => {
    if (query === null || datasets === null) return [];
    return search(context, {
      query,
      datasets: form.wanted(datasets),
      topK: topK ?? TOP_K,
      filter,
      results: resultsOf(results ?? 'passages'),
      neighbours: neighbours ?? 0,
    });
  },
}));
