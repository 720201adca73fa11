/** Rows that tie under a ranking come in the order of their primary key: a stable sort of a scan that gives them so. */
import { columnsOf } from '../plan/columns-read.ts';
import type { PhysicalPlan, Sort } from './physical.ts';

/** The sort, whose scan gives its rows by primary key if a sort key ranks by one of its arms. */
export function ordersTies(sort: Sort): Sort {
  const columns = new Set(sort.keys.flatMap((key) => [...columnsOf(key.expression)]));
  const input = byKey(sort.input, columns);
  return input === sort.input ? sort : { ...sort, input };
}

/** @param columns of its output that are sorted by. */
function byKey(plan: PhysicalPlan, columns: ReadonlySet<number>): PhysicalPlan {
  switch (plan.kind) {
    case 'project': {
      const { expressions } = plan;
      const read = [...columns].flatMap((index) => {
        const expression = expressions[index];
        return expression === undefined ? [] : [...columnsOf(expression)];
      });
      return withInput(plan, byKey(plan.input, new Set(read)));
    }
    case 'filter':
      return withInput(plan, byKey(plan.input, columns));
    case 'scan': {
      const { arms, key, request } = plan;
      if (request.kind !== 'rows' && request.kind !== 'first rows') return plan;
      const firstArm = plan.columns.length;
      const ranks = [...columns].some((index) => index >= firstArm && index < firstArm + arms.length);
      return ranks && key.attributes.length > 0 ? { ...plan, request: { kind: 'rows by key' } } : plan;
    }
    default:
      return plan;
  }
}

const withInput = <Node extends { readonly input: PhysicalPlan }>(node: Node, input: PhysicalPlan): Node =>
  input === node.input ? node : { ...node, input };
