/** A server's audit put together: who writes entries, who hands them on, and how long they are kept. */
import { Retention } from '../answers/retention.ts';
import type { SessionDirectory } from '../directory.ts';
import type { Environment } from '../environment.ts';
import { Auditor } from './auditor.ts';
import { AuditFollower } from './follow.ts';
import { forgetEntries } from './retention.ts';
import type { AuditSettings } from './settings.ts';

type Server = Pick<SessionDirectory, 'keeping' | 'keys' | 'openOwn'>;

export class OpenAudit {
  readonly auditor: Auditor;
  readonly #log: AuditFollower | null;
  readonly #old: Retention;

  constructor(
    { days, whenFull, sink }: AuditSettings,
    server: Server,
    { engine, nowMs, log }: Pick<Environment, 'engine' | 'nowMs' | 'log'>,
  ) {
    const { keeping, keys } = server;
    const clockMs = (): number => keys.now();
    const stored = (): void => {
      this.#log?.more();
      this.#old.kept();
    };
    this.auditor = new Auditor({ clockMs, keeping, whenFull, report: log, stored });
    this.#old = new Retention({
      openSession: () => server.openOwn({ isReadOnly: false }, null),
      nowMs,
      report: (error) => log('old entries of the audit were not taken away', { message: String(error) }),
      forgetSome: (query) => forgetEntries(query, { days, nowMs: clockMs() }),
    });
    const became = (fault: unknown): void => this.auditor.became('log', fault);
    const { sequence: last } = engine.chainEnd();
    this.#log = sink === null ? null : new AuditFollower({ sink, last, keeping, became });
  }

  async close(): Promise<void> {
    await this.auditor.settled();
    await this.#log?.close();
    await this.#old.close();
  }
}
