/** UNION, INTERSECT and EXCEPT: both sides in the common types of their columns. */
import { SqlError } from '../../../errors.ts';
import { firstRow } from '../../map/constant-rows.ts';
import type { SetOperation } from '../../../plan/plan.ts';
import type { TypeRef } from '../../../types/type.ts';
import type { Expr, SetQuery } from '../../ast.ts';
import { coerce, commonTypeOf } from '../expression/coerce.ts';
import { type Draft, type DraftColumn, type Plan, reference } from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindQuery, type QueryScope } from '../context.ts';
import { convertColumns } from './convert-columns.ts';
import { newId } from '../state.ts';
import { bindTail } from './tail.ts';

export function bindSetQuery(scope: QueryScope, query: SetQuery): Plan {
  const { state } = scope;
  const name = query.operation.toUpperCase();
  const left = bindQuery(scope, query.left, { keepUnknown: true });
  const right = bindQuery(scope, query.right, { keepUnknown: true });
  if (left.columns.length !== right.columns.length) {
    throw new SqlError('syntax_error', `each ${name} query must have the same number of columns`, {
      position: right.columns.length > 0 ? firstItem(query.right) : query.right.at,
    });
  }
  const types = left.columns.map((column, i): TypeRef => {
    const other = right.columns[i];
    const sides = [reference(column.id, column.type, firstItem(query.left))];
    if (other) sides.push(reference(other.id, other.type, itemPosition(query.right, i)));
    const type = commonTypeOf(sides, name);
    const position = query.left.kind === 'values' ? 0 : itemPosition(query.left, i);
    if (query.operation !== 'union' || !query.all)
      checkEquality(state, reference(column.id, type, position), position);
    return type;
  });
  const typed = (plan: Plan): Plan => {
    return convertColumns(state, plan, (expression, i) => {
      return coerce(state, expression, { type: types[i] ?? expression.type, context: 'implicit' });
    });
  };
  const output = left.columns.map((column, i): DraftColumn => {
    return { id: newId(state), name: column.name, type: types[i] ?? column.type, relation: 0, attribute: 0 };
  });
  const plan: SetOperation<Draft> = {
    kind: 'set',
    operation: query.operation,
    all: query.all,
    left: typed(left.plan),
    right: typed(right.plan),
    output,
  };
  return bindTail(scope, plan, { tail: query, clause: 'set' });
}

function firstItem(query: SetQuery['left']): number {
  return itemPosition(query, 0);
}

/** Where column `i` is written; 0: nowhere. */
export function itemPosition(query: SetQuery['left'], i: number): number {
  if (query.kind === 'select') return beginning(query.items[i]?.value) || query.at;
  if (query.kind === 'values') return beginning(firstRow(query.rows)[i]) || query.at;
  return itemPosition(query.left, i);
}

/** Where an expression begins: `'x'` of `'x'::text`. */
function beginning(expr: Expr | undefined): number {
  if (!expr) return 0;
  const inner =
    expr.kind === 'cast' || expr.kind === 'collate'
      ? expr.input
      : expr.kind === 'operator'
        ? expr.left
        : null;
  return inner ? Math.min(expr.at, beginning(inner)) : expr.at;
}
