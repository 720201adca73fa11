/** A session of the server's own, for work that nobody's connection does. */
import { askerQuery } from './datasets/asker-query.ts';
import { noteDomains } from './datasets/domains.ts';
import type { Sender } from '../inference/sender.ts';
import { requireStanding } from './identity.ts';
import { jobSender } from './outside/sender.ts';
import { rowsOf } from './running/internal-statement.ts';
import type { Statement } from './running/statement.ts';
import { StatementRunner } from './running/statement-runner.ts';
import type { Query, ServerSession } from './server-session.ts';
import { type SessionParts, SessionState } from './session-state.ts';
import { Notifications } from './statements/notifications.ts';

export class OwnSession implements ServerSession {
  readonly #runner: StatementRunner;
  readonly #rights: 'server' | 'asker';

  /** @param rights to do what clients may not; or those of whom the parts are of, and no others. */
  constructor(parts: SessionParts, rights: 'server' | 'asker' = 'server') {
    this.#rights = rights;
    const notifications = new Notifications(parts.processId, parts.directory.channels, () => undefined);
    this.#runner = new StatementRunner(new SessionState(parts, notifications, () => undefined));
  }

  transaction<Result>(
    work: (query: Query) => Promise<Result>,
    signal: AbortSignal,
    how: { readonly embedding?: 'later' } = {},
  ): Promise<Result> {
    return this.#whole(signal, () => {
      const { session } = this.#runner;
      if (this.#rights === 'server') {
        const request = { asServer: true, seesAll: true, ...how };
        return work((text, ...parameters) => rowsOf(this.#begin(signal), text, { parameters, ...request }));
      }
      requireStanding(session.catalog(), session.identity);
      session.key?.requireLive();
      return work((text, ...parameters) => askerQuery(this.#begin(signal))(text, ...parameters));
    });
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
