/** A tree of inner joins as what it joins and the conditions between: any order of joins gives the same rows. */
import type { Expression } from '../../plan/expression.ts';
import type { Join, Plan, Project } from '../../plan/plan.ts';
import { shiftColumns } from '../../plan/free-references.ts';
import { rewriteExpression } from '../../plan/walk.ts';
import { BOOLEAN, columnsRead, conjuncts, isMovable } from '../conditions.ts';

/** Columns of all leaves are numbered one after the other, leaf by leaf as they stand in the tree. */
export interface JoinGraph {
  readonly leaves: readonly Leaf[];
  readonly conditions: readonly GraphCondition[];
  /** Numbers of the columns that the tree gives. */
  readonly output: readonly number[];
  /** The tree's own order. */
  readonly shape: JoinShape;
}

export interface Leaf {
  readonly plan: Plan;
  /** Number of its first column. */
  readonly first: number;
}

export interface GraphCondition {
  /** Over the numbered columns. */
  readonly expression: Expression;
  /** One bit a leaf that it reads. */
  readonly leaves: number;
}

/** Positions of leaves. */
export type JoinShape = number | { readonly left: JoinShape; readonly right: JoinShape };

/** Bits of a number, so that sets of leaves are numbers. */
const LEAVES_MAX = 30;

/** Null when the plan is no tree of inner joins, or its conditions must stay where they are. */
export function joinGraph(plan: Plan): JoinGraph | null {
  const leaves: Leaf[] = [];
  const expressions: Expression[] = [];
  const { columns, shape } = flatten(plan, leaves, expressions);
  if (leaves.length < 2 || leaves.length > LEAVES_MAX || !expressions.every(isMovable)) return null;
  const leafOf = (column: number): number => leaves.findLastIndex(({ first }) => first <= column);
  const conditions = expressions.map((expression) => {
    let bits = 0;
    for (const column of columnsRead(expression)) bits |= 1 << leafOf(column);
    return { expression, leaves: bits };
  });
  return { leaves, conditions, output: columns, shape };
}

interface Flat {
  /** Numbers of the node's output columns. */
  readonly columns: readonly number[];
  readonly shape: JoinShape;
}

function flatten(plan: Plan, leaves: Leaf[], conditions: Expression[]): Flat {
  if (isInner(plan)) {
    const left = flatten(plan.left, leaves, conditions);
    const right = flatten(plan.right, leaves, conditions);
    const columns = [...left.columns, ...right.columns];
    for (const condition of [...keyConditions(plan), ...conjuncts(plan.condition)]) {
      conditions.push(renumbered(condition, columns));
    }
    return { columns, shape: { left: left.shape, right: right.shape } };
  }
  if (isPermutation(plan) && holdsJoin(plan.input)) {
    const { columns, shape } = flatten(plan.input, leaves, conditions);
    const picked = plan.expressions.map((expression) =>
      expression.kind === 'column' ? (columns[expression.index] as number) : 0,
    );
    return { columns: picked, shape };
  }
  const last = leaves.at(-1);
  const first = last === undefined ? 0 : last.first + Math.max(1, last.plan.output.length);
  leaves.push({ plan, first });
  return { columns: plan.output.map((_, index) => first + index), shape: leaves.length - 1 };
}

export const isInner = (plan: Plan): plan is Join =>
  plan.kind === 'join' && (plan.join === 'inner' || plan.join === 'cross') && !plan.lateral;

const isPermutation = (plan: Plan): plan is Project =>
  plan.kind === 'project' &&
  plan.sets.length === 0 &&
  plan.expressions.every(({ kind }) => kind === 'column');

function holdsJoin(plan: Plan): boolean {
  return isInner(plan) || (isPermutation(plan) && holdsJoin(plan.input));
}

const keyConditions = ({ keys, left }: Join): readonly Expression[] =>
  keys.map((key) => ({
    kind: 'call',
    function: key.equals,
    args: [key.left, shiftColumns(key.right, left.output.length)],
    type: BOOLEAN,
  }));

/** The conditions have no subqueries: `joinGraph` leaves trees with others alone. */
export const renumbered = (expression: Expression, numbers: readonly number[]): Expression =>
  rewriteExpression(expression, (part) =>
    part.kind === 'column' ? { ...part, index: numbers[part.index] as number } : part,
  );
