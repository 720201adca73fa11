/**
 * Which documents a query names: those whose own names (file, title, metadata) it has words of, rare ones counting
 * more. Of thirteen alike filings, "Boeing" and "FY2022" are names that two and six have.
 */
import { datasetSchema } from '../relations.ts';
import { text, texts } from '../parameters.ts';
import type { Ask, Target } from './passage.ts';

const DOCUMENTS_COUNT_MAX = 20;

/** @returns how much of what names documents is said of each, as a share of the best: above 0 to 1; the best first. */
export async function namedDocuments(
  ask: Ask,
  { dataset, documents }: Target,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (names.length === 0) return new Map();
  const within = documents === null ? '' : 'AND _id = ANY($2)';
  const rows = await ask(
    `SELECT _id, bm25_score(0) AS score FROM ${datasetSchema(dataset)}.documents
     WHERE match($1, search_names) ${within} ORDER BY bm25_score(0) DESC LIMIT ${DOCUMENTS_COUNT_MAX}`,
    text(names.join(' ')),
    ...(documents === null ? [] : [texts(documents)]),
  );
  const best = Number(rows[0]?.score ?? 0);
  return new Map(rows.map((row) => [String(row._id), Number(row.score) / best]));
}
