/** The select list: stars expanded, names as PostgreSQL gives them (parse_target.c, FigureColname). */
import type { Expr, SelectItem } from '../../ast.ts';
import { isUnknown, settleUnknown } from '../expression/coerce.ts';
import { bindExpression, type QueryOptions } from '../context.ts';
import { inClause, type Level, type SelectTarget } from '../level.ts';
import { isMixed } from '../expression/undeclared.ts';
import { allFields } from '../expression/record.ts';
import { expandStar, resolveItem } from '../scope.ts';
import type { Expression } from '../draft.ts';

export function bindItems(
  level: Level,
  items: readonly SelectItem[],
  options: QueryOptions = {},
): readonly SelectTarget[] {
  const clause = level.clause === 'RETURNING' ? 'RETURNING' : 'SELECT';
  return inClause(level, clause, () =>
    items.flatMap((item) => {
      const targets = bindItem(level, item, options);
      level.state.trace?.targets.set(item, targets);
      return targets;
    }),
  );
}

function bindItem(level: Level, item: SelectItem, options: QueryOptions): readonly SelectTarget[] {
  return targetsOf(level, item, options).map((target) => {
    return isMixed(level, target.expression) ? { ...target, mixed: true } : target;
  });
}

function targetsOf(level: Level, item: SelectItem, options: QueryOptions): readonly SelectTarget[] {
  if (item.value.kind === 'star') return expandStar(level, item.value.path, item.value.at);
  if (item.value.kind === 'field' && item.value.field === '*') return bindRecordStar(level, item.value.input);
  const bound = bindExpression(level, item.value);
  const expression = options.keepUnknown && isUnknown(bound) ? bound : settleUnknown(level.state, bound);
  return [{ name: item.alias ?? columnName(item.value), expression, ...originOf(level, expression) }];
}

/** `(t).*`: the fields of a row that is known by its columns. */
function bindRecordStar(level: Level, input: Expr): readonly SelectTarget[] {
  const item = input.kind === 'column' ? resolveItem(level, input.path, input.at) : undefined;
  if (item && input.kind === 'column') return expandStar(level, input.path, input.at);
  const fields = allFields(level.state, bindExpression(level, input), input.at);
  return fields.map((field) => ({ ...field, ...originOf(level, field.expression) }));
}

function originOf(level: Level, expression: Expression): { relation: number; attribute: number } {
  const info = expression.kind === 'column' ? level.state.columns.get(expression.id) : undefined;
  return { relation: info?.relation ?? 0, attribute: info?.attribute ?? 0 };
}

const NO_NAME = '?column?';

/** The name of a column without AS. */
export function columnName(expr: Expr): string {
  return strongName(expr) ?? weakName(expr) ?? NO_NAME;
}

function strongName(expr: Expr): string | undefined {
  switch (expr.kind) {
    case 'column':
      return expr.path[expr.path.length - 1];
    case 'function':
      return expr.name;
    case 'field':
      return expr.field;
    case 'subscript':
    case 'collate':
      return strongName(expr.input);
    case 'cast':
      return strongName(expr.input);
    case 'coalesce':
    case 'greatest':
    case 'least':
    case 'nullif':
    case 'grouping':
      return expr.kind;
    case 'special':
      return expr.name;
    case 'array':
    case 'row':
      return expr.kind;
    case 'subquery':
      return subqueryName(expr);
    default:
      return undefined;
  }
}

function subqueryName(expr: Extract<Expr, { kind: 'subquery' }>): string | undefined {
  if (expr.form === 'exists') return 'exists';
  if (expr.form === 'array') return 'array';
  if (expr.form !== 'scalar') return undefined;
  const { query } = expr;
  if (query.kind === 'values') return 'column1';
  const first = query.kind === 'select' ? query.items[0] : undefined;
  if (!first) return undefined;
  return first.alias ?? (first.value.kind === 'star' ? undefined : columnName(first.value));
}

/** Names that give way to better ones inside: CASE takes its ELSE's, a cast its type's. */
function weakName(expr: Expr): string | undefined {
  switch (expr.kind) {
    case 'case':
      return (expr.otherwise && strongName(expr.otherwise)) ?? 'case';
    case 'cast':
      return expr.type.names[expr.type.names.length - 1];
    case 'collate':
    case 'subscript':
      return weakName(expr.input);
    default:
      return undefined;
  }
}
