/**
 * has_table_privilege and its kin: names and privileges are checked as PostgreSQL does; the one role there
 * is may do everything. Source: PostgreSQL 18, section 9.27.2 "Access Privilege Inquiry Functions".
 */
import { type Condition, SqlError } from '../../errors.ts';
import type { CatalogServices, FunctionContext, ScalarFunction } from '../function.ts';

interface Kind {
  readonly name: string;
  readonly privileges: readonly string[];
  readonly example: string;
  /** Noun of the error that an unknown name raises. */
  readonly noun: string;
  readonly condition: Condition;
  readonly oid: (context: FunctionContext, name: string) => number | null;
  readonly exists: (catalog: CatalogServices, oid: number) => boolean;
}

const COLUMN = ['SELECT', 'INSERT', 'UPDATE', 'REFERENCES'];
const USAGE = ['USAGE'];
const anywhere = (): boolean => true;

const relation = (name: string, privileges: readonly string[]): Kind => ({
  name,
  privileges,
  example: 'pg_class',
  noun: 'relation',
  condition: 'undefined_table',
  oid: ({ catalog }, given) => catalog.relationOid(given),
  exists: (catalog, oid) => catalog.relationName(oid) !== null,
});

const KINDS: readonly Kind[] = [
  relation('table', [...COLUMN, 'DELETE', 'TRUNCATE', 'TRIGGER', 'MAINTAIN']),
  relation('any_column', COLUMN),
  relation('sequence', ['USAGE', 'SELECT', 'UPDATE']),
  {
    name: 'schema',
    privileges: ['CREATE', 'USAGE'],
    example: 'public',
    noun: 'schema',
    condition: 'invalid_schema_name',
    oid: ({ catalog }, given) => catalog.namespaceOid(given),
    exists: (catalog, oid) => catalog.namespaceName(oid) !== null,
  },
  {
    name: 'database',
    privileges: ['CREATE', 'CONNECT', 'TEMPORARY', 'TEMP'],
    example: 'quern',
    noun: 'database',
    condition: 'invalid_catalog_name',
    oid: (context, given) => (given === context.database() ? 1 : null),
    exists: anywhere,
  },
  {
    name: 'type',
    privileges: USAGE,
    example: 'int4',
    noun: 'type',
    condition: 'undefined_object',
    oid: ({ catalog }, given) => catalog.typeOid(given),
    exists: (catalog, oid) => catalog.typeName(oid, -1) !== null,
  },
  {
    name: 'function',
    privileges: ['EXECUTE'],
    example: 'now()',
    noun: 'function',
    condition: 'undefined_function',
    oid: ({ catalog }, given) => catalog.functionOid(given),
    exists: (catalog, oid) => catalog.functionName(oid) !== null,
  },
  ...(['language', 'tablespace'] as const).map(
    (name): Kind => ({
      name,
      privileges: name === 'language' ? USAGE : ['CREATE'],
      example: name === 'language' ? 'sql' : 'pg_default',
      noun: name,
      condition: 'undefined_object',
      oid: () => 1,
      exists: anywhere,
    }),
  ),
];

/** @throws SqlError 22023 */
function checkPrivileges(text: string, allowed: readonly string[]): void {
  for (const part of text.split(',')) {
    const privilege = part.trim();
    const bare = privilege.toUpperCase().replace(/ WITH GRANT OPTION$/, '');
    if (allowed.includes(bare)) continue;
    throw new SqlError('invalid_parameter_value', `unrecognized privilege type: "${privilege}"`);
  }
}

/** @throws SqlError 42704 */
function checkRole(context: FunctionContext, role: string | number): void {
  if (typeof role === 'number' || context.catalog.roleOid(role) !== null) return;
  throw new SqlError('undefined_object', `role "${role}" does not exist`);
}

/** @returns whether it is there, which an unknown number is not. @throws SqlError for an unknown name. */
function isThere(context: FunctionContext, kind: Kind, object: string | number): boolean {
  if (typeof object === 'number') return kind.exists(context.catalog, object);
  if (kind.oid(context, object) !== null) return true;
  throw new SqlError(kind.condition, `${kind.noun} "${object}" does not exist`);
}

const ROLES = [
  { type: null, sql: '' },
  { type: 'name', sql: 'current_user, ' },
  { type: 'oid', sql: '10, ' },
] as const;

function inquiries(kind: Kind): ScalarFunction[] {
  const name = `has_${kind.name}_privilege`;
  const privilege = kind.privileges[0] ?? '';
  return ROLES.flatMap((role) =>
    ['text', 'oid'].map((type): ScalarFunction => {
      const text = `'${kind.example}'`;
      const cast = { relation: 'regclass', schema: 'regnamespace', type: 'regtype' }[kind.noun];
      const number = cast === undefined ? "to_regproc('now')" : `${text}::${cast}`;
      return {
        name,
        args: [...(role.type === null ? [] : [role.type]), type, 'text'],
        returns: 'bool',
        volatility: 'stable',
        summary: `Whether the user has a privilege on the ${kind.name.replace('_', ' ')}.`,
        example: [
          `SELECT ${name}(${role.sql}${type === 'text' ? text : `(${number})::oid`}, '${privilege}')`,
          't',
        ],
        evaluateIn: (context, ...args: (string | number)[]) => {
          const [given, object, privileges] = role.type === null ? [null, ...args] : args;
          if (given !== null && given !== undefined) checkRole(context, given);
          checkPrivileges(String(privileges), kind.privileges);
          return isThere(context, kind, object as string | number) ? true : null;
        },
      };
    }),
  );
}

const ATTRIBUTES = [
  { type: 'text', sql: "'relname'" },
  { type: 'int2', sql: '2::int2' },
] as const;

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
          if (role.type !== null) checkRole(context, args[0] as string | number);
          const [object, , privileges] = role.type === null ? args : args.slice(1);
          checkPrivileges(String(privileges), COLUMN);
          return isThere(context, relation('column', COLUMN), object as string | number) ? true : null;
        },
      };
    }),
  ),
);

export const PRIVILEGE_FUNCTIONS: readonly ScalarFunction[] = [
  ...KINDS.flatMap(inquiries),
  ...COLUMN_INQUIRIES,
];
