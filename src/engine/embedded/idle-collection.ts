/**
 * Memory that statements held goes back to the system once they have ended: V8 by itself keeps its heap as large
 * as it was, until somebody needs it. What lives on is little then, so that a collection takes some 100 ms.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Statements that held less leave nothing worth collecting. */
const HELD_BYTES_MIN = 32 * 1024 * 1024;
const WAIT_MS = 500;
/** V8's collection before it gives up: it shrinks its spaces, too. */
const COLLECTION = { type: 'major', execution: 'sync', flavor: 'last-resort' } as const;

export class IdleCollection {
  #isDue = false;
  #timer: NodeJS.Timeout | null = null;

  /** @param claimed what all statements hold by now, in bytes. */
  changed(claimed: number): void {
    if (claimed >= HELD_BYTES_MIN) {
      this.#isDue = true;
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
    } else if (this.#isDue && this.#timer === null) {
      this.#timer = setTimeout(() => this.#collect(), WAIT_MS).unref();
    }
  }

  #collect(): void {
    this.#timer = null;
    this.#isDue = false;
    collectGarbage();
  }
}

/** All of it, at once. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: typeof COLLECTION) => void;
  collect(COLLECTION);
}
