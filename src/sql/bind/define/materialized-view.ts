/** REFRESH MATERIALIZED VIEW: what is checked before the session fills it anew. */
import { namespaceName } from '../../../catalog/lookup.ts';
import { indexShape, type Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import { quoteIdentifier } from '../../../types/text/quote.ts';
import type { Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { storedRelation } from '../names.ts';

export type Refresh = Extract<Statement, { kind: 'refresh' }>;
type Names = Pick<BindContext, 'catalog' | 'searchPath'>;

/** The change of the catalog: whether it can be read afterwards. @throws SqlError as `refreshedView`. */
export function bindRefresh(statement: Refresh, context: BindContext): BoundStatement {
  const { unpopulated, ...kept } = refreshedView(context, statement);
  const relation: Relation = statement.withData ? kept : { ...kept, unpopulated: true };
  const changes = (unpopulated === undefined) !== statement.withData;
  return {
    kind: 'catalog',
    tag: 'REFRESH MATERIALIZED VIEW',
    edits: changes ? [{ edit: 'rewrite relation', relation }] : [],
    notices: [],
  };
}

/** @throws SqlError 42P01, 42601, 55000, 0A000. */
export function refreshedView(names: Names, { name, concurrently, withData }: Refresh): Relation {
  if (concurrently && !withData) {
    const message = 'CONCURRENTLY and WITH NO DATA options cannot be used together';
    throw new SqlError('syntax_error', message);
  }
  const view = storedRelation(names, { ...name, at: 0 });
  if (view.kind !== 'materialized view') {
    throw new SqlError('feature_not_supported', `"${view.name}" is not a materialized view`);
  }
  if (!concurrently) return view;
  if (view.unpopulated) {
    const message = 'CONCURRENTLY cannot be used when the materialized view is not populated';
    throw new SqlError('feature_not_supported', message);
  }
  if (!view.indexes.some((index) => index.unique && tellsRowsApart(view, index))) {
    const schema = namespaceName(names.catalog, view.namespace) ?? '';
    const written = `${quoteIdentifier(schema)}.${quoteIdentifier(view.name)}`;
    const message = `cannot refresh materialized view "${written}" concurrently`;
    throw new SqlError('object_not_in_prerequisite_state', message, {
      hint: 'Create a unique index with no WHERE clause on one or more columns of the materialized view.',
    });
  }
  return view;
}

function tellsRowsApart(view: Relation, index: Relation['indexes'][number]): boolean {
  const { where, elements } = indexShape(view, index);
  return where === null && elements.every(({ expression }) => expression === null);
}
