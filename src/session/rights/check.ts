/**
 * Checks of the rights of a statement, made each time that it begins. One thing to know: what was answered for
 * a statement holds for one version of the catalog and one role, so that the same one is asked once.
 */
import { owns, privilegesOn } from '../../catalog/access/checks.ts';
import type { Privileges } from '../../catalog/access/privileges.ts';
import { isSuperuser, roleByOid } from '../../catalog/access/roles.ts';
import type { Catalog } from '../../catalog/model.ts';
import { CLASS_OID, OWNER_ROLE_OID } from '../../catalog/oids.ts';
import { SqlError } from '../../errors.ts';
import type { Right } from '../../plan/right.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { denied } from './denied.ts';

interface Answer {
  readonly catalog: Catalog;
  readonly role: number;
}

/** Statements that were let through, with what they were asked with. */
const ALLOWED = new WeakMap<BoundStatement, Answer>();

/** @throws SqlError 42501 for the first right that the role lacks. */
export function checkBound(catalog: Catalog, role: number, bound: BoundStatement): void {
  if (role === OWNER_ROLE_OID && !asksForOthers(bound)) return;
  const known = ALLOWED.get(bound);
  if (known?.catalog === catalog && known.role === role) return;
  checkRights(catalog, role, bound.rights ?? null);
  ALLOWED.set(bound, { catalog, role });
}

/** A view's or a definer function's owner may lack a right that the owner of all has. */
const asksForOthers = ({ rights }: BoundStatement): boolean =>
  rights?.some(({ as }) => as !== null && as !== OWNER_ROLE_OID) ?? false;

/** @param rights null: nobody has collected them. @throws SqlError 42501. */
export function checkRights(catalog: Catalog, role: number, rights: readonly Right[] | null): void {
  if (rights === null) {
    if (isSuperuser(catalog, role)) return;
    throw new SqlError('insufficient_privilege', 'permission denied: only a superuser runs this statement');
  }
  for (const right of rights) if (!holds(catalog, right.as ?? role, right)) throw denied(catalog, right);
}

/** True when the role has the right. */
export function holds(catalog: Catalog, role: number, right: Right): boolean {
  const known = roleByOid(catalog, role);
  // Nothing is left of the rights of a role that is gone.
  if (known === undefined) return false;
  if (known.superuser) return true;
  if (right.needs === 'superuser') return false;
  if (right.needs === 'owner') {
    if (owns(catalog, role, right)) return true;
    return right.orOwnerOf !== undefined && owns(catalog, role, { kind: 'schema', oid: right.orOwnerOf });
  }
  const missing = right.privileges & ~privilegesOn(catalog, role, right);
  if (missing === 0) return true;
  return (
    right.columns !== undefined &&
    holdsOnColumns(catalog, role, { ...right, columns: right.columns }, missing)
  );
}

function holdsOnColumns(
  catalog: Catalog,
  role: number,
  { oid, columns }: Right & { readonly columns: readonly number[] },
  wanted: Privileges,
): boolean {
  const has = (column: number): boolean =>
    (wanted & ~privilegesOn(catalog, role, { kind: 'column', oid, column })) === 0;
  return columns.length === 0 ? columnsWithAccess(catalog, oid).some(has) : columns.every(has);
}

/** Attribute numbers of a relation's columns on which something was granted. */
const columnsWithAccess = ({ access }: Catalog, oid: number): readonly number[] =>
  [...access.values()].flatMap((entry) =>
    entry.classOid === CLASS_OID.pg_class && entry.oid === oid && entry.column > 0 ? [entry.column] : [],
  );
