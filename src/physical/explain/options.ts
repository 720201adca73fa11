/** Options of EXPLAIN, and the shape of its JSON. */
import type { Catalog } from '../../catalog/model.ts';
import type { Plan } from '../../plan/plan.ts';
import type { PhysicalPlan } from '../physical.ts';
import type { NodeStatistics } from './node-statistics.ts';

export interface ExplainOptions {
  readonly catalog: Catalog;
  /** Measured by EXPLAIN ANALYZE; null shows the plan alone. */
  readonly statistics: ReadonlyMap<Plan, NodeStatistics> | null;
  readonly verbose: boolean;
  /** Rows the optimizer expects of a node; absent or null: neither they nor costs are shown (COSTS OFF). */
  readonly estimate?: ((plan: Plan) => number) | null;
  /** Times of the whole statement, with ANALYZE. */
  readonly times?: { readonly planningMs: number; readonly executionMs: number } | null;
  /** Documents that a search by meaning cannot find yet, a sentence each. */
  readonly pending?: readonly string[];
  /** Plans of statements that a function's scan runs. */
  readonly inner?: (plan: Plan) => readonly { readonly label: string; readonly plan: PhysicalPlan }[];
  /** Show times; off in goldens. Default on. */
  readonly timing?: boolean;
}

export interface ExplainJson {
  readonly [key: string]: string | number | ExplainJson | readonly (ExplainJson | string)[];
}
