/** A plan under way: its rows, and the snapshot it reads, which is released with it. */
import type { Snapshot } from '../../engine/engine.ts';
import type { Account } from '../../execute/account.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import { bytesOf } from '../../execute/held-rows.ts';
import { planRows } from '../../execute/run.ts';
import type { PhysicalPlan } from '../../physical/physical.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { runTask, type Task, wait } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Planned } from './planner.ts';
import { BatchReader, type Running, splitBatch } from './running.ts';

type PlanBound = Extract<Planned['bound'], { kind: 'plan' }>;

/** As values, and as messages. */
const GIVEN_COPIES = 2;

export class PlanRunning implements Running {
  readonly columns: readonly OutputColumn[] | null;
  #bound: PlanBound;
  #reader: BatchReader;
  #snapshot: Snapshot;
  readonly #account: Account;
  #givenBytes = 0;
  /** Rows of a statement that writes: it runs to its end before the first row is sent. */
  #written: Batch[] | null = null;

  /** @param context its snapshot and account are owned from here on. */
  constructor(planned: Planned, plan: PhysicalPlan, bound: PlanBound, context: ExecutionContext) {
    this.columns = bound.output;
    this.#bound = bound;
    this.#snapshot = context.snapshot;
    this.#account = context.account;
    this.#reader = new BatchReader(planRows(plan, context, planned.expressions));
  }

  next(limit: number): Batch | null | Promise<Batch | null> {
    const batch = this.#bound.writes ? runTask(this.#nextWritten(limit)) : this.#reader.next(limit);
    return batch instanceof Promise ? batch.then((made) => this.#given(made)) : this.#given(batch);
  }

  /** Counts what is on its way to the client until it asks for more. */
  #given(batch: Batch | null): Batch | null {
    this.#account.release(this.#givenBytes);
    this.#givenBytes = batch === null ? 0 : GIVEN_COPIES * bytesOf(batch);
    this.#account.hold(this.#givenBytes);
    return batch;
  }

  *#nextWritten(limit: number): Task<Batch | null> {
    this.#written ??= yield* this.#runToEnd();
    const batch = this.#written.shift();
    if (batch === undefined) return null;
    const [first, rest] = splitBatch(batch, limit);
    if (rest !== null) this.#written.unshift(rest);
    return first;
  }

  tag(count: number): string {
    const { tag } = this.#bound;
    return tag === 'INSERT' ? `INSERT 0 ${count}` : `${tag} ${count}`;
  }

  close(): void | Promise<void> {
    return runTask(this.#close());
  }

  *#close(): Task<void> {
    try {
      yield* wait(this.#reader.close());
    } finally {
      this.#snapshot[Symbol.dispose]();
      this.#account[Symbol.dispose]();
    }
  }

  *#runToEnd(): Task<Batch[]> {
    const batches: Batch[] = [];
    for (;;) {
      const batch = yield* wait(this.#reader.next(0));
      if (batch === null) return batches;
      this.#account.hold(bytesOf(batch));
      batches.push(batch);
    }
  }
}
