/**
 * Functions for tools that people look through: a server's settings and extensions as functions, sizes, kinds of
 * tokens. Source: PostgreSQL 18, sections 9.27 and 9.28.
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import type { FunctionContext, ScalarFunction, SetFunction } from '../function.ts';

type Column = NonNullable<SetFunction['columns']>[number];

/** `name:text unit:text` → columns. */
const columnsOf = (words: string): readonly Column[] =>
  words.split(/\s+/).map((word) => {
    const [name = '', type = ''] = word.split(':');
    return { name, type };
  });

/** A function that gives columns of a system relation. */
function relationRows(
  row: Pick<SetFunction, 'name' | 'summary' | 'example'> & { relation: string; columns: readonly Column[] },
): SetFunction {
  const names = row.columns.map(({ name }) => name);
  return {
    name: row.name,
    args: [],
    returns: 'record',
    volatility: 'stable',
    columns: row.columns,
    summary: row.summary,
    example: row.example,
    rows: (context) => context.systemRows(row.relation, names),
  };
}

/** Those of PostgreSQL's one parser, by number from 1 on. */
const TOKEN_KINDS: readonly (readonly [alias: string, description: string])[] = [
  ['asciiword', 'Word, all ASCII'],
  ['word', 'Word, all letters'],
  ['numword', 'Word, letters and digits'],
  ['email', 'Email address'],
  ['url', 'URL'],
  ['host', 'Host'],
  ['sfloat', 'Scientific notation'],
  ['version', 'Version number'],
  ['hword_numpart', 'Hyphenated word part, letters and digits'],
  ['hword_part', 'Hyphenated word part, all letters'],
  ['hword_asciipart', 'Hyphenated word part, all ASCII'],
  ['blank', 'Space symbols'],
  ['tag', 'XML tag'],
  ['protocol', 'Protocol head'],
  ['numhword', 'Hyphenated word, letters and digits'],
  ['asciihword', 'Hyphenated word, all ASCII'],
  ['hword', 'Hyphenated word, all letters'],
  ['url_path', 'URL path'],
  ['file', 'File or path name'],
  ['float', 'Decimal notation'],
  ['int', 'Signed integer'],
  ['uint', 'Unsigned integer'],
  ['entity', 'XML entity'],
];

const PARSER_OID = 3722;

const tokenKinds = (arg: 'text' | 'oid', call: string): SetFunction => ({
  name: 'ts_token_type',
  args: [arg],
  returns: 'record',
  columns: columnsOf('tokid:int4 alias:text description:text'),
  summary: 'The kinds of tokens that a parser of texts tells apart.',
  example: [`SELECT count(*) FROM ts_token_type(${call})`, '23'],
  rows: (_, parser: string | number) => {
    if (typeof parser === 'number' && parser !== PARSER_OID) {
      const message = `cache lookup failed for text search parser ${parser}`;
      throw new SqlError('undefined_object', message);
    }
    if (typeof parser === 'string' && parser !== 'default' && parser !== 'pg_catalog.default') {
      throw new SqlError('undefined_object', `text search parser "${parser}" does not exist`);
    }
    return TOKEN_KINDS.map(([alias, description], i) => [i + 1, alias, description]);
  },
});

export const ADMINISTRATION_SETS: readonly SetFunction[] = [
  relationRows({
    name: 'pg_show_all_settings',
    relation: 'pg_settings',
    columns: columnsOf(
      'name:text setting:text unit:text category:text short_desc:text extra_desc:text context:text ' +
        'vartype:text source:text min_val:text max_val:text enumvals:_text boot_val:text reset_val:text ' +
        'sourcefile:text sourceline:int4 pending_restart:bool',
    ),
    summary: 'All settings, as pg_settings has them.',
    example: ["SELECT setting FROM pg_show_all_settings() WHERE name = 'server_encoding'", 'UTF8'],
  }),
  relationRows({
    name: 'pg_available_extensions',
    relation: 'pg_available_extensions',
    columns: columnsOf('name:name default_version:text comment:text'),
    summary: 'The extensions there are: they are built in.',
    example: ["SELECT default_version FROM pg_available_extensions() WHERE name = 'vector'", '0.8.0'],
  }),
  relationRows({
    name: 'pg_available_extension_versions',
    relation: 'pg_available_extension_versions',
    columns: columnsOf(
      'name:name version:text superuser:bool trusted:bool relocatable:bool schema:name requires:_name comment:text',
    ),
    summary: 'The versions of extensions there are.',
    example: ["SELECT version FROM pg_available_extension_versions() WHERE name = 'vector'", '0.8.0'],
  }),
  tokenKinds('text', "'default'"),
  tokenKinds('oid', '3722'),
];

/** A size by name or by OID; `find` says what there is, and how large. */
function sizes(
  name: string,
  what: 'database' | 'tablespace',
  find: (context: FunctionContext, object: string | number) => bigint | null,
): readonly ScalarFunction[] {
  const missing = (object: string | number): SqlError => {
    const condition = what === 'database' ? 'invalid_catalog_name' : 'undefined_object';
    const called = typeof object === 'number' ? `with OID ${object}` : `"${object}"`;
    return new SqlError(condition, `${what} ${called} does not exist`);
  };
  return (['name', 'oid'] as const).map((arg) => ({
    name,
    args: [arg],
    returns: 'int8',
    volatility: 'volatile',
    effect: 'none',
    summary: `Bytes that a ${what} takes on disk: those of the data file, free pages included.`,
    example: [`SELECT ${name}(${EXAMPLES[what][arg]}) >= 0`, 't'],
    evaluateIn: (context: FunctionContext, object: string | number): Datum => {
      const size = find(context, object);
      if (size === null) throw missing(object);
      return size;
    },
  }));
}

const EXAMPLES = {
  database: { name: "'quern'", oid: "(SELECT oid FROM pg_database WHERE datname = 'quern')" },
  tablespace: { name: "'pg_default'", oid: '1664' },
} as const;

/** Nothing is kept in the second. */
const TABLESPACES: readonly (readonly [oid: number, name: string])[] = [
  [1663, 'pg_default'],
  [1664, 'pg_global'],
];

export const ADMINISTRATION_FUNCTIONS: readonly ScalarFunction[] = [
  ...sizes('pg_database_size', 'database', (context, object) =>
    object === context.database() || object === context.catalog.databaseOid
      ? context.catalog.databaseBytes()
      : null,
  ),
  ...sizes('pg_tablespace_size', 'tablespace', (context, object) => {
    const at = TABLESPACES.findIndex((tablespace) => tablespace.some((called) => called === object));
    if (at === -1) return null;
    return at === 0 ? context.catalog.databaseBytes() : 0n;
  }),
  {
    name: 'oidvectortypes',
    args: ['oidvector'],
    returns: 'text',
    volatility: 'stable',
    summary: 'Names of the types that a list of OIDs stands for.',
    example: ["SELECT oidvectortypes('23 25')", 'integer, text'],
    evaluateIn: (context, types: ArrayDatum) =>
      types.elements.map((oid) => context.catalog.typeName(Number(oid), -1) ?? '???').join(', '),
  },
  {
    name: 'pg_is_wal_replay_paused',
    args: [],
    returns: 'bool',
    volatility: 'volatile',
    effect: 'none',
    summary: 'Whether a standby waits; there are none.',
    example: ['SELECT CASE WHEN false THEN pg_is_wal_replay_paused() END', null],
    evaluate: () => {
      throw new SqlError('object_not_in_prerequisite_state', 'recovery is not in progress', {
        hint: 'Recovery control functions can only be executed during recovery.',
      });
    },
  },
];
