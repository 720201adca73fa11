/**
 * Requests that their client has given an id, by whose they are: to be cancelled by it, and so that two with one id are done
 * one after the other.
 */
import type { SqlError } from '../../errors.ts';

export interface Cancellable {
  cancel(reason: SqlError): void;
}

interface Running {
  readonly request: Cancellable;
  readonly over: Promise<void>;
}

const nameOf = (owner: string, id: string): string => JSON.stringify([owner, id]);

export class NamedRequests {
  readonly #running = new Map<string, Running>();

  /** Waits for those of the id that came before. The caller disposes it when the request is over. */
  async enter(owner: string, id: string, request: Cancellable): Promise<Disposable> {
    const name = nameOf(owner, id);
    for (let before = this.#running.get(name); before !== undefined; before = this.#running.get(name)) {
      await before.over;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#running.set(name, { request, over: promise });
    return {
      [Symbol.dispose]: () => {
        this.#running.delete(name);
        resolve();
      },
    };
  }

  /** False: none of that id is under way. */
  cancel(owner: string, id: string, reason: SqlError): boolean {
    const running = this.#running.get(nameOf(owner, id));
    running?.request.cancel(reason);
    return running !== undefined;
  }
}
