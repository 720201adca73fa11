/**
 * Slows repeated wrong passwords: after a few free tries, each further one from the same address waits
 * twice as long as the one before. The table is bounded; the address that was quiet longest is forgotten first.
 */

const FREE_TRIES_COUNT = 3;
const FIRST_DELAY_MS = 200;
const DELAY_MS_MAX = 10_000;
const FORGET_AFTER_MS = 15 * 60_000;
const ADDRESSES_COUNT_MAX = 10_000;

interface Failures {
  readonly count: number;
  readonly lastMs: number;
}

export class PasswordThrottle {
  #failures = new Map<string, Failures>();
  #now: () => number;

  /** @param now milliseconds of any clock that does not go back. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** How long the next try from `address` has to wait. */
  delayMs(address: string): number {
    const failures = this.#failures.get(address);
    if (failures === undefined) return 0;
    if (this.#now() - failures.lastMs > FORGET_AFTER_MS) {
      this.#failures.delete(address);
      return 0;
    }
    const over = failures.count - FREE_TRIES_COUNT;
    return over < 0 ? 0 : Math.min(FIRST_DELAY_MS * 2 ** over, DELAY_MS_MAX);
  }

  failed(address: string): void {
    const count = (this.#failures.get(address)?.count ?? 0) + 1;
    this.#failures.delete(address);
    this.#failures.set(address, { count, lastMs: this.#now() });
    if (this.#failures.size > ADDRESSES_COUNT_MAX) {
      for (const oldest of this.#failures.keys()) {
        this.#failures.delete(oldest);
        break;
      }
    }
  }

  succeeded(address: string): void {
    this.#failures.delete(address);
  }
}
