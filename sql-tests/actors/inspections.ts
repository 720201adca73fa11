/** Questions by chance to the catalog: what an actor is told of rights and policies. */
import { pick } from '../fuzz/choose.ts';
import { columnsOf, type Make, TABLES, VIEWS } from './parts.ts';
import { ACTORS } from './world.ts';

const RELATIONS = [...TABLES, ...VIEWS];
const OWN = "table_name IN ('a_notes', 'a_depts', 'a_plain', 'log', 'a_v_own', 'a_v_inv')";

const quoted = (name: string): string => `'${name.replace(/^"(.*)"$/, '$1').replaceAll('""', '"')}'`;
const who: Make = (random) => quoted(pick(random, [...ACTORS, 'a_team']));
const privilege: Make = (random) =>
  pick(random, [
    'SELECT',
    'INSERT',
    'UPDATE',
    'DELETE',
    'TRUNCATE',
    'SELECT WITH GRANT OPTION',
    'select, update',
    'NOTHING',
  ]);

const INSPECTIONS: readonly Make[] = [
  (random) => `SELECT row_security_active('${pick(random, RELATIONS)}')`,
  (random) => `SELECT has_table_privilege('${pick(random, RELATIONS)}', '${privilege(random)}')`,
  (random) =>
    `SELECT has_table_privilege(${who(random)}, '${pick(random, RELATIONS)}', '${privilege(random)}')`,
  (random) => {
    const table = pick(random, RELATIONS);
    const one = pick(random, ['SELECT', 'UPDATE', 'INSERT']);
    return `SELECT has_column_privilege('${table}', '${pick(random, columnsOf(table))}', '${one}'), has_any_column_privilege('${table}', '${one}')`;
  },
  (random) =>
    `SELECT has_function_privilege(${who(random)}, 'a_def()', 'EXECUTE'), has_sequence_privilege('a_seq', 'USAGE')`,
  (random) =>
    `SELECT pg_has_role(${who(random)}, ${who(random)}, '${pick(random, ['MEMBER', 'USAGE', 'SET', 'USAGE WITH ADMIN OPTION'])}')`,
  () =>
    "SELECT tablename, policyname, permissive, roles::text, cmd FROM pg_policies WHERE tablename LIKE 'a\\_%'",
  () =>
    "SELECT relname, relrowsecurity, relforcerowsecurity FROM pg_class WHERE relname IN ('a_notes', 'a_depts')",
  () => `SELECT table_name, column_name FROM information_schema.columns WHERE ${OWN}`,
  () => `SELECT table_name, table_type, is_insertable_into FROM information_schema.tables WHERE ${OWN}`,
  () =>
    `SELECT grantor, grantee, table_name, privilege_type, is_grantable FROM information_schema.table_privileges WHERE ${OWN}`,
  () =>
    `SELECT grantee, table_name, column_name, privilege_type FROM information_schema.column_privileges WHERE ${OWN}`,
  () => `SELECT grantee, table_name, privilege_type FROM information_schema.role_table_grants WHERE ${OWN}`,
  () => `SELECT table_name, is_updatable FROM information_schema.views WHERE ${OWN}`,
  () => `SELECT view_definition IS NULL FROM information_schema.views WHERE table_name = 'a_v_own'`,
  () => "SELECT routine_name, security_type FROM information_schema.routines WHERE routine_name LIKE 'a\\_%'",
  () => "SELECT schema_name FROM information_schema.schemata WHERE schema_name IN ('a_in', 'public')",
  () => "SELECT sequence_name FROM information_schema.sequences WHERE sequence_name = 'a_seq'",
  () => "SELECT role_name FROM information_schema.enabled_roles WHERE role_name LIKE 'a\\_%'",
  () =>
    `SELECT table_name, constraint_name FROM information_schema.table_constraints WHERE ${OWN} AND constraint_type = 'PRIMARY KEY'`,
  () =>
    `SELECT table_name, constraint_name, column_name FROM information_schema.key_column_usage WHERE ${OWN}`,
  () => 'SELECT current_user, session_user, current_role',
  () => "SELECT current_setting('role'), current_setting('is_superuser'), current_setting('row_security')",
  (random) => `SHOW ${pick(random, ['role', 'session_authorization', 'is_superuser'])}`,
];

export const inspection: Make = (random) => pick(random, INSPECTIONS)(random);
