/** A session of the server's own, for work that nobody's connection does. */
import { noteDomains } from './datasets/domains.ts';
import { rowsOf } from './running/internal-statement.ts';
import { type RunnerOptions, StatementRunner } from './running/statement-runner.ts';
import type { Query, ServerSession } from './server-session.ts';
import { Notifications } from './statements/notifications.ts';

export class OwnSession implements ServerSession {
  readonly #runner: StatementRunner;

  constructor(options: RunnerOptions) {
    const notifications = new Notifications(options.processId, options.directory.channels, () => undefined);
    this.#runner = new StatementRunner(options, notifications, () => undefined);
  }

  async transaction<Result>(
    work: (query: Query) => Promise<Result>,
    signal: AbortSignal,
    { rights, ...how }: { readonly embedding?: 'later'; readonly rights?: 'client' } = {},
  ): Promise<Result> {
    this.#runner.block.start();
    try {
      const result = await work((text, ...parameters) =>
        rowsOf(this.#runner, text, { parameters, signal, asServer: rights !== 'client', ...how }),
      );
      await this.#runner.commit(signal);
      return result;
    } catch (error) {
      await this.#runner.rollback();
      throw error;
    }
  }

  async noteDomains(dataset: string, domains: readonly string[], signal: AbortSignal): Promise<void> {
    if (domains.length === 0) return;
    this.#runner.block.start();
    try {
      await noteDomains(this.#runner, { dataset, domains }, signal);
      await this.#runner.commit(signal);
    } catch (error) {
      await this.#runner.rollback();
      throw error;
    }
  }

  listen(channel: string, hear: (payload: string) => void): void {
    const { directory, processId } = this.#runner;
    directory.channels.listen(channel, { processId, hear: ({ payload }) => hear(payload) });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#runner.dispose();
  }
}
