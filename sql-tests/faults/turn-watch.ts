/**
 * How long this thread computes without giving others a turn, in processor time. A collection of garbage and a busy
 * machine lengthen one turn or another, a pause that is missing lengthens the same turn each time: what is found
 * too long is tried again.
 */
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

const TICK_MS = 1;
const ATTEMPTS = 4;

/** Processor time of this thread. */
export const threadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

/** Processor time of all threads of this process. */
export const processMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

/** Processor time of another process, by Linux's hundredths of a second; null when it is gone. */
export function otherProcessMs(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12]));
  } catch {
    return null;
  }
}

export class TurnWatch implements Disposable {
  #longestMs = 0;
  #last = threadMs();
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
    const now = threadMs();
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
