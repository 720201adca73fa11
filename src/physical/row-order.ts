/** Orders in which rows come and are wanted: what stands above may go by one, as a subquery does that became a join. */
import type { PhysicalPlan } from './physical.ts';

export function isOrdered(plan: PhysicalPlan): boolean {
  switch (plan.kind) {
    case 'sort':
    case 'fusion':
      return true;
    case 'scan':
      return plan.request.kind !== 'rows';
    case 'filter':
    case 'project':
    case 'limit':
    case 'distinct':
    case 'lock rows':
      return isOrdered(plan.input);
    case 'join':
      return isOrdered(plan.left);
    case 'with':
      return isOrdered(plan.body);
    default:
      return false;
  }
}
