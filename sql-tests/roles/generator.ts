/**
 * Statements of roles by chance: roles and memberships, GRANT and REVOKE on objects of every kind, default privileges,
 * owners. Names are few, so that grants meet, hold each other and go round.
 */
import type { Random } from '../faults/mutations.ts';
import { chance, pick, times } from '../fuzz/choose.ts';

export const ROLES = ['r_ann', 'r_bob', 'r_cy', 'r_dee', '"r Eve""s"', 'r_fay'] as const;
const MISSING = 'r_nobody';

/** Objects of a round, made before its statements. */
export const OBJECTS: readonly string[] = [
  'CREATE SCHEMA r_app',
  'CREATE TABLE r_app.books (id int, title text, price int)',
  'CREATE VIEW r_app.cheap AS SELECT id FROM r_app.books',
  'CREATE TABLE r_plain (a int, b text)',
  'CREATE SEQUENCE r_counter',
  "CREATE TYPE r_mood AS ENUM ('sad', 'ok')",
  "CREATE FUNCTION r_add(a int, b int) RETURNS int LANGUAGE sql AS 'SELECT a + b'",
];

/** Leaves nothing of a round behind. */
export const CLEANED: readonly string[] = [
  'DROP SCHEMA IF EXISTS r_app CASCADE',
  'DROP SCHEMA IF EXISTS r_new CASCADE',
  'DROP VIEW IF EXISTS r_extra',
  'DROP TABLE IF EXISTS r_plain, r_made CASCADE',
  'DROP SEQUENCE IF EXISTS r_counter',
  'DROP FUNCTION IF EXISTS r_add(int, int)',
  'DROP TYPE IF EXISTS r_mood',
  ...ROLES.map((role) => `DROP OWNED BY ${role} CASCADE`),
  ...ROLES.map((role) => `DROP ROLE IF EXISTS ${role}`),
];

const FLAGS = [
  'SUPERUSER',
  'NOSUPERUSER',
  'CREATEROLE',
  'NOCREATEROLE',
  'CREATEDB',
  'NOCREATEDB',
  'INHERIT',
  'NOINHERIT',
  'LOGIN',
  'NOLOGIN',
  'REPLICATION',
  'BYPASSRLS',
  'NOBYPASSRLS',
  'CONNECTION LIMIT 3',
  'CONNECTION LIMIT -2',
  "VALID UNTIL '2031-05-06 07:08:09+00'",
  "VALID UNTIL 'infinity'",
];

const TABLES = ['r_app.books', 'r_plain', 'r_app.cheap', 'r_counter', 'r_missing'];
const TABLE_PRIVILEGES = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'TRUNCATE',
  'REFERENCES',
  'TRIGGER',
  'MAINTAIN',
];
const COLUMNS = ['id', 'title', 'a', 'b', 'nothing'];

type Make = (random: Random) => string;

const role: Make = (random) => (chance(random, 3) ? MISSING : pick(random, ROLES));
const roles: Make = (random) => times(1 + random(2), () => role(random)).join(', ');
const grantees: Make = (random) => (chance(random, 12) ? 'PUBLIC' : roles(random));
const flags: Make = (random) => times(random(3), () => pick(random, FLAGS)).join(' ');
const behavior: Make = (random) => pick(random, ['', '', ' RESTRICT', ' CASCADE', ' CASCADE']);

const some = (random: Random, from: readonly string[]): string =>
  [...new Set(times(1 + random(3), () => pick(random, from)))].join(', ');

function memberOptions(random: Random): string {
  const options = times(
    random(3),
    () => `${pick(random, ['ADMIN', 'INHERIT', 'SET'])} ${pick(random, ['TRUE', 'FALSE'])}`,
  );
  const given = [...new Map(options.map((option) => [option.split(' ')[0], option])).values()];
  return given.length === 0 ? '' : ` WITH ${given.join(', ')}`;
}

const by: Make = (random) => (chance(random, 25) ? ` GRANTED BY ${role(random)}` : '');

const MEMBERSHIPS: readonly Make[] = [
  (random) => `GRANT ${roles(random)} TO ${roles(random)}${memberOptions(random)}${by(random)}`,
  (random) => `GRANT ${role(random)} TO ${role(random)} WITH ADMIN OPTION${by(random)}`,
  (random) => {
    const option = pick(random, ['', '', 'ADMIN OPTION FOR ', 'INHERIT OPTION FOR ', 'SET OPTION FOR ']);
    return `REVOKE ${option}${role(random)} FROM ${roles(random)}${by(random)}${behavior(random)}`;
  },
];

const ROLE_STATEMENTS: readonly Make[] = [
  (random) => `CREATE ${pick(random, ['ROLE', 'USER', 'GROUP'])} ${role(random)} ${flags(random)}`,
  (random) => `CREATE ROLE ${role(random)} ${pick(random, ['IN ROLE', 'ROLE', 'ADMIN'])} ${roles(random)}`,
  (random) => `ALTER ROLE ${role(random)} ${flags(random)}`,
  (random) => `ALTER GROUP ${role(random)} ${pick(random, ['ADD', 'DROP'])} USER ${roles(random)}`,
  (random) =>
    `ALTER ROLE ${role(random)} SET ${pick(random, ["work_mem = '8MB'", 'search_path = r_app, "x y"'])}`,
  (random) => `ALTER ROLE ${role(random)} RESET ${pick(random, ['work_mem', 'search_path', 'ALL'])}`,
  (random) => `ALTER ROLE ${role(random)} RENAME TO ${pick(random, [...ROLES, 'pg_taken'])}`,
  (random) => `DROP ROLE ${chance(random, 50) ? 'IF EXISTS ' : ''}${roles(random)}`,
  (random) => `COMMENT ON ROLE ${role(random)} IS 'by chance'`,
];

/** Privileges and what they are on. */
const ON: readonly Make[] = [
  (random) => `${some(random, TABLE_PRIVILEGES)} ON ${pick(random, TABLES)}`,
  (random) => `ALL ON ${pick(random, TABLES)}`,
  (random) => {
    const on = pick(random, TABLES);
    return `${pick(random, ['SELECT', 'UPDATE', 'INSERT', 'DELETE', 'ALL'])} (${some(random, COLUMNS)}) ON ${on}`;
  },
  (random) => `SELECT (id), ${pick(random, TABLE_PRIVILEGES)} ON r_app.books`,
  (random) => `${some(random, ['USAGE', 'SELECT', 'UPDATE', 'DELETE'])} ON SEQUENCE r_counter`,
  (random) => `${some(random, ['USAGE', 'CREATE', 'SELECT'])} ON SCHEMA ${pick(random, ['r_app', 'public'])}`,
  (random) => `${some(random, ['CONNECT', 'TEMP', 'CREATE', 'USAGE'])} ON DATABASE quern`,
  (random) => `${pick(random, ['EXECUTE', 'ALL', 'SELECT'])} ON FUNCTION r_add(int, int)`,
  (random) => `EXECUTE ON ${pick(random, ['FUNCTION r_add', 'ROUTINE r_add', 'FUNCTION r_none(text)'])}`,
  (random) => `${pick(random, ['USAGE', 'ALL'])} ON TYPE ${pick(random, ['r_mood', 'r_nothing'])}`,
  (random) => `USAGE ON LANGUAGE ${pick(random, ['sql', 'c', 'nothing'])}`,
  (random) =>
    `${some(random, TABLE_PRIVILEGES)} ON ALL TABLES IN SCHEMA ${pick(random, ['r_app', 'r_app, public'])}`,
  (random) => `EXECUTE ON ALL FUNCTIONS IN SCHEMA ${pick(random, ['public', 'r_missing'])}`,
];

const GRANTS: readonly Make[] = [
  (random) => {
    const option = chance(random, 40) ? ' WITH GRANT OPTION' : '';
    return `GRANT ${pick(random, ON)(random)} TO ${grantees(random)}${option}`;
  },
  (random) => {
    const option = chance(random, 25) ? 'GRANT OPTION FOR ' : '';
    return `REVOKE ${option}${pick(random, ON)(random)} FROM ${grantees(random)}${behavior(random)}`;
  },
];

const DEFAULTS_ON = [
  'SELECT ON TABLES',
  'ALL ON TABLES',
  'INSERT, DELETE ON TABLES',
  'USAGE ON SEQUENCES',
  'EXECUTE ON FUNCTIONS',
  'USAGE ON TYPES',
  'USAGE ON SCHEMAS',
  'EXECUTE ON TABLES',
];

function defaults(random: Random): string {
  const whose = chance(random, 50) ? ` FOR ROLE ${roles(random)}` : '';
  const where = chance(random, 40) ? ' IN SCHEMA r_app' : '';
  const what = pick(random, DEFAULTS_ON);
  const change = chance(random, 70)
    ? `GRANT ${what} TO ${grantees(random)}${chance(random, 20) ? ' WITH GRANT OPTION' : ''}`
    : `REVOKE ${what} FROM ${grantees(random)}`;
  return `ALTER DEFAULT PRIVILEGES${whose}${where} ${change}`;
}

const OWNERS: readonly Make[] = [
  (random) => `ALTER TABLE ${pick(random, ['r_app.books', 'r_plain', 'r_counter'])} OWNER TO ${role(random)}`,
  (random) => `ALTER VIEW r_app.cheap OWNER TO ${role(random)}`,
  (random) => `ALTER SEQUENCE r_counter OWNER TO ${role(random)}`,
  (random) => `ALTER FUNCTION r_add(int, int) OWNER TO ${role(random)}`,
  (random) => `ALTER TYPE r_mood OWNER TO ${role(random)}`,
  (random) => `ALTER SCHEMA r_app OWNER TO ${role(random)}`,
  (random) => `REASSIGN OWNED BY ${roles(random)} TO ${role(random)}`,
  (random) => `DROP OWNED BY ${role(random)}`,
  () => 'CREATE TABLE r_made (a int)',
  () => 'DROP TABLE IF EXISTS r_made',
  (random) => `CREATE SCHEMA r_new AUTHORIZATION ${role(random)}`,
  () => 'DROP SCHEMA IF EXISTS r_new',
];

/** Each with how often it comes among a hundred. */
const KINDS: readonly (readonly [Make, number])[] = [
  [(random) => pick(random, ROLE_STATEMENTS)(random), 20],
  [(random) => pick(random, MEMBERSHIPS)(random), 20],
  [(random) => pick(random, GRANTS)(random), 40],
  [defaults, 10],
  [(random) => pick(random, OWNERS)(random), 10],
];

export function roleStatement(random: Random): string {
  let left = random(100);
  for (const [make, often] of KINDS) {
    if (left < often) return make(random);
    left -= often;
  }
  return defaults(random);
}
