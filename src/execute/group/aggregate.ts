/**
 * GROUP BY and aggregates: one hash table of groups for every grouping set. A query without GROUP BY is one
 * set without keys, which has its one group even when there are no rows.
 */
import type { Aggregate } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import { evaluateAll } from '../expression/evaluate.ts';
import { groupsOf } from './given-groups.ts';
import { GroupingSet } from './grouping-set.ts';
import { runMaskedAggregate } from './masked-aggregate.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function runAggregate(plan: Aggregate, run: Run): Steps {
  return plan.masked ? runMaskedAggregate(plan, run) : runSets(plan, run);
}

function* runSets(plan: Aggregate, run: Run): Steps {
  const sets = plan.sets.map((set) => GroupingSet.of(plan, set, run));
  try {
    yield* eachBatch(plan.input, run, function* (batch): Task<void> {
      if (batch.length === 0) return;
      const keys = yield* wait(evaluateAll(plan.keys, batch, run));
      for (const set of sets) yield* set.add(batch, keys);
    });
    for (const set of sets) yield* groupsOf(set, run);
  } finally {
    for (const set of sets) set[Symbol.dispose]();
  }
}
