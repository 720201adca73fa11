/** Statements that wait for runs of research. A run for which nobody waits any more is given up, unless it is told to go on. */
import { SqlError } from '../../errors.ts';

interface Waiting {
  count: number;
  /** Those of them that only look on: no run goes on for their sake, nor ends. */
  onlookers: number;
  wake: PromiseWithResolvers<void>;
}

export class Waiters {
  readonly #waiting = new Map<string, Waiting>();
  readonly #giveUp: (id: string) => void;

  /** @param giveUp called when the last statement that wanted a run was cancelled. */
  constructor(giveUp: (id: string) => void) {
    this.#giveUp = giveUp;
  }

  /** Counts a statement that waits, until it is disposed of or cancelled. */
  add(id: string, signal: AbortSignal, { onlyLooks }: { readonly onlyLooks: boolean }): Disposable {
    const none = { count: 0, onlookers: 0, wake: Promise.withResolvers<void>() };
    const waiting = this.#waiting.get(id) ?? none;
    waiting.count++;
    if (onlyLooks) waiting.onlookers++;
    this.#waiting.set(id, waiting);
    let hasLeft = false;
    const leave = (): void => {
      if (hasLeft) return;
      hasLeft = true;
      if (onlyLooks) waiting.onlookers--;
      if (--waiting.count === 0) this.#waiting.delete(id);
    };
    const abort = (): void => {
      leave();
      const { reason } = signal as { reason: unknown };
      const isCancelled = reason instanceof SqlError && reason.condition === 'query_canceled';
      if (isCancelled && !onlyLooks && !this.isWanted(id)) this.#giveUp(id);
    };
    // It may have been cancelled while the run was asked for.
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
    return {
      [Symbol.dispose]: () => {
        signal.removeEventListener('abort', abort);
        leave();
      },
    };
  }

  /** True when somebody waits for it who does not only look on. */
  isWanted(id: string): boolean {
    const { count, onlookers } = this.#waiting.get(id) ?? { count: 0, onlookers: 0 };
    return count > onlookers;
  }

  /** Resolves when there is news. */
  woken(id: string): Promise<void> {
    return this.#waiting.get(id)?.wake.promise ?? Promise.resolve();
  }

  /** There is news of a run. */
  tell(id: string): void {
    const waiting = this.#waiting.get(id);
    if (waiting === undefined) return;
    const { wake } = waiting;
    waiting.wake = Promise.withResolvers<void>();
    wake.resolve();
  }
}
