/** Privileges as bits, and which kinds of objects have which. Source: PostgreSQL 17, section 5.8 and acl.h. */
import { PRIVILEGE_LETTERS as LETTERS, PRIVILEGE_NAMES as NAMES } from '../../types/acl-item.ts';

export type PrivilegeName = (typeof NAMES)[number];

/** A set of privileges. */
export type Privileges = number;

const NONE: Privileges = 0;

const bit = (name: PrivilegeName): Privileges => 1 << NAMES.indexOf(name);

export const PRIVILEGE = {
  insert: bit('INSERT'),
  select: bit('SELECT'),
  update: bit('UPDATE'),
  delete: bit('DELETE'),
  truncate: bit('TRUNCATE'),
  references: bit('REFERENCES'),
  trigger: bit('TRIGGER'),
  execute: bit('EXECUTE'),
  usage: bit('USAGE'),
  create: bit('CREATE'),
  temporary: bit('TEMPORARY'),
  connect: bit('CONNECT'),
  maintain: bit('MAINTAIN'),
} as const;

/** Undefined for what is no privilege. @param name in capitals; TEMP is TEMPORARY. */
export function privilegeByName(name: string): Privileges | undefined {
  const at = NAMES.indexOf((name === 'TEMP' ? 'TEMPORARY' : name) as PrivilegeName);
  return at < 0 ? undefined : 1 << at;
}

export const privilegeNames = (privileges: Privileges): readonly PrivilegeName[] =>
  NAMES.filter((_, i) => (privileges & (1 << i)) !== 0);

const privilegeByLetter = (letter: string): Privileges | undefined => {
  const at = LETTERS.indexOf(letter);
  return at < 0 || letter === '' ? undefined : 1 << at;
};

/** Kinds of objects by the letters that `acldefault` takes. */
export type ObjectKind =
  | 'relation'
  | 'column'
  | 'sequence'
  | 'database'
  | 'function'
  | 'schema'
  | 'type'
  | 'language'
  | 'tablespace'
  | 'parameter';

interface KindRow {
  readonly letter: string;
  /** All there are of it, which its owner has. */
  readonly all: Privileges;
  /** Privileges of everybody while nothing was granted or revoked. */
  readonly everybody: Privileges;
}

const setOf = (letters: string): Privileges =>
  [...letters].reduce((privileges, letter) => privileges | (privilegeByLetter(letter) ?? 0), 0);

export const OBJECT_KINDS: Readonly<Record<ObjectKind, KindRow>> = {
  relation: { letter: 'r', all: setOf('arwdDxtm'), everybody: NONE },
  column: { letter: 'c', all: setOf('arwx'), everybody: NONE },
  sequence: { letter: 's', all: setOf('rwU'), everybody: NONE },
  database: { letter: 'd', all: setOf('CTc'), everybody: setOf('Tc') },
  function: { letter: 'f', all: setOf('X'), everybody: setOf('X') },
  schema: { letter: 'n', all: setOf('UC'), everybody: NONE },
  type: { letter: 'T', all: setOf('U'), everybody: setOf('U') },
  language: { letter: 'l', all: setOf('U'), everybody: setOf('U') },
  tablespace: { letter: 't', all: setOf('C'), everybody: NONE },
  parameter: { letter: 'p', all: setOf('sA'), everybody: NONE },
};
