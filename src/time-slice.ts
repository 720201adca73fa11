/**
 * Turns on the main thread: whoever computes there does so for at most TIME_SLICE_MS, then sockets and the work of
 * others have a turn of the event loop. Loops whose steps cost alike count them and take a turn after so many;
 * all others ask a slice.
 */
import { setImmediate } from 'node:timers/promises';
import { TIME_SLICE_MS } from './limits.ts';

/** Lets sockets and everything else that waits have a turn. @throws the signal's reason when it is aborted. */
export async function takeTurn(signal?: AbortSignal): Promise<void> {
  await setImmediate();
  signal?.throwIfAborted();
}

export class TimeSlice {
  readonly #now: () => number;
  #began: number;

  /** Begins now. @param now milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
    this.#began = now();
  }

  /** The slice begins anew. */
  begin(): void {
    this.#began = this.#now();
  }

  /** Null while the slice lasts; a promise of the next one when others are due. Cheap enough for every batch. */
  yieldToOthers(): Promise<void> | null {
    return this.#now() - this.#began < TIME_SLICE_MS ? null : this.#next();
  }

  async #next(): Promise<void> {
    await takeTurn();
    this.#began = this.#now();
  }
}

/** Result of work that is done piece by piece. @throws the signal's reason. */
export async function inSlices<T>(
  pieces: Generator<undefined, T>,
  slice: TimeSlice,
  signal: AbortSignal,
): Promise<T> {
  let step = pieces.next();
  for (; step.done !== true; step = pieces.next()) {
    const pause = slice.yieldToOthers();
    if (pause !== null) await pause;
    signal.throwIfAborted();
  }
  return step.value;
}
