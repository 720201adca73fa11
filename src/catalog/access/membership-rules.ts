/**
 * Memberships granted and revoked: who may, as whom, and what goes with a grant that goes. Source: PostgreSQL's user.c.
 */
import { SqlError } from '../../errors.ts';
import type { Catalog } from '../model.ts';
import { OWNER_ROLE_OID } from '../oids.ts';
import type { Membership } from './model.ts';
import { allMemberships, isSuperuser, rolesReached } from './roles.ts';

type RolesOf = Pick<Catalog, 'roles' | 'memberships'>;

/** True of superusers, and of those who may grant the role by themselves or by a role they are a member of. */
export const isAdminOf = (catalog: RolesOf, member: number, role: number): boolean =>
  isSuperuser(catalog, member) || adminAmong(catalog, rolesReached(catalog, member, 'any'), role) !== null;

/**
 * The role among those that `member` inherits from as which it may grant `role`; null: there is none.
 * Source: select_best_admin.
 */
export const bestAdmin = (catalog: RolesOf, member: number, role: number): number | null =>
  member === role ? null : adminAmong(catalog, rolesReached(catalog, member, 'inherit'), role);

function adminAmong(catalog: RolesOf, members: ReadonlySet<number>, role: number): number | null {
  const admins = new Set(
    allMemberships(catalog)
      .filter((membership) => membership.role === role && membership.admin)
      .map(({ member }) => member),
  );
  for (const member of members) if (admins.has(member)) return member;
  return null;
}

type Option = 'admin' | 'inherit' | 'set';
/** A membership's fate: it goes, or loses an option. */
export type Revocation = 'membership' | Option;

/** Memberships of one role, and the fate of each. */
export interface RevokePlan {
  readonly memberships: readonly Membership[];
  /** By OID of the membership. */
  readonly actions: Map<number, Revocation>;
}

export const newRevokePlan = (catalog: RolesOf, role: number): RevokePlan => ({
  memberships: allMemberships(catalog).filter((membership) => membership.role === role),
  actions: new Map(),
});

/** Source: plan_single_revoke. @returns false where there is no such grant. @throws SqlError 2BP01. */
export function planRevoke(
  plan: RevokePlan,
  { member, grantor }: Pick<Membership, 'member' | 'grantor'>,
  { what, cascade }: { readonly what: Revocation; readonly cascade: boolean },
): boolean {
  const found = plan.memberships.find((other) => other.member === member && other.grantor === grantor);
  if (found === undefined) return false;
  if (what === 'inherit' || what === 'set') plan.actions.set(found.oid, what);
  else planWithDependents(plan, found, { what, cascade });
  return true;
}

/** Source: plan_recursive_revoke. */
function planWithDependents(
  plan: RevokePlan,
  membership: Membership,
  { what, cascade }: { readonly what: Revocation; readonly cascade: boolean },
): void {
  const { memberships, actions } = plan;
  const { oid, member } = membership;
  const planned = actions.get(oid);
  if (planned === 'membership' || (planned === 'admin' && what === 'admin')) return;
  actions.set(oid, what);
  if (!membership.admin) return;
  const isStillAdmin = memberships.some(
    (other) => other.member === member && other.admin && !actions.has(other.oid),
  );
  if (isStillAdmin) return;
  for (const dependent of memberships) {
    if (dependent.grantor !== member || actions.get(dependent.oid) === 'membership') continue;
    if (!cascade) {
      throw new SqlError('dependent_objects_still_exist', 'dependent privileges exist', {
        hint: 'Use CASCADE to revoke them too.',
      });
    }
    planWithDependents(plan, dependent, { what: 'membership', cascade });
  }
}

/** ADMIN must not be granted to those by whom the grantor has it. Source: AddRoleMems. @throws SqlError 0LP01. */
export function checkAdminCircle(
  catalog: RolesOf,
  role: number,
  { grantor, members }: { readonly grantor: number; readonly members: readonly number[] },
): void {
  if (grantor === OWNER_ROLE_OID) return;
  const plan = newRevokePlan(catalog, role);
  for (const member of members) {
    if (member === OWNER_ROLE_OID) throw backToGrantor();
    for (const membership of plan.memberships) {
      if (membership.member !== member) continue;
      planWithDependents(plan, membership, { what: 'membership', cascade: true });
    }
  }
  const isLeft = plan.memberships.some(
    ({ oid, member, admin }) => member === grantor && admin && !plan.actions.has(oid),
  );
  if (!isLeft) throw backToGrantor();
}

const backToGrantor = (): SqlError =>
  new SqlError('invalid_grant_operation', 'ADMIN option cannot be granted back to your own grantor');
