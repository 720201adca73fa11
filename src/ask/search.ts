/** Passages for a question: several searches, each as the asker's own statement, merged by rank. */
import type { AskRequest } from '../functions/services.ts';
import type { Query, Row } from '../session/server-session.ts';
import { mediaTypeOf } from '../session/datasets/media-type.ts';
import { integer, json, pageNumbers, text, texts } from '../session/datasets/parameters.ts';
import { datasetSchema } from '../session/datasets/relations.ts';
import { quoteLiteral } from '../types/text/quote.ts';
import { bystandersOf, hasNames } from './naming/bystanders.ts';
import { namedDocuments } from './naming/named-documents.ts';
import { chunkKey, type Passage } from './passage.ts';
import type { Question } from './question.ts';
import { documentsOfSubjects } from './naming/subjects.ts';
import { whoseOf } from './naming/whose.ts';
import { WEIGHTS } from './weights.ts';

/** Passages of one search. */
const PASSAGES_A_SEARCH = 24;
/** Searches besides that of the question itself. */
const MORE_SEARCHES_MAX = 3;
/** The constant of reciprocal rank fusion: how little the first ranks differ. */
const RANK_OFFSET = 20;
/** Chunks of one page. */
const PAGE_CHUNKS_MAX = 60;

const COLUMNS = 'dataset, doc_id, doc_name, doc_type, content_id, version, kind, heading, text, doc_pages';

interface Search {
  readonly query: string;
  readonly datasets: AskRequest['datasets'];
  /** How much its ranks count. */
  readonly weight: number;
}

/** Searches, the question itself first. @param narrowed datasets with only the documents it names. */
function searchesFor(
  { core, concepts, names, years }: Question,
  datasets: AskRequest['datasets'],
  narrowed: AskRequest['datasets'] | null,
): readonly Search[] {
  const about = [...names.slice(0, 3), ...years].join(' ');
  const more = concepts
    .slice(0, MORE_SEARCHES_MAX)
    .map(({ items, place }) =>
      [about, items.slice(0, 3).join(', '), place ?? ''].filter((part) => part !== '').join(' '),
    );
  const within = narrowed ?? datasets;
  const searches = [{ query: core, datasets: within, weight: 1 }];
  for (const query of more) searches.push({ query, datasets: within, weight: WEIGHTS.itemSearch });
  if (narrowed !== null) searches.push({ query: core, datasets, weight: WEIGHTS.everywhere });
  return searches;
}

/** Best first, each once. @param request of which the filter holds for all. */
async function search(
  query: Query,
  searches: readonly Search[],
  filter: string | null,
): Promise<readonly Passage[]> {
  const found = new Map<string, { passage: Omit<Passage, 'strength'>; score: number }>();
  for (const { query: words, datasets, weight } of searches) {
    const rows = await query(
      `SELECT ${COLUMNS} FROM quern.search($1, $2::jsonb, top_k => ${PASSAGES_A_SEARCH}, filter => $3,
         results => 'chunks')`,
      text(words),
      json(datasets),
      text(filter),
    );
    for (const [rank, row] of rows.entries()) {
      const passage = passageOf(row);
      const key = chunkKey(passage);
      const known = found.get(key);
      const score = (known?.score ?? 0) + weight / (RANK_OFFSET + rank);
      found.set(key, { passage: known?.passage ?? passage, score });
    }
  }
  const ranked = [...found.values()].sort((a, b) => b.score - a.score);
  const best = ranked[0]?.score ?? 1;
  return ranked.map(({ passage, score }) => ({ ...passage, strength: score / best }));
}

export interface FoundPassages {
  /** Best first. */
  readonly passages: readonly Passage[];
  readonly searchCount: number;
  /** Names that the question has and nothing carries; where no other one names documents, nothing is searched. */
  readonly missing: readonly string[];
  /** Names that documents only mention: a fact is one only if it has them. */
  readonly bystanders: readonly string[];
}

/**
 * Passages for a question: those of its searches, and of the page that it names if there is one.
 * @param request `near` are datasets with only the documents that it goes on with, where it names none.
 */
export async function passagesFor(
  query: Query,
  question: Question,
  request: Pick<AskRequest, 'datasets' | 'filter'> & { readonly near?: AskRequest['datasets'] | null },
): Promise<FoundPassages> {
  const { filter, near = null } = request;
  const subjects = await documentsOfSubjects(query, question, request.datasets);
  const { datasets } = subjects;
  const whose = await whoseOf(query, question, { datasets, said: subjects.said });
  const byName = subjects.sure ?? (await namedDocuments(query, question, datasets)) ?? whose.abbreviated;
  const missing = byName === null ? [...whose.missing, ...whose.doubtful] : whose.missing;
  const named = byName ?? near;
  if (missing.length > 0 && named === null) return { passages: [], searchCount: 0, missing, bystanders: [] };
  const searches = searchesFor(question, datasets, named);
  const passages = await search(query, searches, filter);
  const ofPage = question.page === null ? [] : await onPage(query, question.page, passages);
  const found = ofPage.length > 0 ? ofPage : passages;
  const searchCount = searches.length;
  const bystanders = await bystandersOf(query, question, {
    datasets,
    said: subjects.said,
    nobody: whose.doubtful,
    namesSomebody: byName !== null,
  });
  const own = bystanders.length === 0 ? found : found.filter((passage) => hasNames(passage, bystanders));
  if (own.length > 0 || bystanders.length === 0) return { passages: own, searchCount, missing, bystanders };
  const others = named === null ? [] : found;
  return { passages: others, searchCount, missing: [...missing, ...bystanders], bystanders: [] };
}

/** All that stands on a page of the documents that were found, or are named. */
async function onPage(query: Query, page: number, passages: readonly Passage[]): Promise<readonly Passage[]> {
  const all: Passage[] = [];
  for (const [dataset, found] of Map.groupBy(passages, (passage) => passage.dataset)) {
    const documents = [...new Set(found.map(({ docId }) => docId))];
    const rows = await query(
      `SELECT ${quoteLiteral(dataset)} AS ${COLUMNS} FROM ${datasetSchema(dataset)}.chunks
       WHERE $1 = ANY(doc_pages) AND doc_id = ANY($2) ORDER BY doc_id, ordinal LIMIT ${PAGE_CHUNKS_MAX}`,
      integer(page),
      texts(documents),
    );
    all.push(...rows.map((row) => ({ ...passageOf(row), strength: 1 })));
  }
  return all;
}

function passageOf(row: Row): Omit<Passage, 'strength'> {
  const string = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  return {
    dataset: String(row.dataset),
    docId: String(row.doc_id),
    docName: String(row.doc_name),
    docType: mediaTypeOf(string('doc_type')),
    contentId: String(row.content_id),
    version: Number(row.version),
    kind: String(row.kind),
    heading: string('heading'),
    text: String(row.text),
    pages: pageNumbers(row.doc_pages ?? null),
  };
}
