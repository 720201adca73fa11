/**
 * Plans of the statements that functions run, as EXPLAIN looks on: `search()` asks its indexes by statements of its own,
 * which the plan of the client's statement knows nothing of.
 */
import type { NodeStatistics } from '../../physical/explain/node-statistics.ts';
import type { PhysicalPlan } from '../../physical/physical.ts';
import type { Plan } from '../../plan/plan.ts';

/** A statement run for each row of a join would fill pages. */
const PLANS_COUNT_MAX = 20;

export interface InnerPlan {
  readonly label: string;
  readonly plan: PhysicalPlan;
}

export class InnerPlans {
  /** Measurements of ANALYZE; null: statements are planned and not run. */
  readonly statistics: Map<Plan, NodeStatistics> | null;
  readonly #labels = new Map<PhysicalPlan, string>();

  constructor(statistics: Map<Plan, NodeStatistics> | null) {
    this.statistics = statistics;
  }

  add(label: string, plan: PhysicalPlan): void {
    if (this.#labels.size < PLANS_COUNT_MAX && !this.#labels.has(plan)) this.#labels.set(plan, label);
  }

  /** In the order in which they were first run. */
  all(): readonly InnerPlan[] {
    return [...this.#labels].map(([plan, label]) => ({ plan, label }));
  }
}
