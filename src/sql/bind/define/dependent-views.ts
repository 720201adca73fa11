/** Views that read relations which are to be dropped: they hold them, or go with them. */
import { eachPart, isRelationItem, type RelationItem } from '../../tree.ts';
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { type Catalog, type Column, hasQuery, type Relation } from '../../../catalog/model.ts';
import { isTemporary } from '../../../catalog/temporary.ts';
import { SqlError } from '../../../errors.ts';
import type { Query } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { columnsRead } from '../../deparse/source.ts';
import { parseStatements } from '../../parse/parse.ts';
import { findStored, viewContext } from '../names.ts';
import { queryColumns } from '../query/query-columns.ts';

interface Dependence {
  readonly view: Relation;
  readonly on: Relation;
  /** The column of it, where that is what is to go. */
  readonly column?: string;
}

/** Views on these relations, each with the views on it behind it; none of the relations themselves. */
export function dependentViews(context: BindContext, relations: readonly number[]): readonly Dependence[] {
  const views = [...context.catalog.relations.values()].filter(hasQuery);
  const reads = views.map((view) => ({ view, read: relationsRead(context, view) }));
  const gone = new Set(relations);
  const found: Dependence[] = [];
  const visit = (oid: number): void => {
    const on = context.catalog.relations.get(oid);
    if (on === undefined) return;
    for (const { view, read } of reads) {
      if (gone.has(view.oid) || !read.has(oid)) continue;
      gone.add(view.oid);
      found.push({ view, on });
      visit(view.oid);
    }
  };
  for (const oid of relations) visit(oid);
  return found;
}

/** Views that read a column, and the views on those. */
export function viewsOnColumn(
  context: BindContext,
  on: Relation,
  { attribute, name }: Column,
): readonly Dependence[] {
  const views = [...context.catalog.relations.values()].filter(hasQuery);
  const reading = views.filter((view) => {
    const own = schemaFirst(context, context.catalog, view);
    return (
      relationsRead(context, view).has(on.oid) && readsColumn(own, view, { relation: on.oid, attribute })
    );
  });
  const found = new Map<number, Dependence>();
  for (const view of reading) {
    found.set(view.oid, { view, on, column: name });
    for (const further of dependentViews(context, [view.oid])) {
      if (!found.has(further.view.oid)) found.set(further.view.oid, further);
    }
  }
  return [...found.values()];
}

/** A view that cannot be bound any more reads every column of what it names. */
function readsColumn(
  context: BindContext,
  view: Relation,
  { relation, attribute }: { readonly relation: number; readonly attribute: number },
): boolean {
  try {
    return (
      columnsRead(context, view.definition ?? '')
        .get(relation)
        ?.has(attribute) ?? false
    );
  } catch (error) {
    if (error instanceof SqlError) return true;
    throw error;
  }
}

/** A view over temporary relations is temporary itself. */
export function readsTemporary(context: BindContext, { query }: { readonly query: Query }): boolean {
  let found = false;
  eachRelation(query, (item) => {
    const relation = findStored(context, item.relation);
    found ||= relation !== undefined && isTemporary(context.catalog, relation);
  });
  return found;
}

/** Name of a relation's kind in messages. */
export const kindOf = ({ kind }: Relation): string => (kind === 'collection' ? 'table' : kind);

/** The edits that drop the views too. @throws SqlError 2BP01 without CASCADE. */
export function dropViews(
  dependences: readonly Dependence[],
  what: string,
  { cascade, notices }: { readonly cascade: boolean; readonly notices: string[] },
): readonly CatalogEdit[] {
  if (dependences.length === 0) return [];
  if (!cascade) {
    const lines = dependences.map(({ view, on, column }) => {
      const of = column === undefined ? '' : `column ${column} of `;
      return `${view.kind} ${view.name} depends on ${of}${kindOf(on)} ${on.name}`;
    });
    throw new SqlError(
      'dependent_objects_still_exist',
      `cannot drop ${what} because other objects depend on it`,
      { detail: lines.join('\n'), hint: 'Use DROP ... CASCADE to drop the dependent objects too.' },
    );
  }
  const [only] = dependences;
  if (dependences.length > 1) notices.push(`drop cascades to ${dependences.length} other objects`);
  else if (only) notices.push(`drop cascades to ${only.view.kind} ${only.view.name}`);
  return dependences
    .map(({ view }) => ({ edit: 'drop relation', relation: view.oid }))
    .toReversed() as CatalogEdit[];
}

/** Views that can be read now, and no more in the catalog as it is to be; nearest to tables first. */
export function brokenViews(context: BindContext, later: Catalog): readonly Relation[] {
  const views = [...later.relations.values()].filter(hasQuery);
  return views.filter((view) => canBeRead(context, view) && !canBeRead({ ...context, catalog: later }, view));
}

function canBeRead(context: BindContext, view: Relation): boolean {
  const own = schemaFirst(context, context.catalog, view);
  try {
    for (const { statement } of parseStatements(view.definition ?? '')) {
      if (statement.kind === 'query') queryColumns(own, statement.query, []);
    }
    return true;
  } catch (error) {
    if (error instanceof SqlError) return false;
    throw error;
  }
}

/** Relations that a view's query names, by OID. */
function relationsRead(context: BindContext, view: Relation): ReadonlySet<number> {
  const read = new Set<number>();
  eachRelation(
    parseStatements(view.definition ?? '').map(({ statement }) => statement),
    (item) => {
      const relation = findStored(schemaFirst(context, context.catalog, view), item.relation);
      if (relation) read.add(relation.oid);
    },
  );
  return read;
}

/** A view's names are found from the schema it is in, too. */
function schemaFirst(context: BindContext, catalog: Catalog, view: Relation): BindContext {
  const own = catalog.namespaces.find(({ oid }) => oid === view.namespace)?.name;
  const names = viewContext(context, view);
  return own === undefined ? names : { ...names, searchPath: [...names.searchPath, own] };
}

function eachRelation(tree: unknown, visit: (item: RelationItem) => void): void {
  eachPart(tree, (part) => {
    if (isRelationItem(part)) visit(part);
  });
}
