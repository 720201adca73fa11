/** Every system relation gives rows that fit its columns; the ones psql reads say what they should. */
import { describe, expect, it } from 'vitest';
import type { FunctionContext } from '../../functions/function.ts';
import type { SessionServices } from '../../functions/services.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../types/settings.ts';
import { catalogServices } from '../services.ts';
import { NO_FACTS, type SystemContext, type SystemRelation } from './context.ts';
import { FUNCTION_ENTRIES } from './function-oids.ts';
import { findSystemRelation, ROW_SOURCES, SYSTEM_RELATIONS, systemRelationByOid } from './registry.ts';
import { sampleCatalog } from '../../../sql-tests/fixtures/sample-catalog.ts';

const catalog = sampleCatalog();
const functions: FunctionContext = {
  settings: DEFAULT_SETTINGS,
  isServer: false,
  allow: () => undefined,
  statementMicros: 820_454_400_000_000n,
  clockMicros: () => 820_454_400_000_000n,
  random: () => 0.5,
  user: () => 'quern',
  systemUser: () => null,
  sessionUser: () => 'quern',
  keyAttribute: () => null,
  database: () => 'quern',
  searchPath: () => ['public'],
  setting: () => null,
  setSetting: (_, value) => value,
  backendPid: () => 1,
  systemRows: () => [],
  notice: () => undefined,
  catalog: catalogServices(catalog, ['public']),
  // The sample's sequence has given no number.
  services: { sequences: { isCalled: () => false } } as unknown as SessionServices,
};
const context: SystemContext = {
  catalog,
  settings: DEFAULT_SETTINGS,
  functions,
  facts: {
    ...NO_FACTS,
    partitions: () => ['acme'],
    partitionCreatedMs: () => 1_700_000_000_000,
    lsn: () => '7',
    size: () => ({ rows: 3, bytes: 10_000, changedMs: 1_700_000_000_000 }),
    statistics: () => ({ rows: 3 }),
    settings: () => [
      {
        name: 'search_path',
        value: 'public',
        default: 'public',
        type: 'string',
        unit: null,
        summary: 'Schemas.',
        values: null,
        context: 'user',
      },
    ],
    sessions: () => [
      {
        role: 10,
        processId: 1,
        applicationName: 'psql',
        clientAddress: null,
        startedMicros: 1n,
        transactionMicros: null,
        queryMicros: 2n,
        state: 'active',
        query: 'select 1',
        copy: null,
      },
    ],
    preparedStatements: () => [
      {
        name: 's',
        statement: 'select $1',
        preparedMicros: 1n,
        parameterTypes: [23],
        resultTypes: null,
        fromSql: false,
      },
    ],
    cursors: () => [
      { name: 'c', statement: 'select 1', hold: false, binary: false, scroll: true, createdMicros: 1n },
    ],
  },
};

function relation(schema: string | null, name: string): SystemRelation {
  const found = findSystemRelation(schema, name);
  if (found === undefined) throw new Error(`no ${schema}.${name}`);
  return found;
}

/** Rows as objects with the wanted columns. */
function rows(schema: string, name: string, wanted: readonly string[]): Record<string, Datum>[] {
  const { columns, rows: source } = relation(schema, name);
  const at = wanted.map((column) => columns.findIndex((candidate) => candidate.name === column));
  return [...source(context)].map((row) =>
    Object.fromEntries(wanted.map((column, i) => [column, row[at[i] as number] as Datum])),
  );
}

function fits(datum: Datum, vector: string): boolean {
  if (datum === null) return true;
  switch (vector) {
    case 'bool':
      return typeof datum === 'boolean';
    case 'int32':
    case 'float64':
      return typeof datum === 'number';
    case 'int64':
      return typeof datum === 'bigint';
    case 'text':
      return typeof datum === 'string';
    default:
      return typeof datum === 'object';
  }
}

describe('every system relation', () => {
  it.each(SYSTEM_RELATIONS.map((system) => [`${system.schema}.${system.name}`, system] as const))(
    '%s',
    (_, system) => {
      expect(systemRelationByOid(system.oid)).toBe(system);
      const source = ROW_SOURCES[system.schema]?.[system.name];
      const names = new Set(system.columns.map(({ name }) => name));
      const first = source === undefined ? [] : [...source(context)].slice(0, 50);
      expect(first.flatMap((row) => Object.keys(row).filter((key) => !names.has(key)))).toEqual([]);
      for (const row of system.rows(context)) {
        expect(row.length).toBe(system.columns.length);
        for (const [i, { name, type, notNull }] of system.columns.entries()) {
          const datum = row[i] as Datum;
          if (!fits(datum, typeByOid(type.oid).vector)) expect.fail(`${name} is ${String(datum)}`);
          if (notNull && datum === null) expect.fail(`${name} is null`);
        }
      }
    },
  );

  it('has a row source that belongs to it', () => {
    const orphans = Object.entries(ROW_SOURCES).flatMap(([schema, sources]) =>
      Object.keys(sources).filter((name) => findSystemRelation(schema, name) === undefined),
    );
    expect(orphans).toEqual([]);
  });

  it('has an OID of its own, as has every function', () => {
    expect(new Set(SYSTEM_RELATIONS.map(({ oid }) => oid)).size).toBe(SYSTEM_RELATIONS.length);
    const oids = FUNCTION_ENTRIES.map(({ oid }) => oid);
    expect(new Set(oids).size).toBe(oids.length);
  });
});

describe('what psql reads', () => {
  it('relations and their kinds', () => {
    const classes = rows('pg_catalog', 'pg_class', ['oid', 'relname', 'relkind', 'reltuples']);
    expect(classes.slice(0, 5)).toEqual([
      { oid: 16_384, relname: 'books', relkind: 'r', reltuples: 3 },
      { oid: 16_385, relname: 'books_pkey', relkind: 'i', reltuples: 0 },
      { oid: 16_386, relname: 'books_title_semantic', relkind: 'i', reltuples: 0 },
      { oid: 16_387, relname: 'books_title_keyword', relkind: 'i', reltuples: 0 },
      { oid: 16_390, relname: 'titles', relkind: 'v', reltuples: 0 },
    ]);
    expect(classes).toContainEqual({ oid: 1259, relname: 'pg_class', relkind: 'r', reltuples: 0 });
  });

  it('columns, undeclared ones included', () => {
    const columns = rows('pg_catalog', 'pg_attribute', [
      'attrelid',
      'attname',
      'attnum',
      'attnotnull',
      'atthasdef',
    ]);
    expect(columns.filter(({ attrelid }) => attrelid === 16_384)).toEqual([
      { attrelid: 16_384, attname: '_id', attnum: 1, attnotnull: true, atthasdef: false },
      { attrelid: 16_384, attname: 'title', attnum: 2, attnotnull: false, atthasdef: true },
      { attrelid: 16_384, attname: 'year', attnum: 3, attnotnull: false, atthasdef: false },
    ]);
    expect(rows('pg_catalog', 'pg_attrdef', ['adrelid', 'adnum', 'adbin'])).toEqual([
      { adrelid: 16_384, adnum: 2, adbin: "'untitled'" },
    ]);
  });

  it('indexes with an access method that exists', () => {
    const methods = new Map(
      rows('pg_catalog', 'pg_am', ['oid', 'amname']).map((row) => [row.oid, row.amname]),
    );
    const indexes = rows('pg_catalog', 'pg_class', ['relkind', 'relam']).filter(
      ({ relkind }) => relkind === 'i',
    );
    expect(indexes.map(({ relam }) => methods.get(relam))).toEqual(['btree', 'semantic', 'keyword']);
  });

  it('indexes with an operator class a column', () => {
    const classes = new Set(rows('pg_catalog', 'pg_opclass', ['oid']).map(({ oid }) => oid));
    const used = rows('pg_catalog', 'pg_index', ['indclass']).flatMap(({ indclass }) =>
      typeof indclass === 'object' && indclass !== null && 'elements' in indclass ? indclass.elements : [],
    );
    expect(used.length).toBe(3);
    for (const oid of used) expect(classes.has(oid)).toBe(true);
  });

  it('the database, its owner and schemas', () => {
    expect(rows('pg_catalog', 'pg_database', ['datname', 'encoding'])).toEqual([
      { datname: 'quern', encoding: 6 },
    ]);
    const roles = rows('pg_catalog', 'pg_roles', ['oid', 'rolname', 'rolsuper']);
    expect(roles.filter(({ rolsuper }) => rolsuper)).toEqual([
      { oid: 10, rolname: 'quern', rolsuper: true },
      { oid: 13_020, rolname: 'owner', rolsuper: true },
    ]);
    expect(roles).toContainEqual({ oid: 6171, rolname: 'pg_database_owner', rolsuper: false });
    const schemas = rows('pg_catalog', 'pg_namespace', ['nspname']).map(({ nspname }) => nspname);
    expect(schemas).toEqual(['pg_catalog', 'public', 'information_schema', 'quern']);
  });
});

describe('information_schema', () => {
  it('describes columns', () => {
    const columns = rows('information_schema', 'columns', [
      'table_name',
      'column_name',
      'data_type',
      'is_nullable',
    ]);
    expect(columns.slice(0, 3)).toEqual([
      { table_name: 'books', column_name: '_id', data_type: 'text', is_nullable: 'NO' },
      { table_name: 'books', column_name: 'title', data_type: 'text', is_nullable: 'YES' },
      { table_name: 'books', column_name: 'year', data_type: 'bigint', is_nullable: 'YES' },
    ]);
  });

  it('describes keys', () => {
    expect(rows('information_schema', 'key_column_usage', ['constraint_name', 'column_name'])).toEqual([
      { constraint_name: 'books_pkey', column_name: '_id' },
    ]);
  });
});

describe('schema quern', () => {
  it('lists partitions and indexes', () => {
    expect(rows('quern', 'partitions', ['relation', 'partition', 'lsn', 'created_at'])).toEqual([
      { relation: 'books', partition: 'acme', lsn: '7', created_at: 753_315_200_000_000n },
    ]);
    expect(rows('quern', 'indexes', ['index', 'kind', 'options'])).toContainEqual({
      index: 'books_title_keyword',
      kind: 'keyword',
      options: '{"type": "text", "language": "english"}',
    });
  });
});
