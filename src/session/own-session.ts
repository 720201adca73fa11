/** A session of the server's own, for work that nobody's connection does. */
import { noteDomains } from './datasets/domains.ts';
import type { Sender } from '../inference/sender.ts';
import { jobSender } from './outside/sender.ts';
import { rowsOf } from './running/internal-statement.ts';
import type { Statement } from './running/statement.ts';
import { StatementRunner } from './running/statement-runner.ts';
import type { Query, ServerSession } from './server-session.ts';
import { type SessionParts, SessionState } from './session-state.ts';
import { Notifications } from './statements/notifications.ts';

export class OwnSession implements ServerSession {
  readonly #runner: StatementRunner;

  constructor(parts: SessionParts) {
    const notifications = new Notifications(parts.processId, parts.directory.channels, () => undefined);
    this.#runner = new StatementRunner(new SessionState(parts, notifications, () => undefined));
  }

  transaction<Result>(
    work: (query: Query) => Promise<Result>,
    signal: AbortSignal,
    { rights, ...how }: { readonly embedding?: 'later'; readonly rights?: 'client' } = {},
  ): Promise<Result> {
    const asServer = rights !== 'client';
    const rows = { asServer, seesAll: asServer };
    return this.#whole(signal, () =>
      work((text, ...parameters) => rowsOf(this.#begin(signal), text, { parameters, ...rows, ...how })),
    );
  }

  async noteDomains(dataset: string, domains: readonly string[], signal: AbortSignal): Promise<void> {
    if (domains.length === 0) return;
    await this.#whole(signal, () => noteDomains(this.#begin(signal), { dataset, domains }));
  }

  /** As one transaction. */
  async #whole<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    const ending = this.#begin(signal);
    this.#runner.session.block.start();
    try {
      const result = await work();
      await ending.commit();
      return result;
    } catch (error) {
      await ending.rollback();
      throw error;
    }
  }

  sender(datasets: readonly string[]): Sender {
    return jobSender(this.#runner.session, datasets);
  }

  #begin(signal: AbortSignal): Statement {
    return this.#runner.begin(signal, null);
  }

  listen(channel: string, hear: (payload: string) => void): void {
    const { directory, processId } = this.#runner.session;
    directory.channels.listen(channel, { processId, hear: ({ payload }) => hear(payload) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner.dispose();
  }
}
