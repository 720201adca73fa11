/**
 * Sessions of the server's own for small work that comes again and again: whoever is done with one leaves it to the next,
 * with its statements planned.
 */
import type { Query, ServerSession } from './server-session.ts';

/** More are closed when they are done with. */
const IDLE_COUNT_MAX = 4;

export class ReusedSessions implements AsyncDisposable {
  readonly #open: () => ServerSession;
  #idle: ServerSession[] = [];
  #isClosed = false;

  /** @param open a session that nobody else uses. */
  constructor(open: () => ServerSession) {
    this.#open = open;
  }

  /** One transaction, as `ServerSession` has it; several at a time are in several sessions. */
  async transaction<Result>(work: (query: Query) => Promise<Result>, signal: AbortSignal): Promise<Result> {
    const session = this.#idle.pop() ?? this.#open();
    try {
      const result = await session.transaction(work, signal);
      await this.#giveBack(session);
      return result;
    } catch (error) {
      await session[Symbol.asyncDispose]();
      throw error;
    }
  }

  async #giveBack(session: ServerSession): Promise<void> {
    if (this.#isClosed || this.#idle.length >= IDLE_COUNT_MAX) await session[Symbol.asyncDispose]();
    else this.#idle.push(session);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    const idle = this.#idle;
    this.#idle = [];
    for (const session of idle) await session[Symbol.asyncDispose]();
  }
}
