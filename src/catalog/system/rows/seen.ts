/**
 * Tells of which objects information_schema shows a user: its own, and those that it may do something with. Source: the conditions of
 * the views in PostgreSQL's information_schema.sql.
 */
import { owns, privilegesOn } from '../../access/checks.ts';
import { PRIVILEGE, type Privileges } from '../../access/privileges.ts';
import { liveColumns, type Relation } from '../../model.ts';
import { OWNER_ROLE_OID } from '../../oids.ts';
import type { SystemContext } from '../context.ts';

const { select, insert, update, delete: remove, truncate, references, trigger } = PRIVILEGE;
const ON_COLUMNS = select | insert | update | references;
const ON_TABLES = ON_COLUMNS | remove | truncate | trigger;

type Kind = 'relation' | 'sequence' | 'schema' | 'function';

export const userOf = ({ role = OWNER_ROLE_OID }: SystemContext): number => role;

export const isOwn = (context: SystemContext, kind: Kind, oid: number): boolean =>
  owns(context.catalog, userOf(context), { kind, oid });

/** True of what is the user's own, and of what it has one of the privileges on. */
export const isSeen = (context: SystemContext, kind: Kind, oid: number, privileges: Privileges): boolean =>
  isOwn(context, kind, oid) ||
  (privilegesOn(context.catalog, userOf(context), { kind, oid }) & privileges) !== 0;

export const isSeenColumn = (context: SystemContext, { oid }: Relation, column: number): boolean =>
  isSeen(context, 'relation', oid, ON_COLUMNS) || hasOnColumn(context, { oid, column, among: ON_COLUMNS });

export const isSeenRelation = (context: SystemContext, relation: Relation): boolean =>
  isSeenBy(context, relation, ON_TABLES);

/** One whose constraints are seen: reading alone does not do. */
export const isSeenToWrite = (context: SystemContext, relation: Relation): boolean =>
  isSeenBy(context, relation, ON_TABLES & ~select);

function isSeenBy(context: SystemContext, relation: Relation, privileges: Privileges): boolean {
  const { oid } = relation;
  if (isSeen(context, 'relation', oid, privileges)) return true;
  const among = privileges & ON_COLUMNS;
  return liveColumns(relation).some(({ attribute: column }) => hasOnColumn(context, { oid, column, among }));
}

const hasOnColumn = (
  context: SystemContext,
  { oid, column, among }: { readonly oid: number; readonly column: number; readonly among: Privileges },
): boolean => (privilegesOn(context.catalog, userOf(context), { kind: 'column', oid, column }) & among) !== 0;
