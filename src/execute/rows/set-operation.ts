/** UNION, INTERSECT and EXCEPT, with ALL counting duplicates and without it holding NULLs equal. */
import type { PhysicalPlan, SetOperation } from '../../physical/physical.ts';
import { type Batch, Int32Vector } from '../../types/column/vector.ts';
import { FirstOfKey } from './distinct.ts';
import { type Judge, KeyedRows } from './keyed-rows.ts';
import type { Steps } from '../plan-rows.ts';
import { eachBatch, type Run } from '../state.ts';

export function runSetOperation(plan: SetOperation, run: Run): Steps {
  if (plan.operation !== 'union') return compareCounts(plan, run);
  return plan.all ? append(plan, run) : union(plan, run);
}

function* append({ inputs }: SetOperation, run: Run): Steps {
  for (const input of inputs) {
    yield* eachBatch(input, run, function* (batch): Steps {
      if (batch.length > 0) yield batch;
    });
  }
}

function* union(plan: SetOperation, run: Run): Steps {
  using rows = keyedRows(plan, run, () => new FirstOfKey());
  for (const input of plan.inputs) {
    yield* eachBatch(input, run, function* (batch): Steps {
      const fresh = yield* rows.add(batch);
      if (fresh.length > 0) yield fresh;
    });
  }
  yield* rows.rest();
}

function keyedRows(plan: SetOperation, run: Run, judge: () => Judge): KeyedRows {
  const given = plan.output.length;
  const isMarked = plan.operation !== 'union';
  return new KeyedRows(
    {
      plan,
      given,
      width: isMarked ? given + 1 : given,
      types: plan.output.map((column) => column.type),
      places: plan.output.map((_, i) => i),
      mark: isMarked ? given : null,
      judge,
    },
    run,
  );
}

/** Counts the rows of all inputs but the first, then passes the first's by comparison with these counts. */
function* compareCounts(plan: SetOperation, run: Run): Steps {
  using rows = keyedRows(plan, run, () => new CountJudge(plan));
  const [first, ...others] = plan.inputs;
  for (const [i, input] of [...others, first as PhysicalPlan].entries()) {
    const mark = input === first ? FIRST : i;
    yield* eachBatch(input, run, function* (batch): Steps {
      const passed = yield* rows.add(marked(batch, mark));
      if (passed.length > 0) yield passed;
    });
  }
  yield* rows.rest();
}

/** The mark of rows of the first input, which comes last; those of others are numbered from 0. */
const FIRST = -1;

function marked({ length, columns }: Batch, mark: number): Batch {
  return { length, columns: [...columns, new Int32Vector(new Int32Array(length).fill(mark))] };
}

class CountJudge implements Judge {
  readonly #plan: SetOperation;
  /** Rows by number of their key: of each other input for INTERSECT, of all of them for EXCEPT. */
  readonly #counts: number[][];
  /** The counts that are left for the first input's rows, once one has come. */
  readonly #left: number[] = [];

  constructor(plan: SetOperation) {
    this.#plan = plan;
    const count = plan.operation === 'except' ? 1 : plan.inputs.length - 1;
    this.#counts = Array.from({ length: count }, () => []);
  }

  given(numbers: Int32Array, marks: Int32Array | null): Uint32Array {
    const rows: number[] = [];
    for (let row = 0; row < numbers.length; row++) {
      const number = numbers[row] as number;
      if (number < 0) continue;
      const mark = marks?.[row] ?? FIRST;
      if (mark !== FIRST) this.#count(number, mark);
      else if (this.#passes(number)) rows.push(row);
    }
    return Uint32Array.from(rows);
  }

  #count(number: number, input: number): void {
    const counts = this.#counts[input % this.#counts.length] as number[];
    counts[number] = (counts[number] ?? 0) + 1;
  }

  #passes(number: number): boolean {
    const left = this.#left[number] ?? Math.min(...this.#counts.map((counts) => counts[number] ?? 0));
    const isIntersect = this.#plan.operation === 'intersect';
    if (this.#plan.all) {
      this.#left[number] = left - 1;
      return isIntersect ? left > 0 : left <= 0;
    }
    // Given once; neither count is met again.
    const given = Number.NaN;
    this.#left[number] = given;
    return isIntersect ? left > 0 : left === 0;
  }
}
