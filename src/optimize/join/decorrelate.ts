/**
 * `x < (SELECT avg(y) FROM t WHERE t.k = outer.k)` becomes a join with t grouped by k: one pass over t instead of
 * one for every k. Outer rows without a group see what the aggregate gives for no rows: NULL, and 0 for count.
 * (Kim, "On Optimizing an SQL-like Nested Query", TODS 1982, with the count bug minded.)
 */
import { aggregateById, functionById } from '../../functions/registry.ts';
import type { Expression, Subquery } from '../../plan/expression.ts';
import type { Aggregate, Filter, Join, Plan, Project } from '../../plan/plan.ts';
import { substituteColumns } from '../../plan/free-references.ts';
import { mapPlanExpressions, planExpressions, rewriteExpression, visitExpression } from '../../plan/walk.ts';
import { allOf, columnsRead, hasSubquery, isMovable } from '../conditions.ts';
import { overJoin, pullTied, raise, tiesToRow } from './correlation.ts';
import type { Rule } from '../rule.ts';

export const decorrelate: Rule = {
  name: 'decorrelate',
  summary: 'Joins with a grouped subquery instead of running it for every row.',
  early: true,
  rewrite: (plan) => {
    if (plan.kind !== 'filter' && plan.kind !== 'project') return plan;
    return withGroups(plan);
  },
};

/** Their value for no rows is NULL. */
const NULL_WHEN_EMPTY: ReadonlySet<string> = new Set(['sum', 'avg', 'min', 'max', 'bool_and', 'bool_or']);

/** The input grows by columns at its end, so the references of the node stay as they are. */
function withGroups(node: Filter | Project): Plan {
  let { input } = node;
  const values = new Map<Expression, Expression>();
  for (const subquery of scalarSubqueries(node)) {
    const grouped = groupedJoin(subquery, input);
    if (grouped === null) continue;
    input = grouped.input;
    values.set(subquery, grouped.value);
  }
  if (values.size === 0) return node;
  const replaced = mapPlanExpressions(node, (expression) =>
    rewriteExpression(expression, (part) => values.get(part) ?? part),
  ) as Filter | Project;
  if (replaced.kind === 'project') return { ...replaced, input };
  const filter: Filter = { ...replaced, input, output: input.output };
  const expressions = node.output.map(({ type }, index): Expression => ({ kind: 'column', index, type }));
  return { kind: 'project', input: filter, expressions, sets: [], output: node.output };
}

function scalarSubqueries(node: Filter | Project): readonly Subquery[] {
  const found: Subquery[] = [];
  for (const expression of planExpressions(node)) {
    visitExpression(expression, (part) => {
      if (part.kind === 'subquery' && part.form === 'scalar' && part.correlated) found.push(part);
    });
  }
  return found;
}

interface Grouped {
  readonly input: Join;
  /** The subquery's value over the join. */
  readonly value: Expression;
}

function groupedJoin(subquery: Subquery, outer: Plan): Grouped | null {
  const shape = aggregateOf(subquery.plan);
  const pulled = shape && pullTied(shape.aggregate.input);
  if (!shape || !pulled || pulled.tied.length === 0) return null;
  const { aggregate } = shape;
  const keys: Expression[] = [];
  const conditions: Expression[] = [];
  for (const condition of pulled.tied) {
    const key = innerSide(condition);
    if (key === null) return null;
    conditions.push(substituteInner(condition, key, keys.length));
    keys.push(key);
  }
  const columns = keys.map((key, i) => ({ name: `key${i + 1}`, type: key.type, relation: 0, attribute: 0 }));
  const right = raise({
    ...aggregate,
    input: pulled.plan,
    keys,
    sets: [[...keys.keys()]],
    output: [...columns, ...aggregate.output],
  });
  const width = outer.output.length;
  const input: Join = {
    kind: 'join',
    join: 'left',
    left: outer,
    right,
    lateral: false,
    keys: [],
    condition: allOf(conditions.map((condition) => overJoin(condition, width))),
    output: [...outer.output, ...right.output],
  };
  const value = substituteColumns(shape.value, (index) =>
    resultColumn(aggregate, index, width + keys.length + index),
  );
  return { input, value };
}

/** `SELECT expression over aggregates FROM … WHERE …` without GROUP BY. */
function aggregateOf(plan: Plan): { aggregate: Aggregate; value: Expression } | null {
  const [only] = plan.output;
  if (only === undefined) return null;
  const column: Expression = { kind: 'column', index: 0, type: only.type };
  const project = plan.kind === 'project' && plan.sets.length === 0 ? plan : null;
  const aggregate = project === null ? plan : project.input;
  if (aggregate.kind !== 'aggregate' || aggregate.keys.length > 0 || aggregate.sets.length !== 1) return null;
  const value = project?.expressions[0] ?? column;
  const fits = aggregate.aggregates.every(isPlain) && isMovable(value) && !tiesToRow(value);
  return fits ? { aggregate, value } : null;
}

/** Its value for no rows is known, and its arguments cannot fail on rows that nobody asked about. */
function isPlain(call: Aggregate['aggregates'][number]): boolean {
  const { name } = aggregateById(call.function);
  if (name !== 'count' && !NULL_WHEN_EMPTY.has(name)) return false;
  if (call.filter !== null || call.order.length > 0) return false;
  return call.args.every((arg) => isHarmless(arg) && !tiesToRow(arg));
}

const HARMLESS: ReadonlySet<string> = new Set(['+', '-', '*']);

function isHarmless(expression: Expression): boolean {
  if (expression.kind === 'column' || expression.kind === 'literal') return true;
  if (expression.kind === 'cast')
    return expression.method.endsWith('->numeric') && isHarmless(expression.input);
  if (expression.kind !== 'call' || !HARMLESS.has(functionById(expression.function).name)) return false;
  return expression.args.every(isHarmless);
}

/** `inner = outer`, either way round: the side without outer references. */
function innerSide(condition: Expression): Expression | null {
  if (condition.kind !== 'call' || functionById(condition.function).name !== '=') return null;
  const inner = condition.args.find((arg) => !tiesToRow(arg));
  const outer = condition.args.find((arg) => tiesToRow(arg));
  if (inner === undefined || outer === undefined || hasSubquery(condition)) return null;
  return columnsRead(outer).size === 0 && columnsRead(inner).size > 0 && isMovable(inner) ? inner : null;
}

/** The condition with the group key at `position` for its inner side. */
function substituteInner(condition: Expression, inner: Expression, position: number): Expression {
  if (condition.kind !== 'call') return condition;
  const key: Expression = { kind: 'column', index: position, type: inner.type };
  return { ...condition, args: condition.args.map((arg) => (arg === inner ? key : arg)) };
}

function resultColumn({ aggregates, output }: Aggregate, index: number, position: number): Expression {
  const type = output[index]?.type ?? { oid: 0, modifier: -1 };
  const column: Expression = { kind: 'column', index: position, type };
  const call = aggregates[index];
  if (call === undefined || aggregateById(call.function).name !== 'count') return column;
  return { kind: 'coalesce', args: [column, { kind: 'literal', value: 0n, type }], type };
}
