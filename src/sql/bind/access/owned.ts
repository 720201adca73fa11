/** REASSIGN OWNED and DROP OWNED. Source: PostgreSQL's pg_shdepend.c. */
import { type RoleDependency, roleDependencies } from '../../../catalog/access/dependencies.ts';
import { hasRightsOf, isBuiltIn } from '../../../catalog/access/roles.ts';
import type { Role } from '../../../catalog/access/model.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import { CLASS_OID } from '../../../catalog/oids.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { AccessStatement, QualifiedName, Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { namespaceName } from '../../../catalog/lookup.ts';
import { currentRole, denied, roleOf } from './actor.ts';
import { changeDefault } from './default-privileges.ts';
import { dependentViews } from '../define/dependent-views.ts';
import { dropFunctions } from '../define/drop-function.ts';
import { bindDropType } from '../define/drop-type.ts';
import { bindDrop } from '../define/drop.ts';
import { changeObjects, type Grant } from './grants.ts';
import type { Changes } from './memberships.ts';
import { ownerEdits } from './owner.ts';
import { objectText } from './object-names.ts';

type Of<K extends AccessStatement['kind']> = Extract<AccessStatement, { kind: K }>;

const OBJECTS: Readonly<
  Record<number, 'relation' | 'function' | 'type' | 'schema' | 'database' | 'language'>
> = {
  [CLASS_OID.pg_class]: 'relation',
  [CLASS_OID.pg_proc]: 'function',
  [CLASS_OID.pg_type]: 'type',
  [CLASS_OID.pg_namespace]: 'schema',
  [CLASS_OID.pg_database]: 'database',
  [CLASS_OID.pg_language]: 'language',
};

export function bindReassignOwned(statement: Of<'reassign owned'>, context: BindContext): BoundStatement {
  const roles = statement.roles.map((spec) => roleOf(context, spec));
  const message = 'permission denied to reassign objects';
  for (const role of roles) checkHasRights(context, role, [message, 'reassign objects owned by it']);
  const to = roleOf(context, statement.to);
  checkHasRights(context, to, [message, 'reassign objects to it']);
  for (const role of roles) checkNotBuiltIn(role, 'reassign ownership of');
  const from = new Set(roles.map(({ oid }) => oid));
  const edits = roleDependencies(context.catalog).flatMap(({ role, type, classOid, oid }) => {
    const kind = OBJECTS[classOid];
    return type === 'owner' && from.has(role) && kind !== undefined
      ? ownerEdits(context.catalog, { kind, oid }, to.oid)
      : [];
  });
  return { kind: 'catalog', tag: 'REASSIGN OWNED', edits, notices: [] };
}

function checkHasRights(
  context: BindContext,
  role: Role,
  [message, may]: readonly [message: string, may: string],
): void {
  if (hasRightsOf(context.catalog, currentRole(context), role.oid)) return;
  throw denied(message, `Only roles with privileges of role "${role.name}" may ${may}.`);
}

function checkNotBuiltIn({ oid, name }: Role, verb: string): void {
  if (!isBuiltIn(oid)) return;
  const message = `cannot ${verb} objects owned by role ${name} because they are required by the database system`;
  throw new SqlError('dependent_objects_still_exist', message);
}

// ───────────────────────────── DROP OWNED ─────────────────────────────

export function bindDropOwned(statement: Of<'drop owned'>, context: BindContext): BoundStatement {
  const roles = statement.roles.map((spec) => roleOf(context, spec));
  const message = 'permission denied to drop objects';
  for (const role of roles) checkHasRights(context, role, [message, 'drop objects owned by it']);
  for (const role of roles) checkNotBuiltIn(role, 'drop');
  let changes: Changes = { catalog: context.catalog, edits: [], notices: [] };
  for (const { oid } of roles) changes = withoutPolicies(withoutPrivileges(context, changes, oid), oid);
  const named = new Set(roles.map(({ oid }) => oid));
  const owned = roleDependencies(changes.catalog).filter(
    ({ role, type }) => type === 'owner' && named.has(role),
  );
  const { edits, notices } = withoutObjects(context, changes, { owned, cascade: statement.cascade });
  return { kind: 'catalog', tag: 'DROP OWNED', edits, notices };
}

/** Everything granted to the role by owners goes, on columns with what is on the whole; and memberships that it granted. */
function withoutPrivileges(context: BindContext, before: Changes, role: number): Changes {
  const grant: Grant = {
    isGrant: false,
    grantOption: false,
    cascade: true,
    grantees: [role],
    privileges: 0,
    all: true,
    byColumn: [],
  };
  return roleDependencies(before.catalog)
    .filter((dependency) => dependency.role === role && dependency.type === 'privileges')
    .reduce((changes, dependency) => withoutPrivilege(context, changes, { dependency, grant }), before);
}

function withoutPrivilege(
  context: BindContext,
  changes: Changes,
  { dependency, grant }: { readonly dependency: RoleDependency; readonly grant: Grant },
): Changes {
  const { catalog } = changes;
  const { classOid, oid } = dependency;
  if (classOid === CLASS_OID.pg_auth_members) {
    const edit: CatalogEdit = { edit: 'drop memberships', memberships: [oid] };
    return { ...changes, catalog: applyEdit(catalog, edit), edits: [...changes.edits, edit] };
  }
  if (classOid === CLASS_OID.pg_default_acl) {
    const access = catalog.defaultAccess.find((candidate) => candidate.oid === oid);
    return access === undefined ? changes : changeDefault(changes, ofDefault(access), grant);
  }
  const kind = OBJECTS[classOid];
  if (kind === undefined) return changes;
  const relation = catalog.relations.get(oid);
  const whole = relation?.kind === 'sequence' ? ('sequence' as const) : kind;
  const object = { kind: whole, oid, name: String(oid), ...(relation && { relation }) };
  const done = changeObjects({ ...context, catalog }, [object], grant);
  return { ...done, edits: [...changes.edits, ...done.edits], notices: changes.notices };
}

/** Policies for the role alone go, others are for the others. */
function withoutPolicies(before: Changes, role: number): Changes {
  const edits: CatalogEdit[] = [...before.catalog.relations.values()].flatMap((relation) =>
    (relation.policies ?? [])
      .filter(({ roles }) => roles.includes(role))
      .map((policy): CatalogEdit => {
        const roles = policy.roles.filter((one) => one !== role);
        return roles.length === 0
          ? { edit: 'drop policy', relation: relation.oid, policy: policy.oid }
          : { edit: 'put policy', relation: relation.oid, policy: { ...policy, roles } };
      }),
  );
  return { ...before, catalog: edits.reduce(applyEdit, before.catalog), edits: [...before.edits, ...edits] };
}

const ofDefault = ({ role, namespace, kind }: Parameters<typeof changeDefault>[1]) => ({
  role,
  namespace,
  kind,
});

interface Dropping {
  readonly owned: readonly RoleDependency[];
  readonly cascade: boolean;
}

/** Schemas last; what has gone with another is not dropped again. @throws SqlError 2BP01. */
function withoutObjects(context: BindContext, before: Changes, { owned, cascade }: Dropping): Changes {
  const ranks: readonly number[] = [
    CLASS_OID.pg_class,
    CLASS_OID.pg_proc,
    CLASS_OID.pg_type,
    CLASS_OID.pg_namespace,
  ];
  const rank = ({ classOid }: RoleDependency): number => ranks.indexOf(classOid);
  let changes = before;
  for (const object of owned.toSorted((a, b) => rank(a) - rank(b) || b.oid - a.oid)) {
    const edits = dropEdits({ ...context, catalog: changes.catalog }, object);
    const catalog = edits.reduce(applyEdit, changes.catalog);
    changes = { ...changes, catalog, edits: [...changes.edits, ...edits] };
  }
  if (!cascade) checkOnlyOwned(context, before.catalog, { after: changes.catalog, owned });
  return changes;
}

const DROPPED = {
  table: 'table',
  collection: 'table',
  view: 'view',
  'materialized view': 'materialized view',
  sequence: 'sequence',
} as const;

/** As DROP … CASCADE has them. */
function dropEdits(context: BindContext, { classOid, oid }: RoleDependency): readonly CatalogEdit[] {
  const { catalog } = context;
  const named = (namespace: number, name: string): QualifiedName => {
    return { at: 0, schema: namespaceName(catalog, namespace), name, partition: null };
  };
  const drop = (object: Extract<Statement, { kind: 'drop' }>['object'], name: QualifiedName) =>
    ({ kind: 'drop', at: 0, object, names: [name], ifExists: false, cascade: true }) as const;
  if (classOid === CLASS_OID.pg_default_acl) return [{ edit: 'drop default access', access: oid }];
  const relation = classOid === CLASS_OID.pg_class ? catalog.relations.get(oid) : undefined;
  if (relation !== undefined) {
    const name = named(relation.namespace, relation.name);
    return editsOf(bindDrop(drop(DROPPED[relation.kind], name), context));
  }
  const definition = classOid === CLASS_OID.pg_proc ? catalog.functions.get(oid) : undefined;
  if (definition !== undefined) return dropFunctions([definition], context, { cascade: true, notices: [] });
  const type = classOid === CLASS_OID.pg_type ? catalog.enums.get(oid) : undefined;
  if (type !== undefined) {
    return editsOf(bindDropType(drop('type', named(type.namespace, type.name)), context));
  }
  if (classOid !== CLASS_OID.pg_namespace) return [];
  const schema = catalog.namespaces.find((namespace) => namespace.oid === oid);
  if (schema === undefined) return [];
  return editsOf(
    bindDrop(drop('schema', { at: 0, schema: null, name: schema.name, partition: null }), context),
  );
}

const editsOf = (bound: BoundStatement): readonly CatalogEdit[] =>
  bound.kind === 'catalog' ? bound.edits : [];

type Place = Pick<RoleDependency, 'classOid' | 'oid'> & { readonly namespace: number };

/** Relations, functions and types that one version of the catalog has and a later one has not. */
function lostObjects(before: Changes['catalog'], after: Changes['catalog']): readonly Place[] {
  const lost = (
    classOid: number,
    from: ReadonlyMap<number, { readonly oid: number; readonly namespace: number }>,
    to: ReadonlyMap<number, unknown>,
  ): readonly Place[] =>
    [...from.values()]
      .filter(({ oid }) => !to.has(oid))
      .map(({ oid, namespace }) => ({ classOid, oid, namespace }));
  return [
    ...lost(CLASS_OID.pg_class, before.relations, after.relations),
    ...lost(CLASS_OID.pg_proc, before.functions, after.functions),
    ...lost(CLASS_OID.pg_type, before.enums, after.enums),
  ];
}

/** @throws SqlError 2BP01 where something of another's has gone too. */
function checkOnlyOwned(
  context: BindContext,
  before: Changes['catalog'],
  { after, owned }: { readonly after: Changes['catalog']; readonly owned: readonly RoleDependency[] },
): void {
  const own = new Set(owned.map(({ oid }) => oid));
  const lost = lostObjects(before, after).filter(({ oid }) => !own.has(oid));
  if (lost.length === 0) return;
  const views = dependentViews(context, [...own]);
  const lines = lost.map((object) => {
    const on = views.find(({ view }) => view.oid === object.oid)?.on.oid;
    const held =
      on === undefined
        ? { classOid: CLASS_OID.pg_namespace, oid: object.namespace, column: 0 }
        : { classOid: CLASS_OID.pg_class, oid: on, column: 0 };
    return `${objectText(context, { ...object, column: 0 })} depends on ${objectText(context, held)}`;
  });
  const [only] = owned.length === 1 ? owned : [];
  const message =
    only === undefined
      ? 'cannot drop desired object(s) because other objects depend on them'
      : `cannot drop ${objectText(context, only)} because other objects depend on it`;
  throw new SqlError('dependent_objects_still_exist', message, {
    detail: lines.join('\n'),
    hint: 'Use DROP ... CASCADE to drop the dependent objects too.',
  });
}
