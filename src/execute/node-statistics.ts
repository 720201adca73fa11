/** Where operators note what EXPLAIN ANALYZE shows of their nodes. */
import type { NodeStatistics, SpillStatistics } from '../physical/explain/node-statistics.ts';
import type { Plan } from '../plan/plan.ts';
import { HeldRows } from './held-rows.ts';
import type { Run } from './state.ts';

/** The node's statistics, made when it is first asked for. */
export function nodeStatistics(plan: Plan, statistics: Map<Plan, NodeStatistics>): NodeStatistics {
  let node = statistics.get(plan);
  if (node === undefined) {
    node = { rows: 0, loops: 0, startMs: 0, totalMs: 0, scanned: 0, arms: [], embeddings: [] };
    statistics.set(plan, node);
  }
  return node;
}

/** Where a node has several, as under a lateral join, the largest is shown. */
export function noteSpill(plan: Plan, { context }: Run, spill: SpillStatistics): void {
  if (context.statistics === null) return;
  const node = nodeStatistics(plan, context.statistics);
  if (node.spill === undefined || node.spill.diskBytes < spill.diskBytes) node.spill = spill;
}

/** For rows that the node's operator holds. Of several such, as of several loops, the most that one held is told. */
export function heldFor(plan: Plan, { context }: Run): HeldRows {
  const { account, statistics } = context;
  if (statistics === null) return new HeldRows(account);
  const node = nodeStatistics(plan, statistics);
  return new HeldRows(account, (bytes) => {
    node.memoryBytes = Math.max(node.memoryBytes ?? 0, bytes);
  });
}
