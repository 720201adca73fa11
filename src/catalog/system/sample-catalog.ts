/** A small catalog for tests: one collection with a key, a semantic and a keyword index, a view and a sequence. */
import { OID } from '../../types/oids.ts';
import { applyEdit, emptyCatalog } from '../edit.ts';
import type { Catalog, Column, Index } from '../model.ts';
import { CLASS_OID, NAMESPACE_OID } from '../oids.ts';

const column = (attribute: number, name: string, oid: number, more: Partial<Column> = {}): Column => ({
  attribute,
  name,
  type: { oid, modifier: -1 },
  notNull: false,
  defaultText: null,
  identity: null,
  generatedText: null,
  undeclared: false,
  dropped: false,
  ...more,
});

const index = (name: string, kind: Index['kind'], attribute: number, options: Index['options']): Index => ({
  oid: 0,
  name,
  kind,
  columns: [attribute],
  unique: kind === 'btree',
  primary: kind === 'btree',
  options,
});

/** OIDs: books 16384, its indexes 16385 to 16387, its constraints 16388 and 16389. */
export function sampleCatalog(): Catalog {
  const created = applyEdit(emptyCatalog(), {
    edit: 'create relation',
    relation: {
      oid: 0,
      namespace: NAMESPACE_OID.public,
      name: 'books',
      kind: 'collection',
      columns: [
        column(1, '_id', OID.text, { notNull: true }),
        column(2, 'title', OID.text, { defaultText: "'untitled'" }),
        column(3, 'year', OID.int8, { undeclared: true }),
      ],
      indexes: [
        index('books_pkey', 'btree', 1, {}),
        index('books_title_semantic', 'semantic', 2, { model: 'all-minilm-l6-v2' }),
        index('books_title_keyword', 'keyword', 2, { type: 'text', language: 'english' }),
      ],
      constraints: [
        { oid: 0, name: 'books_pkey', kind: 'primary key', columns: [1], index: 0, expression: null },
        {
          oid: 0,
          name: 'books_title_check',
          kind: 'check',
          columns: [2],
          index: 0,
          expression: "title <> ''",
        },
      ],
      definition: null,
    },
  });
  const commented = applyEdit(created, {
    edit: 'comment',
    classOid: CLASS_OID.pg_class,
    oid: 16_384,
    column: 0,
    text: 'what we read',
  });
  const viewed = applyEdit(commented, {
    edit: 'create relation',
    relation: {
      oid: 0,
      namespace: NAMESPACE_OID.public,
      name: 'titles',
      kind: 'view',
      columns: [column(1, 'title', OID.text)],
      indexes: [],
      constraints: [],
      definition: 'select title from books',
    },
  });
  return applyEdit(viewed, {
    edit: 'create relation',
    relation: {
      oid: 0,
      namespace: NAMESPACE_OID.public,
      name: 'numbers',
      kind: 'sequence',
      columns: [],
      indexes: [],
      constraints: [],
      definition: null,
    },
  });
}
