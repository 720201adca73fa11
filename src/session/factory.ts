/**
 * Makes sessions: checks user, password and database, numbers them, and finds them again for cancel
 * requests. What is wrong with a sign-in is never told apart.
 */
import type { SessionFact } from '../catalog/system/context.ts';
import { SqlError } from '../errors.ts';
import { ANSWER_DAYS_KEPT } from '../limits.ts';
import { AnswerRetention } from './answers/retention.ts';
import { DATABASE, type Environment } from './environment.ts';
import type { SessionDirectory } from './directory.ts';
import { EmbeddingBuilds } from './builds/embedding-builds.ts';
import type { Keys } from './sign-in/keys.ts';
import { Channels } from './statements/notifications.ts';
import type { Session, SessionFactory, StartupParameters } from './protocol.ts';
import { OwnSession } from './own-session.ts';
import { ReusedSessions } from './reused-sessions.ts';
import { QuernSession } from './session.ts';
import type { ServerSession } from './server-session.ts';
import type { SessionParts } from './session-state.ts';
import { SignIn } from './sign-in/sign-in.ts';

const PROCESS_ID_MAX = 0x3fffffff;

/** `close` ends what goes on in the background of the sessions. */
export function createSessionFactory(
  environment: Environment,
  keys: Keys,
): SessionFactory &
  SessionDirectory & {
    close(): Promise<void>;
    openOwn(): ServerSession;
    openFor(given: Pick<SessionParts, 'settings' | 'role'>): Session;
  } {
  return new Factory(environment, keys);
}

class Factory implements SessionFactory, SessionDirectory {
  readonly channels = new Channels();
  readonly embeddingBuilds: EmbeddingBuilds;
  readonly answers: AnswerRetention;
  readonly keeping = new ReusedSessions(() => this.openOwn());
  #environment: Environment;
  #signIn: SignIn;
  #sessions = new Map<number, QuernSession>();
  #lastProcessId = 0;

  constructor(environment: Environment, keys: Keys) {
    this.#environment = environment;
    this.#signIn = new SignIn(keys, environment.nowMs);
    this.embeddingBuilds = new EmbeddingBuilds(environment);
    this.answers = new AnswerRetention({
      openSession: () => this.openOwn(),
      nowMs: environment.nowMs,
      report: (error) => environment.log('old answers were not taken away', { message: String(error) }),
      days: environment.answerDays ?? ANSWER_DAYS_KEPT,
    });
    this.embeddingBuilds.resume();
  }

  async authenticate(startup: StartupParameters, password: string): Promise<Session> {
    const known = (await this.#signIn.check(startup, password)) !== null;
    this.#environment.log(known ? 'sign-in' : 'sign-in refused', { address: startup.remoteAddress });
    if (!known) {
      throw fatal('invalid_password', `password authentication failed for user "${startup.user}"`);
    }
    if (startup.database !== DATABASE) {
      throw fatal('invalid_catalog_name', `database "${startup.database}" does not exist`);
    }
    return this.openFor(startup);
  }

  cancel(processId: number, secretKey: number): void {
    const session = this.#sessions.get(processId);
    if (session?.secretKey === secretKey) session.cancel(cancelled());
  }

  openOwn({ isReadOnly }: { readonly isReadOnly: boolean } = { isReadOnly: false }): ServerSession {
    const processId = this.#newProcessId();
    return new OwnSession({
      environment: this.#environment,
      directory: this,
      processId,
      settings: new Map(isReadOnly ? [['quern.read_only', 'on']] : []),
    });
  }

  async close(): Promise<void> {
    await this.embeddingBuilds.close();
    await this.answers.close();
    await this.keeping[Symbol.asyncDispose]();
  }

  cancelStatement(processId: number): boolean {
    const session = this.#sessions.get(processId);
    session?.cancel(cancelled());
    return session !== undefined;
  }

  terminate(processId: number): boolean {
    const session = this.#sessions.get(processId);
    session?.terminate();
    return session !== undefined;
  }

  *activity(): Iterable<SessionFact> {
    for (const session of this.#sessions.values()) yield session.activity();
  }

  /** A session of a role that has signed in. @param given.role absent: the owner. */
  openFor({ settings, role }: Pick<SessionParts, 'settings' | 'role'>): Session {
    const processId = this.#newProcessId();
    const session = new QuernSession({
      environment: this.#environment,
      directory: this,
      processId,
      secretKey: Buffer.from(this.#environment.randomBytes(4)).readInt32BE(0),
      settings,
      ...(role !== undefined && { role }),
      onClose: () => this.#sessions.delete(processId),
    });
    this.#sessions.set(processId, session);
    return session;
  }

  #newProcessId(): number {
    do this.#lastProcessId = (this.#lastProcessId % PROCESS_ID_MAX) + 1;
    while (this.#sessions.has(this.#lastProcessId));
    return this.#lastProcessId;
  }
}

function cancelled(): SqlError {
  return new SqlError('query_canceled', 'canceling statement due to user request');
}

function fatal(condition: 'invalid_password' | 'invalid_catalog_name', message: string): SqlError {
  return new SqlError(condition, message, { severity: 'FATAL' });
}
