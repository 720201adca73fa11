/** GROUP BY: names, positions and expressions as keys; ROLLUP, CUBE and GROUPING SETS as sets of them. */
import { SqlError } from '../../../errors.ts';
import type { Expr, GroupItem, Select } from '../../ast.ts';
import type { Grouping } from '../expression/aggregate.ts';
import { settleUnknown } from '../expression/coerce.ts';
import {
  type DraftColumn,
  eachReference,
  type Expression,
  type Plan,
  project,
  reference,
  sameExpression,
} from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindExpression } from '../context.ts';
import { byName, byPosition, rejectConstant } from './order.ts';
import { inClause, type Level, type SelectTarget } from '../level.ts';
import { newId } from '../state.ts';

const SETS_COUNT_MAX = 4096;

type ExprSet = readonly Expr[];

/** Null when there is no GROUP BY. */
export function bindGroupBy(level: Level, select: Select, targets: readonly SelectTarget[]): Grouping | null {
  if (select.group.length === 0) return null;
  return inClause(level, 'GROUP BY', () => {
    const sets = combine(select.group.map(setsOf));
    const keys: Expression[] = [];
    const position = (expr: Expr): number => {
      const key = groupKey(level, expr, targets);
      checkEquality(level.state, key, expr.at);
      const entry = sets.length > 1 ? entryOf(key, targets) : undefined;
      const known = keys.findIndex((known) => known === entry || (!entry && sameExpression(known, key)));
      return known === -1 ? keys.push(entry ?? key) - 1 : known;
    };
    const numbered = sets.map((set) => [...new Set(set.map(position))]);
    return { keys, sets: select.groupDistinct ? distinctSets(numbered) : numbered };
  });
}

/** Two entries of the select list are two keys even where they are alike: in a grouping set one may be NULL. */
function entryOf(key: Expression, targets: readonly SelectTarget[]): Expression | undefined {
  const named = targets.find(({ expression }) => expression === key);
  return (named ?? targets.find(({ expression }) => sameExpression(expression, key)))?.expression;
}

/** A key that is the same expression as one before it, and the column it is made from then on. */
interface Copy {
  readonly key: Expression;
  readonly column: DraftColumn;
}

/** Keys that are alike, each but the first as a column of its own. */
export function separateKeys(
  level: Level,
  grouping: Grouping,
): Grouping & { readonly copies: readonly Copy[] } {
  const copies: Copy[] = [];
  const keys = grouping.keys.map((key, i) => {
    if (grouping.keys.findIndex((other) => sameExpression(other, key)) === i) return key;
    const { type } = key;
    const column = { id: newId(level.state), name: 'key', type, relation: 0, attribute: 0 };
    copies.push({ key, column });
    return reference(column.id, type, key.at);
  });
  return { keys, sets: grouping.sets, copies };
}

/** The rows that are grouped, with the copies of keys beside them. */
export function withCopies(input: Plan, copies: readonly Copy[]): Plan {
  if (copies.length === 0) return input;
  const columns = input.output;
  const expressions = [
    ...columns.map(({ id, type }) => reference(id, type)),
    ...copies.map(({ key }) => key),
  ];
  return project(input, expressions, [...columns, ...copies.map(({ column }) => column)]);
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
  eachReference(key, ({ id, at }) => {
    const position = at || undefined;
    if (aggregates.has(id)) {
      throw new SqlError('grouping_error', 'aggregate functions are not allowed in GROUP BY', { position });
    }
    if (windows.has(id)) {
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
    case 'sets':
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
