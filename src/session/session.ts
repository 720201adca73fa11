/**
 * One client's session: the only place that runs parse → bind → optimize → execute. This file holds the
 * protocol's verbs and the life of a statement; what a statement does is in `running/statement-runner.ts`.
 */
import type { SessionFact } from '../catalog/system/context.ts';
import { SqlError } from '../errors.ts';
import type { Account } from '../execute/account.ts';
import { PARSE_INLINE_BYTES_MAX } from '../limits.ts';
import type { OutputColumn } from '../plan/plan.ts';
import type { ParsedStatement } from '../sql/parse/parse.ts';
import { treeBytes } from '../sql/parse/service.ts';
import { runTask, type Task, wait } from '../task.ts';
import type { Datum } from '../types/datum.ts';
import type { Batch } from '../types/column/vector.ts';
import type { FormatSettings } from '../types/type.ts';
import { progressOf, sessionFact } from './activity.ts';
import { noteDenial } from './audit/actor.ts';
import type { Cursor } from './statements/cursor.ts';
import { type Notification, Notifications } from './statements/notifications.ts';
import { cursorOf, type Portal, Portals, type Started } from './statements/portals.ts';
import type { OnceRequest, ResultSink, Session, StatementProgress, TransactionStatus } from './protocol.ts';
import { Once } from './requests/once.ts';
import { ToldSettings } from './settings/told-settings.ts';
import { readLargeParameter, withoutLarge } from './running/large-values.ts';
import { flushedMeanwhile, type Running } from './running/running.ts';
import type { Statement } from './running/statement.ts';
import { StatementRunner } from './running/statement-runner.ts';
import { Timeouts } from './running/timeouts.ts';
import { type SessionParts, SessionState } from './session-state.ts';

interface SessionOptions extends SessionParts {
  readonly secretKey: number;
  readonly onClose: () => void;
}

export class QuernSession implements Session {
  readonly processId: number;
  readonly secretKey: number;
  #options: SessionOptions;
  readonly #state: SessionState;
  readonly #runner: StatementRunner;
  readonly #portals: Portals;
  #sink: ResultSink | null = null;
  #active: AbortController | null = null;
  readonly #told: ToldSettings;
  #terminate: ((reason: SqlError) => void) | null = null;
  #tell: ((notification: Notification) => void) | null = null;
  /** Between a client's messages. */
  #idle = true;
  readonly #timeouts: Timeouts;
  /** Counts texts that are being parsed and run. */
  readonly #texts: Account;
  #query = '';
  /** When that began, by `nowMs`; null: there was none. */
  #queryMs: number | null = null;
  #startedMicros: bigint;

  /** @throws SqlError 22023, 42704 for a wrong setting. */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#portals = new Portals(options.environment.engine.statementMemory);
    this.processId = options.processId;
    this.secretKey = options.secretKey;
    const { channels } = options.directory;
    const heard = (isTooMuch: boolean): void => this.#heard(isTooMuch);
    const notifications = new Notifications(options.processId, channels, heard);
    this.#state = new SessionState(options, notifications, (name) => this.#portalCursor(name));
    this.#runner = new StatementRunner(this.#state);
    this.#texts = this.#state.openAccount();
    this.#timeouts = new Timeouts(this.#state, (reason) => this.end(reason));
    this.#told = new ToldSettings(this.#state.settings);
    this.#startedMicros = options.environment.clockMicros();
  }

  status(): TransactionStatus {
    return this.#state.block.status();
  }

  reportedSettings(): ReadonlyMap<string, string> {
    return this.#told.all;
  }

  formatSettings(): FormatSettings {
    return this.#state.formatSettings();
  }

  lastLsn(): string | null {
    return this.#state.block.lastLsn;
  }

  doOnce(request: OnceRequest | null): boolean {
    const before = this.#state.once;
    this.#state.once = request === null ? null : new Once(request);
    return before?.isStored === true;
  }

  activity(): SessionFact {
    return sessionFact(this.#state, {
      startedMicros: this.#startedMicros,
      queryMs: this.#queryMs,
      query: this.#query,
      isActive: this.#active !== null,
    });
  }

  progress = (): StatementProgress | null => progressOf(this.#state);

  simpleQuery(text: string, sink: ResultSink): void | Promise<void> {
    return runTask(this.#simpleQuery(text, sink));
  }

  *#simpleQuery(text: string, sink: ResultSink): Task<void> {
    const { block, prepared } = this.#state;
    try {
      this.#enter(sink);
      this.#texts.hold(treeBytes(text));
      const statements =
        (block.failed ? null : this.#runner.shared.find(text)) ?? (yield* this.#written(text));
      prepared.remove('');
      if (statements.length === 0) sink.emptyQuery();
      block.severalStatements = statements.length > 1;
      for (let i = 0; i < statements.length; i++) {
        yield* this.#runSimple(statements[i] as ParsedStatement, i === statements.length - 1, sink);
      }
    } catch (error) {
      block.fail();
      const closing = this.#portals.clear();
      if (closing !== undefined) yield* wait(closing);
      throw error;
    } finally {
      this.#texts[Symbol.dispose]();
      block.severalStatements = false;
      this.#leave(sink);
    }
  }

  *#written(text: string): Task<readonly ParsedStatement[]> {
    const statements = yield* this.#parsed(text);
    if (!this.#state.block.failed) this.#runner.shared.learn(text, statements);
    return statements;
  }

  openAccount(): Account {
    return this.#state.openAccount();
  }

  parse(name: string, text: string, types: readonly number[], sink: ResultSink): void | Promise<void> {
    return runTask(this.#parse(name, text, types, sink));
  }

  *#parse(name: string, text: string, types: readonly number[], sink: ResultSink): Task<void> {
    this.#enter(sink);
    const { prepared } = this.#state;
    if (name === '') prepared.remove('');
    try {
      this.#texts.hold(treeBytes(text));
      const parsed = yield* this.#parsed(text);
      if (parsed.length > 1) {
        throw new SqlError('syntax_error', 'cannot insert multiple commands into a prepared statement');
      }
      const looking = this.#runner.look(sink, parsed[0] ?? null, types);
      if (looking !== null) yield* wait(looking);
      prepared.add(this.#runner.prepare(name, parsed[0] ?? null, types));
    } finally {
      this.#texts[Symbol.dispose]();
    }
  }

  /** A long text is parsed elsewhere: its time-out and a cancel end the wait. */
  *#parsed(text: string): Task<readonly ParsedStatement[]> {
    const { parser } = this.#options.environment;
    if (text.length <= PARSE_INLINE_BYTES_MAX) {
      const parsed = parser.parse(text);
      return parsed instanceof Promise ? yield* wait(parsed) : parsed;
    }
    const controller = new AbortController();
    return yield* this.#guard(controller, wait(parser.parse(text, controller.signal)));
  }

  parameterTypes(statement: string): readonly number[] {
    return this.#state.prepared.get(statement).parameters;
  }

  describeStatement(statement: string): readonly OutputColumn[] | null {
    return this.#state.prepared.get(statement).columns;
  }

  async readParameter(bytes: Uint8Array, type: number, isBinary: boolean): Promise<Datum> {
    const controller = new AbortController();
    const given = { bytes, type, isBinary };
    const statement = this.#runner.begin(controller.signal, this.#sink);
    return runTask(this.#guard(controller, wait(readLargeParameter(statement, given))));
  }

  bind(
    portal: string,
    statement: string,
    parameters: readonly Datum[],
    sink: ResultSink,
  ): void | Promise<void> {
    this.#enter(sink);
    const prepared = this.#state.prepared.get(statement);
    if (prepared.parsed !== null) this.#runner.checkNotFailed(prepared.parsed.statement);
    const replaced = portal === '' ? this.#portals.remove('')?.started?.running.close() : undefined;
    const add = (): void => this.#portals.add(portal, prepared, parameters);
    return replaced instanceof Promise ? replaced.then(add) : add();
  }

  describePortal(portal: string): readonly OutputColumn[] | null {
    const cursor = this.#cursor(portal);
    return cursor === undefined ? this.#portals.get(portal).statement.columns : cursor.columns;
  }

  execute(name: string, maxRows: number, sink: ResultSink): void | Promise<void> {
    this.#enter(sink);
    const cursor = this.#cursor(name);
    if (cursor !== undefined) {
      const controller = new AbortController();
      const execute = this.#executeCursor(cursor, maxRows, { sink, signal: controller.signal });
      return runTask(this.#guard(controller, execute));
    }
    const portal = this.#portals.get(name);
    const { parsed } = portal.statement;
    if (parsed === null) {
      sink.emptyQuery();
      return;
    }
    if (portal.done && portal.statement.columns === null) {
      throw new SqlError('object_not_in_prerequisite_state', `portal "${name}" cannot be run`);
    }
    this.#began(parsed);
    return runTask(this.#executePortal(portal, parsed, maxRows, sink));
  }

  closeStatement(name: string): void {
    this.#state.prepared.remove(name);
  }

  closePortal(name: string): void | Promise<void> {
    const isCursor = this.#cursor(name) !== undefined;
    return isCursor ? this.#state.cursors.close(name) : this.#portals.remove(name)?.started?.running.close();
  }

  fail(error: unknown): void {
    this.#state.block.fail();
    noteDenial(this.#state, error);
  }

  sync(sink: ResultSink): void | Promise<void> {
    return runTask(this.#sync(sink));
  }

  *#sync(sink: ResultSink): Task<void> {
    this.#enter(sink);
    try {
      const { block } = this.#state;
      const ending = block.inBlock ? undefined : this.#endPipeline();
      const clearing = block.failed ? this.#portals.clear() : ending;
      if (clearing instanceof Promise) yield* wait(clearing);
    } finally {
      this.#leave(sink);
    }
  }

  onTerminate(end: (reason: SqlError) => void): void {
    this.#terminate = end;
  }

  onNotification(tell: (notification: Notification) => void): void {
    this.#tell = tell;
  }

  /** Ends the session with what it runs: another one asked for it, its key has ended, or it was idle too long. */
  end(reason: SqlError): void {
    this.#active?.abort(reason);
    this.#terminate?.(reason);
  }

  /** Ends the session, and what it runs, once its key is live no more. */
  checkKey(): void {
    const reason = this.#state.keyEnd();
    if (reason !== null) this.end(reason);
  }

  cancel(reason: SqlError): void {
    this.#active?.abort(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#timeouts.stop();
    await this.#portals.clear();
    await this.#runner.dispose();
    this.#options.onClose();
  }

  #began(parsed: ParsedStatement): void {
    this.#query = parsed.text;
    this.#queryMs = this.#options.environment.nowMs();
  }

  /** An idle client is told at once, others with their answer. */
  #heard(isTooMuch: boolean): void {
    if (isTooMuch) {
      const message = 'too many notifications wait for this session';
      this.#terminate?.(new SqlError('configuration_limit_exceeded', message, { severity: 'FATAL' }));
    } else if (this.#idle) this.#tellHeard();
  }

  #tellHeard(): void {
    const { block, notifications } = this.#state;
    if (block.inBlock || this.#tell === null) return;
    for (const notification of notifications.take()) this.#tell(notification);
  }

  /** Called when the client has its answer: from here on it is idle. */
  #leave(sink: ResultSink): void {
    this.#state.changesKeys = false;
    this.checkKey();
    this.#told.tell(sink);
    this.#tellHeard();
    this.#idle = true;
    this.#timeouts.leave();
  }

  #enter(sink: ResultSink): void {
    this.#timeouts.enter();
    this.#idle = false;
    this.#sink = sink;
  }

  *#runSimple(parsed: ParsedStatement, isLast: boolean, sink: ResultSink): Task<void> {
    this.#began(parsed);
    const controller = new AbortController();
    const timer = this.#activate(controller);
    try {
      const statement = this.#runner.begin(controller.signal, sink, parsed.lifted);
      const starting = this.#runner.run(statement, parsed);
      const running = starting instanceof Promise ? yield* wait(starting) : starting;
      let count = 0;
      try {
        if (running.columns !== null) sink.describe(running.columns);
        count = yield* this.#send(running, 0, statement, sink);
      } finally {
        const closing = running.close();
        if (closing instanceof Promise) yield* wait(closing);
      }
      this.#state.once?.endedBy(running.tag(count));
      if (isLast && !this.#state.block.inBlock) yield* this.#endMessage(statement);
      sink.complete(running.tag(count));
    } catch (error) {
      throw this.#reasonOf(error, controller);
    } finally {
      this.#deactivate(timer);
    }
  }

  /** The transaction of a message outside of a block ends with it. */
  *#endMessage(statement: Statement): Task<void> {
    const ending = this.#endImplicit(statement);
    if (ending instanceof Promise) yield* wait(ending);
    const { indexBuilds } = this.#state;
    if (!indexBuilds.empty) yield* wait(indexBuilds.finish(statement.signal));
  }

  *#executePortal(portal: Portal, parsed: ParsedStatement, maxRows: number, sink: ResultSink): Task<void> {
    const { controller } = portal;
    const timer = this.#activate(controller);
    try {
      const starting = this.#start(portal, parsed, sink);
      const { statement, running } = starting instanceof Promise ? yield* wait(starting) : starting;
      // The limit is one of rows returned: what returns none runs to its end (pgjdbc sends 1 for batches).
      const limit = running.columns === null ? 0 : maxRows;
      const count = yield* this.#send(running, limit, statement, sink);
      if (limit !== 0 && count === limit) {
        sink.suspended();
        return;
      }
      portal.done = true;
      const closing = running.close();
      if (closing instanceof Promise) yield* wait(closing);
      this.#state.once?.endedBy(running.tag(count));
      sink.complete(running.tag(count));
    } catch (error) {
      throw this.#reasonOf(error, controller);
    } finally {
      this.#deactivate(timer);
    }
  }

  /** Portals and cursors share their names: psycopg describes a cursor it has declared. */
  #cursor(name: string): Cursor | undefined {
    return this.#portals.find(name) === undefined ? this.#state.cursors.find(name) : undefined;
  }

  #start(portal: Portal, parsed: ParsedStatement, sink: ResultSink | null): Started | Promise<Started> {
    if (portal.started !== null) return portal.started;
    const { parameters, controller, statement: prepared } = portal;
    const statement = this.#runner.begin(controller.signal, sink, { parameters, prepared });
    const started = (running: Running): Started => {
      portal.started = { statement, running };
      return portal.started;
    };
    const running = this.#runner.run(statement, parsed);
    return running instanceof Promise ? running.then(started) : started(running);
  }

  #portalCursor(name: string): Cursor | undefined {
    const portal = this.#portals.find(name);
    const parsed = portal?.statement.parsed ?? null;
    if (portal === undefined || parsed === null) return undefined;
    return cursorOf(portal, {
      text: parsed.text,
      next: async (limit) => (await this.#start(portal, parsed, this.#sink)).running.next(limit),
      close: () => this.#portals.remove(name)?.started?.running.close(),
    });
  }

  *#executeCursor(
    cursor: Cursor,
    maxRows: number,
    { sink, signal }: { readonly sink: ResultSink; readonly signal: AbortSignal },
  ): Task<void> {
    const format = this.#state.formatSettings();
    let count = 0;
    const take = (batch: Batch): void | Promise<void> => {
      count += batch.length;
      return sink.rows(batch, cursor.columns, format);
    };
    yield* wait(cursor.fetch('forward', maxRows === 0 ? 'all' : maxRows, { signal, take }));
    if (maxRows !== 0 && count === maxRows) sink.suspended();
    else sink.complete(`SELECT ${count}`);
  }

  /** Sends rows until the statement ends or `maxRows` (0: no limit) are sent. @returns how many. */
  *#send(running: Running, maxRows: number, statement: Statement, sink: ResultSink): Task<number> {
    const format = this.#state.formatSettings();
    let count = 0;
    while (maxRows === 0 || count < maxRows) {
      const next = running.next(maxRows === 0 ? 0 : maxRows - count);
      const batch =
        next instanceof Promise ? yield* wait(count > 0 ? flushedMeanwhile(next, sink) : next) : next;
      if (batch === null) return count;
      count += batch.length;
      const { columns } = running;
      if (columns === null) continue;
      const written = { batch, columns };
      const mayBeLarge = batch.columns.some(({ kind }) => kind === 'object');
      const shown = mayBeLarge ? yield* wait(withoutLarge(written, statement, sink)) : written;
      const sent = sink.rows(shown.batch, shown.columns, format);
      if (sent instanceof Promise) yield* wait(sent);
      statement.signal.throwIfAborted();
    }
    return count;
  }

  /** Runs with cancel and statement_timeout; what they end raises their reason. */
  *#guard<T>(controller: AbortController, statement: Task<T>): Task<T> {
    const timer = this.#activate(controller);
    try {
      return yield* statement;
    } catch (error) {
      throw this.#reasonOf(error, controller);
    } finally {
      this.#deactivate(timer);
    }
  }

  #activate(controller: AbortController): NodeJS.Timeout | null {
    this.#active = controller;
    return this.#timeouts.limitStatement(controller);
  }

  #deactivate(timer: NodeJS.Timeout | null): void {
    if (timer !== null) clearTimeout(timer);
    this.#active = null;
  }

  #reasonOf(error: unknown, { signal }: AbortController): unknown {
    return signal.aborted ? signal.reason : this.#runner.withSchema(error);
  }

  /** Only where constraints are left to be checked, or indexes to be built, is there something that can be cancelled. */
  #endPipeline(): unknown {
    const isLong = this.#runner.constraints.pending || !this.#state.indexBuilds.empty;
    if (!isLong) return this.#endImplicit(this.#runner.begin(NEVER, this.#sink));
    const controller = new AbortController();
    const ending = this.#runner.begin(controller.signal, this.#sink);
    return runTask(this.#guard(controller, this.#endMessage(ending)));
  }

  /** @returns a promise where it has to be waited for. */
  #endImplicit(statement: Statement): unknown {
    const commit = (): unknown => (this.#state.block.open ? statement.commit() : undefined);
    const closing = this.#portals.clear();
    return closing instanceof Promise ? closing.then(commit) : commit();
  }
}

/** The signal of what waits for nobody. */
const NEVER = new AbortController().signal;
