/** Policies: which rows of a relation a role sees and may write. Source: PostgreSQL 17, section 5.9. */
import { isSuperuser, PUBLIC, roleByOid, rolesReached } from './access/roles.ts';
import { owns } from './access/checks.ts';
import type { Policy, PolicyCommand } from './access/model.ts';
import type { Catalog, Relation } from './model.ts';

/** True where policies hold for the role: not for superusers, BYPASSRLS, and owners unless it is forced. */
export function isRuled(catalog: Catalog, relation: Relation, role: number): boolean {
  const { rowSecurity = 'off' } = relation;
  if (rowSecurity === 'off' || rowSecurity === 'only forced' || isSuperuser(catalog, role)) return false;
  if (roleByOid(catalog, role)?.bypassRowSecurity === true) return false;
  const isOwner = owns(catalog, role, { kind: 'relation', oid: relation.oid });
  return !isOwner || rowSecurity === 'forced';
}

/** The policies of a relation for a command and a role, by name. */
export function policiesFor(
  catalog: Catalog,
  relation: Relation,
  { command, role }: { readonly command: Exclude<PolicyCommand, 'all'>; readonly role: number },
): readonly Policy[] {
  const reached = rolesReached(catalog, role, 'inherit');
  return (relation.policies ?? [])
    .filter((policy) => policy.command === 'all' || policy.command === command)
    .filter(({ roles }) => roles.some((one) => one === PUBLIC || reached.has(one)))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
