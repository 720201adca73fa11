/** Documents of which a run tells: those of its steps, and those that its result cites. */
import type { AskRow } from '../../functions/services.ts';
import type { RunDocument } from '../../session/research/researcher.ts';
import type { Query } from '../../session/server-session.ts';
import { researchId } from './steps.ts';

export async function documentsOfSteps(query: Query, id: string): Promise<readonly RunDocument[]> {
  const rows = await query(
    `SELECT dataset, doc_id FROM quern.research_steps WHERE research_id = $1 AND doc_id IS NOT NULL
     UNION
     SELECT cited->'passage'->>'dataset', cited->'passage'->>'docId' FROM quern.research_steps,
       jsonb_array_elements(CASE jsonb_typeof(detail->'citations') WHEN 'array' THEN detail->'citations' END) cited
     WHERE research_id = $1`,
    researchId(id),
  );
  return rows.map(({ dataset, doc_id }) => ({ dataset: String(dataset), docId: String(doc_id) }));
}

export const documentsCited = (rows: readonly AskRow[]): readonly RunDocument[] =>
  rows.flatMap((row) =>
    row.kind === 'answer'
      ? Object.values(row.refs).map(({ dataset, doc_id }) => ({ dataset, docId: doc_id }))
      : [],
  );
