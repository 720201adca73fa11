/**
 * Filling of a relation with the rows of a query, for the session, which runs it after the definition: CREATE TABLE AS,
 * CREATE and REFRESH MATERIALIZED VIEW.
 */
import { namespaceName } from '../../catalog/lookup.ts';
import type { Relation } from '../../catalog/model.ts';
import type { InsertStatement, QualifiedName, Statement } from '../ast.ts';
import type { BindContext } from './context.ts';
import { type Refresh, refreshedView } from './define/materialized-view.ts';
import { viewQuery } from './query/from-relation.ts';

/** The statement that fills a new relation. */
export function fillingInsert({
  at,
  name,
  query,
}: Pick<Extract<Statement, { kind: 'create table as' }>, 'at' | 'name' | 'query'>): InsertStatement {
  return {
    kind: 'insert',
    at,
    with: null,
    relation: name,
    alias: null,
    columns: null,
    source: query,
    overriding: null,
    fills: true,
    conflict: null,
    returning: null,
  };
}

/** The view that REFRESH is for, and the statement that fills it anew. @throws SqlError as `refreshedView`. */
export function refilling(
  names: Pick<BindContext, 'catalog' | 'searchPath'>,
  statement: Refresh,
): { readonly view: Relation; readonly insert: () => InsertStatement } {
  const view = refreshedView(names, statement);
  const schema = namespaceName(names.catalog, view.namespace);
  const { at } = statement;
  const name: QualifiedName = { schema, name: view.name, partition: null, at };
  return { view, insert: () => fillingInsert({ at, name, query: viewQuery(view) }) };
}
