/**
 * Turns on the main thread: a statement computes for at most TIME_SLICE_MS, then sockets and other
 * statements have a turn of the event loop.
 */
import { TIME_SLICE_MS } from '../limits.ts';

export class Scheduler {
  readonly #now: () => number;
  #sliceStart: number;

  /** @param now milliseconds, monotonic. */
  constructor(now: () => number) {
    this.#now = now;
    this.#sliceStart = now();
  }

  /** Null while the slice lasts; a promise when others are due. Cheap enough for every batch. */
  yieldToOthers(): Promise<void> | null {
    if (this.#now() - this.#sliceStart < TIME_SLICE_MS) return null;
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#sliceStart = this.#now();
        resolve();
      });
    });
  }
}
