/**
 * Rules: each is one rewrite of one node, tried everywhere. It keeps the result and returns the same object
 * when it has nothing to do.
 */
import type { ColumnStatistics } from '../catalog/column-statistics.ts';
import type { Catalog } from '../catalog/model.ts';
import type { Plan } from '../plan/plan.ts';

export interface OptimizerContext {
  readonly catalog: Catalog;
  statistics(relation: number): {
    readonly rows: number;
    /** By attribute number; absent before ANALYZE. */
    readonly columns?: ReadonlyMap<number, ColumnStatistics>;
  };
  /** Rows of plans that have been estimated, for as long as this planning lasts. */
  readonly estimates: WeakMap<Plan, number>;
  /** Names of rules that are switched off. */
  readonly disabled: ReadonlySet<string>;
}

export interface Rule {
  /** As `SET quern.disabled_rules` names it. */
  readonly name: string;
  readonly summary: string;
  /** Also run before subqueries are optimized, on their plans as the binder made them. */
  readonly early?: boolean;
  /** Node by node, inputs before the nodes above them. */
  readonly rewrite?: (plan: Plan, context: OptimizerContext) => Plan;
  /** Once for the whole plan of a query level, for rules that look down from the top. */
  readonly rewriteRoot?: (plan: Plan, context: OptimizerContext) => Plan;
}
