/**
 * CREATE INDEX, with pgvector's operator classes as metrics. What ranks or finds texts is built; ordinary indexes of
 * every method are kept as they were written, and find rows by the order of their first column. A unique index on
 * expressions, or on some of the rows, is one on hidden generated columns: a predicate's column is NULL in rows that
 * it leaves out.
 */
import { elementText } from '../../../catalog/definitions.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import {
  type Column,
  columnByAttribute,
  hasRows,
  type Index,
  indexShape,
  type IndexShape,
  type Relation,
} from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { NAME_BYTES_MAX } from '../../../limits.ts';
import type { BoundStatement, FollowUp } from '../../../plan/statement.ts';
import { OID } from '../../../types/oids.ts';
import { quoteIdentifier, quoteLiteral } from '../../../types/text/quote.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import type { CreateIndex, QualifiedName } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { tableName } from './alter-rows.ts';
import { takenNames } from './create-table.ts';
import { noOperatorClass } from '../equality.ts';
import { defineIndex } from '../relation/index-definition.ts';
import { kindOfMethod } from '../relation/indexes.ts';
import { storedRelation } from '../names.ts';

type CatalogChange = Extract<BoundStatement, { kind: 'catalog' }>;

/** @throws SqlError 42P01, 42809. */
function indexedRelation(context: BindContext, name: QualifiedName): Relation {
  const relation = storedRelation(context, name);
  if (hasRows(relation)) return relation;
  throw new SqlError('wrong_object_type', `cannot create index on relation "${relation.name}"`, {
    detail: `This operation is not supported for ${relation.kind}s.`,
  });
}

export function bindCreateIndex(statement: CreateIndex, context: BindContext): CatalogChange {
  const relation = indexedRelation(context, { ...statement.relation, at: 0 });
  const { method } = statement;
  const row = kindOfMethod({ method, operatorClass: statement.columns[0]?.operatorClass ?? null }, 0);
  if (statement.unique && statement.method !== 'btree') {
    throw new SqlError(
      'feature_not_supported',
      `access method "${statement.method}" does not support unique indexes`,
    );
  }
  const taken = takenNames(context, relation.namespace, relation.name);
  if (statement.name !== null && taken.has(statement.name)) {
    if (!statement.ifNotExists) {
      throw new SqlError('duplicate_table', `relation "${statement.name}" already exists`);
    }
    const notices = [`relation "${statement.name}" already exists, skipping`];
    return { kind: 'catalog', tag: 'CREATE INDEX', edits: [], notices };
  }
  const { index: added, shape } = defineIndex(statement, { context, relation, row, taken });
  const hidden = statement.unique ? hiddenColumns(relation, added.name, shape) : [];
  if (hidden.length === 0) {
    return change([{ edit: 'add index', relation: relation.oid, index: added }]);
  }
  const keys = keyColumns(shape, hidden);
  return change(
    [
      ...hidden.map((column): CatalogEdit => ({ edit: 'add column', relation: relation.oid, column })),
      { edit: 'add index', relation: relation.oid, index: { ...added, columns: keys } },
    ],
    fillHidden(context, relation, added),
  );
}

const change = (edits: readonly CatalogEdit[], followUps: readonly FollowUp[] = []): CatalogChange => ({
  kind: 'catalog',
  tag: 'CREATE INDEX',
  edits,
  notices: [],
  followUps,
});

// ───────────────────────────── unique expressions ─────────────────────────────

/** A generated column for every expression, and one for the predicate; none for plain columns. */
function hiddenColumns(relation: Relation, index: string, shape: IndexShape): readonly Column[] {
  const expressions = shape.elements.flatMap(({ expression, type }) => {
    if (expression === null) return [];
    if (!findTypeByOid(type)?.compare) throw noOperatorClass({ oid: type, modifier: -1 });
    return [{ text: expression, type }];
  });
  const predicate =
    shape.where === null ? [] : [{ text: `CASE WHEN ${shape.where} THEN true END`, type: OID.bool }];
  const last = Math.max(0, ...relation.columns.map((column) => column.attribute));
  return [...expressions, ...predicate].map(({ text, type }, i) => ({
    attribute: last + 1 + i,
    name: `${index.slice(0, NAME_BYTES_MAX - 24)}........key.${i + 1}`,
    type: { oid: type, modifier: -1 },
    notNull: false,
    defaultText: null,
    identity: null,
    generatedText: text,
    undeclared: false,
    dropped: false,
    hidden: true,
  }));
}

/** Key columns: plain ones, and hidden ones in the place of expressions. */
function keyColumns(shape: IndexShape, hidden: readonly Column[]): readonly number[] {
  const left = hidden.map(({ attribute }) => attribute);
  const elements = shape.elements.map(({ attribute }) => attribute || (left.shift() ?? 0));
  return [...elements, ...left];
}

/** Looks whether the rows there are differ, then computes their hidden columns. */
function fillHidden(context: BindContext, relation: Relation, index: Index): readonly FollowUp[] {
  const { name } = index;
  const shape = indexShape(relation, index);
  const table = tableName({ context, relation });
  const keys = shape.elements.map((element) => element.expression ?? quoted(relation, element.attribute));
  const present = [
    ...keys.slice(index.equalNulls ?? 0).map((key) => `(${key}) IS NOT NULL`),
    ...(shape.where === null ? [] : [shape.where]),
  ];
  const first = quoted(relation, relation.columns.find(isPlain)?.attribute ?? 0);
  return [
    {
      kind: 'statement',
      sql:
        `SELECT ${duplicateText(relation, shape, keys)} FROM ${table} WHERE ${present.map((term) => `(${term})`).join(' AND ') || 'true'} ` +
        `GROUP BY ${keys.map((key) => `(${key})`).join(', ')} HAVING count(*) > 1 LIMIT 1`,
      violated: {
        condition: 'unique_violation',
        message: `could not create unique index "${name}"`,
        table: relation.name,
        constraint: name,
        detailed: true,
      },
    },
    { kind: 'statement', sql: `UPDATE ${table} SET ${first} = ${first}`, violated: null },
  ];
}

/** `Key (lower(email))=(a@x) is duplicated.` as an expression over the keys. */
function duplicateText(relation: Relation, shape: IndexShape, keys: readonly string[]): string {
  const names = shape.elements.map((element) => elementText(relation, element)).join(', ');
  const values = keys.map((key) => `coalesce((${key})::text, 'null')`).join(", ', ', ");
  return `concat(${quoteLiteral(`Key (${names})=(`)}, ${values}, ') is duplicated.')`;
}

const isPlain = ({ dropped, hidden, generatedText, identity }: Column): boolean =>
  !dropped && !hidden && generatedText === null && identity !== 'always';

function quoted(relation: Relation, attribute: number): string {
  return quoteIdentifier(columnByAttribute(relation, attribute)?.name ?? '');
}
