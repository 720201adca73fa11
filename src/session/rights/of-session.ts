/** Rights of the role that a session acts as, for what its functions and statements do by themselves. */
import type { ObjectRef } from '../../catalog/access/checks.ts';
import { isSuperuser, PREDEFINED, rolesReached } from '../../catalog/access/roles.ts';
import { PRIVILEGE, type Privileges } from '../../catalog/access/privileges.ts';
import { findNamespace } from '../../catalog/lookup.ts';
import type { Relation } from '../../catalog/model.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { isPrivate } from '../../catalog/private-relations.ts';
import { openRelationsOf, readsDataset } from '../../catalog/readable-datasets.ts';
import { SqlError } from '../../errors.ts';
import type { Right } from '../../plan/right.ts';
import type { SessionState } from '../session-state.ts';
import { checkRights, holds } from './check.ts';

export const isOwnSuperuser = (session: SessionState): boolean => {
  const { current } = session.identity;
  return current === OWNER_ROLE_OID || isSuperuser(session.catalog(), current);
};

/** @param doing completes "permission denied to". @throws SqlError 42501. */
export function requireOwnSuperuser(session: SessionState, doing: string): void {
  if (isOwnSuperuser(session)) return;
  throw new SqlError('insufficient_privilege', `permission denied to ${doing}`);
}

/** @throws SqlError 42501 where the role has none of these privileges on the object. */
export function requireAny(session: SessionState, object: ObjectRef, some: readonly Privileges[]): void {
  const catalog = session.catalog();
  const { current } = session.identity;
  const rights = some.map((privileges): Right => ({ ...object, privileges, as: null }));
  if (rights.some((right) => holds(catalog, current, right))) return;
  checkRights(catalog, current, rights);
}

/** Reads a relation for a function that is given its name, or a number. @throws SqlError 42501. */
export function requireRead(session: SessionState, relation: Relation): void {
  const catalog = session.catalog();
  const { oid, namespace } = relation;
  const kind = relation.kind === 'sequence' ? 'sequence' : 'relation';
  const needs = isPrivate(catalog, relation) ? ({ needs: 'superuser' } as const) : {};
  checkRights(catalog, session.identity.current, [
    { kind: 'schema', oid: namespace, privileges: PRIVILEGE.usage, as: null },
    { kind, oid, privileges: PRIVILEGE.select, as: null, ...needs },
  ]);
}

/**
 * Rights on a dataset: USAGE on its schema, and privileges on its documents, which stand for all that belongs to them.
 * Nothing where there is no such dataset: whoever looks it up says so.
 *
 * @throws SqlError 42501.
 */
export function requireDataset(session: SessionState, dataset: string, privileges: Privileges): void {
  const { current } = session.identity;
  if (current === OWNER_ROLE_OID) return;
  const catalog = session.catalog();
  const schema = findNamespace(catalog, dataset);
  if (schema?.dataset === undefined) return;
  const open = openRelationsOf(catalog, schema.oid);
  const asked =
    (privileges & PRIVILEGE.select) === 0 ? open.filter(({ name }) => name === 'documents') : open;
  checkRights(catalog, current, [
    { kind: 'schema', oid: schema.oid, privileges: PRIVILEGE.usage, as: null },
    ...asked.map(({ oid }): Right => ({ kind: 'relation', oid, privileges, as: null })),
  ]);
}

/** True also where there is no such dataset. */
export function mayReadDataset(session: SessionState, dataset: string): boolean {
  const catalog = session.catalog();
  const schema = findNamespace(catalog, dataset);
  return schema?.dataset === undefined || readsDataset(catalog, session.identity.current, schema.oid);
}

/**
 * Sessions of a role are ended and cancelled by its members, and by those of pg_signal_backend unless it is a superuser.
 * One that is not there is nobody's.
 *
 * @throws SqlError 42501.
 */
export function requireSignalled(
  session: SessionState,
  processId: number,
  verb: 'cancel query' | 'terminate process',
): void {
  if (session.identity.current === OWNER_ROLE_OID) return;
  for (const fact of session.directory.activity()) {
    if (fact.processId === processId) requireSignal(session, fact.role, verb);
  }
}

function requireSignal(
  session: SessionState,
  role: number,
  verb: 'cancel query' | 'terminate process',
): void {
  const catalog = session.catalog();
  const { current } = session.identity;
  if (isSuperuser(catalog, current)) return;
  const reached = rolesReached(catalog, current, 'inherit');
  if (isSuperuser(catalog, role)) {
    throw signalDenied(verb, 'Only roles with the SUPERUSER attribute may');
  }
  if (reached.has(role) || reached.has(PREDEFINED.signalBackend)) return;
  throw signalDenied(
    verb,
    'Only roles with privileges of the role whose process it is or of the "pg_signal_backend" role may',
  );
}

const signalDenied = (verb: string, who: string): SqlError =>
  new SqlError('insufficient_privilege', `permission denied to ${verb}`, { detail: `${who} ${verb}.` });
