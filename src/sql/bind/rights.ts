/**
 * Rights that a statement needs, collected while it is bound: one use for each relation where it is named, with the
 * columns that are read and written. One thing to know: inside of a view relations are asked for as its owner, functions
 * as whoever runs the statement. Source: RTEPermissionInfo in PostgreSQL's parsenodes.h, ExecCheckOneRelPerms.
 */
import { ownerOf } from '../../catalog/access/checks.ts';
import { isSuperuser, roleByOid } from '../../catalog/access/roles.ts';
import type { Role } from '../../catalog/access/model.ts';
import { PRIVILEGE, type Privileges } from '../../catalog/access/privileges.ts';
import type { Relation, SqlFunction } from '../../catalog/model.ts';
import { OWNER_ROLE_OID } from '../../catalog/oids.ts';
import type { SystemRelation } from '../../catalog/system/context.ts';
import { isOpen } from '../../catalog/system/open-relations.ts';
import { isPrivate, ownershipOf } from '../../catalog/private-relations.ts';
import { notSupported } from '../../errors.ts';
import type { Right } from '../../plan/right.ts';
import type { BindContext } from './context.ts';
import { isInvokers } from './relation/view-options.ts';
import type { State } from './state.ts';

/** A relation where a statement names it. */
export interface RelationUse {
  readonly kind: 'relation' | 'sequence';
  readonly oid: number;
  readonly as: number | null;
  /** The view that it is written through: what that one's query reads is asked for where the statement reads it. */
  readonly above?: RelationUse;
  /** Privileges that columns do not give. */
  whole: Privileges;
  /** Attribute numbers by the privilege that is wanted on them; none: on any. */
  readonly columns: Map<Privileges, Set<number>>;
}

/** The stored column behind one in sight. */
export interface UsedColumn {
  readonly use: RelationUse;
  readonly attribute: number;
}

export type CollectedRight = RelationUse | Right;

const ON_COLUMNS = PRIVILEGE.select | PRIVILEGE.insert | PRIVILEGE.update | PRIVILEGE.references;

/**
 * A stored relation, view or sequence that the statement names.
 *
 * @param under absent: as whom the state says, and under no view that is written through.
 */
export function useRelation(
  state: State,
  relation: Relation,
  privileges: Privileges,
  under: Pick<RelationUse, 'as' | 'above'> = { as: state.as },
): RelationUse {
  const kind = relation.kind === 'sequence' ? 'sequence' : 'relation';
  const { as } = under;
  const use: RelationUse = { ...under, kind, oid: relation.oid, whole: 0, columns: new Map() };
  want(use, privileges);
  // Everybody reads it, and finds there what is theirs (`relation/own-rows.ts`).
  if (privileges === PRIVILEGE.select && ownershipOf(relation) !== undefined) return use;
  state.rights.push(use);
  if (isPrivate(state.context.catalog, relation)) {
    state.rights.push({ kind, oid: relation.oid, privileges, as, needs: 'superuser' });
  }
  return use;
}

/** Asks for more on a relation, as yet on no column. */
export function want(use: RelationUse, privileges: Privileges): void {
  use.whole |= privileges & ~ON_COLUMNS;
  for (const one of [PRIVILEGE.select, PRIVILEGE.insert, PRIVILEGE.update]) {
    if ((privileges & one) !== 0 && !use.columns.has(one)) use.columns.set(one, new Set());
  }
}

/** Asks for the whole relation, whichever columns are named. */
export function wantWhole(use: RelationUse, privileges: Privileges): void {
  use.whole |= privileges;
}

export function wantColumn(use: RelationUse, privilege: Privileges, attribute: number): void {
  want(use, privilege);
  use.columns.get(privilege)?.add(attribute);
}

export function readColumn(column: UsedColumn | undefined): void {
  if (column !== undefined) wantColumn(column.use, PRIVILEGE.select, column.attribute);
}

/** A relation of the system catalog: most are everybody's. */
export function useSystemRelation(state: State, { oid, schema, name }: SystemRelation): void {
  if (isOpen(schema, name)) return;
  const privileges = PRIVILEGE.select;
  state.rights.push({ kind: 'relation', oid, privileges, as: state.as, needs: 'superuser' });
}

export function useFunction(state: State, { oid }: SqlFunction): void {
  state.rights.push({ kind: 'function', oid, privileges: PRIVILEGE.execute, as: state.invoker });
}

/** As `Right` has them, in the order in which the statement names them. */
export const rightsOf = ({ rights }: Pick<State, 'rights'>): readonly Right[] =>
  rights.flatMap((right) => ('whole' in right ? ofUse(right) : [right]));

const isRead = ({ above, columns }: RelationUse): boolean =>
  above === undefined ? columns.has(PRIVILEGE.select) : isRead(above);

function ofUse(use: RelationUse): readonly Right[] {
  const { kind, oid, as, whole } = use;
  const columns = isRead(use)
    ? [...use.columns]
    : [...use.columns].filter(([privilege]) => privilege !== PRIVILEGE.select);
  const onWhole: readonly Right[] = whole === 0 ? [] : [{ kind, oid, as, privileges: whole }];
  const onColumns = columns.map(
    ([privileges, attributes]): Right => ({ kind, oid, as, privileges, columns: [...attributes] }),
  );
  return [...onWhole, ...onColumns];
}

/** Binds what stands in the catalog: whoever wrote it was allowed to name what is in it. */
export function inStored<T>(state: State, bind: () => T): T {
  return within(state, { context: { ...state.context, role: OWNER_ROLE_OID, inStoredText: true } }, bind);
}

/** Binds a view's query. */
export const inView = <T>(state: State, view: Relation, bind: () => T): T =>
  within(state, { as: belowView(state, view) }, () => inStored(state, bind));

/** Whose rights relations below a view are asked with: its owner's, unless it is a security invoker. */
export function belowView(state: State, view: Relation): number | null {
  return isInvokers(view)
    ? state.invoker
    : ownerOf(state.context.catalog, { kind: 'relation', oid: view.oid });
}

/** Binds a function's body, with the rights of whoever calls it, or of its owner. */
export function inBody<T>(state: State, definition: SqlFunction, bind: () => T): T {
  const isStored = definition.form !== 'string';
  const inside = (): T =>
    isStored
      ? inStored(state, bind)
      : within(state, { context: { ...state.context, inStoredText: false } }, bind);
  if (definition.promises?.securityDefiner !== true) return within(state, { as: state.invoker }, inside);
  // One that is being made belongs to whoever makes it.
  const maker = state.caller ?? OWNER_ROLE_OID;
  const { oid } = definition;
  const owner = oid === 0 ? maker : ownerOf(state.context.catalog, { kind: 'function', oid });
  const context: BindContext = { ...state.context, role: owner };
  return within(state, { as: owner, invoker: owner, context }, inside);
}

type Inside = Partial<Pick<State, 'as' | 'invoker' | 'context'>>;

function within<T>(state: State, inside: Inside, bind: () => T): T {
  const { as, invoker, context } = state;
  Object.assign(state, inside);
  try {
    return bind();
  } finally {
    Object.assign(state, { as, invoker, context });
  }
}

/** Whose a SECURITY DEFINER body is, which is `current_user` there; null elsewhere. */
export const definerOf = ({ invoker, context: { catalog } }: State): Role | null =>
  invoker === null ? null : (roleByOid(catalog, invoker) ?? null);

/** Functions that answer for the session, whoever acts in it, or for a role that the call names. */
const SAYS_WHOSE =
  /^(session_user|system_user|current_setting|quern\.key_attribute|current_database|current_catalog|version)\(|^(has_\w+_privilege|pg_has_role)\((name|oid),/;

/**
 * Functions that ask their session who acts in it see the one that calls, and not a definer: they are refused there, but for
 * those that are asked of the definer (`expression/asked-of.ts`).
 * @param id of the function. @param isAsking it asks its session, or changes it.
 */
export function refuseInDefiner(state: State, id: string, isAsking: boolean): void {
  if (!isAsking || state.invoker === null || SAYS_WHOSE.test(id)) return;
  const isCaller = state.invoker === (state.caller ?? OWNER_ROLE_OID);
  if (isCaller || isSuperuserBoth(state)) return;
  throw notSupported(`${id.replace(/\(.*/, '')} in a SECURITY DEFINER function that another role calls`);
}

/** Between superusers nothing is hidden, but names still differ. */
const isSuperuserBoth = ({ context: { catalog }, invoker, caller }: State): boolean =>
  isSuperuser(catalog, invoker ?? 0) && isSuperuser(catalog, caller ?? OWNER_ROLE_OID);
