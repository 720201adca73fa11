/** Statements by chance that change who may do what: policies, row security, grants, owners, views. */
import type { Random } from '../faults/mutations.ts';
import { chance, pick } from '../fuzz/choose.ts';
import { columnsOf, type Make, TABLES, VIEWS } from './parts.ts';
import { ACTORS } from './world.ts';

const ROLES = [...ACTORS, 'a_team'];
const RULED = ['a_notes', 'a_notes', 'a_notes', 'a_depts', 'a_in.log', 'a_v_own'] as const;
const POLICIES = ['p_own', 'p_read', 'p_all', 'p_boss', 'p_more', '"p ""odd"""'];

const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  a_notes: [
    'owner = current_user',
    'true',
    'false',
    'n > 2',
    'n < 4',
    "dept = current_setting('a.tenant', true)",
    'owner = session_user',
    "pg_has_role(owner, 'MEMBER')",
    'EXISTS (SELECT 1 FROM a_depts d WHERE d.name = dept)',
    'dept IN (SELECT name FROM a_depts WHERE boss = current_user)',
    'a_leads(current_user::text, dept)',
    'id IN (SELECT note FROM a_plain)',
    'id IN (SELECT id FROM a_notes)',
    '10 / (n - 3) > 0',
    'body IS NOT NULL',
    'nothing = 1',
    'n',
    'count(*) > 1',
    "(owner, dept) = (current_user::text, 'sales')",
  ],
  a_depts: [
    'boss = current_user',
    'true',
    "name <> 'legal'",
    'note IN (SELECT id FROM a_notes)',
    'name = ANY (SELECT dept FROM a_notes)',
    'false',
  ],
  'a_in.log': ['who = current_user', 'true', "msg <> 'm2'"],
};

const conditionOf = (random: Random, table: string): string => pick(random, CONDITIONS[table] ?? ['id > 2']);

const target: Make = (random) =>
  chance(random, 50)
    ? ''
    : ` TO ${pick(random, [...ROLES, 'PUBLIC', 'CURRENT_USER', 'SESSION_USER', 'a_nobody', 'a_ann, a_team'])}`;

function clausesOf(random: Random, table: string, command: string): string {
  const usesUsing = command === 'INSERT' ? chance(random, 5) : chance(random, 90);
  const usesCheck = ['SELECT', 'DELETE'].includes(command)
    ? chance(random, 5)
    : chance(random, command === 'INSERT' ? 95 : 35);
  return [
    usesUsing ? ` USING (${conditionOf(random, table)})` : '',
    usesCheck ? ` WITH CHECK (${conditionOf(random, table)})` : '',
  ].join('');
}

const POLICY: readonly Make[] = [
  (random) => {
    const table = pick(random, RULED);
    const command = pick(random, ['', 'ALL', 'SELECT', 'SELECT', 'INSERT', 'UPDATE', 'DELETE']);
    const kind = pick(random, ['', '', '', ' AS PERMISSIVE', ' AS RESTRICTIVE']);
    const when = command === '' ? '' : ` FOR ${command}`;
    return `CREATE POLICY ${pick(random, POLICIES)} ON ${table}${kind}${when}${target(random)}${clausesOf(random, table, command)}`;
  },
  (random) => {
    const table = pick(random, RULED);
    return `ALTER POLICY ${pick(random, POLICIES)} ON ${table}${target(random)}${clausesOf(random, table, pick(random, ['', '', 'SELECT']))}`;
  },
  (random) =>
    `ALTER POLICY ${pick(random, POLICIES)} ON ${pick(random, RULED)} RENAME TO ${pick(random, POLICIES)}`,
  (random) =>
    `DROP POLICY ${chance(random, 50) ? 'IF EXISTS ' : ''}${pick(random, POLICIES)} ON ${pick(random, [...RULED, 'a_missing'])}`,
  (random) =>
    `ALTER TABLE ${pick(random, ['a_notes', 'a_notes', 'a_depts', 'a_in.log', 'a_v_own'])} ${pick(random, ['ENABLE', 'ENABLE', 'DISABLE', 'FORCE', 'NO FORCE'])} ROW LEVEL SECURITY`,
];

const privileges: Make = (random) =>
  pick(random, ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'SELECT, UPDATE', 'ALL', 'TRUNCATE']);

const RIGHTS: readonly Make[] = [
  (random) =>
    `GRANT ${privileges(random)} ON ${pick(random, [...TABLES, ...VIEWS])} TO ${pick(random, [...ROLES, 'PUBLIC'])}${chance(random, 10) ? ' WITH GRANT OPTION' : ''}`,
  (random) =>
    `REVOKE ${privileges(random)} ON ${pick(random, [...TABLES, ...VIEWS])} FROM ${pick(random, [...ROLES, 'PUBLIC'])}${chance(random, 30) ? ' CASCADE' : ''}`,
  (random) => {
    const table = pick(random, [...TABLES, ...VIEWS]);
    const [from, word] = chance(random, 60) ? ['GRANT', 'TO'] : ['REVOKE', 'FROM'];
    return `${from} ${pick(random, ['SELECT', 'INSERT', 'UPDATE'])} (${pick(random, columnsOf(table))}) ON ${table} ${word} ${pick(random, ROLES)}`;
  },
  (random) => {
    const [from, word] = chance(random, 60) ? ['GRANT', 'TO'] : ['REVOKE', 'FROM'];
    const on = pick(random, [
      'EXECUTE ON FUNCTION a_def()',
      'EXECUTE ON FUNCTION a_leads(text, text)',
      'USAGE ON SEQUENCE a_seq',
      'USAGE ON SCHEMA a_in',
      'CREATE ON SCHEMA public',
    ]);
    return `${from} ${on} ${word} ${pick(random, [...ROLES, 'PUBLIC'])}`;
  },
  (random) =>
    `GRANT ${pick(random, ['a_team', 'a_own', 'a_ann'])} TO ${pick(random, ROLES)}${pick(random, ['', '', ' WITH INHERIT FALSE', ' WITH SET FALSE', ' WITH ADMIN TRUE'])}`,
  (random) =>
    `REVOKE ${pick(random, ['', 'INHERIT OPTION FOR ', 'SET OPTION FOR '])}${pick(random, ['a_team', 'a_own'])} FROM ${pick(random, ROLES)}`,
  (random) =>
    `ALTER ROLE ${pick(random, ROLES)} ${pick(random, ['BYPASSRLS', 'NOBYPASSRLS', 'INHERIT', 'NOINHERIT', 'NOSUPERUSER', 'CREATEROLE'])}`,
];

const OTHER: readonly Make[] = [
  (random) =>
    `ALTER TABLE ${pick(random, ['a_notes', 'a_depts', 'a_plain'])} OWNER TO ${pick(random, ROLES)}`,
  (random) => `ALTER VIEW ${pick(random, VIEWS)} OWNER TO ${pick(random, ROLES)}`,
  (random) => `ALTER FUNCTION ${pick(random, ['a_def()', 'a_me()'])} OWNER TO ${pick(random, ROLES)}`,
  (random) =>
    `CREATE OR REPLACE VIEW a_v_made${pick(random, ['', ' WITH (security_invoker)', ' WITH (security_barrier)'])} AS SELECT id, owner, n FROM ${pick(random, ['a_notes', 'a_v_inv', 'a_v_own'])}`,
  () => 'DROP VIEW IF EXISTS a_v_made',
  (random) =>
    `ALTER VIEW ${pick(random, VIEWS)} ${pick(random, ['SET (security_invoker = true)', 'SET (security_invoker = false)', 'RESET (security_invoker)', 'SET (security_barrier)'])}`,
  (random) => `ALTER FUNCTION a_inv() SECURITY ${pick(random, ['DEFINER', 'INVOKER'])}`,
  (random) => `CREATE TABLE a_made AS SELECT id FROM ${pick(random, ['a_notes', 'a_v_inv'])}`,
  () => 'DROP TABLE IF EXISTS a_made',
  (random) => `DROP ROLE ${pick(random, ROLES)}`,
  (random) =>
    `ALTER TABLE a_notes ${pick(random, ['ADD COLUMN extra int', 'DROP COLUMN IF EXISTS extra', 'ALTER COLUMN n SET DEFAULT 3'])}`,
  (random) => `COMMENT ON POLICY ${pick(random, POLICIES)} ON ${pick(random, RULED)} IS 'by chance'`,
  (random) => `CREATE INDEX IF NOT EXISTS a_idx ON a_notes (${pick(random, ['n', 'owner'])})`,
];

export const definition: Make = (random) => {
  const choice = random(100);
  if (choice < 50) return pick(random, POLICY)(random);
  return choice < 80 ? pick(random, RIGHTS)(random) : pick(random, OTHER)(random);
};
