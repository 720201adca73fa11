/** Reading passages takes turns with everything else on the main thread, and ends when the asker has gone. */
import { TimeSlice } from '../time-slice.ts';

export class Turns {
  readonly #slice = new TimeSlice(() => performance.now());
  readonly #signal: AbortSignal;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** Null while the turn lasts. @throws the signal's reason. */
  next(): Promise<void> | null {
    this.#signal.throwIfAborted();
    return this.#slice.yieldToOthers();
  }
}
