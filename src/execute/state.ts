/**
 * One run of a plan: the context, the enclosing rows, what common tables and subqueries have given so far,
 * and how to run another plan within it. Derived runs share everything they do not replace.
 */
import type { Snapshot } from '../engine/engine.ts';
import type { Subquery } from '../plan/expression.ts';
import type { PhysicalPlan } from '../physical/physical.ts';
import type { Batch, Vector } from '../types/column/vector.ts';
import type { ExecutionContext } from './context.ts';
import type { ExpressionCache } from './expression/expression.ts';
import type { Deferred, Frame, OuterRow } from './expression/compiled.ts';
import type { HeldRows } from './held-rows.ts';
import type { SharedRows } from './shared-rows.ts';
import { MappedRows, type PlanRows } from './plan-rows.ts';
import type { Turns } from './expression/turns.ts';
import { type Task, wait } from '../task.ts';

export interface Run {
  readonly context: ExecutionContext;
  /** The context's, or a newer one where an UPDATE looks at a row again. */
  readonly snapshot: Snapshot;
  /** The view of plans within, where `snapshot` has only the rows that one scan's relation shows. */
  readonly whole?: Snapshot | undefined;
  readonly frame: Frame;
  readonly turns: Turns;
  readonly cache: ExpressionCache;
  /** Common tables by id. */
  readonly tables: ReadonlyMap<number, SharedRows>;
  readonly memo: SubqueryMemo;
  /** While a changed row is looked at again; else absent. */
  readonly pins?: Pins;
  /** The dispatch of `run.ts`. */
  readonly execute: (plan: PhysicalPlan, run: Run) => PlanRows;
  /** Columns that subqueries and calls that wait give, each as long as the batch. */
  readonly resolveDeferred: (parts: readonly Deferred[], batch: Batch, run: Run) => Task<Vector[]>;
}

/** Scans, by their marks, that give one row only: one that they would give, in that snapshot, or none (-1). */
export type Pins = ReadonlyMap<number, { readonly snapshot: Snapshot; readonly rowNumber: number }>;

/** Results of subqueries: by subquery, then by the outer values they depend on. */
export type SubqueryMemo = Map<Subquery, Map<string, unknown>>;

/** The run of a plan that sees `row` as its enclosing row at depth 1. */
export function withOuter(run: Run, row: OuterRow): Run {
  return { ...run, frame: { ...run.frame, outer: [...run.frame.outer, row] } };
}

/**
 * Called for every batch: raises the cancel reason, and gives others a turn when the slice is over.
 * Await only what is not null: most calls return at once.
 */
export function checkpoint(run: Run): Promise<void> | null {
  const { signal } = run.context;
  if (signal.aborted) throw signal.reason;
  const pause = run.context.yieldToOthers();
  if (pause === null) return null;
  return pause.then(() => {
    if (signal.aborted) throw signal.reason;
  });
}

/** Raises the cancel reason, and waits when others are due. */
export function* turn(run: Run): Task<void> {
  const pause = checkpoint(run);
  if (pause !== null) yield* wait(pause);
}

/** The rows that `map` makes of each batch of a plan, with turns for others between. */
export function mapBatches(
  plan: PhysicalPlan,
  run: Run,
  map: (batch: Batch) => Batch | Promise<Batch>,
): PlanRows {
  return new MappedRows(run.execute(plan, run), (batch) => {
    const pause = checkpoint(run);
    return pause === null ? map(batch) : pause.then(() => map(batch));
  });
}

/** The work on a batch, at once or in steps; true when no more batches are wanted. */
type Step<Y> = (batch: Batch) => Generator<Y, boolean | void, unknown> | boolean | void;

/**
 * Gives each batch of a plan to `step`, with turns for others between. The rows are closed at the end, whatever it is.
 */
export function eachBatch<Y = never>(
  plan: PhysicalPlan,
  run: Run,
  step: Step<Y>,
): Generator<Y | Promise<unknown>, void, unknown> {
  return eachBatchOf(run.execute(plan, run), run, step);
}

/** As `eachBatch`, of rows that are open. */
export function* eachBatchOf<Y = never>(
  rows: PlanRows,
  run: Run,
  step: Step<Y>,
): Generator<Y | Promise<unknown>, void, unknown> {
  try {
    for (;;) {
      const next = rows.next();
      const batch = next instanceof Promise ? yield* wait(next) : next;
      if (batch === null) return;
      const pause = checkpoint(run);
      if (pause !== null) yield pause;
      const made = step(batch);
      if ((typeof made === 'object' ? yield* made : made) === true) return;
    }
  } finally {
    const closing = rows.close();
    if (closing !== undefined) yield closing;
  }
}

/**
 * All rows of a plan; for inputs that must be complete before the first row comes out.
 * @param held what they are counted to, and as many times as they will be there.
 * @throws SqlError 53200 when they are too many to hold.
 */
export function* collect(plan: PhysicalPlan, run: Run, held: HeldRows, copies = 1): Task<Batch[]> {
  const batches: Batch[] = [];
  yield* eachBatch(plan, run, (batch) => {
    if (batch.length === 0) return;
    held.add(batch, copies);
    batches.push(batch);
  });
  return batches;
}
