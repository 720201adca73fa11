/**
 * pg_depend and what goes with it: what holds what. pg_dump orders what it writes by these rows, and other
 * tools find the tables of a view in them. Rows of what the system holds itself are left out, as pinned objects
 * are in PostgreSQL, but for the members of extensions.
 */
import { NO_REFERENCES, type References } from '../../../functions/function.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { enumByOid } from '../../enums.ts';
import {
  type Catalog,
  type Column,
  columnByAttribute,
  type Constraint,
  hasQuery,
  type Index,
  indexShape,
  liveColumns,
  type Relation,
  type SqlFunction,
} from '../../model.ts';
import { CLASS_OID, derivedOid, isExtensionType } from '../../oids.ts';
import { ownerOf } from '../../sequences.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { extensions, type ObjectAddress } from '../extensions.ts';
import { referencedIndex, shownDefault } from './relations.ts';

export const DEPENDENCY_ROWS: RowSources = { pg_depend: pgDepend, pg_rewrite: pgRewrite };

/** n: normal, a: goes with it, i: is part of it, e: member of an extension. */
type Kind = 'n' | 'a' | 'i' | 'e';

function depends(of: ObjectAddress, kind: Kind, on: ObjectAddress): NamedRow {
  return {
    classid: of.classOid,
    objid: of.oid,
    objsubid: of.column ?? 0,
    refclassid: on.classOid,
    refobjid: on.oid,
    refobjsubid: on.column ?? 0,
    deptype: kind,
  };
}

const relationAt = (oid: number, column = 0): ObjectAddress => ({
  classOid: CLASS_OID.pg_class,
  oid,
  column,
});
const functionAt = (oid: number): ObjectAddress => ({ classOid: CLASS_OID.pg_proc, oid });
const schemaAt = (oid: number): ObjectAddress => ({ classOid: CLASS_OID.pg_namespace, oid });

function* pgDepend(context: SystemContext): Generator<NamedRow> {
  const { catalog } = context;
  for (const relation of catalog.relations.values()) {
    yield depends(relationAt(relation.oid), 'n', schemaAt(relation.namespace));
    for (const column of liveColumns(relation)) yield* columnDepends(context, relation, column);
    for (const constraint of relation.constraints) yield* constraintDepends(context, relation, constraint);
    for (const index of relation.indexes) yield* indexDepends(context, relation, index);
    const owner = ownerOf(catalog, relation);
    if (owner !== undefined) {
      const kind = owner.column.identity === null ? 'a' : 'i';
      yield depends(relationAt(relation.oid), kind, relationAt(owner.relation.oid, owner.column.attribute));
    }
    if (hasQuery(relation)) yield* viewDepends(context, relation);
  }
  for (const type of catalog.enums.values()) {
    yield depends({ classOid: CLASS_OID.pg_type, oid: type.oid }, 'n', schemaAt(type.namespace));
  }
  for (const definition of catalog.functions.values()) yield* functionDepends(context, definition);
  for (const { oid, members } of extensions(catalog)) {
    for (const member of members) yield depends(member, 'e', { classOid: CLASS_OID.pg_extension, oid });
  }
}

/** Users' types, and those of extensions. */
function* typeDepends(catalog: Catalog, of: ObjectAddress, type: number): Generator<NamedRow> {
  const element = findTypeByOid(type)?.elementOid ?? type;
  const oid = enumByOid(catalog, element)?.oid ?? element;
  const owned = enumByOid(catalog, oid) !== undefined || isExtensionType(oid);
  if (owned) yield depends(of, 'n', { classOid: CLASS_OID.pg_type, oid });
}

function* referenceDepends(of: ObjectAddress, { relations, functions }: References): Generator<NamedRow> {
  for (const [oid, columns] of relations) {
    if (columns.size === 0) yield depends(of, 'n', relationAt(oid));
    for (const column of columns) yield depends(of, 'n', relationAt(oid, column));
  }
  for (const oid of functions) yield depends(of, 'n', functionAt(oid));
}

function* columnDepends(
  { catalog, functions }: SystemContext,
  relation: Relation,
  column: Column,
): Generator<NamedRow> {
  const at = relationAt(relation.oid, column.attribute);
  yield* typeDepends(catalog, at, column.type.oid);
  const text = shownDefault(column);
  if (text === null) return;
  const own = { classOid: CLASS_OID.pg_attrdef, oid: derivedOid(relation.oid, column.attribute) };
  yield depends(own, 'a', at);
  yield* referenceDepends(own, functions.catalog.expressionReferences(text));
}

function* constraintDepends(
  { catalog, functions }: SystemContext,
  relation: Relation,
  constraint: Constraint,
): Generator<NamedRow> {
  const own = { classOid: CLASS_OID.pg_constraint, oid: constraint.oid };
  for (const attribute of constraint.columns) yield depends(own, 'a', relationAt(relation.oid, attribute));
  if (constraint.columns.length === 0) yield depends(own, 'a', relationAt(relation.oid));
  const { references, expression } = constraint;
  if (expression !== null) {
    yield* referenceDepends(own, functions.catalog.expressionReferences(expression));
  }
  if (references === undefined || !catalog.relations.has(references.relation)) return;
  for (const attribute of references.columns) {
    yield depends(own, 'n', relationAt(references.relation, attribute));
  }
  const index = referencedIndex(catalog, constraint);
  if (index !== 0) yield depends(own, 'n', relationAt(index));
}

/** An index is part of its constraint, or goes with its columns. */
function* indexDepends({ functions }: SystemContext, relation: Relation, index: Index): Generator<NamedRow> {
  const own = relationAt(index.oid);
  const owner = relation.constraints.find((constraint) => constraint.index === index.oid);
  if (owner !== undefined) {
    yield depends(own, 'i', { classOid: CLASS_OID.pg_constraint, oid: owner.oid });
    return;
  }
  const { elements, where } = indexShape(relation, index);
  for (const attribute of indexReads(relation, index)) {
    yield depends(own, 'a', relationAt(relation.oid, attribute));
  }
  for (const text of [...elements.map(({ expression }) => expression), where]) {
    const read = text === null ? NO_REFERENCES : functions.catalog.expressionReferences(text);
    yield* referenceDepends(own, read);
  }
}

/** Columns that an index is of, or that its expressions read. */
function indexReads(relation: Relation, index: Index): ReadonlySet<number> {
  const { elements, included, reads } = indexShape(relation, index);
  const plain = elements.flatMap(({ attribute }) => (attribute === 0 ? [] : [attribute]));
  const all = [...plain, ...included, ...reads];
  return new Set(all.filter((attribute) => columnByAttribute(relation, attribute) !== undefined));
}

/** A view's query is a rule of it. */
function* viewDepends({ functions }: SystemContext, view: Relation): Generator<NamedRow> {
  const rule = { classOid: CLASS_OID.pg_rewrite, oid: derivedOid(view.oid, 0) };
  yield depends(rule, 'i', relationAt(view.oid));
  yield* referenceDepends(rule, functions.catalog.viewReferences(view.oid));
}

function* functionDepends(
  { catalog, functions }: SystemContext,
  definition: SqlFunction,
): Generator<NamedRow> {
  const own = functionAt(definition.oid);
  yield depends(own, 'n', schemaAt(definition.namespace));
  const types = new Set([definition.returns.oid, ...definition.arguments.map(({ type }) => type.oid)]);
  for (const type of types) yield* typeDepends(catalog, own, type);
  if (catalog.relations.has(definition.returnsRelation)) {
    yield depends(own, 'n', relationAt(definition.returnsRelation));
  }
  yield* referenceDepends(own, functions.catalog.functionReferences(definition.oid));
}

function* pgRewrite({ catalog, functions }: SystemContext): Generator<NamedRow> {
  for (const view of catalog.relations.values()) {
    if (!hasQuery(view)) continue;
    yield {
      oid: derivedOid(view.oid, 0),
      rulename: '_RETURN',
      ev_class: view.oid,
      ev_type: '1',
      ev_enabled: 'O',
      is_instead: true,
      ev_qual: '<>',
      ev_action: functions.catalog.viewDefinition(view.oid, { pretty: false, wrap: 0 }),
    };
  }
}
