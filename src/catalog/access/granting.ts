/**
 * Granting and revoking on an access list: who is the grantor, what depends on a grant option, what may not go round.
 * The one thing to know: the owner has all grant options, whatever the list says. Source: PostgreSQL's acl.c.
 */
import { SqlError } from '../../errors.ts';
import type { Catalog } from '../model.ts';
import { isSamePair, joinedAcls, withRights } from './acl.ts';
import type { AclItem } from './model.ts';
import type { Privileges } from './privileges.ts';
import { hasRightsOf, isSuperuser, PUBLIC, rolesReached } from './roles.ts';

type Acl = readonly AclItem[];

/** Surroundings of all steps of a change. */
interface Setting {
  readonly catalog: Pick<Catalog, 'roles' | 'memberships'>;
  readonly owner: number;
  /** True: dependents of a revoked grant option go too. */
  readonly cascade: boolean;
}

export interface AclChange {
  readonly isGrant: boolean;
  /** WITH GRANT OPTION; of a REVOKE: GRANT OPTION FOR. */
  readonly grantOption: boolean;
  readonly grantees: readonly number[];
  readonly grantor: number;
  readonly privileges: Privileges;
}

/** @throws SqlError 0LP01, 2BP01. Source: merge_acl_with_grant. */
export function changedAcl(acl: Acl, change: AclChange, setting: Setting): Acl {
  const { isGrant, grantOption, grantor, privileges } = change;
  const items = change.grantees.map((grantee) => {
    if (isGrant && grantOption && grantee === PUBLIC) {
      throw new SqlError('invalid_grant_operation', 'grant options can only be granted to roles');
    }
    return {
      grantee,
      grantor,
      privileges: isGrant || !grantOption ? privileges : 0,
      grantable: !isGrant || grantOption ? privileges : 0,
    };
  });
  if (isGrant && !grantOption) return joinedAcls([...acl, ...items.filter((item) => item.privileges !== 0)]);
  if (isGrant) return items.reduce((changed, item) => granted(changed, item, setting), acl);
  const isHeld = grantsOn(acl, items);
  return items
    .filter(isHeld)
    .reduce((changed, item) => revoked(changed, item, setting), withoutPlain(acl, items));
}

/** True of those whose loss may be somebody else's: their grantees may grant on. */
function grantsOn(acl: Acl, items: Acl): (item: AclItem) => boolean {
  const grantees = new Set(items.map(({ grantee }) => grantee));
  const held = acl.filter(({ grantee, grantable }) => grantable !== 0 && grantees.has(grantee));
  return (item) => held.some((other) => isSamePair(other, item));
}

/** Revokes from those who may not grant on: all of them at once, however many there are. */
function withoutPlain(acl: Acl, items: Acl): Acl {
  const byGrantee = new Map(items.map((item) => [item.grantee, item]));
  return acl.flatMap((known) => {
    const item = byGrantee.get(known.grantee);
    if (item === undefined || !isSamePair(known, item) || known.grantable !== 0) return [known];
    const left = known.privileges & ~item.privileges;
    return left === 0 ? [] : [withRights(known, left, 0)];
  });
}

function granted(acl: Acl, item: AclItem, setting: Setting): Acl {
  if (item.grantable !== 0) checkCircle(acl, item, setting);
  const known = acl.find((other) => isSamePair(other, item));
  if (known === undefined) return item.privileges === 0 ? acl : [...acl, item];
  const more = withRights(item, known.privileges | item.privileges, known.grantable | item.grantable);
  return acl.map((other) => (other === known ? more : other));
}

function revoked(acl: Acl, item: AclItem, setting: Setting): Acl {
  const known = acl.find((other) => isSamePair(other, item));
  if (known === undefined) return acl;
  const less = withRights(item, known.privileges & ~item.privileges, known.grantable & ~item.grantable);
  const left = acl.flatMap((other) => {
    if (other !== known) return [other];
    return less.privileges === 0 && less.grantable === 0 ? [] : [less];
  });
  const lost = known.grantable & ~less.grantable;
  if (lost === 0) return left;
  if (item.grantee === PUBLIC) return left;
  return withoutDependents(left, { role: item.grantee, lost }, setting);
}

/** Source: recursive_revoke. @throws SqlError 2BP01. */
function withoutDependents(
  acl: Acl,
  { role, lost }: { readonly role: number; readonly lost: Privileges },
  setting: Setting,
): Acl {
  if (role === setting.owner) return acl;
  const gone = lost & ~grantableBy(acl, role, setting);
  if (gone === 0) return acl;
  let left = acl;
  for (;;) {
    const dependent = left.find((item) => item.grantor === role && (item.privileges & gone) !== 0);
    if (dependent === undefined) return left;
    if (!setting.cascade) {
      throw new SqlError('dependent_objects_still_exist', 'dependent privileges exist', {
        hint: 'Use CASCADE to revoke them too.',
      });
    }
    left = revoked(left, withRights(dependent, gone, gone), setting);
  }
}

/** Privileges that a role may grant on by itself or by a role it has the rights of. */
function grantableBy(acl: Acl, role: number, { catalog, owner }: Setting): Privileges {
  if (hasRightsOf(catalog, role, owner)) return ~0;
  return acl
    .filter(({ grantee }) => grantee !== PUBLIC && hasRightsOf(catalog, role, grantee))
    .reduce((all, { grantable }) => all | grantable, 0);
}

/** Grants that would hold each other. Source: check_circularity. @throws SqlError 0LP01. */
function checkCircle(acl: Acl, item: AclItem, setting: Setting): void {
  if (item.grantor === setting.owner) return;
  let without = acl;
  for (;;) {
    const own = without.find(({ grantee, grantable }) => grantee === item.grantee && grantable !== 0);
    if (own === undefined) break;
    without = revoked(without, own, { ...setting, cascade: true });
  }
  if ((item.grantable & ~grantableBy(without, item.grantor, setting)) === 0) return;
  const message = 'grant options cannot be granted back to your own grantor';
  throw new SqlError('invalid_grant_operation', message);
}

interface Grantor {
  readonly grantor: number;
  /** Those among the wanted ones that it may grant. */
  readonly grantable: Privileges;
}

/** The role as which `role` grants: the owner, or whoever of its roles may grant most. Source: select_best_grantor. */
export function bestGrantor(
  catalog: Setting['catalog'],
  { role, owner, acl }: { readonly role: number; readonly owner: number; readonly acl: Acl },
  wanted: Privileges,
): Grantor {
  if (role === owner || isSuperuser(catalog, role)) return { grantor: owner, grantable: wanted };
  let best: Grantor = { grantor: role, grantable: 0 };
  for (const candidate of rolesReached(catalog, role, 'inherit')) {
    const grantable = candidate === owner ? wanted : wanted & grantedDirectly(acl, candidate);
    if (grantable === wanted) return { grantor: candidate, grantable };
    if (bitCount(grantable) > bitCount(best.grantable)) best = { grantor: candidate, grantable };
  }
  return best;
}

const grantedDirectly = (acl: Acl, role: number): Privileges =>
  acl.reduce((all, { grantee, grantable }) => (grantee === role ? all | grantable : all), 0);

function bitCount(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count++;
  return count;
}
