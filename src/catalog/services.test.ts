/** Names to OIDs and back, and definitions as SQL. */
import { describe, expect, it } from 'vitest';
import { OID } from '../types/oids.ts';
import { applyEdit, emptyCatalog } from './edit/edit.ts';
import { CLASS_OID, NAMESPACE_OID } from './oids.ts';
import { catalogServices, objectNames, splitName } from './services.ts';
import { sampleCatalog } from '../../sql-tests/fixtures/sample-catalog.ts';

const catalog = sampleCatalog();
const services = catalogServices(catalog, ['public']);

describe('relations', () => {
  it('are found by any name SQL allows, indexes and system relations too', () => {
    expect(services.relationOid('books')).toBe(16_384);
    expect(services.relationOid('public."books"')).toBe(16_384);
    expect(services.relationOid('BOOKS_pkey')).toBe(16_385);
    expect(services.relationOid('pg_class')).toBe(CLASS_OID.pg_class);
    expect(services.relationOid('information_schema.tables')).toBeGreaterThan(0);
    expect([services.relationOid('nothing'), services.relationOid('a..b'), services.relationOid('')]).toEqual(
      [null, null, null],
    );
  });

  it('are named with their schema where the search path needs it', () => {
    expect(services.relationName(16_384)).toBe('books');
    expect(catalogServices(catalog, []).relationName(16_384)).toBe('public.books');
    expect(services.relationName(1)).toBeNull();
    const quoted = applyEdit(catalog, { edit: 'rename relation', relation: 16_384, name: 'Big Books' });
    expect(catalogServices(quoted, ['public']).relationName(16_384)).toBe('"Big Books"');
  });

  it('are hidden by one of the same name earlier in the path', () => {
    const relation = catalog.relations.get(16_384);
    if (relation === undefined) throw new Error('the sample has a relation');
    const shadow = { ...relation, name: 'pg_class', indexes: [], constraints: [] };
    const both = applyEdit(catalog, { edit: 'create relation', relation: shadow });
    const hidden = catalogServices(both, ['public']);
    expect(hidden.isVisible('relation', both.nextOid - 1)).toBe(false);
    expect(hidden.relationName(both.nextOid - 1)).toBe('public.pg_class');
  });
});

describe('definitions', () => {
  it('of indexes name method, columns and options', () => {
    expect(services.indexDefinition(16_386, 0, false)).toBe(
      "CREATE INDEX books_title_semantic ON public.books USING semantic (title) WITH (model='all-minilm-l6-v2')",
    );
    expect(services.indexDefinition(16_385, 0, true)).toBe(
      'CREATE UNIQUE INDEX books_pkey ON books USING btree (_id)',
    );
    expect(services.indexDefinition(16_386, 1, true)).toBe('title');
    expect(services.indexDefinition(5, 0, true)).toBeNull();
  });

  it('of constraints', () => {
    expect(services.constraintDefinition(16_388, false)).toBe('PRIMARY KEY (_id)');
    expect(services.constraintDefinition(16_389, false)).toBe("CHECK (title <> '')");
    expect(services.constraintDefinition(16_384, false)).toBeNull();
  });
});

describe('types, schemas and roles', () => {
  it('are found by all their names', () => {
    for (const name of ['int4', 'integer', 'INT', 'pg_catalog.int4', '"int4"']) {
      expect(services.typeOid(name), name).toBe(OID.int4);
    }
    expect(services.typeOid('varchar(40)')).toBe(OID.varchar);
    expect(services.typeOid('nothing')).toBeNull();
    expect(services.typeName(OID.int4, -1)).toBe('integer');
    expect(services.namespaceOid('public')).toBe(NAMESPACE_OID.public);
    expect(services.roleName(10)).toBe('quern');
  });

  it('answer as regclass and its kin', () => {
    const names = objectNames(emptyCatalog(), ['public']);
    expect(names.name('regclass', CLASS_OID.pg_class)).toBe('pg_class');
    expect(names.oid('regnamespace', 'public')).toBe(NAMESPACE_OID.public);
    expect(names.name('regtype', OID.text)).toBe('text');
    expect(names.name('regconfig', 1)).toBeNull();
  });
});

describe('splitName', () => {
  it.each([
    ['a', ['a']],
    ['A."B""c".d', ['a', 'B"c', 'd']],
    [' a . b ', ['a', 'b']],
    ['', null],
    ['a.', null],
    ['.a', null],
    ['a b', null],
  ])('%s', (text, expected) => {
    expect(splitName(text)).toEqual(expected);
  });
});
