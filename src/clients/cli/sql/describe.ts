/** Descriptions that `\d` and its like give of relations, in psql's words (describe.c), from the catalog's own relations. */
import { textLiteral } from '../../typescript/src/wire/names.ts';
import type { SqlSession } from './session.ts';

export interface Described {
  /** `Table "public.books"`; null of a list. */
  readonly title: string | null;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Sections below the columns: indexes, constraints. */
  readonly sections: readonly { readonly name: string; readonly lines: readonly string[] }[];
}

/** Kinds of `pg_class.relkind` by name. */
const KINDS = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  i: 'index',
  S: 'sequence',
  f: 'foreign table',
} as const;

/** psql's patterns: `*` and `?`, a schema before the dot, letters folded outside of double quotes. */
interface Pattern {
  /** Regular expressions of whole names; a null schema is that of the search path. */
  readonly schema: string | null;
  readonly name: string;
}

function patternOf(given: string): Pattern {
  const parts = [''];
  let isQuoted = false;
  const add = (text: string): void => {
    parts[parts.length - 1] += text;
  };
  for (const one of given) {
    if (one === '"') isQuoted = !isQuoted;
    else if (!isQuoted && one === '.' && parts.length === 1) parts.push('');
    else if (!isQuoted && one === '*') add('.*');
    else if (!isQuoted && one === '?') add('.');
    else add((isQuoted ? one : one.toLowerCase()).replace(/[$.*+?()[\]{}|^\\]/, '\\$&'));
  }
  const [first = '', second] = parts;
  return { schema: second === undefined ? null : `^(${first})$`, name: `^(${second ?? first})$` };
}

const OWN_SCHEMAS = "('pg_catalog', 'information_schema', 'quern')";

function matching(pattern: string | null, hidden: string): string {
  if (pattern === null) return hidden;
  const { schema, name } = patternOf(pattern);
  const where = schema === null ? 'pg_table_is_visible(c.oid)' : `n.nspname ~ ${textLiteral(schema)}`;
  return `c.relname ~ ${textLiteral(name)} AND ${where}`;
}

const listQuery = (kinds: string, pattern: string | null): string => {
  const names = Object.entries(KINDS).map(([kind, name]) => `WHEN '${kind}' THEN '${name}'`);
  // Names with an underscore first, in datasets, are their machinery.
  const hidden = `n.nspname NOT IN ${OWN_SCHEMAS} AND n.nspname !~ '^pg_' AND c.relname !~ '^_'`;
  return `SELECT n.nspname AS "Schema", c.relname AS "Name", CASE c.relkind ${names.join(' ')} END AS "Type",
      pg_get_userbyid(c.relowner) AS "Owner"
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN (${[...kinds].map((kind) => `'${kind}'`).join(', ')}) AND ${matching(pattern, hidden)}
    ORDER BY 1, 2`;
};

async function listed(session: SqlSession, sql: string): Promise<Described[]> {
  const { columns, rows } = await session.ask(sql);
  return [{ title: null, columns: columns.map(({ name }) => name), rows, sections: [] }];
}

/** @param kinds letters of `pg_class.relkind`. */
export const listRelations = (
  session: SqlSession,
  kinds: string,
  pattern: string | null,
): Promise<Described[]> => listed(session, listQuery(kinds, pattern));

export const listSchemas = (session: SqlSession): Promise<Described[]> =>
  listed(
    session,
    `SELECT nspname AS "Name", pg_get_userbyid(nspowner) AS "Owner" FROM pg_namespace
     WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY 1`,
  );

export const listDatabases = (session: SqlSession): Promise<Described[]> =>
  listed(
    session,
    `SELECT datname AS "Name", pg_get_userbyid(datdba) AS "Owner", pg_encoding_to_char(encoding) AS "Encoding",
       datcollate AS "Collate", datctype AS "Ctype" FROM pg_database ORDER BY 1`,
  );

/** Relations of that name, each with its columns. @throws Error where there is none */
export async function describe(session: SqlSession, pattern: string): Promise<Described[]> {
  const found = await session.query(
    `SELECT c.oid, n.nspname, c.relname, c.relkind
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${matching(pattern, 'true')} ORDER BY 2, 3`,
  );
  if (found.length === 0) throw new Error(`did not find any relation named "${pattern}"`);
  const described: Described[] = [];
  for (const { oid, nspname, relname, relkind } of found) {
    const kind = KINDS[relkind as keyof typeof KINDS] ?? 'relation';
    const title = `${kind[0]?.toUpperCase()}${kind.slice(1)} "${nspname}.${relname}"`;
    described.push({
      title,
      ...(await columnsOf(session, String(oid))),
      sections: await sectionsOf(session, String(oid)),
    });
  }
  return described;
}

async function columnsOf(session: SqlSession, oid: string): Promise<Pick<Described, 'columns' | 'rows'>> {
  const rows = await session.query(
    `SELECT a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull, a.attidentity,
       a.attgenerated, (SELECT c.collname FROM pg_collation c JOIN pg_type t ON t.oid = a.atttypid
        WHERE c.oid = a.attcollation AND a.attcollation <> t.typcollation) AS collation,
       pg_get_expr(d.adbin, d.adrelid) AS value
     FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
     WHERE a.attrelid = ${oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`,
  );
  return {
    columns: ['Column', 'Type', 'Collation', 'Nullable', 'Default'],
    rows: rows.map((row) => [
      row.attname ?? null,
      row.type ?? null,
      row.collation ?? null,
      row.attnotnull === 't' ? 'not null' : null,
      defaultOf(row),
    ]),
  };
}

function defaultOf({ attidentity, attgenerated, value }: Record<string, string | null>): string | null {
  if (attidentity === 'a') return 'generated always as identity';
  if (attidentity === 'd') return 'generated by default as identity';
  if (attgenerated === 's') return `generated always as (${value}) stored`;
  if (attgenerated === 'v') return `generated always as (${value})`;
  return value ?? null;
}

/** Sections by name, each with a query of its lines for the relation's OID. */
const SECTIONS: readonly (readonly [name: string, query: (oid: string) => string])[] = [
  [
    'Indexes',
    (oid) => `SELECT '"' || c.relname || '" ' ||
        CASE WHEN i.indisprimary THEN 'PRIMARY KEY, ' WHEN k.contype = 'u' THEN 'UNIQUE CONSTRAINT, '
          WHEN i.indisunique THEN 'UNIQUE, ' ELSE '' END ||
        regexp_replace(pg_get_indexdef(i.indexrelid, 0, true), '^.*? USING ', '') ||
        CASE WHEN i.indisvalid THEN '' ELSE ' INVALID' END AS line
      FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
        LEFT JOIN pg_constraint k ON k.conrelid = i.indrelid AND k.conindid = i.indexrelid
          AND k.contype IN ('p', 'u', 'x')
      WHERE i.indrelid = ${oid} ORDER BY i.indisprimary DESC, c.relname`,
  ],
  ['Check constraints', (oid) => constraints(oid, 'c')],
  ['Foreign-key constraints', (oid) => constraints(oid, 'f')],
  [
    'Referenced by',
    (oid) => `SELECT 'TABLE "' || conrelid::regclass::text || '" CONSTRAINT "' || conname || '" ' ||
        pg_get_constraintdef(oid, true) AS line
      FROM pg_constraint WHERE confrelid = ${oid} AND contype = 'f' ORDER BY 1`,
  ],
];

const constraints = (oid: string, type: string): string =>
  `SELECT '"' || conname || '" ' || pg_get_constraintdef(oid, true) AS line
   FROM pg_constraint WHERE conrelid = ${oid} AND contype = '${type}' ORDER BY 1`;

async function sectionsOf(session: SqlSession, oid: string): Promise<Described['sections']> {
  const sections: { name: string; lines: string[] }[] = [];
  for (const [name, query] of SECTIONS) {
    const lines = (await session.query(query(oid))).map(({ line }) => String(line));
    if (lines.length > 0) sections.push({ name, lines });
  }
  return sections;
}
