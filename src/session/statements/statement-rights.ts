/** Rights that statements of the session ask for, beside those of plans. Source: PostgreSQL's lockcmds.c, vacuum.c. */
import { PRIVILEGE, type Privileges } from '../../catalog/access/privileges.ts';
import { rolesReached } from '../../catalog/access/roles.ts';
import { mayUse } from '../../catalog/access/visible-path.ts';
import { findNamespace, findRelation, schemaMeant } from '../../catalog/lookup.ts';
import { isTemporarySchema } from '../../catalog/temporary-names.ts';
import type { Relation } from '../../catalog/model.ts';
import { DATABASE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { Right } from '../../plan/right.ts';
import { checkRights, holds } from '../rights/check.ts';
import { isOwnSuperuser, requireOwnSuperuser } from '../rights/of-session.ts';
import type { SessionState } from '../session-state.ts';
import type { AnalyzeTarget } from './analyze.ts';
import type { StatementCall } from './statement-call.ts';

const CHECKPOINT_ROLE_OID = 4544;

/** The relation; undefined where there is none, of which nothing is asked. @throws SqlError 42501 for its schema. */
function named(
  session: SessionState,
  { schema, name }: { readonly schema: string | null; readonly name: string },
): Relation | undefined {
  const catalog = session.catalog();
  const searchPath = session.searchPath();
  const meant = schema === null ? null : schemaMeant(schema, searchPath);
  if (meant !== null && !isTemporarySchema(meant) && !mayUse(catalog, session.identity.current, meant)) {
    throw new SqlError('insufficient_privilege', `permission denied for schema ${meant}`);
  }
  return findRelation(catalog, schema, name, searchPath);
}

const onRelation = ({ oid, kind }: Relation, privileges: Privileges): Right => ({
  kind: kind === 'sequence' ? 'sequence' : 'relation',
  oid,
  privileges,
  as: null,
});

const check = (session: SessionState, rights: readonly Right[]): void =>
  checkRights(session.catalog(), session.identity.current, rights);

const has = (session: SessionState, right: Right): boolean =>
  holds(session.catalog(), session.identity.current, right);

/** Any privilege to write will do, in the two weakest modes also INSERT and SELECT. */
export function lockRights({ session, tree }: StatementCall<'lock'>): void {
  // Outside of a block that is the error.
  if (!session.block.inBlock) return;
  const { update, delete: remove, truncate, maintain, insert, select } = PRIVILEGE;
  const some = [maintain, update, remove, truncate];
  if (tree.mode === 'access share') some.push(select);
  if (['access share', 'row share', 'row exclusive'].includes(tree.mode)) some.push(insert);
  for (const name of tree.names) {
    const relation = named(session, name);
    if (relation === undefined) continue;
    const rights = some.map((privilege) => onRelation(relation, privilege));
    if (!rights.some((right) => has(session, right))) check(session, rights);
  }
}

/** Those that the role may maintain; the others are passed over, with a warning. */
export function maintained(
  { session, statement }: StatementCall<'analyze' | 'vacuum'>,
  targets: readonly AnalyzeTarget[],
  verb: string,
): readonly AnalyzeTarget[] {
  return targets.filter(({ relation }) => {
    if (has(session, onRelation(relation, PRIVILEGE.maintain))) return true;
    const message = `permission denied to ${verb} "${relation.name}", skipping it`;
    statement.notice({ severity: 'WARNING', condition: 'warning', message });
    return false;
  });
}

/** FULL is about all that is stored. */
export function vacuumRights({ session, tree }: StatementCall<'vacuum'>): void {
  if (tree.full) requireOwnSuperuser(session, 'vacuum everything');
}

export function reindexRights({ session, tree }: StatementCall<'reindex'>): void {
  if (isOwnSuperuser(session)) return;
  for (const name of tree.names) {
    const relation = named(session, name);
    const all = relation === undefined ? indexed(session, name) : [relation];
    // A name that nothing has is told by whoever looks it up.
    check(
      session,
      all.map((one) => onRelation(one, PRIVILEGE.maintain)),
    );
  }
}

/** The relations of all indexes of that name, in any schema: one more that is asked for does no harm. */
function indexed(session: SessionState, { name }: { readonly name: string }): readonly Relation[] {
  const has = ({ indexes }: Relation): boolean => indexes.some((index) => index.name === name);
  return [...session.catalog().relations.values()].filter(has);
}

export function checkpointRights({ session }: StatementCall<'checkpoint'>): void {
  if (isOwnSuperuser(session)) return;
  const { current } = session.identity;
  if (rolesReached(session.catalog(), current, 'inherit').has(CHECKPOINT_ROLE_OID)) return;
  throw new SqlError('insufficient_privilege', 'permission denied to execute CHECKPOINT command', {
    detail: 'Only roles with privileges of the "pg_checkpoint" role may execute this command.',
  });
}

export function createDatasetRights({ session }: StatementCall<'create dataset'>): void {
  check(session, [{ kind: 'database', oid: DATABASE_OID, privileges: PRIVILEGE.create, as: null }]);
}

export function datasetOwnerRights({
  session,
  tree,
}: StatementCall<'alter dataset'> | StatementCall<'drop dataset'>): void {
  for (const name of 'names' in tree ? tree.names : [tree.name]) {
    const schema = findNamespace(session.catalog(), name);
    if (schema?.dataset === undefined) continue;
    check(session, [{ kind: 'schema', oid: schema.oid, privileges: 0, as: null, needs: 'owner' }]);
  }
}
