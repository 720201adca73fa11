/** Documents of which a run tells: those that its steps rest on, and those that its result cites. */
import type { AskRow } from '../../functions/services.ts';
import { texts } from '../../session/datasets/parameters.ts';
import type { RunDocument } from '../../session/research/researcher.ts';
import type { Query } from '../../session/server-session.ts';
import { OF_DROPPED_DATASET } from '../../session/whose.ts';
import { type NewStep, researchId } from './steps.ts';
import type { StoredFact } from './stored-fact.ts';

export async function noteDocuments(query: Query, id: string, steps: readonly NewStep[]): Promise<void> {
  const documents = steps.flatMap(documentsOfStep);
  if (documents.length === 0) return;
  await query(
    `INSERT INTO quern.research_documents (research_id, dataset, doc_id)
     SELECT DISTINCT $1::uuid, d.dataset, d.doc_id FROM unnest($2::text[], $3::text[]) AS d(dataset, doc_id)
     ON CONFLICT DO NOTHING`,
    researchId(id),
    texts(documents.map(({ dataset }) => dataset)),
    texts(documents.map(({ docId }) => docId)),
  );
}

function documentsOfStep({ kind, dataset, doc_id: docId, detail }: NewStep): readonly RunDocument[] {
  const own = dataset === undefined || docId === undefined ? [] : [{ dataset, docId }];
  const fact = (kind === 'keep' || kind === 'reject') && detail !== undefined ? (detail as StoredFact) : null;
  return [...own, ...(fact?.citations.map(({ passage }) => passage) ?? [])];
}

export async function documentsOfSteps(query: Query, id: string): Promise<readonly RunDocument[]> {
  const sql = 'SELECT dataset, doc_id FROM quern.research_documents WHERE research_id = $1';
  const rows = await query(sql, researchId(id));
  return rows.map(({ dataset, doc_id }) => ({ dataset: String(dataset), docId: String(doc_id) }));
}

/** True when it is there no more, though a dataset of its name may be. */
export const isOfDropped = ({ dataset }: RunDocument): boolean => dataset.startsWith(OF_DROPPED_DATASET);

export const documentsCited = (rows: readonly AskRow[]): readonly RunDocument[] =>
  rows.flatMap((row) =>
    row.kind === 'answer'
      ? Object.values(row.refs).map(({ dataset, doc_id }) => ({ dataset, docId: doc_id }))
      : [],
  );
