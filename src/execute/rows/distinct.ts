/** DISTINCT and DISTINCT ON: the first row of each key. */
import type { Distinct } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import { evaluateAll } from '../expression/evaluate.ts';
import { type Judge, KeyedRows } from './keyed-rows.ts';
import type { KeyNumbers } from './key-numbers.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function* runDistinct(plan: Distinct, run: Run): Steps {
  const given = plan.output.length;
  const keys = plan.on ?? plan.output;
  const first = plan.on === null ? 0 : given;
  using rows = new KeyedRows(
    {
      plan,
      given,
      width: first + keys.length,
      types: keys.map(({ type }) => type),
      places: keys.map((_, i) => first + i),
      mark: null,
      judge: () => new FirstOfKey(),
    },
    run,
  );
  yield* eachBatch(plan.input, run, function* (batch): Steps {
    const fresh = yield* rows.add(yield* withKeys(batch, plan, run));
    if (fresh.length > 0) yield fresh;
  });
  yield* rows.rest();
}

function* withKeys(batch: Batch, { on }: Distinct, run: Run): Task<Batch> {
  if (on === null) return batch;
  const keys = yield* wait(evaluateAll(on, batch, run));
  return { length: batch.length, columns: [...batch.columns, ...keys] };
}

/** Gives the first row of each key. */
export class FirstOfKey implements Judge {
  #seen: number;

  /** @param seen keys that have been given. */
  constructor(seen = 0) {
    this.#seen = seen;
  }

  given(numbers: Int32Array): Uint32Array {
    const rows: number[] = [];
    for (let row = 0; row < numbers.length; row++) {
      if (numbers[row] !== this.#seen) continue;
      this.#seen++;
      rows.push(row);
    }
    return Uint32Array.from(rows);
  }
}

/** Positions of rows whose key the table had not seen. */
export function newRows(table: KeyNumbers, keys: Batch): Uint32Array {
  const judge = new FirstOfKey(table.size);
  return judge.given(table.insert(keys.columns, keys.length));
}
