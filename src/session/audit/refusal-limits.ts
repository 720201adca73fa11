/** How many refusals of one address are written down a minute: who tries without end fills no disk, and hides nobody else. */
import { BoundedCache } from '../../bounded-cache.ts';

const MINUTE_MS = 60_000;
const ADDRESSES_COUNT_MAX = 10_000;

interface Minute {
  readonly sinceMs: number;
  taken: number;
  leftOut: number;
}

export class RefusalLimits {
  readonly #max: number;
  readonly #nowMs: () => number;
  readonly #minutes = new BoundedCache<string, Minute>({ entriesMax: ADDRESSES_COUNT_MAX });

  constructor(max: number, nowMs: () => number) {
    this.#max = max;
    this.#nowMs = nowMs;
  }

  /** Null: this one is left out. @returns how many have been left out since the last that was not. */
  take(address: string): { readonly leftOut: number } | null {
    const nowMs = this.#nowMs();
    const known = this.#minutes.get(address);
    const isOver = known === undefined || nowMs - known.sinceMs >= MINUTE_MS || nowMs < known.sinceMs;
    if (isOver) {
      this.#minutes.set(address, { sinceMs: nowMs, taken: 1, leftOut: 0 });
      return { leftOut: known?.leftOut ?? 0 };
    }
    if (known.taken >= this.#max) {
      known.leftOut++;
      return null;
    }
    known.taken++;
    return { leftOut: 0 };
  }
}
