/**
 * Aggregates and GROUP BY. An aggregate call becomes a column of the level its arguments belong to; when
 * the level is complete, one Aggregate node computes them all and every expression above is checked to use
 * only group keys and aggregates. Follows PostgreSQL's parse_agg.c.
 */
import { notSupported, SqlError } from '../../../errors.ts';
import { primaryKey } from '../../../catalog/model.ts';
import { aggregateById } from '../../../functions/registry.ts';
import type { Resolution } from '../../../functions/resolve.ts';
import type { Expr } from '../../ast.ts';
import { coerceBoolean } from './coerce.ts';
import {
  type DraftColumn,
  eachReference,
  type Expression,
  INTEGER,
  literal,
  mentions,
  type Plan,
  reference,
  rewrite,
  sameExpression,
  type SortKey,
} from '../draft.ts';
import { checkEquality } from '../equality.ts';
import { bindExpression } from '../context.ts';
import type { Call } from './arguments.ts';
import { operate } from './operators.ts';
import { bindSortKeys } from '../query/order.ts';
import { type Clause, inClause, type Level } from '../level.ts';
import { newId } from '../state.ts';

const ALLOWED: readonly Clause[] = ['SELECT', 'HAVING', 'ORDER BY', 'window definitions'];

/** An aggregate call, as a reference to the column it will be. */
export function bindAggregate(
  level: Level,
  call: Call,
  bound: { readonly resolution: Resolution; readonly args: readonly Expression[] },
): Expression {
  const { resolution, args } = bound;
  checkWithinGroup(call, aggregateById(resolution.id).ordered === true);
  const filter = bindFilter(level, call);
  const order = bindSortKeys(level, call.order).map((key) => asArgument(key, args));
  const owner = ownerOf(level, [args, filter]);
  if (owner !== level && owner.clause === 'functions in FROM') {
    const message = 'aggregate functions are not allowed in FROM clause of their own query level';
    throw new SqlError('grouping_error', message, { position: call.at });
  }
  checkPlace(owner, call, [args, filter, order]);
  // Arguments of any type come as one row of them.
  const given = args.flatMap((arg) => (arg.kind === 'row' ? arg.fields : [arg]));
  if (call.distinct) for (const arg of given) checkEquality(level.state, arg);
  const inArguments = (key: Expression): boolean => given.some((arg) => sameExpression(arg, key));
  if (call.distinct && !call.withinGroup && !order.every((key) => inArguments(key.expression))) {
    throw new SqlError(
      'invalid_column_reference',
      'in an aggregate with DISTINCT, ORDER BY expressions must appear in argument list',
      { position: call.order[0]?.at },
    );
  }
  const aggregate = {
    function: resolution.id,
    args,
    distinct: call.distinct,
    filter,
    order,
    type: resolution.returns,
  };
  const same = owner.aggregates.find((known) => sameExpression(known.call, aggregate));
  if (same) return reference(same.id, resolution.returns, call.at);
  const id = newId(level.state);
  owner.aggregates.push({ id, call: aggregate });
  return reference(id, resolution.returns, call.at);
}

/** @throws SqlError 42803, 42P20, 0A000, 42804 for what is no condition on one row. */
export function bindFilter(level: Level, { filter }: Call): Expression | null {
  if (!filter) return null;
  const condition = inClause(level, 'FILTER', () => bindExpression(level, filter));
  return coerceBoolean(level.state, condition, 'argument of FILTER');
}

/** A varchar argument is taken as text; a sort key that is the same column is that argument. */
function asArgument(key: SortKey, args: readonly Expression[]): SortKey {
  const same = args.find((arg) => sameExpression({ ...key.expression, type: arg.type }, arg));
  return same ? { ...key, expression: same } : key;
}

/** WITHIN GROUP belongs to ordered-set aggregates, and they to it. */
function checkWithinGroup(call: Call, ordered: boolean): void {
  if (call.withinGroup === ordered) return;
  throw new SqlError(
    'wrong_object_type',
    ordered
      ? `WITHIN GROUP is required for ordered-set aggregate ${call.name}`
      : `${call.name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP`,
    { position: call.at },
  );
}

/** The innermost level among the columns used; the present one when there are none. */
function ownerOf(level: Level, parts: unknown): Level {
  // A LATERAL subquery stands in a copy of its level, which shares the list.
  const used = new Set<Level['aggregates']>();
  eachReference(parts, (column) => {
    const info = level.state.columns.get(column.id);
    if (info) used.add(info.level.aggregates);
  });
  if (used.size === 0) return level;
  for (let scope: Level | null = level; scope; scope = scope.parent) {
    if (used.has(scope.aggregates)) return scope;
  }
  return level;
}

function checkPlace(owner: Level, call: Call, parts: unknown): void {
  if (!ALLOWED.includes(owner.clause)) {
    throw new SqlError('grouping_error', `aggregate functions are not allowed in ${owner.clause}`, {
      position: call.at,
    });
  }
  const nested = new Set([...owner.aggregates, ...owner.groupingCalls].map(({ id }) => id));
  eachReference(parts, (column) => {
    if (!nested.has(column.id)) return;
    throw new SqlError('grouping_error', 'aggregate function calls cannot be nested', {
      position: column.at || call.at,
    });
  });
  if (mentions(parts, new Set(owner.windows.map((window) => window.id)))) {
    throw new SqlError('grouping_error', 'aggregate function calls cannot contain window function calls', {
      position: call.at,
    });
  }
  refuseSets(owner, parts, 'aggregate');
}

/** @throws SqlError 0A000: a row cannot become several within a call. */
export function refuseSets(level: Level, parts: unknown, kind: 'aggregate' | 'window'): void {
  const sets = new Set(level.sets.map(({ id }) => id));
  eachReference(parts, (column) => {
    if (!sets.has(column.id)) return;
    const message = `${kind} function calls cannot contain set-returning function calls`;
    throw new SqlError('feature_not_supported', message, {
      position: column.at || undefined,
      hint: 'You might be able to move the set-returning function into a LATERAL FROM item.',
    });
  });
}

/** GROUPING(a, b): a number made of the mask column when the level is complete. */
export function bindGrouping(level: Level, expr: Extract<Expr, { kind: 'grouping' }>): Expression {
  const args = expr.args.map((arg) => bindExpression(level, arg));
  const owner = ownerOf(level, args);
  if (!ALLOWED.includes(owner.clause)) {
    const message = `grouping operations are not allowed in ${owner.clause}`;
    throw new SqlError('grouping_error', message, { position: expr.at || undefined });
  }
  const id = newId(level.state);
  owner.groupingCalls.push({ id, args, at: expr.at });
  return reference(id, INTEGER, expr.at);
}

export interface Grouping {
  readonly keys: readonly Expression[];
  /** Positions in `keys`. */
  readonly sets: readonly (readonly number[])[];
}

export interface Grouped {
  readonly plan: Plan;
  /** The expression over the Aggregate's output. @throws SqlError 42803 for an ungrouped column. */
  readonly above: (expression: Expression) => Expression;
}

interface Key {
  readonly expression: Expression;
  readonly column: DraftColumn;
}

/** The Aggregate node over `input`, which is complete once every expression has gone through `above`. */
export function group(level: Level, input: Plan, grouping: Grouping): Grouped {
  const keys: Key[] = grouping.keys.map((expression) => ({
    expression,
    column: keyColumn(level, expression),
  }));
  const sets = grouping.sets.map((set) => [...set]);
  const available = new Set(keys.map((key) => key.column.id));
  for (const aggregate of level.aggregates) available.add(aggregate.id);
  const mask = sets.length > 1 ? newId(level.state) : 0;
  const output: DraftColumn[] = [];
  const calls = level.aggregates.map((aggregate) => aggregate.call);
  const expressions: Expression[] = [];
  const plan: Plan = { kind: 'aggregate', input, keys: expressions, sets, aggregates: calls, output };
  const refresh = (): void => {
    expressions.splice(0, expressions.length, ...keys.map((key) => key.expression));
    const computed = level.aggregates.map(({ id, call }) => plainColumn(id, call.function, call.type));
    const masks = mask ? [plainColumn(mask, 'grouping', INTEGER)] : [];
    output.splice(0, output.length, ...keys.map((key) => key.column), ...computed, ...masks);
    bindMasks(level, keys, mask);
  };
  refresh();
  const addKey = (id: number, expression: Expression): void => {
    available.add(id);
    for (const set of sets) set.push(keys.length);
    keys.push({ expression, column: keyColumn(level, expression) });
    refresh();
  };
  const above = (expression: Expression): Expression => {
    const replaced = rewrite(expression, (part) => keyReference(keys, part));
    const common = keys.filter((_, i) => sets.every((set) => set.includes(i)));
    checkGrouped(level, replaced, { available, keys: common, addKey });
    return replaced;
  };
  return { plan, above };
}

function plainColumn(id: number, name: string, type: Expression['type']): DraftColumn {
  return { id, name, type, relation: 0, attribute: 0 };
}

/** A plain column keeps its id, so that nothing above needs to be changed. */
function keyColumn(level: Level, expression: Expression): DraftColumn {
  if (expression.kind !== 'column') return plainColumn(newId(level.state), 'key', expression.type);
  const info = level.state.columns.get(expression.id);
  return {
    id: expression.id,
    name: info?.name ?? 'key',
    type: expression.type,
    relation: info?.relation ?? 0,
    attribute: info?.attribute ?? 0,
  };
}

function keyReference(keys: readonly Key[], part: Expression): Expression | undefined {
  if (part.kind === 'column' || part.kind === 'literal') return undefined;
  const key = keys.find((candidate) => sameExpression(candidate.expression, part));
  return key && reference(key.column.id, part.type, part.at);
}

interface GroupCheck {
  readonly available: ReadonlySet<number>;
  /** Those of every grouping set. */
  readonly keys: readonly Key[];
  readonly addKey: (id: number, expression: Expression) => void;
}

function checkGrouped(level: Level, expression: Expression, check: GroupCheck): void {
  const direct = new Set<number>();
  rewrite(expression, (part) => {
    if (part.kind === 'column') direct.add(part.id);
    return undefined;
  });
  eachReference(expression, (column) => {
    if (level.scoreCalls.some((call) => call.id === column.id)) {
      throw new SqlError('grouping_error', 'bm25_score() must be used in an aggregate function here', {
        position: column.at || undefined,
        hint: 'The rows are grouped: max(bm25_score()) is the best score of a group.',
      });
    }
    const info = level.state.columns.get(column.id);
    if (!info || info.level !== level || check.available.has(column.id)) return;
    if (dependsOnKey(level, info.table, check.keys)) {
      check.addKey(column.id, reference(column.id, column.type));
      return;
    }
    const name = `"${info.table}.${info.name}"`;
    const message = direct.has(column.id)
      ? `column ${name} must appear in the GROUP BY clause or be used in an aggregate function`
      : `subquery uses ungrouped column ${name} from outer query`;
    throw new SqlError('grouping_error', message, { position: column.at || undefined });
  });
}

/** Columns of a relation whose whole primary key is grouped by have one value a group. */
function dependsOnKey(level: Level, table: string, keys: readonly Key[]): boolean {
  const item = level.items.find((candidate) => candidate.alias === table);
  const key = item?.relation && primaryKey(item.relation);
  if (!item || !key || key.deferrable) return false;
  return key.columns.every((attribute) => {
    const column = item.columns.find((candidate) => candidate.attribute === attribute);
    return keys.some((candidate) => column && sameExpression(candidate.expression, column.expression));
  });
}

/** GROUPING's value from the mask column: the bits of its arguments, the last one lowest. */
function bindMasks(level: Level, keys: readonly Key[], mask: number): void {
  for (const call of level.groupingCalls) {
    const positions = call.args.map((arg) => keys.findIndex((key) => sameExpression(key.expression, arg)));
    const unknown = positions.indexOf(-1);
    if (unknown >= 0) {
      throw new SqlError(
        'grouping_error',
        'arguments to GROUPING must be grouping expressions of the associated query level',
        { position: call.args[unknown]?.at ?? call.at },
      );
    }
    if (keys.length > 31) throw notSupported('GROUPING with more than 31 keys', { position: call.at });
    const number = (value: number): Expression => literal(value, INTEGER, call.at);
    const operator = (name: string, left: Expression, right: Expression): Expression => {
      return operate(level, { operator: name, left, right, at: call.at });
    };
    const bits = positions.map((position, i) => {
      const shifted = operator('>>', reference(mask, INTEGER), number(keys.length - 1 - position));
      return operator('<<', operator('&', shifted, number(1)), number(positions.length - 1 - i));
    });
    const sum = bits.reduce((left, right) => operator('+', left, right));
    level.state.substitutes.set(call.id, mask === 0 ? number(0) : sum);
  }
}
