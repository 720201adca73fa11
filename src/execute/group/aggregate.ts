/**
 * GROUP BY and aggregates: one hash table of groups for every grouping set. A query without GROUP BY is one
 * set without keys, which has its one group even when there are no rows.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Aggregate } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import { evaluateAll, sliceBatch } from '../expression/evaluate.ts';
import { GroupingSet } from './grouping-set.ts';
import { runMaskedAggregate } from './masked-aggregate.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run, turn } from '../state.ts';

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

/** The set's groups, then those of its partitions, which are made one after the other. */
function* groupsOf(set: GroupingSet, run: Run): Steps {
  yield* slicesOf(yield* set.result(), run);
  for (const part of yield* set.parts()) {
    using groups = part;
    yield* groups.fill();
    yield* groupsOf(groups, run);
  }
}

function* slicesOf(groups: Batch, run: Run): Steps {
  for (let start = 0; start < groups.length; start += BATCH_ROWS_MAX) {
    yield* turn(run);
    yield sliceBatch(groups, start, start + BATCH_ROWS_MAX);
  }
}
