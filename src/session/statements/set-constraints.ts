/** SET CONSTRAINTS: what becomes immediate is checked at once. Source: AfterTriggerSetState of PostgreSQL 18. */
import { effectivePath, findNamespace, schemaMeant } from '../../catalog/lookup.ts';
import type { Constraint } from '../../catalog/model.ts';
import { SqlError } from '../../errors.ts';
import type { QualifiedName } from '../../sql/ast.ts';
import { FixedResult, type Running } from '../running/running.ts';
import { type StatementCall, warnNoTransaction } from './statement-call.ts';
import type { SessionState } from '../session-state.ts';

export async function setConstraints({
  session,
  statement,
  tree,
}: StatementCall<'set constraints'>): Promise<Running> {
  const { names, deferred } = tree;
  if (session.block.standsAlone) warnNoTransaction(statement, 'SET CONSTRAINTS');
  const named = names?.flatMap((name) => deferrableNamed(session, name, deferred)) ?? null;
  session.block.deferral.set(named?.map(({ oid }) => oid) ?? null, deferred);
  if (!deferred) {
    const due = (constraint: Constraint): boolean => named?.some(({ oid }) => oid === constraint.oid) ?? true;
    await statement.settle(due);
  }
  return new FixedResult('SET CONSTRAINTS');
}

/** Those of the first schema that has some. @throws SqlError 42704, 3F000, 42809. */
function deferrableNamed(
  session: SessionState,
  { schema, name, partition }: QualifiedName,
  deferred: boolean,
): readonly Constraint[] {
  const written = partition === null ? name : `${name}$${partition}`;
  const catalog = session.catalog();
  const path = session.searchPath();
  for (const place of schema === null ? effectivePath(path) : [schemaMeant(schema, path)]) {
    const namespace = findNamespace(catalog, place)?.oid;
    if (schema !== null && namespace === undefined) {
      throw new SqlError('invalid_schema_name', `schema "${schema}" does not exist`);
    }
    const found = [...catalog.relations.values()]
      .filter((relation) => relation.namespace === namespace)
      .flatMap(({ constraints }) => constraints.filter((constraint) => constraint.name === written));
    if (found.length === 0) continue;
    const deferrable = found.filter((constraint) => constraint.deferrable !== undefined);
    if (deferrable.length === found.length || !deferred) return deferrable;
    throw new SqlError('wrong_object_type', `constraint "${written}" is not deferrable`);
  }
  throw new SqlError('undefined_object', `constraint "${written}" does not exist`);
}
