/** Queries whose answers are all that roles, owners and lists are: what a generated round is compared by. */

const named = (column: string): string => `${column} LIKE 'r\\_%' OR ${column} LIKE 'r %'`;

const user = (column: string): string => `pg_get_userbyid(${column})`;

/** Who may what, for each role and privilege. */
const held = (call: string, from: string, privileges: readonly string[]): string => `
  SELECT r.rolname, p, ${call} FROM pg_roles r, ${from}, unnest(ARRAY['${privileges.join("', '")}']) p
  WHERE (${named('r.rolname')}) ORDER BY 1, 2, 3`;

export const PICTURE: readonly string[] = [
  `SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolreplication,
     rolbypassrls, rolconnlimit, rolvaliduntil::text, rolconfig::text
     FROM pg_roles WHERE ${named('rolname')} ORDER BY 1`,
  `SELECT ${user('roleid')}, ${user('member')}, ${user('grantor')}, admin_option, inherit_option, set_option
     FROM pg_auth_members WHERE ${named(user('roleid'))} ORDER BY 1, 2, 3`,
  `SELECT relname, ${user('relowner')}, relacl::text FROM pg_class
     WHERE relkind IN ('r', 'v', 'S') AND relname IN ('books', 'cheap', 'r_plain', 'r_counter', 'r_made')
     ORDER BY 1`,
  `SELECT relname, attname, attacl::text FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
     WHERE relname IN ('books', 'r_plain', 'cheap') AND attnum > 0 ORDER BY 1, 2`,
  `SELECT nspname, ${user('nspowner')}, nspacl::text FROM pg_namespace
     WHERE nspname IN ('r_app', 'r_new', 'public') ORDER BY 1`,
  `SELECT proname, ${user('proowner')}, proacl::text FROM pg_proc WHERE proname = 'r_add'`,
  `SELECT typname, ${user('typowner')}, typacl::text FROM pg_type WHERE typname = 'r_mood'`,
  "SELECT lanacl::text FROM pg_language WHERE lanname = 'sql'",
  `SELECT ${user('datdba')}, datacl::text FROM pg_database WHERE datname = 'quern'`,
  `SELECT ${user('defaclrole')}, nspname, defaclobjtype, defaclacl::text
     FROM pg_default_acl LEFT JOIN pg_namespace n ON n.oid = defaclnamespace ORDER BY 1, 2, 3`,
  `SELECT relname, ${user('grantor')}, CASE grantee WHEN 0 THEN 'PUBLIC' ELSE ${user('grantee')} END, privilege_type,
     is_grantable FROM pg_class, aclexplode(relacl)
     WHERE relname IN ('books', 'r_plain', 'r_counter') ORDER BY 1, 2, 3, 4`,
  `SELECT r.rolname, s.setconfig::text FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = setrole ORDER BY 1`,
  held("has_table_privilege(r.rolname, 'r_app.books', p)", '(SELECT 1) one', [
    'SELECT',
    'INSERT WITH GRANT OPTION',
    'UPDATE, DELETE',
    'MAINTAIN',
  ]),
  held("has_column_privilege(r.oid, 'r_plain', 'a', p)", '(SELECT 1) one', [
    'SELECT',
    'UPDATE WITH GRANT OPTION',
  ]),
  held("has_any_column_privilege(r.oid, 'r_plain'::regclass, p)", '(SELECT 1) one', ['SELECT', 'INSERT']),
  held("has_sequence_privilege(r.rolname, 'r_counter', p)", '(SELECT 1) one', ['USAGE', 'SELECT']),
  held("has_schema_privilege(r.rolname, 'r_app', p)", '(SELECT 1) one', ['USAGE', 'CREATE']),
  held("has_function_privilege(r.rolname, 'r_add(int, int)', p)", '(SELECT 1) one', ['EXECUTE']),
  held("has_type_privilege(r.rolname, 'r_mood', p)", '(SELECT 1) one', ['USAGE']),
  held("has_database_privilege(r.rolname, 'quern', p)", '(SELECT 1) one', ['CONNECT', 'TEMP', 'CREATE']),
  held('pg_has_role(r.rolname, other.rolname, p)', `pg_roles other`, [
    'MEMBER',
    'USAGE',
    'SET',
    'USAGE WITH ADMIN OPTION',
  ]).replace('ORDER BY', `AND (${named('other.rolname')}) ORDER BY`),
  `SELECT grantor, grantee, table_name, privilege_type, is_grantable FROM information_schema.table_privileges
     WHERE table_name IN ('books', 'cheap', 'r_plain') ORDER BY 1, 2, 3, 4, 5`,
  `SELECT grantor, grantee, table_name, column_name, privilege_type, is_grantable
     FROM information_schema.role_column_grants WHERE table_name IN ('books', 'r_plain')
     ORDER BY 1, 2, 3, 4, 5, 6`,
  `SELECT grantor, grantee, routine_name, is_grantable FROM information_schema.routine_privileges
     WHERE routine_name = 'r_add' ORDER BY 1, 2`,
  `SELECT grantee, role_name, is_grantable FROM information_schema.applicable_roles
     WHERE ${named('role_name')} ORDER BY 1, 2, 3`,
];
