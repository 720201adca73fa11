/** GROUP BY: names, positions and expressions as keys; ROLLUP, CUBE and GROUPING SETS as sets of them. */
import { SqlError } from '../../../errors.ts';
import type { Expression } from '../../../plan/expression.ts';
import type { Expr, GroupItem, Select } from '../../ast.ts';
import type { Grouping } from '../expression/aggregate.ts';
import { settleUnknown } from '../expression/coerce.ts';
import { eachReference, sameExpression } from '../draft.ts';
import { bindExpression } from '../expression/expression.ts';
import { byName, byPosition, rejectConstant } from './order.ts';
import type { SelectTarget } from './items.ts';
import { inClause, type Level } from '../scope.ts';

const SETS_COUNT_MAX = 4096;

type ExprSet = readonly Expr[];

/** Null when there is no GROUP BY. */
export function bindGroupBy(level: Level, select: Select, targets: readonly SelectTarget[]): Grouping | null {
  if (select.group.length === 0) return null;
  return inClause(level, 'GROUP BY', () => {
    const keys: Expression[] = [];
    const position = (expr: Expr): number => {
      const key = groupKey(level, expr, targets);
      const known = keys.findIndex((candidate) => sameExpression(candidate, key));
      return known === -1 ? keys.push(key) - 1 : known;
    };
    const sets = combine(select.group.map(setsOf)).map((set) => [...new Set(set.map(position))]);
    return { keys, sets: select.groupDistinct ? distinctSets(sets) : sets };
  });
}

/** A column of FROM first, then a name of the select list; a bare integer is a position. */
function groupKey(level: Level, expr: Expr, targets: readonly SelectTarget[]): Expression {
  const place = { clause: 'GROUP BY', at: expr.at };
  if (expr.kind === 'integer') return checked(level, byPosition(targets, Number(expr.text), place));
  rejectConstant(expr, 'GROUP BY');
  const name = expr.kind === 'column' && expr.path.length === 1 ? (expr.path[0] ?? '') : undefined;
  if (name !== undefined && !level.columns.some((column) => column.name === name)) {
    const named = byName(targets, name, place);
    if (named) return checked(level, named);
  }
  return settleUnknown(level.state, bindExpression(level, expr));
}

/** An entry of the select list. @throws SqlError 42803, 42P20. */
function checked(level: Level, key: Expression): Expression {
  const aggregates = new Set(level.aggregates.map(({ id }) => id));
  const windows = new Set(level.windows.map(({ id }) => id));
  eachReference(key, ({ index, at }) => {
    const position = at || undefined;
    if (aggregates.has(index)) {
      throw new SqlError('grouping_error', 'aggregate functions are not allowed in GROUP BY', { position });
    }
    if (windows.has(index)) {
      throw new SqlError('windowing_error', 'window functions are not allowed in GROUP BY', { position });
    }
  });
  return key;
}

function setsOf(item: GroupItem): readonly ExprSet[] {
  switch (item.kind) {
    case 'expression':
      return [item.value.kind === 'row' ? item.value.fields : [item.value]];
    case 'list':
      return [item.values];
    case 'rollup': {
      const parts = item.items.map(partOf);
      return Array.from({ length: parts.length + 1 }, (_, i) => parts.slice(0, parts.length - i).flat());
    }
    case 'cube':
      return subsets(item.items.map(partOf));
    default:
      return item.items.flatMap(setsOf);
  }
}

function partOf(item: GroupItem): ExprSet {
  return setsOf(item).flat();
}

/** All subsets, the full one first. */
function subsets(parts: readonly ExprSet[]): readonly ExprSet[] {
  checkCount(2 ** parts.length);
  const [first, ...rest] = parts;
  if (!first) return [[]];
  const without = subsets(rest);
  return [...without.map((set) => [...first, ...set]), ...without];
}

/** The cross product of the items of GROUP BY. */
function combine(items: readonly (readonly ExprSet[])[]): readonly ExprSet[] {
  return items.reduce<readonly ExprSet[]>(
    (sets, item) => {
      checkCount(sets.length * item.length);
      return sets.flatMap((set) => item.map((added) => [...set, ...added]));
    },
    [[]],
  );
}

function checkCount(count: number): void {
  if (count <= SETS_COUNT_MAX) return;
  throw new SqlError('statement_too_complex', `too many grouping sets present (maximum ${SETS_COUNT_MAX})`);
}

function distinctSets(sets: readonly (readonly number[])[]): readonly (readonly number[])[] {
  const seen = new Map(sets.map((set) => [[...set].sort((a, b) => a - b).join(), set]));
  return [...seen.values()];
}
