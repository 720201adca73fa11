/**
 * FROM: relations, subqueries, functions and joins as a plan and the names they bring. Follows PostgreSQL's
 * parse_clause.c. Join conditions stay whole; the optimizer takes hash keys out of them.
 */
import { unreachable } from '../../../assert.ts';
import { SqlError } from '../../../errors.ts';
import type { Join } from '../../../plan/plan.ts';
import type { Alias, FromItem } from '../../ast.ts';
import { coerceBoolean, unify } from '../expression/coerce.ts';
import { and, eachReference, type Expression, ONE_ROW } from '../draft.ts';
import { bindExpression, bindQuery } from '../context.ts';
import { bindFunctionItem } from './from-function.ts';
import { bindRelationItem } from './from-relation.ts';
import { compare } from '../expression/operators.ts';
import { lockOf } from './locking.ts';
import { withPresence } from '../expression/presence.ts';
import { type FromResult, inClause, type Level, type ScopeColumn, type ScopeItem } from '../level.ts';
import { readColumn } from '../rights.ts';
import { checkAliasWidth, join, namedColumns, namedItem } from './from-item.ts';

const NOTHING: FromResult = { plan: ONE_ROW, items: [], columns: [] };

/** The whole FROM list; without one, one row without columns. */
export function bindFrom(level: Level, items: readonly FromItem[]): FromResult {
  return crossFrom(level, NOTHING, items);
}

/** A FROM list beside what is there already: the target of UPDATE and DELETE. */
export function crossFrom(level: Level, first: FromResult, items: readonly FromItem[]): FromResult {
  return items.reduce<FromResult>((left, item) => {
    const right = bindItem(level, item, left);
    return left === NOTHING ? right : cross(left, right);
  }, first);
}

/** @param before what LATERAL items may see. */
function bindItem(level: Level, item: FromItem, before: FromResult): FromResult {
  const result = bindEntry(level, item, before);
  const names = result.columns.map(({ name }) => name);
  level.state.trace?.columns.set(item, names);
  return result;
}

function bindEntry(level: Level, item: FromItem, before: FromResult): FromResult {
  switch (item.kind) {
    case 'relation':
      return bindRelationItem(level, item);
    case 'query': {
      const parent = item.lateral ? lateralLevel(level, before) : level.parent;
      const hidden = item.lateral ? [] : before.items;
      const lock = lockOf(level.locking, item.alias?.name ?? '');
      const scope = { state: level.state, parent, commonTables: level.commonTables, hidden, lock };
      const { plan } = bindQuery(scope, item.query);
      return namedItem(level, plan, item.alias);
    }
    case 'function':
      return withNames(level, before, () =>
        inClause(level, 'functions in FROM', () => bindFunctionItem(level, item)),
      );
    case 'join':
      return bindJoin(level, item, before);
    default:
      return unreachable(item);
  }
}

/** A level of the names to the left, for a LATERAL subquery; itself inside the level. */
function lateralLevel(level: Level, before: FromResult): Level {
  return { ...level, items: before.items, columns: before.columns, clause: 'functions in FROM' };
}

/** Binds with only these names in sight at the level. */
function withNames<T>(level: Level, names: Pick<FromResult, 'items' | 'columns'>, bind: () => T): T {
  const { items, columns } = level;
  level.items = names.items;
  level.columns = names.columns;
  try {
    return bind();
  } finally {
    level.items = items;
    level.columns = columns;
  }
}

function cross(left: FromResult, right: FromResult): FromResult {
  const items = bothItems(left, right);
  const plan = join('cross', left.plan, right.plan, null);
  return { plan, items, columns: [...left.columns, ...right.columns] };
}

function bothItems(left: FromResult, right: FromResult): readonly ScopeItem[] {
  for (const item of right.items) {
    if (item.alias === '' || !left.items.some((other) => other.alias === item.alias)) continue;
    throw new SqlError('duplicate_alias', `table name "${item.alias}" specified more than once`);
  }
  return [...left.items, ...right.items];
}

type JoinItem = Extract<FromItem, { kind: 'join' }>;

function bindJoin(level: Level, item: JoinItem, before: FromResult): FromResult {
  const left = bindItem(level, item.left, before);
  const seen = item.join === 'inner' || item.join === 'left' || item.join === 'cross';
  const visible: FromResult = seen
    ? {
        plan: left.plan,
        items: [...before.items, ...left.items],
        columns: [...before.columns, ...left.columns],
      }
    : before;
  const right = bindItem(level, item.right, visible);
  const both = bothItems(left, right);
  if (both.some(({ alias }) => alias !== '' && alias === item.usingAlias)) {
    throw new SqlError('duplicate_alias', `table name "${item.usingAlias}" specified more than once`);
  }
  const using = item.natural ? commonNames(left, right) : item.using;
  if (item.natural) level.state.trace?.natural.set(item, using ?? []);
  const joined = using
    ? bindUsing(level, { left, right, using, item })
    : { condition: bindOn(level, item, { left, right }), columns: [...left.columns, ...right.columns] };
  const kind = item.join === 'cross' || joined.condition === null ? crossOr(item) : item.join;
  const condition = joined.condition ?? (kind === 'cross' ? null : and([]));
  const sides = [
    kind === 'right' || kind === 'full' ? withPresence(level, left) : left,
    kind === 'left' || kind === 'full' ? withPresence(level, right) : right,
  ] as const;
  const plan = join(kind, sides[0].plan, sides[1].plan, condition);
  const items = [...sides.flatMap((side) => side.items), ...usingItem(item, joined.columns)];
  const result: FromResult = { plan, items, columns: joined.columns };
  return item.alias ? renamed(result, item.alias, level) : result;
}

/** `USING (…) AS x`: the merged columns under a name. */
function usingItem({ usingAlias, using }: JoinItem, columns: readonly ScopeColumn[]): readonly ScopeItem[] {
  if (usingAlias === null || using === null) return [];
  return [namedColumns(usingAlias, columns.slice(0, using.length))];
}

function crossOr(item: JoinItem): Join['join'] {
  return item.join === 'inner' ? 'cross' : item.join;
}

function bindOn(
  level: Level,
  item: JoinItem,
  sides: { readonly left: FromResult; readonly right: FromResult },
): Expression | null {
  if (!item.on) return null;
  const { on } = item;
  const { left, right } = sides;
  const names = {
    items: [...left.items, ...right.items],
    columns: [...left.columns, ...right.columns],
  };
  return withNames(level, names, () =>
    inClause(level, 'JOIN conditions', () =>
      coerceBoolean(level.state, bindExpression(level, on), 'argument of JOIN/ON'),
    ),
  );
}

function commonNames(left: FromResult, right: FromResult): readonly string[] {
  const names = new Set(right.columns.map((column) => column.name));
  return [...new Set(left.columns.map((column) => column.name))].filter((name) => names.has(name));
}

interface UsingJoin {
  readonly left: FromResult;
  readonly right: FromResult;
  readonly using: readonly string[];
  readonly item: JoinItem;
}

/** USING: equal by name; the merged columns come first in `*`. */
function bindUsing(
  level: Level,
  parts: UsingJoin,
): { readonly condition: Expression | null; readonly columns: readonly ScopeColumn[] } {
  const { left, right, using, item } = parts;
  const terms: Expression[] = [];
  const merged: ScopeColumn[] = [];
  for (const name of using) {
    const first = usingColumn(left, name, 'left');
    const second = usingColumn(right, name, 'right');
    readColumn(first.used);
    readColumn(second.used);
    const pair = { left: first.expression, right: second.expression };
    terms.push(compare(level, { operator: '=', ...pair, at: item.at }));
    merged.push(mergedColumn(level, item.join, { first, second }));
  }
  const rest = [...left.columns, ...right.columns].filter((column) => !using.includes(column.name));
  return { condition: terms.length === 0 ? null : and(terms), columns: [...merged, ...rest] };
}

function mergedColumn(
  level: Level,
  kind: JoinItem['join'],
  columns: { readonly first: ScopeColumn; readonly second: ScopeColumn },
): ScopeColumn {
  const { first, second } = columns;
  const sides = unify(level.state, [first.expression, second.expression], 'JOIN/USING');
  const [left, right] = sides.expressions;
  if (kind === 'full') {
    const expression: Expression = { kind: 'coalesce', args: sides.expressions, type: sides.type };
    return { name: first.name, expression, undeclared: false, relation: 0, attribute: 0 };
  }
  const chosen = kind === 'right' ? second : first;
  return { ...chosen, name: first.name, expression: (kind === 'right' ? right : left) ?? chosen.expression };
}

function usingColumn(from: FromResult, name: string, side: 'left' | 'right'): ScopeColumn {
  const found = from.columns.filter((column) => column.name === name);
  const [only, second] = found;
  if (second) {
    const message = `common column name "${name}" appears more than once in ${side} table`;
    throw new SqlError('ambiguous_column', message);
  }
  if (only) return only;
  const message = `column "${name}" specified in USING clause does not exist in ${side} table`;
  throw new SqlError('undefined_column', message);
}

/** `(a JOIN b) AS j`: only `j` is in sight. */
function renamed(result: FromResult, alias: Alias, level: Level): FromResult {
  checkAliasWidth(alias, result.columns.length);
  const columns = result.columns.map((column, i) => ({ ...column, name: alias.columns[i] ?? column.name }));
  for (const column of columns) {
    eachReference(column.expression, (reference) => {
      const info = level.state.columns.get(reference.id);
      if (info) level.state.columns.set(reference.id, { ...info, table: alias.name, name: column.name });
    });
  }
  return { plan: result.plan, items: [namedColumns(alias.name, columns)], columns };
}
