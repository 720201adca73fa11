/** `search()`: the best passages of several datasets. Here it is settled what may be found; `ranking/` finds it. */
import { findNamespace } from '../../catalog/lookup.ts';
import { SqlError } from '../../errors.ts';
import type { SearchRequest, SearchResult } from '../../functions/services.ts';
import { QUERY_TEXT_CHARACTERS_MAX } from '../../limits.ts';
import { PRIVILEGE } from '../../catalog/access/privileges.ts';
import { requireDataset } from '../rights/of-session.ts';
import { rowsOf } from '../running/internal-statement.ts';
import { refuseDataset } from '../scope/key-limits.ts';
import { tellPending } from '../running/pending.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import { limitOf, type SessionSettings } from '../settings/settings.ts';
import { unknownDataset } from './definitions.ts';
import { domainsOf } from './domains.ts';
import { keptToNamed } from './subjects/keep-to-named.ts';
import { subjectsNamed } from './subjects/find-subjects.ts';
import { termsIn, vocabularyOf, writtenLanguages } from './terms/find-terms.ts';
import { type Filter, FilteredDocuments, readFilter } from './filter.ts';
import type { Ask, Target } from './ranking/passage.ts';
import { withNeighbours } from './neighbours.ts';
import { rankedPages } from './pages.ts';
import { datasetPending } from './pending.ts';
import { rankedChunks, rankedPassages } from './ranking/rank.ts';

const RANKED = { passages: rankedPassages, chunks: rankedChunks, pages: rankedPages };

export async function searchDatasets(
  statement: Statement,
  request: SearchRequest,
): Promise<readonly SearchResult[]> {
  const { session } = statement;
  checkRequest(request, session.settings);
  const wanted = wantedOf(request);
  checkDatasets(session, request);
  try {
    return await searchWanted(statement, { request, wanted });
  } catch (error) {
    // One of them may have been dropped meanwhile.
    checkDatasets(session, request);
    throw error;
  }
}

/** @throws SqlError 42704. */
export function checkDatasets(session: SessionState, { datasets }: Pick<SearchRequest, 'datasets'>): void {
  const catalog = session.catalog();
  for (const { dataset } of datasets) {
    refuseDataset(session, dataset);
    if (findNamespace(catalog, dataset)?.dataset === undefined) throw unknownDataset(catalog, dataset);
    requireDataset(session, dataset, PRIVILEGE.select);
  }
}

/** One request to a dataset: filters that all hold, and documents as `WantedDataset` has them. */
interface Part {
  readonly filters: readonly Filter[];
  readonly documents: readonly string[] | null | undefined;
}

/** Requests to each dataset: one or several. */
type Wanted = ReadonlyMap<string, readonly Part[]>;

async function searchWanted(
  statement: Statement,
  { request, wanted }: { readonly request: SearchRequest; readonly wanted: Wanted },
): Promise<readonly SearchResult[]> {
  const { query, topK } = request;
  const names = [...wanted.keys()];
  const filtered = (dataset: string, filters: readonly Filter[]) =>
    new FilteredDocuments(statement, names).allOf(dataset, filters);
  const ask: Ask = (sql, ...parameters) => rowsOf(statement, sql, { parameters, label: 'Search' });
  const whole: Target[] = [];
  const unshown: Ask = (sql, ...parameters) => rowsOf(statement, sql, { parameters });
  // Terms of all datasets are in one relation, of which these are read.
  const ofDatasets: Ask = (sql, ...parameters) => rowsOf(statement, sql, { parameters, isAllowed: true });
  const terms = await termsIn(ofDatasets, names, query);
  for (const [dataset, asked] of wanted) {
    const documents = await documentsOf(filtered, dataset, asked);
    // Who only looks at plans has no rows.
    const isFiltered = documents !== null && statement.innerPlans?.statistics === null;
    const own = terms.filter((found) => found.dataset === dataset);
    const written = await writtenLanguages(unshown, query, [dataset]);
    const vocabulary = vocabularyOf(domainsOf(statement.session, dataset), own, written);
    const isNamed = asked.every((part) => part.documents === undefined);
    const named = isNamed ? await subjectsNamed(unshown, dataset, { text: query, vocabulary }) : NOBODY;
    whole.push({ dataset, documents: isFiltered ? [''] : documents, vocabulary, named });
  }
  const targets = await keptToNamed(unshown, whole);
  const passages = await RANKED[request.results](ask, targets, { query, topK });
  tellPending(statement, await datasetPending(statement, names));
  const results = await withNeighbours(ask, passages, request.neighbours);
  return results.map((result) => {
    const { said = null, isSure = null } = namedOf(targets, result) ?? {};
    return { ...result, named: said, isNamedSurely: isSure };
  });
}

const NOBODY: Target['named'] = new Map();

const namedOf = (targets: readonly Target[], { dataset, docId }: Pick<SearchResult, 'dataset' | 'docId'>) =>
  targets.find((target) => target.dataset === dataset)?.named.get(docId);

/** Ids of documents that any of the parts lets through; null for all. */
async function documentsOf(
  filtered: (dataset: string, filters: readonly Filter[]) => Promise<readonly string[] | null>,
  dataset: string,
  parts: readonly Part[],
): Promise<readonly string[] | null> {
  const all = new Set<string>();
  for (const { filters, documents } of parts) {
    const found = filters.length === 0 ? null : await filtered(dataset, filters);
    const kept = found === null ? documents : documents == null ? found : found.filter(within(documents));
    if (kept == null) return null;
    for (const id of kept) all.add(id);
  }
  return [...all];
}

function within(ids: readonly string[]): (id: string) => boolean {
  const known = new Set(ids);
  return (id) => known.has(id);
}

function wantedOf({ datasets, filter }: SearchRequest): Wanted {
  const common = readFilters(filter, 'filter of search');
  const wanted = new Map<string, Part[]>();
  for (const { dataset, filter: own, documents } of datasets) {
    const filters = [...common, ...readFilters(own, `filter of dataset "${dataset}"`)];
    wanted.set(dataset, [...(wanted.get(dataset) ?? []), { filters, documents }]);
  }
  return wanted;
}

const readFilters = (text: string | null, name: string): readonly Filter[] =>
  text === null ? [] : [readFilter({ text, name })];

/** @throws SqlError 22023, 54000. */
function checkRequest(
  { query, datasets, topK, results, neighbours }: SearchRequest,
  settings: SessionSettings,
): void {
  const wrong = (message: string): SqlError => new SqlError('invalid_parameter_value', message);
  const tooMuch = (message: string): SqlError => new SqlError('program_limit_exceeded', message);
  if (datasets.length === 0) throw wrong('provide at least one dataset');
  const topMax = limitOf(settings, 'quern.max_top_k');
  if (topK < 1 || topK > topMax) {
    throw wrong(`top_k must be between 1 and ${topMax}, not ${topK}`);
  }
  const neighboursMax = limitOf(settings, 'quern.max_neighbours');
  if (neighbours < 0 || neighbours > neighboursMax) {
    throw wrong(`neighbours must be between 0 and ${neighboursMax}, not ${neighbours}`);
  }
  if (neighbours > 0 && results === 'pages') throw wrong('neighbours are given of chunks, not of pages');
  const datasetsMax = limitOf(settings, 'quern.max_search_datasets');
  if (datasets.length > datasetsMax) {
    throw tooMuch(`${datasets.length} datasets are more than ${datasetsMax} of one search`);
  }
  if (query.length > QUERY_TEXT_CHARACTERS_MAX) {
    throw tooMuch(`query text of ${query.length} characters is longer than ${QUERY_TEXT_CHARACTERS_MAX}`);
  }
}
