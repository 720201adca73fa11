/**
 * Who seals values outside of rounds of commits, by the epoch in which it began: until it has ended, values of that
 * epoch may still be written.
 */
import { unlessAborted } from '../../../unless-aborted.ts';

export class Sealings {
  readonly #open = new Map<number, number>();
  #waiters: (() => void)[] = [];

  begin(epoch: number): Disposable {
    this.#open.set(epoch, (this.#open.get(epoch) ?? 0) + 1);
    return { [Symbol.dispose]: () => this.#end(epoch) };
  }

  #end(epoch: number): void {
    const count = (this.#open.get(epoch) ?? 1) - 1;
    if (count > 0) this.#open.set(epoch, count);
    else this.#open.delete(epoch);
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const wake of waiters) wake();
  }

  /** Resolves when nobody is left who began before an epoch. @throws the signal's reason */
  async ended(epoch: number, signal: AbortSignal): Promise<void> {
    while ([...this.#open.keys()].some((open) => open < epoch)) {
      const ended = new Promise<void>((wake) => this.#waiters.push(wake));
      await unlessAborted(ended, signal);
    }
  }
}
