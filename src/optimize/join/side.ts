/** The hash table of a join is made of its smaller side: the executor makes it of the right one. */
import type { Expression } from '../../plan/expression.ts';
import type { Join, Plan } from '../../plan/plan.ts';
import { rewriteExpression } from '../../plan/walk.ts';
import { hasSubquery } from '../conditions.ts';
import { estimateRows } from '../row-estimate.ts';
import type { OptimizerContext, Rule } from '../rule.ts';

export const joinSide: Rule = {
  name: 'join-side',
  summary: 'Builds the hash table of a join from its smaller side.',
  rewrite: (plan, context) => (plan.kind === 'join' ? exchange(plan, context) : plan),
};

/** Small tables are not worth it, and estimates are rough. */
const ROWS_MIN = 10_000;
const TIMES_LARGER = 4;

const MIRRORED: Readonly<Partial<Record<Join['join'], Join['join']>>> = {
  inner: 'inner',
  left: 'right',
  right: 'left',
  full: 'full',
};

function exchange(plan: Join, context: OptimizerContext): Plan {
  const join = MIRRORED[plan.join];
  const sameTypes = plan.keys.every((key) => key.left.type.oid === key.right.type.oid);
  if (join === undefined || plan.lateral || plan.keys.length === 0 || !sameTypes) return plan;
  if (plan.condition !== null && hasSubquery(plan.condition)) return plan;
  const right = estimateRows(plan.right, context);
  if (right < ROWS_MIN || right < TIMES_LARGER * estimateRows(plan.left, context)) return plan;
  const [leftWidth, rightWidth] = [plan.left.output.length, plan.right.output.length];
  const moved = (index: number): number => (index < leftWidth ? index + rightWidth : index - leftWidth);
  const exchanged: Join = {
    ...plan,
    join,
    left: plan.right,
    right: plan.left,
    keys: plan.keys.map(({ left, right, equals }) => ({ left: right, right: left, equals })),
    condition: plan.condition && moveColumns(plan.condition, moved),
    output: [...plan.output.slice(leftWidth), ...plan.output.slice(0, leftWidth)],
  };
  const expressions = plan.output.map(
    ({ type }, index): Expression => ({ kind: 'column', index: moved(index), type }),
  );
  return { kind: 'project', input: exchanged, expressions, sets: [], output: plan.output };
}

const moveColumns = (condition: Expression, moved: (index: number) => number): Expression =>
  rewriteExpression(condition, (part) =>
    part.kind === 'column' ? { ...part, index: moved(part.index) } : part,
  );
