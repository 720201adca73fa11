/**
 * One request at a time, the newest: whoever lost his connection goes on at once, though the server may not have noticed yet.
 */
import type { SqlError } from '../../errors.ts';

interface Turn {
  readonly stop: AbortController;
  readonly over: Promise<void>;
}

export class Turns {
  #turn: Turn | null = null;
  #ended: SqlError | null = null;

  get isTaken(): boolean {
    return this.#turn !== null;
  }

  /**
   * Ends what is under way, and waits for it. The caller disposes the turn.
   * @param reason what the other one ends with. @throws what `close` ended all with.
   */
  async take(reason: SqlError): Promise<Disposable & { readonly signal: AbortSignal }> {
    while (this.#turn !== null) {
      this.#turn.stop.abort(reason);
      await this.#turn.over;
    }
    if (this.#ended !== null) throw this.#ended;
    const stop = new AbortController();
    const { promise: over, resolve } = Promise.withResolvers<void>();
    this.#turn = { stop, over };
    return {
      signal: stop.signal,
      [Symbol.dispose]: () => {
        this.#turn = null;
        resolve();
      },
    };
  }

  /** For good. */
  async close(reason: SqlError): Promise<void> {
    this.#ended ??= reason;
    this.#turn?.stop.abort(reason);
    await this.#turn?.over;
  }
}
