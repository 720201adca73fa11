/**
 * SELECT: FROM, select list, WHERE, HAVING, ORDER BY, GROUP BY are bound in PostgreSQL's order (which
 * decides the error a user sees first), then put together. Sorting and limiting come before the final
 * projection where they may, so that the select list is computed for answered rows only.
 */
import { SqlError } from '../../../errors.ts';
import type { Expr, Select } from '../../ast.ts';
import { group } from '../expression/aggregate.ts';
import { coerceBoolean, settleUnknown } from '../expression/coerce.ts';
import {
  type DraftColumn,
  type Expression,
  filter,
  mentions,
  type Plan,
  project,
  reference,
  sameExpression,
  sort,
  type SortKey,
} from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindExpression, type QueryOptions, type QueryScope } from '../context.ts';
import { bindFrom } from './from.ts';
import { bindGroupBy, separateKeys, withCopies } from './group-by.ts';
import { bindItems } from './items.ts';
import { inClause, type Level, newLevel, type SelectTarget } from '../level.ts';
import { checkLocking, lockRows, rowNumbers } from './locking.ts';
import { bindOrderBy, byName, byPosition, rejectConstant } from './order.ts';
import { finishPassages } from '../ranking/passages.ts';
import { searchAmong } from '../ranking/hybrid-conditions.ts';
import { finishRanking } from '../ranking/finish.ts';
import { knownType } from '../expression/record.ts';
import { expandGrouped, expandSets, idsOfSets } from './set-rows.ts';
import { newId } from '../state.ts';
import { isVolatile } from '../../../plan/volatile.ts';
import { bindLimit } from './tail.ts';
import { windowNodes } from '../expression/window.ts';

/** The parts of a SELECT, bound but not yet put together. */
interface Parts {
  readonly targets: readonly SelectTarget[];
  readonly where: Expression | null;
  readonly having: Expression | null;
  readonly keys: readonly SortKey[];
  readonly on: readonly Expression[] | null;
}

export function bindSelect(scope: QueryScope, select: Select, options: QueryOptions): Plan {
  const level = newLevel(scope.state, scope.parent, scope.commonTables);
  level.hidden = scope.hidden ?? [];
  scope.state.trace?.levels.set(select, level);
  level.locking = { clauses: select.locking, outside: scope.lock ?? null };
  const from = bindFrom(level, select.from);
  level.items = from.items;
  level.columns = from.columns;
  level.windowNames = new Map(select.windows.map((window) => [window.name, window.definition]));
  const targets = bindItems(level, select.items, options);
  const where = bindCondition(level, select.where, 'WHERE');
  const having = bindCondition(level, select.having, 'HAVING');
  const keys = bindOrderBy(level, select.order, targets);
  const grouping = bindGroupBy(level, select, targets);
  const on = bindDistinctOn(level, select, targets);
  checkLocking(level, select, from.plan);
  finishRanking(level);
  finishPassages(level);
  const filtered = where ? searchAmong(level, from.plan, where) : from.plan;
  const parts: Parts = { targets, where, having, keys, on };
  const isGrouped = grouping || having || level.aggregates.length > 0 || level.groupingCalls.length > 0;
  if (!isGrouped) return assemble(level, select, filtered, parts);
  const written = grouping ?? { keys: [], sets: [[]] };
  const multiplied = expandGrouped(level, filtered, { keys: written.keys, above: parts });
  const { copies, ...groups } = separateKeys(level, written);
  const { plan, above } = group(level, withCopies(multiplied, copies), groups);
  const copied = new Map(copies.map(({ key, column }) => [key, reference(column.id, column.type, key.at)]));
  const grouped = regroup(level, parts, (expression) => above(copied.get(expression) ?? expression));
  const answered = grouped.having ? filter(plan, grouped.having) : plan;
  return assemble(level, select, answered, grouped);
}

function bindCondition(level: Level, expr: Select['where'], clause: 'WHERE' | 'HAVING'): Expression | null {
  if (!expr) return null;
  return inClause(level, clause, () =>
    coerceBoolean(level.state, bindExpression(level, expr), `argument of ${clause}`),
  );
}

/** Every expression above the Aggregate, checked and rewritten to its output. */
function regroup(level: Level, parts: Parts, above: (expression: Expression) => Expression): Parts {
  const sortKey = (key: SortKey): SortKey => ({ ...key, expression: above(key.expression) });
  const all = (expressions: readonly Expression[]): readonly Expression[] => expressions.map(above);
  const windows = level.windows.map((window) => ({
    ...window,
    args: all(window.args),
    filter: window.filter && above(window.filter),
    partition: all(window.partition),
    order: window.order.map(sortKey),
  }));
  level.windows.splice(0, level.windows.length, ...windows);
  const sets = level.sets.map((set) => ({ ...set, args: all(set.args) }));
  level.sets.splice(0, level.sets.length, ...sets);
  return {
    targets: parts.targets.map((target) => ({ ...target, expression: above(target.expression) })),
    where: parts.where,
    having: parts.having && above(parts.having),
    keys: parts.keys.map(sortKey),
    on: parts.on && all(parts.on),
  };
}

/**
 * Windows, set-returning functions, then DISTINCT, ORDER BY, LIMIT and the select list. As in PostgreSQL rows are
 * multiplied after DISTINCT ON where neither it nor ORDER BY reads what multiplies them.
 */
function assemble(level: Level, select: Select, input: Plan, parts: Parts): Plan {
  const { targets, keys, on } = parts;
  const windowed = windowNodes(input, level.windows);
  const late = on !== null && select.order.length > 0 && !mentions([keys, on], idsOfSets(level));
  const plan = late ? windowed : expandSets(level, windowed, parts);
  if (select.distinct === 'distinct') return distinctRows(level, select, plan, parts);
  if (!on && keys.some((key) => isVolatile(key.expression))) return volatileOrder(level, select, plan, parts);
  const order = on ? distinctOrder(select, keys, on) : keys;
  const sorted = order.length > 0 ? sort(plan, order) : plan;
  const unique: Plan = on
    ? { kind: 'distinct', input: sorted, on, output: sorted.output }
    : lockRows(level, sorted);
  const limited = bindLimit(level, late ? expandSets(level, unique, parts) : unique, select, keys);
  return project(limited, expressionsOf(targets), outputOf(level, targets));
}

/** ORDER BY random(): what is sorted by must be what is shown, so the list is computed before the sort. */
function volatileOrder(level: Level, select: Select, input: Plan, parts: Parts): Plan {
  const shown = outputOf(level, parts.targets);
  const hidden: DraftColumn[] = [];
  const keys = parts.keys.map((key): SortKey => {
    const position = parts.targets.findIndex((target) => sameExpression(target.expression, key.expression));
    const { type } = key.expression;
    const added = { id: newId(level.state), name: 'key', type, relation: 0, attribute: 0 };
    if (!shown[position]) hidden.push(added);
    return { ...key, expression: reference((shown[position] ?? added).id, type) };
  });
  const added = parts.keys.filter((key) => {
    return !parts.targets.some((target) => sameExpression(target.expression, key.expression));
  });
  const rows = rowNumbers(level);
  const expressions = [
    ...expressionsOf(parts.targets),
    ...added.map((key) => key.expression),
    ...rows.map((row) => reference(row.id, row.type)),
  ];
  hidden.push(...rows);
  const projected = project(input, expressions, [...shown, ...hidden]);
  const limited = bindLimit(level, lockRows(level, sort(projected, keys)), select, keys);
  if (hidden.length === 0) return limited;
  const columns = shown.map((column) => ({ ...column, id: newId(level.state) }));
  const kept = shown.map((column) => reference(column.id, column.type));
  return project(limited, kept, columns);
}

/** SELECT DISTINCT: the list first, then order by its columns. @throws SqlError 42P10. */
function distinctRows(level: Level, select: Select, input: Plan, parts: Parts): Plan {
  for (const { expression } of parts.targets) checkEquality(level.state, expression);
  const output = outputOf(level, parts.targets);
  const projected = project(input, expressionsOf(parts.targets), output);
  const distinct: Plan = { kind: 'distinct', input: projected, on: null, output };
  const keys = parts.keys.map((key, i): SortKey => {
    const position = parts.targets.findIndex((target) => sameExpression(target.expression, key.expression));
    const column = output[position];
    if (column) return { ...key, expression: reference(column.id, column.type) };
    throw new SqlError(
      'invalid_column_reference',
      'for SELECT DISTINCT, ORDER BY expressions must appear in select list',
      { position: select.order[i]?.value.at },
    );
  });
  return bindLimit(level, keys.length > 0 ? sort(distinct, keys) : distinct, select, keys);
}

/** The sort that DISTINCT ON needs: by its expressions first. @throws SqlError 42P10. */
function distinctOrder(
  select: Select,
  keys: readonly SortKey[],
  on: readonly Expression[],
): readonly SortKey[] {
  const isOn = (key: SortKey): boolean => on.some((expression) => sameExpression(expression, key.expression));
  const leading = keys.slice(0, on.length);
  const wrong = leading.findIndex((key) => !isOn(key));
  if (wrong !== -1) {
    throw new SqlError(
      'invalid_column_reference',
      'SELECT DISTINCT ON expressions must match initial ORDER BY expressions',
      { position: select.order[wrong]?.value.at },
    );
  }
  const missing = on.filter((expression) => !keys.some((key) => sameExpression(key.expression, expression)));
  const rest = missing.map((expression): SortKey => ({ expression, descending: false, nullsFirst: false }));
  return [...leading, ...rest, ...keys.slice(leading.length)];
}

function bindDistinctOn(
  level: Level,
  select: Select,
  targets: readonly SelectTarget[],
): readonly Expression[] | null {
  if (typeof select.distinct === 'string') return null;
  return select.distinct.on.map((expr) => {
    const key = distinctKey(level, expr, targets);
    checkEquality(level.state, key, expr.at);
    return key;
  });
}

function distinctKey(level: Level, expr: Expr, targets: readonly SelectTarget[]): Expression {
  const place = { clause: 'DISTINCT ON', at: expr.at };
  if (expr.kind === 'integer') return byPosition(targets, Number(expr.text), place);
  rejectConstant(expr, 'DISTINCT ON');
  const name = expr.kind === 'column' && expr.path.length === 1 ? (expr.path[0] ?? '') : undefined;
  const named = name === undefined ? undefined : byName(targets, name, place);
  return named ?? settleUnknown(level.state, bindExpression(level, expr));
}

function expressionsOf(targets: readonly SelectTarget[]): readonly Expression[] {
  return targets.map((target) => target.expression);
}

function outputOf(level: Level, targets: readonly SelectTarget[]): readonly DraftColumn[] {
  return targets.map(({ name, expression, relation, attribute, mixed = false }) => {
    const type = knownType(level.state, expression);
    return { id: newId(level.state), name, type, relation, attribute, mixed };
  });
}
