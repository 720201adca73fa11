/** Whose rows are that Quern keeps for whoever asked: those of a role, and of those some of one of its limited keys alone. */
import { hasRightsOf, isSuperuser, roleByOid } from '../../catalog/access/roles.ts';
import type { SessionState } from '../session-state.ts';
import type { RowOwner } from '../whose.ts';

/** Owner of what the session writes down now. */
export const rowOwner = ({ identity, key }: SessionState): RowOwner => ({
  role: identity.current,
  key: key?.rowKey?.id ?? null,
});

/**
 * True where the session may see the row: all of them for superusers, and of a limited key its own alone, as
 * `sql/bind/relation/own-rows.ts` has it for statements.
 */
export function owns(session: SessionState, { role, key }: RowOwner): boolean {
  const catalog = session.catalog();
  const { current } = session.identity;
  const own = session.key?.rowKey?.id ?? null;
  if (roleByOid(catalog, current) === undefined || (own !== null && key !== own)) return false;
  if (isSuperuser(catalog, current)) return true;
  return role !== null && key === own && hasRightsOf(catalog, current, role);
}
