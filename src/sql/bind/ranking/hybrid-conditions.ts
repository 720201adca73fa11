/**
 * Conditions on stored columns beside a `hybrid()` of the same SELECT are part of its search: `FROM hybrid('books', …)
 * WHERE year > 1990` ranks the books of those years, and gives as many as are wanted of them. It is what `hybrid()` means,
 * not a rule; from around a view, a CTE or a subquery rows are only taken away from what it found.
 */
import { isVolatile } from '../../../plan/volatile.ts';
import { and, eachReference, type Expression, filter, type Plan, rewrite } from '../draft.ts';
import type { Level } from '../level.ts';

/** The plan of a level's FROM with its WHERE. */
export function searchAmong(level: Level, from: Plan, where: Expression): Plan {
  if (level.searches.size === 0) return filter(from, where);
  const left: Expression[] = [];
  let plan = from;
  for (const condition of conjuncts(where)) {
    const searched = isOfRows(condition) ? within(level, plan, condition) : null;
    if (searched === null) left.push(condition);
    else plan = searched;
  }
  return left.length === 0 ? plan : filter(plan, and(left));
}

const conjuncts = (condition: Expression): readonly Expression[] =>
  condition.kind === 'and' ? condition.args.flatMap(conjuncts) : [condition];

/** True when it may be asked of any row, as often as one likes. */
const isOfRows = (condition: Expression): boolean => !isVolatile(condition) && !hasSubquery(condition);

export function hasSubquery(part: unknown): boolean {
  if (typeof part !== 'object' || part === null || ArrayBuffer.isView(part)) return false;
  if (Array.isArray(part)) return part.some(hasSubquery);
  const { kind } = part as Partial<Expression>;
  if (kind === 'literal') return false;
  return kind === 'subquery' || Object.values(part).some(hasSubquery);
}

/** The plan with the condition in the search that it is about; null: it is about none, or not only. */
function within(level: Level, plan: Plan, condition: Expression): Plan | null {
  if (plan.kind === 'join') {
    const { join } = plan;
    const left = join === 'right' || join === 'full' ? null : within(level, plan.left, condition);
    if (left !== null) return { ...plan, left };
    const right = join === 'left' || join === 'full' ? null : within(level, plan.right, condition);
    return right && { ...plan, right };
  }
  const stored = level.searches.get(plan);
  if (stored === undefined || plan.kind !== 'project' || plan.input.kind !== 'fusion') return null;
  if (!isAbout(level, condition, stored)) return null;
  const below = rewrite(condition, (part) => (part.kind === 'column' ? stored.get(part.id) : undefined));
  const searched = { ...plan, input: { ...plan.input, input: alsoFiltered(plan.input.input, below) } };
  level.searches.set(searched, stored);
  return searched;
}

function isAbout(level: Level, condition: Expression, stored: ReadonlyMap<number, Expression>): boolean {
  let own = 0;
  let others = 0;
  eachReference(condition, ({ id }) => {
    if (stored.has(id)) own++;
    else if (level.state.columns.get(id)?.level === level) others++;
  });
  return own > 0 && others === 0;
}

/** One filter over the scan. */
export function alsoFiltered(input: Plan, condition: Expression): Plan {
  if (input.kind !== 'filter') return filter(input, condition);
  return filter(input.input, and([input.condition, condition]));
}
