/** GRANT and REVOKE of roles. Source: PostgreSQL's user.c. */
import {
  bestAdmin,
  checkAdminCircle,
  isAdminOf,
  newRevokePlan,
  planRevoke,
  type Revocation,
} from '../../../catalog/access/membership-rules.ts';
import type { Membership, Role } from '../../../catalog/access/model.ts';
import {
  allMemberships,
  hasRightsOf,
  isSuperuser,
  roleByOid,
  rolesReached,
} from '../../../catalog/access/roles.ts';
import { applyEdit, type CatalogEdit } from '../../../catalog/edit/edit.ts';
import type { Catalog } from '../../../catalog/model.ts';
import { DATABASE_OWNER_ROLE_OID, OWNER_ROLE_OID } from '../../../catalog/oids.ts';
import { type Notice, SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { AccessStatement, WithOption } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { currentRole, denied, roleName, roleNamed, roleOf } from './actor.ts';

type GrantRole = Extract<AccessStatement, { kind: 'grant role' }>;

/** Options that a statement gives; those left out are as they were, or as a new membership has them. */
export type MembershipOptions = Partial<Pick<Membership, 'admin' | 'inherit' | 'set'>>;

export interface Changes {
  readonly catalog: Catalog;
  readonly edits: readonly CatalogEdit[];
  readonly notices: readonly (string | Notice)[];
}

export function bindGrantRole(statement: GrantRole, context: BindContext): BoundStatement {
  const { isGrant } = statement;
  const options = readOptions(statement.options);
  const grantor = statement.grantor === null ? null : roleOf(context, statement.grantor).oid;
  const members = statement.members.map((member) => roleOf(context, member).oid);
  let changes: Changes = { catalog: context.catalog, edits: [], notices: [] };
  for (const name of statement.roles) {
    const now = { ...context, catalog: changes.catalog };
    const role = roleNamed(now, name);
    checkMayGrant(now, role, isGrant);
    changes = isGrant
      ? addMembers(now, changes, { role, members, options, grantor })
      : removeFrom(now, changes, { role, members, options, grantor, cascade: statement.cascade });
  }
  const { edits, notices } = changes;
  return { kind: 'catalog', tag: isGrant ? 'GRANT ROLE' : 'REVOKE ROLE', edits, notices };
}

const OPTIONS: ReadonlySet<string> = new Set(['admin', 'inherit', 'set']);

/** @throws SqlError 42601, 22023. */
function readOptions(written: readonly WithOption[]): MembershipOptions {
  const options: Record<string, boolean> = {};
  for (const { at, name, value } of written) {
    const position = at || undefined;
    if (!OPTIONS.has(name)) {
      throw new SqlError('syntax_error', `unrecognized role option "${name}"`, { position });
    }
    const given = { true: true, on: true, false: false, off: false }[value.toLowerCase()];
    if (given === undefined) {
      const message = `unrecognized value for role option "${name}": "${value}"`;
      throw new SqlError('invalid_parameter_value', message, { position });
    }
    options[name] = given;
  }
  return options;
}

/** @throws SqlError 42501 for who has not ADMIN on the role. */
export function checkMayGrant(context: BindContext, role: Role, isGrant: boolean): void {
  const { catalog } = context;
  const verb = isGrant ? 'grant' : 'revoke';
  if (isGrant && role.oid === DATABASE_OWNER_ROLE_OID) {
    throw new SqlError('feature_not_supported', `role "${role.name}" cannot have explicit members`);
  }
  const current = currentRole(context);
  if (role.superuser && !isSuperuser(catalog, current)) {
    const detail = `Only roles with the SUPERUSER attribute may ${verb} roles with the SUPERUSER attribute.`;
    throw denied(`permission denied to ${verb} role "${role.name}"`, detail);
  }
  if (!role.superuser && !isAdminOf(catalog, current, role.oid)) {
    const detail = `Only roles with the ADMIN option on role "${role.name}" may ${verb} this role.`;
    throw denied(`permission denied to ${verb} role "${role.name}"`, detail);
  }
}

interface Joining {
  readonly role: Role;
  readonly members: readonly number[];
  readonly options: MembershipOptions;
  /** Null: whoever it is best. */
  readonly grantor: number | null;
}

/** @throws SqlError 42501, 0LP01. */
export function addMembers(context: BindContext, before: Changes, joining: Joining): Changes {
  const { role, members, options } = joining;
  if (members.length === 0) return before;
  const grantor = checkedGrantor(context, joining, true);
  for (const member of members) checkMember(context, role, member);
  if (options.admin === true) checkAdminCircle(context.catalog, role.oid, { grantor, members });
  const { catalog } = before;
  const known = new Map(
    allMemberships(catalog)
      .filter((other) => other.role === role.oid && other.grantor === grantor)
      .map((other) => [other.member, other]),
  );
  const [memberships, notices]: [Membership[], string[]] = [[], []];
  for (const member of members) {
    const old = known.get(member);
    if (old !== undefined && isAsWanted(old, options)) {
      const [name, by] = [roleName({ catalog }, member), roleName({ catalog }, grantor)];
      const message = `role "${name}" has already been granted membership in role "${role.name}" by role "${by}"`;
      notices.push(message);
      continue;
    }
    const inherit = roleByOid(catalog, member)?.inherit ?? true;
    const usual = { oid: 0, role: role.oid, member, grantor, admin: false, inherit, set: true };
    const membership = { ...(old ?? usual), ...options };
    memberships.push(membership);
    known.set(member, membership);
  }
  return changed(before, memberships.length === 0 ? [] : [{ edit: 'put memberships', memberships }], notices);
}

const changed = (
  { catalog, edits, notices }: Changes,
  more: readonly CatalogEdit[],
  told: Changes['notices'],
): Changes => ({
  catalog: more.reduce(applyEdit, catalog),
  edits: [...edits, ...more],
  notices: [...notices, ...told],
});

function checkMember({ catalog }: BindContext, role: Role, member: number): void {
  const named = roleByOid(catalog, member)?.name ?? '';
  if (member === DATABASE_OWNER_ROLE_OID) {
    throw new SqlError('feature_not_supported', `role "${named}" cannot be a member of any role`);
  }
  if (!rolesReached(catalog, role.oid, 'any').has(member)) return;
  throw new SqlError('invalid_grant_operation', `role "${role.name}" is a member of role "${named}"`);
}

const isAsWanted = (known: Membership, options: MembershipOptions): boolean =>
  Object.entries(options).every(([option, value]) => known[option as 'admin'] === value);

export function removeFrom(
  context: BindContext,
  before: Changes,
  leaving: Joining & { readonly cascade: boolean },
): Changes {
  const { role, members, options, cascade } = leaving;
  const grantor = checkedGrantor(context, leaving, false);
  const plan = newRevokePlan(context.catalog, role.oid);
  const [option = 'membership'] = Object.keys(options) as readonly Revocation[];
  const warnings = members.flatMap((member): readonly Notice[] => {
    if (planRevoke(plan, { member, grantor }, { what: option, cascade })) return [];
    const [name, by] = [roleName(context, member), roleName(context, grantor)];
    const message = `role "${name}" has not been granted membership in role "${role.name}" by role "${by}"`;
    return [{ severity: 'WARNING', condition: 'warning', message }];
  });
  const gone = [...plan.actions].flatMap(([oid, what]) => (what === 'membership' ? [oid] : []));
  const less = plan.memberships.flatMap((membership): Membership[] => {
    const what = plan.actions.get(membership.oid);
    return what === undefined || what === 'membership' ? [] : [{ ...membership, [what]: false }];
  });
  const edits: readonly CatalogEdit[] = [
    { edit: 'drop memberships', memberships: gone },
    { edit: 'put memberships', memberships: less },
  ];
  return changed(before, plan.actions.size === 0 ? [] : edits, warnings);
}

/** Source: check_role_grantor. @throws SqlError 42501. */
function checkedGrantor(
  context: BindContext,
  { role, grantor }: Pick<Joining, 'role' | 'grantor'>,
  isGrant: boolean,
): number {
  const { catalog } = context;
  const current = currentRole(context);
  if (grantor === null) {
    if (isSuperuser(catalog, current)) return OWNER_ROLE_OID;
    const best = bestAdmin(catalog, current, role.oid);
    if (best === null) throw new SqlError('internal_error', 'no possible grantors');
    return best;
  }
  const name = roleName(context, grantor);
  if (!hasRightsOf(catalog, current, grantor)) {
    const [as, may] = isGrant
      ? [`to grant privileges as role "${name}"`, 'grant privileges as this role']
      : [`to revoke privileges granted by role "${name}"`, 'revoke privileges granted by this role'];
    throw denied(`permission denied ${as}`, `Only roles with privileges of role "${name}" may ${may}.`);
  }
  const isBest = grantor === OWNER_ROLE_OID || bestAdmin(catalog, grantor, role.oid) === grantor;
  if (isGrant && !isBest) {
    const detail = `The grantor must have the ADMIN option on role "${role.name}".`;
    throw denied(`permission denied to grant privileges as role "${name}"`, detail);
  }
  return grantor;
}
