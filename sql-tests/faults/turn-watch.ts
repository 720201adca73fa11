/**
 * How long this thread computes without giving others a turn, in processor time. A collection of garbage and a busy
 * machine lengthen one turn or another, a pause that is missing lengthens the same turn each time: what is found
 * too long is tried again.
 */
import { expect } from 'vitest';

const TICK_MS = 1;
const ATTEMPTS = 4;

const spentMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

export class TurnWatch implements Disposable {
  #longestMs = 0;
  #last = spentMs();
  #timer: NodeJS.Timeout;

  constructor() {
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }

  /** Longest turn since it was last asked. */
  take(): number {
    this.#look();
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }

  #tick(): void {
    this.#look();
    this.#timer = setTimeout(() => this.#tick(), TICK_MS);
  }

  #look(): void {
    const now = spentMs();
    this.#longestMs = Math.max(this.#longestMs, now - this.#last);
    this.#last = now;
  }
}

/** @throws where each of some attempts took `limitMs` or more; `attempt` gives what it took, in ms. */
export async function expectBelow(limitMs: number, attempt: () => Promise<number>): Promise<void> {
  const took: number[] = [];
  while (took.length < ATTEMPTS) {
    const ms = await attempt();
    if (ms < limitMs) return;
    took.push(Math.round(ms));
  }
  expect.fail(`took ${took.join(', ')} ms, each time ${limitMs} or more`);
}

/**
 * @returns what `work`, which may be done again, gave last
 * @throws where this thread computed for `limitMs` or more at a stretch, each time
 */
export async function inTurns<T>(limitMs: number, work: () => Promise<T>): Promise<T> {
  let results: T[] = [];
  await expectBelow(limitMs, async () => {
    using watch = new TurnWatch();
    watch.take();
    results = [await work()];
    return watch.take();
  });
  return results[0] as T;
}
