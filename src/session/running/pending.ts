/**
 * Documents that a search by meaning cannot find yet, in words: those on their way into datasets, and semantic indexes
 * that are being built. `quern.pending` lists the same, row by row.
 */
import type { Catalog, Relation } from '../../catalog/model.ts';
import type { SessionState } from '../session-state.ts';
import { datasetPending } from '../datasets/pending.ts';
import type { Statement } from './statement.ts';
import type { Searched } from './searched.ts';

/** Null: nothing is pending, found out without a wait. */
export function pendingOf(
  statement: Statement,
  { relations }: Pick<Searched, 'relations'>,
): Promise<readonly string[]> | null {
  if (relations.length === 0) return null;
  const { session } = statement;
  const catalog = session.catalog();
  const builds = relations.flatMap((oid) => buildsOf(session, catalog, catalog.relations.get(oid)));
  const datasets = relations.flatMap((oid) => datasetOf(catalog, catalog.relations.get(oid)));
  if (builds.length === 0 && datasets.length === 0) return null;
  return datasetPending(statement, datasets).then((documents) => [...documents, ...builds]);
}

/** The dataset whose chunks it has. */
function datasetOf(catalog: Catalog, relation: Relation | undefined): readonly string[] {
  if (relation?.name !== 'chunks') return [];
  const namespace = catalog.namespaces.find(({ oid }) => oid === relation.namespace);
  return namespace?.dataset === undefined ? [] : [namespace.name];
}

function buildsOf(
  { directory }: SessionState,
  catalog: Catalog,
  relation: Relation | undefined,
): readonly string[] {
  const building = (relation?.indexes ?? []).filter(({ standby }) => standby?.state === 'building');
  if (relation === undefined || building.length === 0) return [];
  const facts = new Map([...directory.embeddingBuilds.facts()].map((fact) => [fact.index, fact]));
  const schema = catalog.namespaces.find(({ oid }) => oid === relation.namespace)?.name ?? '';
  return building.map(({ oid, name, options }) => {
    const fact = facts.get(oid);
    const done = fact === undefined ? '' : `: ${fact.tuplesDone} of about ${fact.tuplesTotal} rows are done`;
    return `index "${name}" of ${schema}.${relation.name} is being embedded by "${options.model}"${done}`;
  });
}

/** Tells once a statement. */
export function tellPending(statement: Statement, pending: readonly string[]): void {
  if (pending.length === 0 || statement.pendingIsTold) return;
  statement.pendingIsTold = true;
  statement.notice({
    severity: 'NOTICE',
    condition: 'successful_completion',
    message: `not everything is searched by meaning yet: ${pending.join('; ')}`,
    hint: 'quern.pending lists what is on its way.',
  });
}
