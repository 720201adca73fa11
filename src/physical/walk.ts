/** Walking physical plans. */
import { planChildren } from '../plan/walk.ts';
import type { PhysicalPlan } from './physical.ts';

/** Nodes whose rows a node takes, left to right. */
export function inputsOf(plan: PhysicalPlan): readonly PhysicalPlan[] {
  if (plan.kind === 'fusion') return plan.rankings.map(({ scan }) => scan);
  // `Physical` says that inputs are physical, which `planChildren` does not know.
  return planChildren(plan) as readonly PhysicalPlan[];
}
