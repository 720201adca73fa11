/** Work of ALTER TABLE on rows that are there: it fills columns, changes their type, tests constraints. */
import type { CatalogEdit } from '../../../catalog/edit/edit.ts';
import { namespaceName } from '../../../catalog/lookup.ts';
import type { Column, Constraint, Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import { resolveCast } from '../../../functions/resolve.ts';
import type { FollowUp, SequenceValue } from '../../../plan/statement.ts';
import { quoteIdentifier } from '../../../types/text/quote.ts';
import { formatType } from '../../../types/registry.ts';
import type { AlterAction, Expr } from '../../ast.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { columnsLevel } from '../relation/columns-level.ts';
import { requireFittingType } from '../relation/foreign-key.ts';
import { typeOf } from '../names.ts';

export interface Alteration {
  readonly context: BindContext;
  readonly relation: Relation;
  readonly notices: string[];
  /** Done in order after the edits. */
  readonly followUps: FollowUp[];
  readonly sequenceValues: SequenceValue[];
}

/** Gives the rows there are their value. */
export function fillColumn(alteration: Alteration, column: Column): void {
  const { relation, followUps } = alteration;
  const sql = `UPDATE ${tableName(alteration)} SET ${quoteIdentifier(column.name)} = DEFAULT`;
  followUps.push({ kind: 'statement', sql, violated: null });
  if (!column.notNull) return;
  followUps.push(noNulls(alteration, column), {
    kind: 'edits',
    edits: [{ edit: 'alter column', relation: relation.oid, column }],
  });
}

/** Raises 23502 when a row has no value. */
export function noNulls(alteration: Alteration, column: Column): FollowUp {
  const { relation } = alteration;
  const name = quoteIdentifier(column.name);
  return {
    kind: 'statement',
    sql: `SELECT 1 FROM ${tableName(alteration)} WHERE ${name} IS NULL LIMIT 1`,
    violated: {
      condition: 'not_null_violation',
      message: `column "${column.name}" of relation "${relation.name}" contains null values`,
      table: relation.name,
      column: column.name,
    },
  };
}

/** Raises 23514 when a row breaks the constraint. */
export function keepsCheck(alteration: Alteration, constraint: Constraint): FollowUp {
  const { relation } = alteration;
  return {
    kind: 'statement',
    sql: `SELECT 1 FROM ${tableName(alteration)} WHERE NOT (${constraint.expression}) LIMIT 1`,
    violated: {
      condition: 'check_violation',
      message: `check constraint "${constraint.name}" of relation "${relation.name}" is violated by some row`,
      table: relation.name,
      constraint: constraint.name,
    },
  };
}

export function tableName({ context, relation }: Pick<Alteration, 'context' | 'relation'>): string {
  const schema = namespaceName(context.catalog, relation.namespace) ?? 'public';
  return `${quoteIdentifier(schema)}.${quoteIdentifier(relation.name)}`;
}

/** Name of the column that holds the new values while the type changes. */
const SCRATCH = '_quern_new_value';

/** Once now, so that a wrong one is refused as PostgreSQL does. */
function bindTransform({ context, relation }: Alteration, expression: Expr): void {
  const level = columnsLevel(context, relation.name, relation.columns);
  level.clause = 'transform expressions';
  bindExpression(level, expression);
}

/**
 * The new values are computed into a column of their own, moved over once the type has changed, and the
 * scratch column dropped: the column keeps its number and its place.
 */
export function setType(
  alteration: Alteration,
  column: Column,
  action: Extract<AlterAction, { action: 'set type' }>,
): readonly CatalogEdit[] {
  const { relation, followUps } = alteration;
  const type = typeOf(alteration.context, action.type);
  if (action.using) bindTransform(alteration, action.using.expression);
  if (!action.using && resolveCast(column.type.oid, type.oid, 'assignment') === null) {
    const name = formatType(type);
    throw new SqlError(
      'datatype_mismatch',
      `column "${column.name}" cannot be cast automatically to type ${name}`,
      { hint: `You might need to specify "USING ${quoteIdentifier(column.name)}::${name}".` },
    );
  }
  requireFittingType(alteration.context.catalog, relation.oid, { ...column, type });
  const attribute = Math.max(...relation.columns.map((other) => other.attribute)) + 1;
  const scratch: Column = {
    attribute,
    name: SCRATCH,
    type,
    notNull: false,
    defaultText: null,
    identity: null,
    generatedText: null,
    undeclared: false,
    dropped: false,
  };
  const own = quoteIdentifier(column.name);
  const table = tableName(alteration);
  const statement = (sql: string): FollowUp => ({ kind: 'statement', sql, violated: null });
  followUps.push(
    statement(`UPDATE ${table} SET ${SCRATCH} = ${action.using?.text ?? own}`),
    { kind: 'edits', edits: [{ edit: 'alter column', relation: relation.oid, column: { ...column, type } }] },
    statement(`UPDATE ${table} SET ${own} = ${SCRATCH}`),
    { kind: 'edits', edits: [{ edit: 'drop column', relation: relation.oid, attribute }] },
  );
  return [{ edit: 'add column', relation: relation.oid, column: scratch }];
}
