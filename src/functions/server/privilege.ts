/**
 * has_table_privilege and its kin: names and privileges are checked as PostgreSQL does; of a number that is nothing's
 * they are NULL. Source: PostgreSQL 18, section 9.27.2 "Access Privilege Inquiry Functions".
 */
import { type Condition, SqlError } from '../../errors.ts';
import { PRIVILEGE_NAMES } from '../../types/acl-item.ts';
import type { AccessObject, FunctionContext, ScalarFunction } from '../function.ts';
import { roleAsked, ROLES, type RoleArgument, userOid } from './role-arguments.ts';

interface Kind {
  readonly name: string;
  readonly of: AccessObject['kind'];
  readonly privileges: readonly string[];
  /** The object as SQL, by name and by number, and the answer. */
  readonly example: readonly [text: string, oid: string, answer: string | null];
  /** Noun of the error that an unknown name raises. */
  readonly noun: string;
  readonly condition: Condition;
  readonly oid: (context: FunctionContext, name: string) => number | null;
  /** Columns count too: one is enough. */
  readonly anyColumn?: boolean;
}

const COLUMN = ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'];
const USAGE = ['USAGE'];

const relation = (
  name: string,
  row: Pick<Kind, 'of' | 'privileges' | 'anyColumn'> & Partial<Pick<Kind, 'example'>>,
): Kind => ({
  name,
  example: ["'pg_class'", "'pg_class'::regclass::oid", 't'],
  noun: 'relation',
  condition: 'undefined_table',
  oid: ({ catalog }, given) => catalog.relationOid(given),
  ...row,
});

const KINDS: readonly Kind[] = [
  relation('table', { of: 'relation', privileges: [...COLUMN, 'DELETE', 'TRUNCATE', 'TRIGGER', 'MAINTAIN'] }),
  relation('any_column', { of: 'relation', privileges: COLUMN, anyColumn: true }),
  relation('sequence', {
    of: 'sequence',
    privileges: ['USAGE', 'SELECT', 'UPDATE'],
    example: ['NULL', '0::oid', null],
  }),
  {
    name: 'schema',
    of: 'schema',
    privileges: ['CREATE', 'USAGE'],
    example: ["'public'", "'public'::regnamespace::oid", 't'],
    noun: 'schema',
    condition: 'invalid_schema_name',
    oid: ({ catalog }, given) => catalog.namespaceNamed(given),
  },
  {
    name: 'database',
    of: 'database',
    privileges: ['CREATE', 'CONNECT', 'TEMPORARY', 'TEMP'],
    example: ["'quern'", '16384::oid', 't'],
    noun: 'database',
    condition: 'invalid_catalog_name',
    oid: (context, given) => (given === context.database() ? context.catalog.databaseOid : null),
  },
  {
    name: 'type',
    of: 'type',
    privileges: USAGE,
    example: ["'int4'", "'int4'::regtype::oid", 't'],
    noun: 'type',
    condition: 'undefined_object',
    oid: ({ catalog }, given) => catalog.typeOid(given),
  },
  {
    name: 'function',
    of: 'function',
    privileges: ['EXECUTE'],
    example: ["'now()'", "to_regproc('now')::oid", 't'],
    noun: 'function',
    condition: 'undefined_function',
    oid: ({ catalog }, given) => catalog.functionOid(given),
  },
  {
    name: 'language',
    of: 'language',
    privileges: USAGE,
    example: ["'sql'", '14::oid', 't'],
    noun: 'language',
    condition: 'undefined_object',
    oid: (_, given) => ({ internal: 12, c: 13, sql: 14 })[given] ?? null,
  },
  {
    name: 'tablespace',
    of: 'tablespace',
    privileges: ['CREATE'],
    example: ["'pg_default'", '1663::oid', 't'],
    noun: 'tablespace',
    condition: 'undefined_object',
    oid: (_, given) => ({ pg_default: 1663, pg_global: 1664 })[given] ?? null,
  },
];

/** A privilege that is asked for, with or without WITH GRANT OPTION. */
interface AskedPrivilege {
  readonly bits: number;
  readonly grantable: boolean;
}

/** @throws SqlError 22023 */
function askedPrivileges(text: string, allowed: readonly string[]): readonly AskedPrivilege[] {
  return text.split(',').map((part) => {
    const privilege = part.trim();
    const bare = privilege.toUpperCase().replace(/ WITH GRANT OPTION$/, '');
    if (!allowed.includes(bare)) {
      throw new SqlError('invalid_parameter_value', `unrecognized privilege type: "${privilege}"`);
    }
    const at = (PRIVILEGE_NAMES as readonly string[]).indexOf(bare === 'TEMP' ? 'TEMPORARY' : bare);
    return { bits: 1 << at, grantable: bare.length < privilege.length };
  });
}

/** Null: there is no such object. */
function hasAny(
  { catalog }: FunctionContext,
  role: number,
  [object, asked]: readonly [object: AccessObject, asked: readonly AskedPrivilege[]],
): boolean | null {
  const held = catalog.privilegesOf(role, object);
  if (held === null) return null;
  return asked.some(({ bits, grantable }) => ((grantable ? held.grantable : held.privileges) & bits) !== 0);
}

/** @throws SqlError for an unknown name. */
function objectOid(context: FunctionContext, kind: Kind, object: string | number): number {
  if (typeof object === 'number') return object;
  const oid = kind.oid(context, object);
  if (oid !== null) return oid;
  throw new SqlError(kind.condition, `${kind.noun} "${object}" does not exist`);
}

/** @throws SqlError 42809 for another relation. */
function checkSequence({ catalog }: FunctionContext, oid: number): void {
  if (catalog.relationName(oid) === null || catalog.isSequence(oid)) return;
  throw new SqlError('wrong_object_type', `"${catalog.relationName(oid)}" is not a sequence`);
}

function inquire(
  context: FunctionContext,
  kind: Kind,
  [role, object, privileges]: readonly [role: number, object: string | number, privileges: string],
): boolean | null {
  const oid = objectOid(context, kind, object);
  const asked = askedPrivileges(privileges, kind.privileges);
  if (kind.of === 'sequence') checkSequence(context, oid);
  const whole = hasAny(context, role, [{ kind: kind.of, oid }, asked]);
  if (whole !== false || kind.anyColumn !== true) return whole;
  return context.catalog
    .columnNumbers(oid)
    .some((column) => hasAny(context, role, [{ kind: kind.of, oid, column }, asked]) === true);
}

/** Arguments after the role, which is the user where it is left out. */
function split<T>(context: FunctionContext, argument: RoleArgument, args: readonly T[]): [number, ...T[]] {
  const [first, ...rest] = args;
  if (argument.type === null) return [userOid(context), ...args];
  return [roleAsked(context, first as string | number), ...rest];
}

function inquiries(kind: Kind): ScalarFunction[] {
  const name = `has_${kind.name}_privilege`;
  const [text, oid, answer] = kind.example;
  return ROLES.flatMap((role) =>
    ['text', 'oid'].map((type): ScalarFunction => {
      const object = type === 'text' ? `${text}::text` : oid;
      return {
        name,
        args: [...(role.type === null ? [] : [role.type]), type, 'text'],
        returns: 'bool',
        volatility: 'stable',
        summary: `Whether the user has a privilege on the ${kind.name.replace('_', ' ')}.`,
        example: [`SELECT ${name}(${role.sql}${object}, '${kind.privileges[0]}')`, answer],
        evaluateIn: (context, ...args: (string | number)[]) =>
          inquire(context, kind, split(context, role, args) as [number, string, string]),
      };
    }),
  );
}

const ATTRIBUTES = [
  { type: 'text', sql: "'relname'" },
  { type: 'int2', sql: '2::int2' },
] as const;

const OF_COLUMN = relation('column', { of: 'relation', privileges: COLUMN });

/** Null for a number that no column has. @throws SqlError 42703 for a name. */
function columnAsked({ catalog }: FunctionContext, oid: number, column: string | number): number | null {
  const table = catalog.relationName(oid);
  if (table === null) return null;
  if (typeof column === 'number') return column;
  const found = catalog.columnNumber(oid, column);
  if (found !== null) return found;
  throw new SqlError('undefined_column', `column "${column}" of relation "${table}" does not exist`);
}

const COLUMN_INQUIRIES: readonly ScalarFunction[] = ROLES.flatMap((role) =>
  ['text', 'oid'].flatMap((type) =>
    ATTRIBUTES.map((attribute): ScalarFunction => {
      const table = type === 'text' ? "'pg_class'" : "'pg_class'::regclass::oid";
      const call = `has_column_privilege(${role.sql}${table}, ${attribute.sql}, 'SELECT')`;
      return {
        name: 'has_column_privilege',
        args: [...(role.type === null ? [] : [role.type]), type, attribute.type, 'text'],
        returns: 'bool',
        volatility: 'stable',
        summary: 'Whether the user has a privilege on the column.',
        example: [`SELECT ${call}`, 't'],
        evaluateIn: (context, ...args: (string | number)[]) => {
          const [asker, object, written, privileges] = split(context, role, args);
          const oid = objectOid(context, OF_COLUMN, object as string | number);
          const column = columnAsked(context, oid, written as string | number);
          const asked = askedPrivileges(String(privileges), COLUMN);
          return column === null ? null : hasAny(context, asker, [{ kind: 'relation', oid, column }, asked]);
        },
      };
    }),
  ),
);

const ROW_SECURITY: readonly ScalarFunction[] = (['text', 'oid'] as const).map((type) => ({
  name: 'row_security_active',
  args: [type],
  returns: 'bool',
  volatility: 'stable',
  summary: 'Whether policies hold for the user in the relation.',
  example: [
    `SELECT row_security_active(${type === 'oid' ? "'pg_class'::regclass::oid" : "'pg_class'"})`,
    'f',
  ],
  evaluateIn: (context: FunctionContext, given: string | number) => {
    const oid = typeof given === 'number' ? given : context.catalog.relationOid(given);
    if (oid === null) throw new SqlError('undefined_table', `relation "${given}" does not exist`);
    return context.catalog.isRuled(userOid(context), oid);
  },
}));

export const PRIVILEGE_FUNCTIONS: readonly ScalarFunction[] = [
  ...ROW_SECURITY,
  ...KINDS.flatMap(inquiries),
  ...COLUMN_INQUIRIES,
];
