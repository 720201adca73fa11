/**
 * Rows of an operator, as who is above it takes them: a batch when it asks for one. There is one kind of operator: a
 * generator that yields batches, and promises where it has to wait. What is at hand is given within the call.
 */
import { wait } from '../task.ts';
import type { Batch } from '../types/column/vector.ts';

export interface PlanRows {
  /** The next batch of up to BATCH_ROWS_MAX rows, perhaps without any; null at the end. Asked again once it is given. */
  next(): Batch | null | Promise<Batch | null>;
  /** Releases what it holds; may be called at any time but while a batch is waited for, and again. */
  close(): void | Promise<void>;
}

/** An operator at work: its batches, and what it waits for in between. */
export type Steps = Generator<Batch | Promise<unknown>, void, unknown>;

/** The work on one batch of an input; true when no more of them are wanted. */
export type StepsUntil = Generator<Batch | Promise<unknown>, boolean, unknown>;

export class SteppedRows implements PlanRows {
  readonly #steps: Steps;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  next(): Batch | null | Promise<Batch | null> {
    const step = this.#steps.next();
    if (step.done === true) return null;
    return step.value instanceof Promise ? this.#after(step.value) : step.value;
  }

  close(): void | Promise<void> {
    const step = this.#steps.return(undefined);
    // Closing may have to wait for what it closes.
    if (step.done !== true) return this.#after(step.value as Promise<unknown>).then(() => undefined);
  }

  async #after(first: Promise<unknown>): Promise<Batch | null> {
    const steps = this.#steps;
    const resume = (value: unknown): IteratorResult<Batch | Promise<unknown>, void> => steps.next(value);
    const fail = (error: unknown): IteratorResult<Batch | Promise<unknown>, void> => steps.throw(error);
    let step = await first.then(resume, fail);
    while (step.done !== true && step.value instanceof Promise) step = await step.value.then(resume, fail);
    return step.done === true ? null : (step.value as Batch);
  }
}

/** The batches of `rows` one by one, as the rows of the operator that passes them on. */
export function* passOn(rows: PlanRows): Steps {
  try {
    for (;;) {
      const batch = yield* wait(rows.next());
      if (batch === null) return;
      yield batch;
    }
  } finally {
    yield* wait(rows.close());
  }
}

/** All batches, for who wants them together. */
export async function allBatches(rows: PlanRows): Promise<Batch[]> {
  const batches: Batch[] = [];
  try {
    for (let batch = await rows.next(); batch !== null; batch = await rows.next()) batches.push(batch);
  } finally {
    await rows.close();
  }
  return batches;
}
