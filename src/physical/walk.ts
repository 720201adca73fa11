/** Walking physical plans. */
import { planChildren } from '../plan/walk.ts';
import type { PhysicalPlan } from './physical.ts';

/** Nodes whose rows a node takes, left to right. */
export const inputsOf = (plan: PhysicalPlan): readonly PhysicalPlan[] =>
  // Inputs of a physical plan are such: `Physical` says so, which `planChildren` does not know.
  planChildren(plan) as readonly PhysicalPlan[];
