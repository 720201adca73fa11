/** VALUES, and the one row without columns of a SELECT without FROM. */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Values } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { type Batch, vectorOf } from '../../types/column/vector.ts';
import { evaluate } from '../expression/evaluate.ts';
import { kindOf, ONE_ROW } from '../expression/compiled.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';

export function* runValues(plan: Values, run: Run): Steps {
  for (let start = 0; start < plan.rows.length; start += BATCH_ROWS_MAX) {
    yield* turn(run);
    yield yield* valuesBatch(plan, plan.rows.slice(start, start + BATCH_ROWS_MAX), run);
  }
}

/** Some rows of the plan as one batch. */
function* valuesBatch(plan: Values, rows: Values['rows'], run: Run): Task<Batch> {
  const columns: Datum[][] = plan.output.map(() => []);
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const expression = row[i] as Expression;
      if (expression.kind === 'literal') columns[i]?.push(expression.value);
      else {
        const value = evaluate(expression, ONE_ROW, run);
        columns[i]?.push((value instanceof Promise ? yield* wait(value) : value).get(0));
      }
    }
  }
  return {
    length: rows.length,
    columns: plan.output.map((column, i) => vectorOf(kindOf(column.type), columns[i] ?? [])),
  };
}
