/** Edits of the catalog: numbering, name conflicts, and that a version never changes. */
import { describe, expect, it } from 'vitest';
import { SqlError } from '../../errors.ts';
import { OID } from '../../types/oids.ts';
import { applyEdit, type CatalogEdit, emptyCatalog } from './edit.ts';
import type { Catalog, Column, Index, Relation } from '../model.ts';
import { CLASS_OID, NAMESPACE_OID } from '../oids.ts';

const column = (attribute: number, name: string): Column => ({
  attribute,
  name,
  type: { oid: OID.text, modifier: -1 },
  notNull: false,
  defaultText: null,
  identity: null,
  generatedText: null,
  undeclared: false,
  dropped: false,
});

const index = (name: string, columns: readonly number[], primary = false): Index => ({
  oid: 0,
  name,
  kind: 'btree',
  columns,
  unique: primary,
  primary,
  options: {},
});

const books: Relation = {
  oid: 0,
  namespace: NAMESPACE_OID.public,
  name: 'books',
  kind: 'collection',
  columns: [column(1, '_id'), column(2, 'title')],
  indexes: [index('books_pkey', [1], true), index('books_title', [2])],
  constraints: [
    { oid: 0, name: 'books_pkey', kind: 'primary key', columns: [1], index: 0, expression: null },
    { oid: 0, name: 'books_title_check', kind: 'check', columns: [2], index: 0, expression: "title <> ''" },
  ],
  definition: null,
};

const catalogAfter = (...edits: readonly CatalogEdit[]): Catalog => edits.reduce(applyEdit, emptyCatalog());
const create: CatalogEdit = { edit: 'create relation', relation: books };

function failure(...edits: readonly CatalogEdit[]): string {
  try {
    catalogAfter(...edits);
  } catch (error) {
    if (error instanceof SqlError) return `${error.sqlstate} ${error.message}`;
    throw error;
  }
  return '';
}

describe('a new relation', () => {
  it('is numbered from 16384 with its indexes and constraints', () => {
    const catalog = catalogAfter(create);
    const relation = catalog.relations.get(16_384);
    expect(relation?.indexes.map(({ oid }) => oid)).toEqual([16_385, 16_386]);
    expect(relation?.constraints.map(({ oid, index: backing }) => [oid, backing])).toEqual([
      [16_387, 16_385],
      [16_388, 0],
    ]);
    expect([catalog.nextOid, catalog.version]).toEqual([16_389, 2]);
  });

  it('needs a name that no relation or index of its schema has', () => {
    expect(failure(create, create)).toBe('42P07 relation "books" already exists');
    const clash: CatalogEdit = {
      edit: 'create relation',
      relation: { ...books, name: 'books_title', indexes: [], constraints: [] },
    };
    expect(failure(create, clash)).toBe('42P07 relation "books_title" already exists');
    const elsewhere: CatalogEdit = { edit: 'create relation', relation: { ...books, namespace: 16_389 } };
    expect(failure(create, { edit: 'create namespace', name: 's' }, elsewhere)).toBe('');
  });

  it('has each column once', () => {
    const twice = { ...books, columns: [column(1, 'a'), column(2, 'a')] };
    expect(failure({ edit: 'create relation', relation: twice })).toBe(
      '42701 column "a" specified more than once',
    );
  });
});

describe('columns', () => {
  it('are numbered once and for all', () => {
    const catalog = catalogAfter(
      create,
      { edit: 'add column', relation: 16_384, column: column(0, 'year') },
      { edit: 'drop column', relation: 16_384, attribute: 3 },
      { edit: 'add column', relation: 16_384, column: column(0, 'year') },
    );
    const columns = catalog.relations.get(16_384)?.columns.map((c) => [c.attribute, c.name, c.dropped]);
    expect(columns?.slice(2)).toEqual([
      [3, 'year', true],
      [4, 'year', false],
    ]);
  });

  it('take their indexes and constraints with them', () => {
    const relation = catalogAfter(create, {
      edit: 'drop column',
      relation: 16_384,
      attribute: 2,
    }).relations.get(16_384);
    expect(relation?.indexes.map(({ name }) => name)).toEqual(['books_pkey']);
    expect(relation?.constraints.map(({ name }) => name)).toEqual(['books_pkey']);
  });

  it('have names of their own', () => {
    expect(failure(create, { edit: 'add column', relation: 16_384, column: column(0, 'title') })).toBe(
      '42701 column "title" of relation "books" already exists',
    );
    expect(failure(create, { edit: 'alter column', relation: 16_384, column: column(1, 'title') })).toContain(
      '42701',
    );
  });
});

describe('other edits', () => {
  it('rename relations and indexes, the constraint behind one included', () => {
    const catalog = catalogAfter(
      create,
      { edit: 'rename relation', relation: 16_384, name: 'novels' },
      { edit: 'rename relation', relation: 16_385, name: 'novels_pkey' },
    );
    const relation = catalog.relations.get(16_384);
    expect([relation?.name, relation?.indexes[0]?.name, relation?.constraints[0]?.name]).toEqual([
      'novels',
      'novels_pkey',
      'novels_pkey',
    ]);
  });

  it('keep an index that a constraint needs, and drop it with the constraint', () => {
    expect(failure(create, { edit: 'drop index', relation: 16_384, index: 16_385 })).toContain('2BP01');
    const catalog = catalogAfter(create, { edit: 'drop constraint', relation: 16_384, constraint: 16_387 });
    expect(catalog.relations.get(16_384)?.indexes.map(({ name }) => name)).toEqual(['books_title']);
  });

  it('make and drop schemas', () => {
    expect(failure({ edit: 'create namespace', name: 'public' })).toBe(
      '42P06 schema "public" already exists',
    );
    expect(failure({ edit: 'create namespace', name: 'pg_x' })).toContain('42939');
    expect(failure(create, { edit: 'drop namespace', namespace: NAMESPACE_OID.public })).toContain('2BP01');
  });

  it('set, replace and remove comments, with the object too', () => {
    const on = { edit: 'comment', classOid: CLASS_OID.pg_class, oid: 16_384, column: 0 } as const;
    expect(catalogAfter(create, { ...on, text: 'a' }, { ...on, text: 'b' }).comments).toMatchObject([
      { text: 'b' },
    ]);
    expect(catalogAfter(create, { ...on, text: 'a' }, { ...on, text: null }).comments).toEqual([]);
    expect(
      catalogAfter(create, { ...on, text: 'a' }, { edit: 'drop relation', relation: 16_384 }).comments,
    ).toEqual([]);
  });

  it('never change the version they start from', () => {
    const before = catalogAfter(create);
    const copy = structuredClone(before);
    applyEdit(before, { edit: 'drop relation', relation: 16_384 });
    applyEdit(before, { edit: 'add index', relation: 16_384, index: index('i', [2]) });
    expect(before).toEqual(copy);
  });
});
