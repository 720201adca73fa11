/**
 * Roles, access lists and policies as the catalog keeps them. Those that every database has are in `roles.ts`; what is not kept
 * of an object is as `acl.ts` has it.
 */
import type { ObjectKind, Privileges } from './privileges.ts';

export interface Role {
  readonly oid: number;
  readonly name: string;
  /** Passes every check but those of a key's scope. */
  readonly superuser: boolean;
  /** New memberships of it inherit, unless they say otherwise. */
  readonly inherit: boolean;
  readonly createRole: boolean;
  readonly createDatabase: boolean;
  readonly login: boolean;
  readonly replication: boolean;
  readonly bypassRowSecurity: boolean;
  /** Sessions at a time; -1: as many as there may be. */
  readonly connectionLimit: number;
  /** End of its password, as `timestamptz` prints it in UTC; null: none. */
  readonly validUntil: string | null;
  /** Verifier of its password, `SCRAM-SHA-256$…`; absent: it has none. */
  readonly verifier?: string;
  /** Values of settings that its sessions begin with, `name=value`. */
  readonly settings?: readonly string[];
}

/** That one role is a member of another. */
export interface Membership {
  readonly oid: number;
  readonly role: number;
  readonly member: number;
  readonly grantor: number;
  /** WITH ADMIN: it may grant the role to others. */
  readonly admin: boolean;
  /** WITH INHERIT: it has the role's rights without SET ROLE. */
  readonly inherit: boolean;
  /** WITH SET: it may SET ROLE to it. */
  readonly set: boolean;
}

export interface AclItem {
  /** Role, or PUBLIC. */
  readonly grantee: number;
  readonly grantor: number;
  readonly privileges: Privileges;
  /** Those among them that the grantee may grant on. */
  readonly grantable: Privileges;
}

/** Owner and access list of an object, where they are not those that it began with. */
export interface ObjectAccess {
  readonly classOid: number;
  readonly oid: number;
  /** Attribute number; 0 for the object itself. */
  readonly column: number;
  /** A column has its relation's. */
  readonly owner: number;
  /** Null: as `defaultAcl`. */
  readonly acl: readonly AclItem[] | null;
}

/** Access of objects to come, by ALTER DEFAULT PRIVILEGES. */
export interface DefaultAccess {
  readonly oid: number;
  /** Whose objects. */
  readonly role: number;
  /** 0: in all schemas. */
  readonly namespace: number;
  readonly kind: ObjectKind;
  /** In all schemas: in place of `defaultAcl`; in one schema: on top of it. */
  readonly acl: readonly AclItem[];
}

export type PolicyCommand = 'all' | 'select' | 'insert' | 'update' | 'delete';

/** How row security is switched on; owners are passed over unless it is forced. Only forced is not switched on. */
export type RowSecurity = 'off' | 'enabled' | 'forced' | 'only forced';

export interface Policy {
  readonly oid: number;
  readonly name: string;
  readonly command: PolicyCommand;
  /** False: restrictive. */
  readonly permissive: boolean;
  /** OIDs of roles; PUBLIC for everybody. */
  readonly roles: readonly number[];
  /** SQL text of a condition on rows that are there; null: none was given. */
  readonly using: string | null;
  /** SQL text of a condition on rows that are written; null: `using`. */
  readonly check: string | null;
}
