/**
 * Roles: who may sign in, own things, and be granted rights. Those that every database has stand here, with
 * PostgreSQL's OIDs where it has them; users' own are in the catalog. Source: PostgreSQL 17, chapter 21.
 */
import { LayeredMap } from '../layered-map.ts';
import type { Catalog } from '../model.ts';
import type { Membership, Role } from './model.ts';
import { DATABASE_NAME, DATABASE_OWNER_ROLE_OID, OWNER_ROLE_OID } from '../oids.ts';

/** Memberships that are followed: those that inherit, those with SET, or all. */
type Followed = 'inherit' | 'set' | 'any';

/** Everybody, as a grantee. */
export const PUBLIC = 0;

const NO_RIGHTS = {
  superuser: false,
  inherit: true,
  createRole: false,
  createDatabase: false,
  login: false,
  replication: false,
  bypassRowSecurity: false,
  connectionLimit: -1,
  validUntil: null,
} as const;

const predefined = (oid: number, name: string): Role => ({ ...NO_RIGHTS, oid, name });

export const PREDEFINED = {
  readAllData: 6181,
  writeAllData: 6182,
  readAllSettings: 3374,
  readAllStats: 3375,
  monitor: 3373,
  maintain: 6337,
  signalBackend: 4200,
} as const;

/** Texts of its members' statements may go to endpoints outside. */
export const OUTSIDE_ROLE = 13_024;

/** Its members read `quern.audit`. */
export const AUDIT_ROLE = 13_025;

/** Roles of Quern's keys. */
export const KEY_ROLES = { owner: 13_020, admin: 13_021, writer: 13_022, reader: 13_023 } as const;

/** Roles that are there in every database; nobody drops or renames them. */
const BUILT_IN_ROLES: readonly Role[] = [
  {
    ...NO_RIGHTS,
    oid: OWNER_ROLE_OID,
    name: DATABASE_NAME,
    superuser: true,
    createRole: true,
    createDatabase: true,
    login: true,
    replication: true,
    bypassRowSecurity: true,
  },
  {
    ...NO_RIGHTS,
    oid: KEY_ROLES.owner,
    name: 'owner',
    superuser: true,
    createRole: true,
    bypassRowSecurity: true,
  },
  { ...NO_RIGHTS, oid: KEY_ROLES.admin, name: 'admin', createRole: true },
  predefined(KEY_ROLES.writer, 'writer'),
  predefined(KEY_ROLES.reader, 'reader'),
  predefined(OUTSIDE_ROLE, 'quern_outside'),
  predefined(AUDIT_ROLE, 'quern_auditor'),
  predefined(DATABASE_OWNER_ROLE_OID, 'pg_database_owner'),
  predefined(PREDEFINED.readAllData, 'pg_read_all_data'),
  predefined(PREDEFINED.writeAllData, 'pg_write_all_data'),
  predefined(PREDEFINED.monitor, 'pg_monitor'),
  predefined(PREDEFINED.readAllSettings, 'pg_read_all_settings'),
  predefined(PREDEFINED.readAllStats, 'pg_read_all_stats'),
  predefined(3377, 'pg_stat_scan_tables'),
  predefined(PREDEFINED.signalBackend, 'pg_signal_backend'),
  predefined(4544, 'pg_checkpoint'),
  predefined(4550, 'pg_use_reserved_connections'),
  predefined(PREDEFINED.maintain, 'pg_maintain'),
];

const builtIn = (oid: number, role: number, member: number): Membership => ({
  oid,
  role,
  member,
  grantor: OWNER_ROLE_OID,
  admin: false,
  inherit: true,
  set: true,
});

/** Memberships that are there in every database. */
const BUILT_IN_MEMBERSHIPS: readonly Membership[] = [
  builtIn(13_030, KEY_ROLES.owner, OWNER_ROLE_OID),
  builtIn(13_031, KEY_ROLES.writer, KEY_ROLES.admin),
  builtIn(13_032, KEY_ROLES.reader, KEY_ROLES.writer),
  builtIn(13_033, PREDEFINED.readAllData, KEY_ROLES.reader),
  builtIn(13_034, PREDEFINED.writeAllData, KEY_ROLES.writer),
  builtIn(13_035, PREDEFINED.monitor, KEY_ROLES.admin),
  builtIn(13_036, PREDEFINED.maintain, KEY_ROLES.admin),
  builtIn(13_037, PREDEFINED.signalBackend, KEY_ROLES.admin),
  builtIn(13_038, PREDEFINED.readAllSettings, PREDEFINED.monitor),
  builtIn(13_039, PREDEFINED.readAllStats, PREDEFINED.monitor),
  builtIn(13_040, OUTSIDE_ROLE, KEY_ROLES.reader),
];

type RolesOf = Pick<Catalog, 'roles' | 'memberships'>;

/** Built-in ones first. */
export function* allRoles(catalog: Pick<Catalog, 'roles'>): Generator<Role> {
  yield* BUILT_IN_ROLES;
  yield* catalog.roles.values();
}

export const allMemberships = ({ memberships }: Pick<Catalog, 'memberships'>): readonly Membership[] => [
  ...BUILT_IN_MEMBERSHIPS,
  ...memberships,
];

const BUILT_IN_BY_OID: ReadonlyMap<number, Role> = new Map(BUILT_IN_ROLES.map((role) => [role.oid, role]));
const BUILT_IN_BY_NAME: ReadonlyMap<string, Role> = new Map(BUILT_IN_ROLES.map((role) => [role.name, role]));

export const isBuiltIn = (oid: number): boolean => BUILT_IN_BY_OID.has(oid);

export function roleByOid({ roles }: Pick<Catalog, 'roles'>, oid: number): Role | undefined {
  return BUILT_IN_BY_OID.get(oid) ?? roles.get(oid);
}

const BY_NAME = new WeakMap<Catalog['roles'], LayeredMap<string, Role>>();

function byName(roles: Catalog['roles']): LayeredMap<string, Role> {
  const known =
    BY_NAME.get(roles) ?? LayeredMap.of(new Map([...roles.values()].map((role) => [role.name, role])));
  BY_NAME.set(roles, known);
  return known;
}

/** With one that is new, or in place of the one of its number: ten thousand at once are made one after the other. */
export function withRole(roles: Catalog['roles'], role: Role): Catalog['roles'] {
  const before = roles.get(role.oid);
  const names = before === undefined ? byName(roles) : byName(roles).without(before.name);
  const changed = LayeredMap.of(roles).with(role.oid, role);
  BY_NAME.set(changed, names.with(role.name, role));
  return changed;
}

export function withoutRole(roles: Catalog['roles'], { oid, name }: Role): Catalog['roles'] {
  const names = byName(roles).without(name);
  const changed = LayeredMap.of(roles).without(oid);
  BY_NAME.set(changed, names);
  return changed;
}

/** Roles that are reached in one version of them, which are asked for again and again. */
type Known = Record<Followed, Map<number, ReadonlySet<number>>>;

const KNOWN = new WeakMap<Catalog['roles'], WeakMap<Catalog['memberships'], Known>>();

function knownOf({ roles, memberships }: RolesOf): Known {
  let byMemberships = KNOWN.get(roles);
  if (byMemberships === undefined) {
    byMemberships = new WeakMap();
    KNOWN.set(roles, byMemberships);
  }
  let known = byMemberships.get(memberships);
  if (known === undefined) {
    known = { inherit: new Map(), set: new Map(), any: new Map() };
    byMemberships.set(memberships, known);
  }
  return known;
}

export function roleByName(catalog: Pick<Catalog, 'roles'>, name: string): Role | undefined {
  return BUILT_IN_BY_NAME.get(name) ?? byName(catalog.roles).get(name);
}

const BY_MEMBER = new WeakMap<Catalog['memberships'], ReadonlyMap<number, readonly Membership[]>>();

function membershipsByMember(
  catalog: Pick<Catalog, 'memberships'>,
): ReadonlyMap<number, readonly Membership[]> {
  const known =
    BY_MEMBER.get(catalog.memberships) ?? Map.groupBy(allMemberships(catalog), ({ member }) => member);
  BY_MEMBER.set(catalog.memberships, known);
  return known;
}

/** The roles that a role is a member of, itself among them, by memberships with an option. */
export function rolesReached(catalog: RolesOf, role: number, option: Followed): ReadonlySet<number> {
  const known = knownOf(catalog)[option];
  const before = known.get(role);
  if (before !== undefined) return before;
  const reached = new Set([role]);
  const ofMember = membershipsByMember(catalog);
  // A set gives what is added while one goes through it.
  for (const member of reached) {
    for (const membership of ofMember.get(member) ?? []) {
      if (option === 'any' || membership[option]) reached.add(membership.role);
    }
  }
  known.set(role, reached);
  return reached;
}

export const isSuperuser = (catalog: Pick<Catalog, 'roles'>, role: number): boolean =>
  roleByOid(catalog, role)?.superuser === true;

/** True when the rights of `role` are those of `of` too, by memberships that inherit; of a superuser always. */
export const hasRightsOf = (catalog: RolesOf, role: number, of: number): boolean =>
  isSuperuser(catalog, role) || rolesReached(catalog, role, 'inherit').has(of);
