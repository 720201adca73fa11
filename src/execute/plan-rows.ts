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
  #ended = false;

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  next(): Batch | null | Promise<Batch | null> {
    if (this.#ended) return null;
    const { value, done } = this.#steps.next();
    if (value instanceof Promise) return this.#after(value);
    this.#ended = done === true;
    return value ?? null;
  }

  close(): void | Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const step = this.#steps.return(undefined);
    // Closing may have to wait for what it closes.
    if (step.done !== true) return this.#after(step.value as Promise<unknown>).then(() => undefined);
  }

  async #after(first: Promise<unknown>): Promise<Batch | null> {
    const steps = this.#steps;
    const resume = (value: unknown): IteratorResult<Batch | Promise<unknown>, void> => steps.next(value);
    const fail = (error: unknown): IteratorResult<Batch | Promise<unknown>, void> => steps.throw(error);
    let step = await first.then(resume, fail);
    while (step.value instanceof Promise) step = await step.value.then(resume, fail);
    this.#ended = step.done === true;
    return step.value ?? null;
  }
}

/** An operator that makes one batch of each of its input. */
export class MappedRows implements PlanRows {
  readonly #input: PlanRows;
  readonly #map: (batch: Batch) => Batch | Promise<Batch>;

  constructor(input: PlanRows, map: (batch: Batch) => Batch | Promise<Batch>) {
    this.#input = input;
    this.#map = map;
  }

  next(): Batch | null | Promise<Batch | null> {
    const batch = this.#input.next();
    if (batch instanceof Promise) return batch.then((given) => given && this.#map(given));
    return batch && this.#map(batch);
  }

  close(): void | Promise<void> {
    return this.#input.close();
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
