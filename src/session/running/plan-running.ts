/** A plan under way: its rows, and the snapshot it reads, which is released with it. */
import type { ExecutionContext } from '../../execute/context.ts';
import { bytesOf } from '../../execute/held-rows.ts';
import type { PlanRows } from '../../execute/plan-rows.ts';
import { planRows } from '../../execute/run.ts';
import type { PhysicalPlan } from '../../physical/physical.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import { runTask, type Task, wait } from '../../task.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Planned } from './planner.ts';
import { type Running, splitBatch } from './running.ts';

type PlanBound = Extract<Planned['bound'], { kind: 'plan' }>;

/** As values, and as messages. */
const GIVEN_COPIES = 2;

export class PlanRunning implements Running {
  readonly columns: readonly OutputColumn[] | null;
  readonly #bound: PlanBound;
  readonly #rows: PlanRows;
  readonly #context: ExecutionContext;
  #givenBytes = 0;
  /** More than the client wanted. */
  #rest: Batch | null = null;
  /** Rows of a statement that writes: it runs to its end before the first row is sent. */
  #written: Batch[] | null = null;

  /** @param context its snapshot and account are owned from here on. */
  constructor(planned: Planned, plan: PhysicalPlan, bound: PlanBound, context: ExecutionContext) {
    this.columns = bound.output;
    this.#bound = bound;
    this.#context = context;
    this.#rows = planRows(plan, context, planned.expressions);
  }

  next(limit: number): Batch | null | Promise<Batch | null> {
    if (!this.#bound.writes || this.#written !== null) return this.#next(limit);
    const writing = runTask(this.#runToEnd());
    return writing instanceof Promise ? writing.then(() => this.#next(limit)) : this.#next(limit);
  }

  #next(limit: number): Batch | null | Promise<Batch | null> {
    for (;;) {
      const batch = this.#rest ?? this.#taken();
      if (batch instanceof Promise) return this.#later(batch, limit);
      if (batch === null || batch.length > 0) return this.#first(batch, limit);
    }
  }

  async #later(next: Promise<Batch | null>, limit: number): Promise<Batch | null> {
    let batch = await next;
    while (batch?.length === 0) batch = await this.#taken();
    return this.#first(batch, limit);
  }

  #taken(): Batch | null | Promise<Batch | null> {
    return this.#written === null ? this.#rows.next() : (this.#written.shift() ?? null);
  }

  #first(batch: Batch | null, limit: number): Batch | null {
    const isAll = batch === null || limit === 0 || batch.length <= limit;
    const [first, rest] = isAll ? [batch, null] : splitBatch(batch, limit);
    this.#rest = rest;
    return this.#given(first);
  }

  /** Counts what is on its way to the client until it asks for more. */
  #given(batch: Batch | null): Batch | null {
    const { account } = this.#context;
    account.release(this.#givenBytes);
    this.#givenBytes = batch === null ? 0 : GIVEN_COPIES * bytesOf(batch);
    account.hold(this.#givenBytes);
    return batch;
  }

  tag(count: number): string {
    const { tag } = this.#bound;
    return tag === 'INSERT' ? `INSERT 0 ${count}` : `${tag} ${count}`;
  }

  close(): void | Promise<void> {
    this.#rest = null;
    let closing: void | Promise<void>;
    try {
      closing = this.#rows.close();
    } catch (error) {
      this.#release();
      throw error;
    }
    if (closing instanceof Promise) return closing.finally(() => this.#release());
    this.#release();
  }

  #release(): void {
    const { snapshot, account } = this.#context;
    snapshot[Symbol.dispose]();
    account[Symbol.dispose]();
  }

  *#runToEnd(): Task<void> {
    const batches: Batch[] = [];
    for (;;) {
      const next = this.#rows.next();
      const batch = next instanceof Promise ? yield* wait(next) : next;
      if (batch === null) break;
      this.#context.account.hold(bytesOf(batch));
      batches.push(batch);
    }
    this.#written = batches;
  }
}
