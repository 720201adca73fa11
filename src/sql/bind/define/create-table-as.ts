/**
 * CREATE TABLE AS and CREATE MATERIALIZED VIEW: a relation with the columns of a query. The session then inserts
 * the query's rows.
 */
import { SqlError } from '../../../errors.ts';
import type { Relation } from '../../../catalog/model.ts';
import type { BoundStatement } from '../../../plan/statement.ts';
import type { Statement } from '../../ast.ts';
import type { BindContext } from '../context.ts';
import { storedSource } from '../../deparse/source.ts';
import { existingRelation, onCommitOf } from './create-table.ts';
import { readsTemporary } from './dependent-views.ts';
import { creationPlace } from '../names.ts';
import { queryColumns } from '../query/query-columns.ts';
import { checkRelationOptions, tableOptions } from '../relation/relation-options.ts';

type CreateTableAs = Extract<Statement, { kind: 'create table as' }>;

export function bindCreateTableAs(statement: CreateTableAs, context: BindContext): BoundStatement {
  const { name, viewText } = statement;
  checkRelationOptions('table', statement.options);
  const tag = `CREATE ${viewText === null ? 'TABLE AS' : 'MATERIALIZED VIEW'}`;
  const { namespace, edits: place } = creationPlace(context, name, statement.temporary);
  const existing = existingRelation(context, statement, namespace);
  if (existing) return { ...existing, tag };
  if (viewText !== null && readsTemporary(context, statement)) {
    const message = 'materialized views must not use temporary tables or views';
    throw new SqlError('feature_not_supported', message);
  }
  const relation: Relation = {
    oid: 0,
    namespace,
    name: name.name,
    kind: viewText === null ? 'table' : 'materialized view',
    columns: queryColumns(context, statement.query, statement.columns),
    indexes: [],
    constraints: [],
    definition: viewText === null ? null : storedSource(context, viewText),
    ...(viewText !== null && !statement.withData && { unpopulated: true }),
    ...onCommitOf(context, statement, namespace),
    ...tableOptions(statement.options),
  };
  const edits = [...place, { edit: 'create relation', relation }] as const;
  return { kind: 'catalog', tag, edits, notices: [] };
}
