/**
 * Columns that nobody above reads are not computed and not read from storage. Goes down from the top with the
 * set of wanted columns, and comes back up renumbering the references to those that are left.
 */
import type { Expression } from '../plan/expression.ts';
import type { Aggregate, Join, LockRows, Plan, Project, Scan, Window } from '../plan/plan.ts';
import {
  mapFreeReferences,
  substituteColumns,
  visitFreeInExpression,
  visitFreeReferences,
} from '../plan/free-references.ts';
import { mapPlan, mapPlanExpressions, mapSame, planExpressions, visitExpression } from '../plan/walk.ts';
import type { Rule } from './rule.ts';

export const pruneColumns: Rule = {
  name: 'prune-columns',
  summary: 'Neither reads nor computes columns that nobody uses.',
  rewriteRoot: (plan) => prune(plan, allOf(plan)).plan,
};

type Wanted = ReadonlySet<number>;

/** `positions[i]` is where the former column i is now; -1 when it is gone. */
interface Pruned {
  readonly plan: Plan;
  readonly positions: readonly number[];
}

const allOf = (plan: Plan): Wanted => new Set(plan.output.keys());
const identity = (plan: Plan): readonly number[] => [...plan.output.keys()];
const unchanged = (plan: Plan): Pruned => ({ plan, positions: identity(plan) });

function prune(plan: Plan, wanted: Wanted): Pruned {
  switch (plan.kind) {
    case 'scan':
      return pruneScan(plan, wanted);
    case 'project':
      return pruneProject(plan, wanted);
    case 'filter':
    case 'sort':
    case 'limit':
      return pruneThrough(plan, wanted);
    case 'distinct':
      return plan.on === null ? pruneInputs(plan) : pruneThrough(plan, wanted);
    case 'lock rows':
      return pruneLockRows(plan, wanted);
    case 'join':
      return pruneJoin(plan, wanted);
    case 'aggregate':
      return pruneAggregate(plan);
    case 'window':
      return pruneWindow(plan, wanted);
    default:
      return pruneInputs(plan);
  }
}

/** All columns of the inputs stay in place. */
function pruneInputs(plan: Plan): Pruned {
  return unchanged(mapPlan(plan, (input) => prune(input, allOf(input)).plan));
}

/** Columns an expression reads, those included that its subqueries read of the row. */
function addColumns(expression: Expression, columns: Set<number>): void {
  visitExpression(expression, (part) => {
    if (part.kind === 'column') columns.add(part.index);
    if (part.kind !== 'subquery') return;
    const found = (depth: number, index: number): void => {
      if (depth === 1) columns.add(index);
    };
    visitFreeReferences(part.plan, found);
    if (part.compare !== null) visitFreeInExpression(part.compare, found);
  });
}

function columnsOf(expressions: readonly Expression[], also: Iterable<number> = []): Set<number> {
  const columns = new Set(also);
  for (const expression of expressions) addColumns(expression, columns);
  return columns;
}

const isIdentity = (positions: readonly number[]): boolean =>
  positions.every((position, index) => position === index);

function renumbered(expression: Expression, positions: readonly number[]): Expression {
  if (isIdentity(positions)) return expression;
  const types = new Map<number, Expression['type']>();
  visitExpression(expression, (part) => {
    if (part.kind === 'column') types.set(part.index, part.type);
  });
  return substituteColumns(expression, (index) => ({
    kind: 'column',
    index: positions[index] as number,
    type: types.get(index) ?? expression.type,
  }));
}

/** Positions of the columns that stay. */
function positionsOf(count: number, kept: (index: number) => boolean): number[] {
  let next = 0;
  return Array.from({ length: count }, (_, index) => (kept(index) ? next++ : -1));
}

const keep = <T>(items: readonly T[], positions: readonly number[]): readonly T[] =>
  items.filter((_, index) => positions[index] !== -1);

function pruneScan(scan: Scan, wanted: Wanted): Pruned {
  const own = [...(scan.filter === null ? [] : [scan.filter])];
  for (const key of scan.topK?.keys ?? []) own.push(key.expression);
  own.push(...(scan.topK?.groups?.by ?? []));
  const used = columnsOf(own, wanted);
  if (scan.access !== undefined) used.add(scan.columns.indexOf(scan.access.attribute));
  const { length } = scan.output;
  const lastKept = scan.rowNumber ? length - 1 : -1;
  const positions = positionsOf(length, (index) => used.has(index) || index === lastKept);
  if (isIdentity(positions)) return unchanged(scan);
  const firstArm = scan.columns.length;
  const renumber = (expression: Expression): Expression => renumbered(expression, positions);
  const plan: Scan = {
    ...scan,
    columns: keep(scan.columns, positions),
    arms: scan.arms.filter((_, arm) => positions[firstArm + arm] !== -1),
    output: keep(scan.output, positions),
    filter: scan.filter === null ? null : renumber(scan.filter),
    topK: scan.topK === null ? null : renumberedTopK(scan.topK, renumber),
  };
  return { plan, positions };
}

function renumberedTopK(
  topK: NonNullable<Scan['topK']>,
  renumber: (expression: Expression) => Expression,
): Scan['topK'] {
  const keys = mapSame(topK.keys, (key) => ({ ...key, expression: renumber(key.expression) }));
  const { groups } = topK;
  return { ...topK, keys, ...(groups && { groups: { ...groups, by: mapSame(groups.by, renumber) } }) };
}

function pruneProject(project: Project, wanted: Wanted): Pruned {
  const { expressions, sets } = project;
  const positions = positionsOf(expressions.length, (index) => sets.length > 0 || wanted.has(index));
  const kept = keep(expressions, positions);
  const input = prune(project.input, columnsOf([...kept, ...sets.flatMap((set) => set.args)]));
  const dropped = !isIdentity(positions);
  if (!dropped && input.plan === project.input) return unchanged(project);
  const narrowed: Project = dropped
    ? { ...project, expressions: kept, output: keep(project.output, positions) }
    : project;
  const plan = mapPlanExpressions({ ...narrowed, input: input.plan }, (expression) =>
    renumbered(expression, input.positions),
  );
  return { plan, positions };
}

/** Nodes whose output is their input's. */
function pruneThrough(
  plan: Extract<Plan, { kind: 'filter' | 'sort' | 'limit' | 'distinct' }>,
  wanted: Wanted,
): Pruned {
  const input = prune(plan.input, columnsOf(planExpressions(plan), wanted));
  if (input.plan === plan.input) return unchanged(plan);
  const node = { ...plan, input: input.plan, output: input.plan.output };
  return {
    plan: mapPlanExpressions(node, (expression) => renumbered(expression, input.positions)),
    positions: input.positions,
  };
}

function pruneLockRows(plan: LockRows, wanted: Wanted): Pruned {
  const input = prune(plan.input, new Set([...wanted, ...plan.rows.map((row) => row.rowNumber)]));
  if (input.plan === plan.input) return unchanged(plan);
  const { positions } = input;
  const rows = plan.rows.map((row) => ({ ...row, rowNumber: positions[row.rowNumber] as number }));
  return { plan: { ...plan, input: input.plan, rows, output: input.plan.output }, positions };
}

function pruneJoin(join: Join, wanted: Wanted): Pruned {
  const width = join.left.output.length;
  const leftOnly = join.join === 'semi' || join.join === 'anti';
  const used = columnsOf(join.condition === null ? [] : [join.condition], wanted);
  const left = columnsOf(
    join.keys.map((key) => key.left),
    [...used].filter((index) => index < width),
  );
  const right = columnsOf(
    join.keys.map((key) => key.right),
    [...used].filter((index) => index >= width).map((index) => index - width),
  );
  if (join.lateral) {
    visitFreeReferences(join.right, (depth, index) => {
      if (depth === 1) left.add(index);
    });
  }
  const newLeft = prune(join.left, left);
  const newRight = prune(join.right, right);
  if (newLeft.plan === join.left && newRight.plan === join.right) return unchanged(join);
  const shift = newLeft.plan.output.length;
  const joined = [
    ...newLeft.positions,
    ...newRight.positions.map((position) => (position < 0 ? -1 : position + shift)),
  ];
  const rightPlan = join.lateral ? relinked(newRight.plan, newLeft.positions) : newRight.plan;
  const plan: Join = {
    ...join,
    left: newLeft.plan,
    right: rightPlan,
    keys: join.keys.map((key) => ({
      ...key,
      left: renumbered(key.left, newLeft.positions),
      right: renumbered(key.right, newRight.positions),
    })),
    condition: join.condition === null ? null : renumbered(join.condition, joined),
    output: leftOnly ? newLeft.plan.output : [...newLeft.plan.output, ...newRight.plan.output],
  };
  return { plan, positions: leftOnly ? newLeft.positions : joined };
}

/** A lateral right side whose left row has lost columns. */
function relinked(plan: Plan, positions: readonly number[]): Plan {
  if (isIdentity(positions)) return plan;
  return mapFreeReferences(plan, (depth, index) => ({
    depth,
    index: depth === 1 ? (positions[index] as number) : index,
  }));
}

function pruneAggregate(aggregate: Aggregate): Pruned {
  const input = prune(aggregate.input, columnsOf(planExpressions(aggregate)));
  if (input.plan === aggregate.input) return unchanged(aggregate);
  return unchanged(
    mapPlanExpressions({ ...aggregate, input: input.plan }, (expression) =>
      renumbered(expression, input.positions),
    ),
  );
}

function pruneWindow(window: Window, wanted: Wanted): Pruned {
  const width = window.input.output.length;
  const below = [...wanted].filter((index) => index < width);
  const input = prune(window.input, columnsOf(planExpressions(window), below));
  if (input.plan === window.input) return unchanged(window);
  const calls = window.output.slice(width);
  const newWidth = input.plan.output.length;
  const node: Window = { ...window, input: input.plan, output: [...input.plan.output, ...calls] };
  return {
    plan: mapPlanExpressions(node, (expression) => renumbered(expression, input.positions)),
    positions: [...input.positions, ...calls.keys().map((call) => newWidth + call)],
  };
}
