/** Documents that datasets have not embedded yet, in words. */
import { findNamespace } from '../../catalog/lookup.ts';
import { documentsOf, isRuled } from '../../catalog/policies.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { Row } from '../server-session.ts';
import type { SessionState } from '../session-state.ts';
import { text } from './parameters.ts';

const IS_PENDING = 'SELECT 1 AS found FROM quern.handles WHERE dataset = $1 AND chunks_pending >= 0 LIMIT 1';
const PENDING = `SELECT state, count(*)::integer AS documents, sum(chunks_pending)::integer AS chunks
  FROM quern.handles WHERE dataset = $1 AND chunks_pending >= 0
  GROUP BY state, chunks_pending > 0 ORDER BY state`;

/** A sentence a dataset that is not whole. */
export async function datasetPending(
  statement: Statement,
  datasets: readonly string[],
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const dataset of new Set(datasets)) {
    const seesAll = seesAllDocuments(statement.session, dataset);
    const request = { parameters: [text(dataset)], asServer: true, seesAll };
    if ((await rowsOf(statement, IS_PENDING, request)).length === 0) continue;
    const rows = await rowsOf(statement, PENDING, request);
    told.push(`dataset "${dataset}": ${rows.map(sentence).join(', ')}`);
  }
  return told;
}

/** Where policies hide documents, only those are told of that one has uploaded oneself. */
function seesAllDocuments(session: SessionState, dataset: string): boolean {
  const catalog = session.catalog();
  const schema = findNamespace(catalog, dataset);
  const documents = schema === undefined ? null : documentsOf(catalog, schema.oid);
  return documents !== null && !isRuled(catalog, documents, session.identity.current);
}

function sentence({ state, documents, chunks }: Row): string {
  const these = counted(Number(documents), 'document');
  if (Number(chunks) === 0) return `${these} ${String(state)}`;
  const are = Number(documents) === 1 ? 'is' : 'are';
  const failed = state === 'error' ? ' as embedding failed' : '';
  return `${these} ${are} found by words only${failed} (${counted(Number(chunks), 'chunk')})`;
}

/** `1 document`, `2 documents`. */
export const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;
