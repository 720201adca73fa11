/**
 * Makes sessions: checks user, password and database, numbers them, and finds them again for cancel
 * requests. What is wrong with a sign-in is never told apart.
 */
import { isSuperuser, roleByOid } from '../catalog/access/roles.ts';
import { OWNER_ROLE_OID } from '../catalog/oids.ts';
import type { SessionFact } from '../catalog/system/context.ts';
import { SqlError } from '../errors.ts';
import { ANSWER_DAYS_KEPT, CALL_DAYS_KEPT } from '../limits.ts';
import { type Audit, NO_AUDIT } from './audit/auditor.ts';
import { OpenAudit } from './audit/open.ts';
import { forgetAnswers, Retention } from './answers/retention.ts';
import { DATABASE, type Environment, USER } from './environment.ts';
import type { SessionDirectory } from './directory.ts';
import { PageImages } from './datasets/page-images.ts';
import { EmbeddingBuilds } from './builds/embedding-builds.ts';
import { DeviceCodes } from './sign-in/device-codes.ts';
import type { HeldKey, Keys } from './sign-in/keys.ts';
import { Channels } from './statements/notifications.ts';
import { Account } from '../execute/account.ts';
import type {
  Bearer,
  ProofChannel,
  ProofExchange,
  Session,
  SessionFactory,
  StartupParameters,
} from './protocol.ts';
import { forgetCalls } from './outside/retention.ts';
import { ownerSender } from './outside/sender.ts';
import { requestSettings, shownRole } from './identity.ts';
import { OwnSession } from './own-session.ts';
import { partsOf } from './rights/starter.ts';
import { forgetRequests, KeptRequests } from './requests/kept-requests.ts';
import { ReusedSessions } from './reused-sessions.ts';
import { QuernSession } from './session.ts';
import type { ServerSession } from './server-session.ts';
import type { SessionParts } from './session-state.ts';
import { type SessionKey, sessionKey } from './sign-in/session-key.ts';
import { SignIn } from './sign-in/sign-in.ts';
import { SignInDesk, type SignInFields } from './sign-in/sign-in-desk.ts';
import { requireMonitor, type SignedIn, signedInBy } from './sign-in/who.ts';
import type { Starter } from './whose.ts';

const PROCESS_ID_MAX = 0x3fffffff;
/** A clock that was set is followed after so long. */
const KEY_TIMER_MS_MAX = 60_000;
const TERMINATED = 'terminating connection due to administrator command';
const READ_ONLY = ['quern.read_only', 'on'] as const;
/** As PostgreSQL names them. */
type SignInMethod = 'password' | 'scram-sha-256' | 'cert';
const ONE_SNAPSHOT = ['default_transaction_isolation', 'repeatable read'] as const;

/** `close` ends what goes on in the background of the sessions. */
export function createSessionFactory(
  environment: Environment,
  keys: Keys,
): SessionFactory &
  SessionDirectory & {
    close(): Promise<void>;
    openOwn(): ServerSession;
    /** The HTTP port's way to keys. */
    readonly desk: SignInDesk;
    /** Commands that sign in by a browser. */
    readonly devices: DeviceCodes;
    /** Pictures of documents' pages. */
    readonly pages: PageImages;
    /** Passes who brings the key of a role that may see what the server does. @throws SqlError 28P01, 42501, 57P03. */
    requireMonitor(key: string, remoteAddress: string): Promise<void>;
    /** Who brings a key, for a request. @throws SqlError 28P01, 57P03. */
    bearer(key: string, remoteAddress: string): Promise<Bearer>;
    /** Who is known to hold a key: a browser that is signed in. */
    bearerOf(key: HeldKey, remoteAddress: string): Bearer;
    openFor(given: Pick<SessionParts, 'settings' | 'role' | 'address' | 'signedInAs'>): Session;
  } {
  return new Factory(environment, keys);
}

class Factory implements SessionFactory, SessionDirectory {
  readonly channels = new Channels();
  readonly embeddingBuilds: EmbeddingBuilds;
  readonly answers: Retention;
  readonly calls: Retention;
  readonly keeping = new ReusedSessions(() => this.openOwn());
  readonly keys: Keys;
  readonly desk: SignInDesk;
  readonly devices: DeviceCodes;
  readonly pages = new PageImages(({ held, address }) => this.#openReader(held, address));
  readonly audit: Audit;
  readonly #audit: OpenAudit | null;
  readonly #requests: KeptRequests;
  readonly #oldRequests: Retention;
  #environment: Environment;
  #signIn: SignIn;
  #keyTimer: NodeJS.Timeout | null = null;
  readonly #watching: Disposable;
  #sessions = new Map<number, QuernSession>();
  #lastProcessId = 0;

  constructor(environment: Environment, keys: Keys) {
    this.#environment = environment;
    this.keys = keys;
    const { randomBytes, nowMs: now } = environment;
    const parts = { keys, catalog: () => environment.engine.catalog(), randomBytes };
    this.#signIn = new SignIn({ ...parts, now });
    this.#audit =
      environment.audit === undefined ? null : new OpenAudit(environment.audit, this, environment);
    this.audit = this.#audit?.auditor ?? NO_AUDIT;
    const noteSignIn = (event: string, fields: SignInFields): void => this.#noteSignIn(event, fields);
    this.desk = new SignInDesk({ ...parts, signIn: this.#signIn, log: noteSignIn });
    this.devices = new DeviceCodes({ ...parts, now, log: environment.log });
    this.#watching = keys.onChange(() => this.#checkKeys());
    this.#checkKeys();
    this.embeddingBuilds = new EmbeddingBuilds({
      ...environment,
      sender: (relation) => ownerSender(environment, this, relation),
    });
    const { answerDays = ANSWER_DAYS_KEPT, callDays = CALL_DAYS_KEPT, nowMs, log } = environment;
    const openSession = (): ServerSession => this.openOwn();
    const report = (error: unknown): void => log('old rows were not taken away', { message: String(error) });
    const host = { openSession, nowMs, report };
    const forgetting = (forget: typeof forgetAnswers, days: number): Retention =>
      new Retention({ ...host, forgetSome: (query) => forget(query, { days }) });
    this.answers = forgetting(forgetAnswers, answerDays);
    this.calls = forgetting(forgetCalls, callDays);
    this.#oldRequests = new Retention({ ...host, forgetSome: forgetRequests });
    this.#requests = new KeptRequests(this.keeping, this.#oldRequests);
    this.embeddingBuilds.resume();
  }

  async authenticate(startup: StartupParameters, password: string): Promise<Session> {
    return this.#let(startup, 'password', await this.#signIn.check(startup, password));
  }

  async requireMonitor(key: string, remoteAddress: string): Promise<void> {
    requireMonitor(this.#environment.engine.catalog(), await this.#keyHolder(key, remoteAddress));
  }

  async bearer(text: string, address: string): Promise<Bearer> {
    return this.#bearer(await this.#keyHolder(text, address), address);
  }

  bearerOf(key: HeldKey, address: string): Bearer {
    return this.#bearer({ role: key.role, key }, address);
  }

  #bearer({ role, key }: SignedIn, address: string): Bearer {
    const { statementMemory } = this.#environment.engine;
    return {
      id: key?.id ?? `role ${role}`,
      doneBefore: (request) => this.#requests.find(request),
      noteEnd: (request, done) => this.#requests.note(request, done),
      openAccount: () => new Account(statementMemory),
      open: (settings) => {
        this.#requireRoom(role);
        this.#requireAudit(role);
        const all = new Map([...requestSettings(this.#environment.engine.catalog(), role), ...settings]);
        return this.openFor({ settings: all, role, address, signedInAs: `password:${USER}` }, key);
      },
    };
  }

  /** Requests are many: one that is let in is not logged. */
  async #keyHolder(key: string, remoteAddress: string): Promise<SignedIn> {
    const who = await this.#signIn.check({ user: USER, remoteAddress }, key);
    if (who !== null) return who;
    this.#noteSignIn('sign-in refused', { address: remoteAddress });
    throw fatal('invalid_password', `password authentication failed for user "${USER}"`);
  }

  certified(startup: StartupParameters, commonName: string): Session | null {
    const { user, remoteAddress: address } = startup;
    const who = signedInBy(this.#environment.engine.catalog(), user, commonName);
    if (who === 'somebody else') {
      this.#noteSignIn('sign-in refused', { address, certificate: commonName });
      throw fatal(
        'invalid_authorization_specification',
        `certificate authentication failed for user "${user}"`,
        `The certificate is that of "${commonName}".`,
      );
    }
    return who === null ? null : this.#let(startup, 'cert', who);
  }

  takesProofs(): boolean {
    return !this.#signIn.needsText;
  }

  exchange(startup: StartupParameters, channel: ProofChannel): ProofExchange {
    const exchange = this.#signIn.exchange(startup, channel);
    return {
      begin: (message) => exchange.begin(message),
      end: async (message) => {
        const proved = await exchange.end(message);
        return {
          session: this.#let(startup, 'scram-sha-256', proved?.who ?? null),
          final: proved?.final ?? '',
        };
      },
    };
  }

  #let(startup: StartupParameters, how: SignInMethod, who: SignedIn | null): Session {
    const { user, database, remoteAddress: address } = startup;
    const shown = how === 'cert' ? { certificate: user } : {};
    const by = who?.key == null ? shown : { key: who.key.name };
    if (who !== null) this.#requireAudit(who.role);
    const role = who === null ? {} : { role: shownRole(this.#environment.engine.catalog(), who.role) };
    this.#noteSignIn(who === null ? 'sign-in refused' : 'sign-in', { address, ...by, ...role });
    if (who === null) throw fatal('invalid_password', `password authentication failed for user "${user}"`);
    if (database !== DATABASE) {
      throw fatal('invalid_catalog_name', `database "${database}" does not exist`);
    }
    this.#requireRoom(who.role);
    const signedInAs = `${how}:${user}`;
    return this.openFor({ settings: startup.settings, role: who.role, address, signedInAs }, who.key);
  }

  #noteSignIn(event: string, fields: SignInFields): void {
    this.#environment.log(event, { ...fields });
    const { address, key = null, role = null, certificate, by } = fields;
    const actor = { address, key, role, pid: null };
    if (event === 'sign-in') this.audit.note(actor, { action: 'sign in', detail: { by } });
    if (event === 'sign-in refused') {
      this.audit.noteRefusal(actor, { action: 'sign in refused', detail: { by, certificate } });
    }
  }

  /** Superusers make room. @throws SqlError 53100 where what is done cannot be written down. */
  #requireAudit(role: number): void {
    if (!isSuperuser(this.#environment.engine.catalog(), role)) this.audit.requireWritten();
  }

  /** @throws SqlError 53300 for a role that has as many sessions as it may. */
  #requireRoom(oid: number): void {
    const role = roleByOid(this.#environment.engine.catalog(), oid);
    if (role === undefined || role.superuser || role.connectionLimit < 0) return;
    let count = 0;
    for (const session of this.#sessions.values()) if (session.activity().role === oid) count++;
    if (count < role.connectionLimit) return;
    throw fatal('too_many_connections', `too many connections for role "${role.name}"`);
  }

  cancel(processId: number, secretKey: number): void {
    const session = this.#sessions.get(processId);
    if (session?.secretKey === secretKey) session.cancel(cancelled());
  }

  openOwn(
    { isReadOnly }: { readonly isReadOnly: boolean } = { isReadOnly: false },
    key: SessionKey | null = null,
  ): ServerSession {
    const processId = this.#newProcessId();
    return new OwnSession({
      environment: this.#environment,
      directory: this,
      processId,
      settings: new Map(isReadOnly ? [READ_ONLY] : []),
      key,
    });
  }

  openAs(starter: Starter): ServerSession {
    const parts = partsOf(starter, this.keys);
    const processId = this.#newProcessId();
    return new OwnSession({ environment: this.#environment, directory: this, processId, ...parts }, 'asker');
  }

  /** For somebody who has shown a key: his rights and limits, all at one snapshot. */
  #openReader(held: HeldKey, address: string): ServerSession {
    const parts = {
      environment: this.#environment,
      directory: this,
      processId: this.#newProcessId(),
      settings: new Map([READ_ONLY, ONE_SNAPSHOT]),
      role: held.role,
      key: sessionKey(this.keys, held),
      address,
    };
    return new OwnSession(parts, 'asker');
  }

  async close(): Promise<void> {
    this.#watching[Symbol.dispose]();
    if (this.#keyTimer !== null) clearTimeout(this.#keyTimer);
    await this.embeddingBuilds.close();
    await this.#audit?.close();
    await Promise.all([this.answers, this.calls, this.#oldRequests].map((rows) => rows.close()));
    await this.keeping[Symbol.asyncDispose]();
  }

  cancelStatement(processId: number): boolean {
    const session = this.#sessions.get(processId);
    session?.cancel(cancelled());
    return session !== undefined;
  }

  terminate(processId: number): boolean {
    const session = this.#sessions.get(processId);
    session?.end(new SqlError('admin_shutdown', TERMINATED, { severity: 'FATAL' }));
    return session !== undefined;
  }

  *activity(): Iterable<SessionFact> {
    for (const session of this.#sessions.values()) yield session.activity();
  }

  /** Ends sessions whose key is live no more, and comes back when the next one ends by itself. */
  #checkKeys(): void {
    for (const session of this.#sessions.values()) session.checkKey();
    if (this.#keyTimer !== null) clearTimeout(this.#keyTimer);
    this.#keyTimer = null;
    const end = this.keys.nextEndMs;
    if (end === null) return;
    const waitMs = Math.min(Math.max(end - this.keys.now(), 0) + 1, KEY_TIMER_MS_MAX);
    this.#keyTimer = setTimeout(() => this.#checkKeys(), waitMs);
    this.#keyTimer.unref();
  }

  /** A session of a role that has signed in. @param given.role absent: the owner. */
  openFor(
    {
      settings: given,
      role = OWNER_ROLE_OID,
      ...from
    }: Pick<SessionParts, 'settings' | 'role' | 'address' | 'signedInAs'>,
    key: SignedIn['key'] = null,
  ): Session {
    const processId = this.#newProcessId();
    // The last one counts, however the client has written its own.
    const settings = key?.scope.readOnly === true ? new Map([...given, READ_ONLY]) : given;
    const session = new QuernSession({
      environment: this.#environment,
      directory: this,
      processId,
      secretKey: Buffer.from(this.#environment.randomBytes(4)).readInt32BE(0),
      settings,
      role,
      ...from,
      key: key === null ? null : sessionKey(this.keys, key),
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

function fatal(
  condition: ConstructorParameters<typeof SqlError>[0],
  message: string,
  detail?: string,
): SqlError {
  return new SqlError(condition, message, { severity: 'FATAL', detail });
}
