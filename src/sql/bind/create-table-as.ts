/** CREATE TABLE AS: a plain table with the columns of a query. The session then inserts the query's rows. */
import type { Relation } from '../../catalog/model.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import type { InsertStatement, Statement } from '../ast.ts';
import type { BindContext } from '../bind.ts';
import { existingRelation, onCommitOf } from './create-table.ts';
import { creationPlace } from './names.ts';
import { queryColumns } from './query-columns.ts';

type CreateTableAs = Extract<Statement, { kind: 'create table as' }>;

export function bindCreateTableAs(statement: CreateTableAs, context: BindContext): BoundStatement {
  const { name } = statement;
  const { namespace, edits: place } = creationPlace(context, name, statement.temporary);
  const existing = existingRelation(context, statement, namespace);
  if (existing) return { ...existing, tag: 'CREATE TABLE AS' };
  const relation: Relation = {
    oid: 0,
    namespace,
    name: name.name,
    kind: 'table',
    columns: queryColumns(context, statement.query, statement.columns),
    indexes: [],
    constraints: [],
    definition: null,
    ...onCommitOf(context, statement, namespace),
  };
  const edits = [...place, { edit: 'create relation', relation }] as const;
  return { kind: 'catalog', tag: 'CREATE TABLE AS', edits, notices: [] };
}

/** The statement that fills the new table. */
export function fillingInsert({ at, name, query }: CreateTableAs): InsertStatement {
  return {
    kind: 'insert',
    at,
    with: null,
    relation: name,
    alias: null,
    columns: null,
    source: query,
    overriding: null,
    conflict: null,
    returning: null,
  };
}
