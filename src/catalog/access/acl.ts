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
