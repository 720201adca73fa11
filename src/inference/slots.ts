/**
 * Places for work that may be done at the same time. Who finds none free waits; the urgent go first, the others in
 * the order in which they came.
 */
import { assert } from '../assert.ts';

interface Waiting {
  readonly proceed: () => void;
  readonly isUrgent: boolean;
}

export class Slots {
  #free: number;
  readonly #waiting: Waiting[] = [];

  constructor(count: number) {
    assert(count > 0, 'at least one may work');
    this.#free = count;
  }

  /** @returns the place, given back by its disposal. @throws the signal's reason. */
  async take(isUrgent: boolean, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#wait(isUrgent, signal);
    return { [Symbol.dispose]: () => this.#giveBack() };
  }

  #wait(isUrgent: boolean, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const waiting: Waiting = {
        isUrgent,
        proceed: () => {
          signal.removeEventListener('abort', leave);
          resolve();
        },
      };
      signal.addEventListener('abort', leave, { once: true });
      this.#waiting.push(waiting);
    });
  }

  /** To whoever is next, or to nobody. */
  #giveBack(): void {
    const urgent = this.#waiting.findIndex((waiting) => waiting.isUrgent);
    const [next] = this.#waiting.splice(Math.max(0, urgent), 1);
    if (next === undefined) this.#free++;
    else next.proceed();
  }
}
