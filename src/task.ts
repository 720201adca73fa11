/**
 * Work written once that waits only where it must: a generator that yields the promises it has to wait for.
 * Where `await` leaves the call at every step, `runTask` goes on as long as nothing has to be waited for, so
 * that a statement whose rows are at hand is answered within the call that brought it.
 */
export type Task<T> = Generator<Promise<unknown>, T, unknown>;

/** `yield* wait(value)` in a task is what `await value` is in an async function. */
export function* wait<T>(value: T | Promise<T>): Task<T> {
  return value instanceof Promise ? ((yield value) as T) : value;
}

/** @throws what the task throws before it first waits; the promise is rejected with what it throws later. */
export function runTask<T>(task: Task<T>): T | Promise<T> {
  const step = task.next();
  return step.done === true ? step.value : finish(task, step.value);
}

async function finish<T>(task: Task<T>, first: Promise<unknown>): Promise<T> {
  const resume = (value: unknown): IteratorResult<Promise<unknown>, T> => task.next(value);
  const fail = (error: unknown): IteratorResult<Promise<unknown>, T> => task.throw(error);
  let step = await first.then(resume, fail);
  while (step.done !== true) step = await step.value.then(resume, fail);
  return step.value;
}
