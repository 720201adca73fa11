/** Groups on their way to the operator above: in batches, those of partitions one partition after the other. */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Batch } from '../../types/column/vector.ts';
import { sliceBatch } from '../expression/evaluate.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';
import type { GroupingSet } from './grouping-set.ts';

/** The set's groups, then those of its partitions, which are made one after the other. */
export function* groupsOf(set: GroupingSet, run: Run): Steps {
  yield* slicesOf(yield* set.result(), run);
  for (const part of yield* set.parts()) {
    using groups = part;
    yield* groups.fill();
    yield* groupsOf(groups, run);
  }
}

export function* slicesOf(groups: Batch, run: Run): Steps {
  for (let start = 0; start < groups.length; start += BATCH_ROWS_MAX) {
    yield* turn(run);
    yield sliceBatch(groups, start, start + BATCH_ROWS_MAX);
  }
}
