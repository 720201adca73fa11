/**
 * Moves conditions towards the rows they are about: through projections, sorts, grouping and set operations,
 * to the side of a join that they concern, into the join itself, into the scan.
 */
import type { Expression } from '../plan/expression.ts';
import type { Filter, Join, Plan } from '../plan/plan.ts';
import { shiftColumns, substituteColumns } from '../plan/free-references.ts';
import { isVolatile } from '../plan/volatile.ts';
import { allOf, columnsRead, conjuncts, hasSubquery, isMovable } from './conditions.ts';
import type { Rule } from './rule.ts';

export const pushFilter: Rule = {
  name: 'push-filter',
  summary: 'Evaluates conditions as early as possible: below projections and joins, inside the scan.',
  rewrite: (plan) => {
    if (plan.kind === 'filter') return pushDown(plan);
    return plan.kind === 'join' ? pushOn(plan) : plan;
  },
};

const filterOver = (input: Plan, conditions: readonly Expression[]): Plan => {
  const condition = allOf(conditions);
  if (condition === null) return input;
  return pushDown({ kind: 'filter', input, condition, output: input.output });
};

function pushDown(plan: Filter): Plan {
  const { input } = plan;
  const all = conjuncts(plan.condition);
  switch (input.kind) {
    case 'filter':
      return filterOver(input.input, [...conjuncts(input.condition), ...all]);
    case 'scan': {
      if (input.topK !== null) return plan;
      return { ...input, filter: allOf([...conjuncts(input.filter), ...all]) };
    }
    case 'sort':
      if (input.top !== null || all.some(isVolatile)) return plan;
      return { ...input, input: filterOver(input.input, all) };
    case 'lock rows':
      // As in PostgreSQL, rows that a condition around a subquery excludes are not locked.
      if (!all.every(isMovable)) return plan;
      return { ...input, input: filterOver(input.input, all) };
    case 'distinct':
      if (input.on !== null || !all.every(isMovable)) return plan;
      return { ...input, input: filterOver(input.input, all) };
    case 'set':
      if (input.operation !== 'union' || !all.every(isMovable)) return plan;
      return { ...input, inputs: input.inputs.map((one) => filterOver(one, all)) };
    case 'project':
      return throughProject(plan, input, all);
    case 'aggregate':
      return throughAggregate(plan, input, all);
    case 'join':
      return throughJoin(plan, input, all);
    default:
      return plan;
  }
}

/** Splits by `test`; the plan itself when nothing passes. */
function split(
  all: readonly Expression[],
  test: (condition: Expression) => boolean,
): { pushed: Expression[]; kept: Expression[] } {
  return {
    pushed: all.filter((condition) => test(condition)),
    kept: all.filter((condition) => !test(condition)),
  };
}

function throughProject(plan: Filter, project: Plan & { kind: 'project' }, all: readonly Expression[]): Plan {
  const sets = new Set(project.sets.map((set) => set.position));
  if (sets.size > 0) return plan;
  const { pushed, kept } = split(all, (condition) => {
    if (!isMovable(condition)) return false;
    return [...columnsRead(condition)].every((index) => isMovable(project.expressions[index] as Expression));
  });
  if (pushed.length === 0) return plan;
  const moved = pushed.map((condition) =>
    substituteColumns(condition, (index) => project.expressions[index] as Expression),
  );
  return filterOver({ ...project, input: filterOver(project.input, moved) }, kept);
}

/** Conditions on group keys alone choose groups as well as rows. */
function throughAggregate(
  plan: Filter,
  aggregate: Plan & { kind: 'aggregate' },
  all: readonly Expression[],
): Plan {
  const { keys, sets } = aggregate;
  if (sets.length !== 1 || keys.length === 0) return plan;
  const { pushed, kept } = split(all, (condition) => {
    const columns = [...columnsRead(condition)];
    const onKeys = columns.every((index) => index < keys.length && isMovable(keys[index] as Expression));
    return isMovable(condition) && columns.length > 0 && onKeys;
  });
  if (pushed.length === 0) return plan;
  const moved = pushed.map((condition) => substituteColumns(condition, (index) => keys[index] as Expression));
  return filterOver({ ...aggregate, input: filterOver(aggregate.input, moved) }, kept);
}

type Side = 'left' | 'right' | 'both';

/** Which side of the join a condition reads. */
function sideOf(condition: Expression, width: number): Side {
  const columns = [...columnsRead(condition)];
  if (columns.every((index) => index < width)) return 'left';
  return columns.every((index) => index >= width) ? 'right' : 'both';
}

const LEFT_PASSES: ReadonlySet<Join['join']> = new Set(['inner', 'cross', 'left', 'semi', 'anti']);
const RIGHT_PASSES: ReadonlySet<Join['join']> = new Set(['inner', 'cross', 'right']);

function throughJoin(plan: Filter, join: Join, all: readonly Expression[]): Plan {
  const width = join.left.output.length;
  const passes = (condition: Expression, side: Side): boolean => {
    if (!isMovable(condition)) return false;
    if (side === 'left') return LEFT_PASSES.has(join.join);
    if (side === 'right') return RIGHT_PASSES.has(join.join);
    return join.join === 'inner' || join.join === 'cross';
  };
  const { pushed, kept } = split(all, (condition) => passes(condition, sideOf(condition, width)));
  if (pushed.length === 0) return plan;
  const onLeft = pushed.filter((condition) => sideOf(condition, width) === 'left');
  const onRight = pushed.filter((condition) => sideOf(condition, width) === 'right');
  const onBoth = pushed.filter((condition) => sideOf(condition, width) === 'both');
  const kind = join.join === 'cross' && onBoth.length > 0 ? 'inner' : join.join;
  const moved: Join = {
    ...join,
    join: kind,
    left: filterOver(join.left, onLeft),
    right: filterOver(
      join.right,
      onRight.map((condition) => shiftColumns(condition, -width)),
    ),
    condition: allOf([...conjuncts(join.condition), ...onBoth]),
  };
  return filterOver(moved, kept);
}

/** Conditions of ON that concern one side only, where the join may lose that side's rows. */
function pushOn(join: Join): Plan {
  const width = join.left.output.length;
  const { pushed, kept } = split(conjuncts(join.condition), (condition) => {
    if (!isMovable(condition) || hasSubquery(condition)) return false;
    const side = sideOf(condition, width);
    if (side === 'right') return ['inner', 'cross', 'left', 'semi', 'anti'].includes(join.join);
    return side === 'left' && ['inner', 'cross', 'right', 'semi'].includes(join.join);
  });
  if (pushed.length === 0) return join;
  const onLeft = pushed.filter((condition) => sideOf(condition, width) === 'left');
  const onRight = pushed.filter((condition) => sideOf(condition, width) === 'right');
  return {
    ...join,
    left: filterOver(join.left, onLeft),
    right: filterOver(
      join.right,
      onRight.map((condition) => shiftColumns(condition, -width)),
    ),
    condition: allOf(kept),
  };
}
