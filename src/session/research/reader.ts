/** Whoever looks at runs of research, by the session's rights, its key, and the policies for it. */
import { isSuperuser } from '../../catalog/access/roles.ts';
import { findNamespace } from '../../catalog/lookup.ts';
import { isRuled } from '../../catalog/policies.ts';
import { SqlError } from '../../errors.ts';
import { datasetSchema } from '../datasets/relations.ts';
import { texts } from '../datasets/parameters.ts';
import { checkDatasets } from '../datasets/search.ts';
import { owns } from '../rights/own-rows.ts';
import { starterOf } from '../rights/starter.ts';
import type { Statement } from '../running/statement.ts';
import { rowLimits } from '../scope/key-limits.ts';
import type { SessionState } from '../session-state.ts';
import type { RunDocument, RunReader } from './researcher.ts';

export function runReader({ session, signal }: Statement): RunReader {
  return {
    owns: (owner) => owns(session, owner),
    async sees(documents) {
      if (seesAll(session)) return true;
      for (const [dataset, some] of Map.groupBy(documents, (document) => document.dataset)) {
        if (!(await seesEach(session, { dataset, documents: some }, signal))) return false;
      }
      return true;
    },
  };
}

/** Also what is deleted. */
const seesAll = (session: SessionState): boolean =>
  rowLimits(session) === null && isSuperuser(session.catalog(), session.identity.current);

interface OfDataset {
  readonly dataset: string;
  readonly documents: readonly RunDocument[];
}

async function seesEach(
  session: SessionState,
  { dataset, documents }: OfDataset,
  signal: AbortSignal,
): Promise<boolean> {
  if (!mayAsk(session, dataset)) return false;
  if (!hidesDocuments(session, dataset)) return true;
  // What is committed by now, whatever the asker's transaction sees. A document that is gone was perhaps hidden.
  await using own = session.directory.openAs(starterOf(session));
  const ids = [...new Set(documents.map(({ docId }) => docId))];
  const sql = `SELECT count(*)::int AS count FROM ${datasetSchema(dataset)}.documents WHERE doc_id = ANY($1)`;
  const [row] = await own.transaction((query) => query(sql, texts(ids)), signal);
  return row?.count === ids.length;
}

function mayAsk(session: SessionState, dataset: string): boolean {
  try {
    checkDatasets(session, { datasets: [{ dataset, filter: null }] });
    return true;
  } catch (error) {
    if (error instanceof SqlError) return false;
    throw error;
  }
}

function hidesDocuments({ environment, identity }: SessionState, dataset: string): boolean {
  const catalog = environment.engine.catalog();
  const namespace = findNamespace(catalog, dataset)?.oid;
  const documents = [...catalog.relations.values()].find(
    (relation) => relation.namespace === namespace && relation.name === 'documents',
  );
  return documents === undefined || isRuled(catalog, documents, identity.current);
}
