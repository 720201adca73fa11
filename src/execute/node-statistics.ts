/** Where operators note what EXPLAIN ANALYZE shows of their nodes. */
import type { NodeStatistics } from '../physical/explain/node-statistics.ts';
import type { Plan } from '../plan/plan.ts';

/** The node's statistics, made when it is first asked for. */
export function nodeStatistics(plan: Plan, statistics: Map<Plan, NodeStatistics>): NodeStatistics {
  let node = statistics.get(plan);
  if (node === undefined) {
    node = { rows: 0, loops: 0, startMs: 0, totalMs: 0, scanned: 0, arms: [], embeddings: [] };
    statistics.set(plan, node);
  }
  return node;
}
