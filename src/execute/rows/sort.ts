/** ORDER BY: all rows, or with `top` the best ones only. */
import type { Sort } from '../../physical/physical.ts';
import { wait } from '../../task.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';
import { Sorter } from './sorter.ts';

export function* runSort(plan: Sort, run: Run): Steps {
  const top = plan.top === null ? null : yield* wait(evaluateConstant(plan.top, run));
  const wanted = top === null ? Number.POSITIVE_INFINITY : Math.max(Number(top), 0);
  using sorter = new Sorter({ node: plan, keys: plan.keys, width: plan.input.output.length, wanted }, run);
  yield* eachBatch(plan.input, run, (batch) => sorter.add(batch));
  yield* sorter.rows();
}
