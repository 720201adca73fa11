/** `search(…, results => 'pages')`: each page once, by the best of its passages, with all that stands on it. */
import { arrayDatum } from '../../types/composite/array.ts';
import { OID } from '../../types/oids.ts';
import { SEARCH_RESULTS_COUNT_MAX } from '../../limits.ts';
import { byDataset, versionOf } from './found.ts';
import { integers, pageNumbers, texts } from './parameters.ts';
import type { Ask, Passage, Target } from './ranking/passage.ts';
import { rankedChunks } from './ranking/rank.ts';
import { datasetSchema } from './relations.ts';

/** Passages looked at for each page that is wanted. */
const PASSAGES_A_PAGE = 4;

export async function rankedPages(
  ask: Ask,
  targets: readonly Target[],
  { query, topK }: { readonly query: string; readonly topK: number },
): Promise<readonly Passage[]> {
  const count = Math.min(SEARCH_RESULTS_COUNT_MAX, topK * PASSAGES_A_PAGE);
  const passages = await rankedChunks(ask, targets, { query, topK: count });
  const best = new Map<string, Passage>();
  for (const passage of passages) {
    for (const page of asPages(passage)) {
      const place = JSON.stringify([page.dataset, page.contentId]);
      if (!best.has(place)) best.set(place, page);
    }
  }
  return withTexts(ask, [...best.values()].slice(0, topK));
}

/** A passage of a document without pages stays what it is. */
function asPages(passage: Passage): readonly Passage[] {
  const pages = pageNumbers(passage.pages);
  if (pages.length === 0) return [passage];
  return pages.map((page) => ({
    ...passage,
    kind: 'page',
    contentId: `doc#${passage.docId}#page#${page}`,
    pages: arrayDatum(OID.int4, [page]),
  }));
}

async function withTexts(ask: Ask, pages: readonly Passage[]): Promise<readonly Passage[]> {
  const known = new Map<string, ReadonlyMap<string, string>>();
  for (const [dataset, found] of byDataset(pages)) known.set(dataset, await pageTexts(ask, dataset, found));
  return pages.map((page) => {
    const [number] = pageNumbers(page.pages);
    const text = number === undefined ? undefined : known.get(page.dataset)?.get(placeOf(page, number));
    return page.kind === 'page' && text !== undefined ? { ...page, text } : page;
  });
}

const placeOf = (of: Pick<Passage, 'docId' | 'version'>, page: number): string =>
  JSON.stringify([of.docId, of.version, page]);

/** Texts of chunks on the pages, or that begin or end there, in their order. */
async function pageTexts(
  ask: Ask,
  dataset: string,
  found: readonly Passage[],
): Promise<ReadonlyMap<string, string>> {
  const wanted = found.flatMap(({ docId, pages }) =>
    pageNumbers(pages).map((page) => [docId, page] as const),
  );
  const rows = await ask(
    `SELECT c.doc_id, c.version, w.page, c.text
     FROM unnest($1::text[], $2::integer[]) AS w(doc_id, page)
       JOIN ${datasetSchema(dataset)}.chunks c ON c.doc_id = w.doc_id AND w.page = ANY (c.doc_pages)
     WHERE c.doc_id = ANY ($3) ORDER BY c.ordinal`,
    texts(wanted.map(([docId]) => docId)),
    integers(wanted.map(([, page]) => page)),
    texts([...new Set(wanted.map(([docId]) => docId))]),
  );
  const known = new Map<string, string>();
  for (const row of rows) {
    const place = placeOf(versionOf(row), Number(row.page));
    const before = known.get(place);
    known.set(place, before === undefined ? String(row.text) : `${before}\n\n${String(row.text)}`);
  }
  return known;
}
