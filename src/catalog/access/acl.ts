/**
 * Access lists: who was granted what on an object, by whom. Source: PostgreSQL 17, section 5.8 and acl.c, whose
 * rules of granting and revoking these are.
 */
import type { AclItem } from './model.ts';
import { type ObjectKind, OBJECT_KINDS } from './privileges.ts';
import { PUBLIC } from './roles.ts';

export const accessKey = (classOid: number, oid: number, column = 0): string =>
  `${classOid}.${oid}.${column}`;

/** An object's list while nothing was granted or revoked. */
export function defaultAcl(kind: ObjectKind, owner: number): readonly AclItem[] {
  const { all, everybody } = OBJECT_KINDS[kind];
  const items: AclItem[] = [];
  if (everybody !== 0) items.push({ grantee: PUBLIC, grantor: owner, privileges: everybody, grantable: 0 });
  if (all !== 0 && kind !== 'column')
    items.push({ grantee: owner, grantor: owner, privileges: all, grantable: 0 });
  return items;
}

/** One item for each pair of grantee and grantor, which has what all of them have. */
export function joinedAcls(items: readonly AclItem[]): readonly AclItem[] {
  const joined = new Map<string, AclItem>();
  for (const item of items) {
    const pair = `${item.grantee}.${item.grantor}`;
    const known = joined.get(pair) ?? item;
    joined.set(pair, withRights(known, known.privileges | item.privileges, known.grantable | item.grantable));
  }
  return [...joined.values()];
}

export const isSamePair = (a: AclItem, b: AclItem): boolean =>
  a.grantee === b.grantee && a.grantor === b.grantor;

export const withRights = (item: AclItem, privileges: number, grantable: number): AclItem => ({
  ...item,
  privileges,
  grantable,
});

/** In the order in which PostgreSQL compares lists. */
export const sortedAcl = (items: readonly AclItem[]): readonly AclItem[] =>
  items.toSorted((a, b) => a.grantee - b.grantee || a.grantor - b.grantor || a.privileges - b.privileges);

export const sameAcls = (a: readonly AclItem[], b: readonly AclItem[]): boolean =>
  a.length === b.length &&
  a.every((item, i) => {
    const other = b[i] as AclItem;
    const isSame = item.privileges === other.privileges && item.grantable === other.grantable;
    return isSame && isSamePair(item, other);
  });

const BY_GRANTEE = new WeakMap<readonly AclItem[], ReadonlyMap<number, readonly AclItem[]>>();

/** Items of any of the roles, in no order: by an index of the list where it is the longer of both. */
export function* itemsOf(acl: readonly AclItem[], roles: ReadonlySet<number>): Generator<AclItem> {
  if (acl.length <= roles.size + SHORT_ACL) {
    for (const item of acl) if (roles.has(item.grantee)) yield item;
    return;
  }
  const index = BY_GRANTEE.get(acl) ?? Map.groupBy(acl, ({ grantee }) => grantee);
  BY_GRANTEE.set(acl, index);
  for (const role of roles) yield* index.get(role) ?? [];
}

const SHORT_ACL = 16;

/** The list when the object goes to another owner. Source: aclnewowner. */
export function aclOfNewOwner(acl: readonly AclItem[], from: number, to: number): readonly AclItem[] {
  const moved = (role: number): number => (role === from ? to : role);
  return joinedAcls(
    acl.map((item) => ({ ...item, grantee: moved(item.grantee), grantor: moved(item.grantor) })),
  );
}
