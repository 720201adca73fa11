/** Texts of passages, beside their scores: read of the few that rank best. */
import { takeTurn } from '../../../time-slice.ts';
import type { Row } from '../../server-session.ts';
import { mediaTypeOf } from '../media-type.ts';
import { texts } from '../parameters.ts';
import { datasetSchema } from '../relations.ts';
import type { Ask, Candidate, Passage } from './passage.ts';

const ROWS_A_TURN = 200;

/** @returns passages in the order of the candidates. */
export async function withTexts(ask: Ask, candidates: readonly Candidate[]): Promise<readonly Passage[]> {
  const rows = new Map<string, Row>();
  for (const [dataset, own] of Map.groupBy(candidates, (candidate) => candidate.dataset)) {
    for (let start = 0; start < own.length; start += ROWS_A_TURN) {
      const keys = own.slice(start, start + ROWS_A_TURN).map(({ key }) => key);
      const found = await ask(
        `SELECT _id, doc_name, doc_type, content_id, kind, heading, text, doc_pages, metadata, version
         FROM ${datasetSchema(dataset)}.chunks WHERE _id = ANY($1)`,
        texts(keys),
      );
      for (const row of found) rows.set(placeOf(dataset, String(row._id)), row);
      await takeTurn();
    }
  }
  return candidates.flatMap((candidate) => {
    const row = rows.get(placeOf(candidate.dataset, candidate.key));
    return row === undefined ? [] : [passageOf(candidate, row)];
  });
}

const placeOf = (dataset: string, key: string): string => JSON.stringify([dataset, key]);

function passageOf(candidate: Candidate, row: Row): Passage {
  const { dataset, docId, ordinal, score, semanticScore, keywordScore } = candidate;
  const string = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  const contentId = String(row.content_id);
  return {
    score,
    dataset,
    docId,
    docName: String(row.doc_name),
    docType: mediaTypeOf(string('doc_type')),
    contentId,
    contentIds: [contentId],
    ordinal,
    lastOrdinal: ordinal,
    kind: String(row.kind),
    heading: string('heading'),
    text: String(row.text),
    pages: row.doc_pages ?? null,
    metadata: row.metadata ?? null,
    version: Number(row.version),
    semanticScore,
    keywordScore,
  };
}
