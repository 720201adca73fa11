/**
 * How long this thread computes without giving others a turn, in processor time: what a machine that is busy with
 * other things cannot falsify.
 */
const TICK_MS = 1;

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
