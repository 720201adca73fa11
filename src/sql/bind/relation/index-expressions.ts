/** Expressions and predicates of indexes, bound over the relation's columns. */
import type { Column, Relation } from '../../../catalog/model.ts';
import { SqlError } from '../../../errors.ts';
import type { TextPath } from '../../../types/json/path-column.ts';
import type { TypeRef } from '../../../types/type.ts';
import { columnPath } from './text-path.ts';
import type { Expr } from '../../ast.ts';
import { type BindContext, bindExpression } from '../context.ts';
import { writeExpression } from '../../deparse/write-expression.ts';
import { parseExpression } from '../../parse/parse.ts';
import { coerceBoolean, settleUnknown } from '../expression/coerce.ts';
import { columnsLevel } from './columns-level.ts';
import { eachReference, type Expression } from '../draft.ts';
import { isImmutable } from './generated-column.ts';
import type { Level } from '../level.ts';

export interface BoundElement {
  /** As PostgreSQL writes it. */
  readonly text: string;
  readonly type: TypeRef;
  /** Set when the expression is a column in brackets. */
  readonly column: Column | null;
  /** Where it is a path of a jsonb column. */
  readonly path: TextPath | null;
  /** Attribute numbers. */
  readonly reads: readonly number[];
}

/** @throws SqlError 42703, 42P17 for what is not immutable. */
export function boundElement(context: BindContext, relation: Relation, expr: Expr): BoundElement {
  const level = columnsLevel(context, relation.name, relation.columns);
  level.clause = 'index expressions';
  const bound = settleUnknown(level.state, bindExpression(level, expr));
  const reads = attributesOf(level, bound);
  if (!isImmutable(bound)) throw notImmutable('expression');
  const column =
    bound.kind === 'column' ? relation.columns.find(({ attribute }) => attribute === reads[0]) : null;
  const path = columnPath(bound)?.path ?? null;
  return { text: writeExpression(level, expr), type: bound.type, column: column ?? null, path, reads };
}

/** @throws SqlError 42703, 42804, 42P17. */
export function boundPredicate(
  context: BindContext,
  relation: Relation,
  expr: Expr,
): Pick<BoundElement, 'text' | 'reads'> {
  const level = columnsLevel(context, relation.name, relation.columns);
  level.clause = 'index predicates';
  const bound = coerceBoolean(level.state, bindExpression(level, expr), 'argument of WHERE');
  if (!isImmutable(bound)) throw notImmutable('predicate');
  return { text: writeExpression(level, expr), reads: attributesOf(level, bound) };
}

const notImmutable = (what: string): SqlError =>
  new SqlError('invalid_object_definition', `functions in index ${what} must be marked IMMUTABLE`);

function attributesOf(level: Level, bound: Expression): readonly number[] {
  const reads = new Set<number>();
  eachReference(bound, ({ id }) => reads.add(level.state.columns.get(id)?.attribute ?? 0));
  return [...reads];
}

/** Attribute numbers that a stored expression over the relation's columns reads. */
export function expressionReads(context: BindContext, relation: Relation, text: string): readonly number[] {
  const level = columnsLevel(context, relation.name, relation.columns);
  return attributesOf(level, bindExpression(level, parseExpression(text)));
}
