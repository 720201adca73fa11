/** ORDER BY, LIMIT and OFFSET: of set operations and VALUES over their output, and the bounds of any query. */
import { notSupported, SqlError } from '../../../errors.ts';
import type { Expr, Query } from '../../ast.ts';
import { type Expression, limit, type Plan, reference, sort, type SortKey } from '../draft.ts';
import { bindOrderBy } from './order.ts';
import { refuseVariables } from '../scope-errors.ts';
import { inClause, type Level, newLevel, type Target } from '../level.ts';
import { bindExpression, type QueryScope } from '../context.ts';
import { coerceInteger } from '../expression/coerce.ts';

type Tail = Pick<Query, 'order' | 'limit' | 'offset' | 'withTies'>;

/** Sorts and limits a plan by its output columns. */
export function bindTail(
  scope: QueryScope,
  plan: Plan,
  options: { readonly tail: Tail; readonly clause: 'VALUES' | 'set' },
): Plan {
  const { tail, clause } = options;
  const level = newLevel(scope.state, scope.parent, scope.commonTables);
  const targets = plan.output.map((column): Target => {
    return { name: column.name, expression: reference(column.id, column.type) };
  });
  if (clause === 'set') for (const item of tail.order) checkSetOrder(item.value, targets);
  const keys = bindOrderBy(level, tail.order, targets);
  const sorted = keys.length > 0 ? sort(plan, keys) : plan;
  return bindLimit(level, sorted, tail, keys);
}

function checkSetOrder(value: Expr, targets: readonly Target[]): void {
  if (value.kind === 'integer') return;
  const name = value.kind === 'column' && value.path.length === 1 ? value.path[0] : undefined;
  if (name !== undefined && targets.some((target) => target.name === name)) return;
  if (name !== undefined) {
    throw new SqlError('undefined_column', `column "${name}" does not exist`, { position: value.at });
  }
  throw new SqlError('feature_not_supported', 'invalid UNION/INTERSECT/EXCEPT ORDER BY clause', {
    position: value.at,
    detail: 'Only result column names can be used, not expressions or functions.',
    hint: 'Add the expression/function to every SELECT, or move the UNION into a FROM clause.',
  });
}

/** LIMIT and OFFSET over a sorted plan. @throws SqlError 42P10 when a bound depends on a row. */
export function bindLimit(level: Level, plan: Plan, tail: Tail, keys: readonly SortKey[]): Plan {
  if (!tail.limit && !tail.offset) return plan;
  if (tail.withTies && keys.length === 0) {
    throw new SqlError('syntax_error', 'WITH TIES cannot be specified without ORDER BY clause');
  }
  const count = tail.limit && bindBound(level, tail.limit, 'LIMIT');
  const offset = tail.offset && bindBound(level, tail.offset, 'OFFSET');
  if (tail.withTies && count?.kind === 'literal' && count.value === null) {
    throw notSupported('WITH TIES without a count');
  }
  return limit(plan, { count, offset, ties: tail.withTies ? keys : null });
}

function bindBound(level: Level, expr: Expr, what: string): Expression {
  const bound = inClause(level, 'LIMIT', () =>
    coerceInteger(level.state, bindExpression(level, expr), `argument of ${what}`),
  );
  refuseVariables(level, bound, what);
  return bound;
}
