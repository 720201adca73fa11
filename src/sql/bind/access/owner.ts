/** OWNER TO: who may give an object away, and to whom. */
import { aclOfNewOwner } from '../../../catalog/access/acl.ts';
import {
  aclOf,
  classOf,
  keyOf,
  type ObjectRef,
  ownerOf,
  owns,
  privilegesOn,
} from '../../../catalog/access/checks.ts';
import { PRIVILEGE } from '../../../catalog/access/privileges.ts';
import { isSuperuser, roleByOid, rolesReached } from '../../../catalog/access/roles.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { namespaceName } from '../../../catalog/lookup.ts';
import { type Catalog, FIRST_USER_OID, type Relation } from '../../../catalog/model.ts';
import { DATABASE_NAME, DATABASE_OID } from '../../../catalog/oids.ts';
import { ownerOf as columnOf } from '../../../catalog/sequences.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { RoleSpec, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { currentRole, denied, roleName, roleOf } from './actor.ts';
import { kindOf } from '../define/dependent-views.ts';
import { schemaOid } from '../names.ts';

export interface Owned extends ObjectRef {
  readonly name: string;
  /** As errors call it: `table`. */
  readonly noun: string;
  /** In which the new owner must be allowed to create; 0 for what is in none. */
  readonly namespace: number;
}

/** Edits that give an object to a role. @throws SqlError 42704, 42501. */
export function givenTo(context: BindContext, object: Owned, spec: RoleSpec): readonly CatalogEdit[] {
  const { catalog } = context;
  const { oid: to } = roleOf(context, spec);
  if (ownerOf(catalog, object) === to) return [];
  checkMayGive(context, object, to);
  return ownerEdits(catalog, object, to);
}

/** @throws SqlError 42501 for who neither owns the object nor may SET ROLE to whom it shall belong. */
function checkMayGive(context: BindContext, object: Owned, to: number): void {
  const { catalog } = context;
  const current = currentRole(context);
  if (isSuperuser(catalog, current)) return;
  checkOwns(context, object);
  checkMaySetRole(context, to);
  if (object.kind === 'database') {
    if (roleByOid(catalog, current)?.createDatabase !== true) {
      throw denied('permission denied to change owner of database');
    }
    return;
  }
  if (object.kind === 'schema') {
    const database = { kind: 'database', oid: DATABASE_OID } as const;
    const may = (privilegesOn(catalog, current, database) & PRIVILEGE.create) !== 0;
    if (!may) throw denied(`permission denied for database ${DATABASE_NAME}`);
    return;
  }
  const schema = { kind: 'schema', oid: object.namespace } as const;
  if ((privilegesOn(catalog, to, schema) & PRIVILEGE.create) !== 0) return;
  throw denied(`permission denied for schema ${namespaceName(catalog, object.namespace)}`);
}

/** @throws SqlError 42501. */
function checkOwns(context: BindContext, object: Pick<Owned, 'kind' | 'oid' | 'noun' | 'name'>): void {
  if (owns(context.catalog, currentRole(context), object)) return;
  throw denied(`must be owner of ${object.noun} ${object.name}`);
}

/** @throws SqlError 42501. */
export function checkMaySetRole(context: BindContext, to: number): void {
  const { catalog } = context;
  const current = currentRole(context);
  if (isSuperuser(catalog, current) || rolesReached(catalog, current, 'set').has(to)) return;
  throw denied(`must be able to SET ROLE "${roleName(context, to)}"`);
}

/** The object and the lists of its columns. */
export function ownerEdits(catalog: Catalog, object: ObjectRef, to: number): readonly CatalogEdit[] {
  const from = ownerOf(catalog, object);
  const classOid = classOf(object.kind);
  const kept = catalog.access.get(keyOf(object))?.acl ?? null;
  // What every database has begins with a list of its own.
  const acl = kept ?? (object.oid < FIRST_USER_OID ? aclOf(catalog, object) : null);
  const moved = acl && aclOfNewOwner(acl, from, to);
  const whole = { classOid, oid: object.oid, column: 0, owner: to, acl: moved };
  const columns = [...catalog.access.values()].filter(
    (access) => access.classOid === classOid && access.oid === object.oid && access.column > 0,
  );
  return [
    { edit: 'set access', access: whole },
    ...columns.map((access): CatalogEdit => {
      return { edit: 'set access', access: { ...access, acl: aclOfNewOwner(access.acl ?? [], from, to) } };
    }),
  ];
}

/** A relation, with the sequences that its columns own. @throws SqlError 0A000 for such a sequence by itself. */
export function relationGivenTo(
  context: BindContext,
  relation: Relation,
  spec: RoleSpec,
): readonly CatalogEdit[] {
  const { catalog } = context;
  const counted = columnOf(catalog, relation)?.relation;
  const edits = givenTo(context, ownedRelation(relation), spec);
  if (counted !== undefined && edits.length > 0) {
    throw new SqlError('feature_not_supported', `cannot change owner of sequence "${relation.name}"`, {
      detail: `Sequence "${relation.name}" is linked to table "${counted.name}".`,
    });
  }
  if (edits.length === 0) return [];
  const { oid: to } = roleOf(context, spec);
  const sequences = [...catalog.relations.values()].filter(
    (other) => other.kind === 'sequence' && columnOf(catalog, other)?.relation.oid === relation.oid,
  );
  return [...edits, ...sequences.flatMap((sequence) => ownerEdits(catalog, ownedRelation(sequence), to))];
}

const ownedRelation = (relation: Relation): Owned => ({
  kind: relation.kind === 'sequence' ? 'sequence' : 'relation',
  oid: relation.oid,
  name: relation.name,
  noun: kindOf(relation),
  namespace: relation.namespace,
});

/** ALTER SCHEMA or DATABASE … OWNER TO. @throws SqlError 3F000, 3D000. */
export function bindAlterOwner(
  statement: Extract<Statement, { kind: 'alter owner' }>,
  context: BindContext,
): BoundStatement {
  const { object, name, role } = statement;
  roleOf(context, role);
  if (object === 'database' && name !== DATABASE_NAME) {
    throw new SqlError('invalid_catalog_name', `database "${name}" does not exist`);
  }
  const oid = object === 'schema' ? schemaOid(context, name) : DATABASE_OID;
  const edits = givenTo(context, { kind: object, oid, name, noun: object, namespace: 0 }, role);
  return { kind: 'catalog', tag: `ALTER ${object.toUpperCase()}`, edits, notices: [] };
}
