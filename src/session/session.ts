/**
 * One client's session: the only place that runs parse → bind → optimize → execute. This file holds the
 * protocol's verbs and the life of a statement; what a statement does is in `running/statement-runner.ts`.
 */
import type { SessionFact } from '../catalog/system/context.ts';
import { SqlError } from '../errors.ts';
import type { Account } from '../execute/account.ts';
import { PARSE_INLINE_BYTES_MAX } from '../limits.ts';
import { flushedMeanwhile } from './running/flushed.ts';
import type { OutputColumn } from '../plan/plan.ts';
import type { ParsedStatement } from '../sql/parse/parse.ts';
import { treeBytes } from '../sql/parse/service.ts';
import { runTask, type Task, wait } from '../task.ts';
import type { Datum } from '../types/datum.ts';
import type { Batch } from '../types/column/vector.ts';
import type { FormatSettings } from '../types/type.ts';
import { Cursor } from './statements/cursor.ts';
import { type Notification, Notifications } from './statements/notifications.ts';
import { type Portal, Portals, type Started } from './statements/portals.ts';
import type { ResultSink, Session, TransactionStatus } from './protocol.ts';
import { elsewhereOf, largeColumns, readLargeParameter, writtenAsText } from './running/large-values.ts';
import type { Running } from './running/running.ts';
import type { Statement } from './running/statement.ts';
import { StatementRunner } from './running/statement-runner.ts';
import { IDLE_TIMEOUTS, timedOut } from './running/timeouts.ts';
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
  /** Where notices of its statements go. */
  #sink: ResultSink | null = null;
  /** Cancels the statement that runs. */
  #active: AbortController | null = null;
  /** Settings as last told to the client, and the generation they were read at. */
  #told: Map<string, string>;
  #toldGeneration: number;
  #terminate: ((reason: SqlError) => void) | null = null;
  #tell: ((notification: Notification) => void) | null = null;
  /** Between a client's messages. */
  #idle = true;
  #idleTimer: NodeJS.Timeout | null = null;
  #transactionTimer: NodeJS.Timeout | null = null;
  /** By `nowMs`; null outside of a transaction. */
  #transactionSince: number | null = null;
  #query = '';
  #queryMicros: bigint | null = null;
  #startedMicros: bigint;

  /** @throws SqlError 22023, 42704 for a wrong setting. */
  constructor(options: SessionOptions) {
    this.#options = options;
    this.#portals = new Portals(options.environment.engine.statementMemory);
    this.processId = options.processId;
    this.secretKey = options.secretKey;
    const { channels } = options.directory;
    const notifications = new Notifications(options.processId, channels, (isTooMuch) =>
      this.#heard(isTooMuch),
    );
    this.#state = new SessionState(options, notifications, (name) => this.#portalCursor(name));
    this.#runner = new StatementRunner(this.#state);
    const { settings } = this.#state;
    this.#told = settings.reported();
    this.#toldGeneration = settings.generation;
    this.#startedMicros = options.environment.clockMicros();
  }

  status(): TransactionStatus {
    return this.#state.block.status();
  }

  reportedSettings(): ReadonlyMap<string, string> {
    return this.#told;
  }

  formatSettings(): FormatSettings {
    return this.#state.formatSettings();
  }

  /** For `pg_stat_activity`. */
  activity(): SessionFact {
    const { block, settings } = this.#state;
    const idle = { I: 'idle', T: 'idle in transaction', E: 'idle in transaction (aborted)' } as const;
    return {
      processId: this.processId,
      applicationName: settings.get('application_name'),
      startedMicros: this.#startedMicros,
      transactionMicros: block.open ? block.startMicros : null,
      queryMicros: this.#queryMicros,
      state: this.#active === null ? idle[this.status()] : 'active',
      query: this.#query,
    };
  }

  simpleQuery(text: string, sink: ResultSink): void | Promise<void> {
    return runTask(this.#simpleQuery(text, sink));
  }

  *#simpleQuery(text: string, sink: ResultSink): Task<void> {
    using account = this.openAccount();
    try {
      this.#enter(sink);
      account.hold(treeBytes(text));
      const statements = this.#runner.shaped(text) ?? (yield* this.#parsed(text));
      this.#state.prepared.remove('');
      if (statements.length === 0) sink.emptyQuery();
      this.#state.block.severalStatements = statements.length > 1;
      for (let i = 0; i < statements.length; i++) {
        const isLast = i === statements.length - 1;
        yield* this.#runSimple(statements[i] as ParsedStatement, isLast, sink);
      }
    } catch (error) {
      this.fail();
      yield* this.#portals.clear();
      throw error;
    } finally {
      this.#state.block.severalStatements = false;
      this.#leave(sink);
    }
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
    using account = this.openAccount();
    account.hold(treeBytes(text));
    const parsed = yield* this.#parsed(text);
    if (parsed.length > 1) {
      throw new SqlError('syntax_error', 'cannot insert multiple commands into a prepared statement');
    }
    prepared.add(this.#runner.prepare(name, parsed[0] ?? null, types));
  }

  /** A long text is parsed elsewhere: its time-out and a cancel end the wait. */
  *#parsed(text: string): Task<readonly ParsedStatement[]> {
    const { parser } = this.#options.environment;
    if (text.length <= PARSE_INLINE_BYTES_MAX) return yield* wait(parser.parse(text));
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
    return runTask(this.#guard(portal.controller, this.#executePortal(portal, parsed, maxRows, sink)));
  }

  closeStatement(name: string): void {
    this.#state.prepared.remove(name);
  }

  closePortal(name: string): void | Promise<void> {
    const isCursor = this.#cursor(name) !== undefined;
    return isCursor ? this.#state.cursors.close(name) : this.#portals.remove(name)?.started?.running.close();
  }

  fail(): void {
    this.#state.block.fail();
  }

  sync(sink: ResultSink): void | Promise<void> {
    return runTask(this.#sync(sink));
  }

  *#sync(sink: ResultSink): Task<void> {
    this.#enter(sink);
    try {
      if (!this.#state.block.inBlock) {
        yield* this.#endPipeline();
        if (!this.#state.indexBuilds.empty) {
          const controller = new AbortController();
          yield* this.#guard(controller, this.#finishBuilds(controller.signal));
        }
      } else if (this.#state.block.failed) yield* this.#portals.clear();
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

  /** Ends the session on behalf of another one. */
  terminate(): void {
    const message = 'terminating connection due to administrator command';
    this.#terminate?.(new SqlError('admin_shutdown', message, { severity: 'FATAL' }));
  }

  cancel(reason: SqlError): void {
    this.#active?.abort(reason);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    if (this.#transactionTimer !== null) clearTimeout(this.#transactionTimer);
    await runTask(this.#portals.clear());
    await this.#runner.dispose();
    this.#options.onClose();
  }

  #began(parsed: ParsedStatement): void {
    this.#query = parsed.text;
    this.#queryMicros = this.#options.environment.clockMicros();
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
    this.#tellSettings(sink);
    this.#tellHeard();
    this.#idle = true;
    const { block, settings } = this.#state;
    if (!block.inBlock) this.#transactionSince = null;
    this.#limitTransaction();
    const timeout = block.inBlock ? IDLE_TIMEOUTS.block : IDLE_TIMEOUTS.session;
    const timeoutMs = Number(settings.get(timeout.setting));
    if (timeoutMs === 0) return;
    const reason = new SqlError(timeout.condition, timeout.message, { severity: 'FATAL' });
    this.#idleTimer = setTimeout(() => this.#terminate?.(reason), timeoutMs);
    this.#idleTimer.unref();
  }

  #enter(sink: ResultSink): void {
    if (this.#idleTimer !== null) clearTimeout(this.#idleTimer);
    this.#idleTimer = null;
    this.#idle = false;
    this.#sink = sink;
    this.#transactionSince ??= this.#options.environment.nowMs();
    this.#limitTransaction();
  }

  /** transaction_timeout, from where the transaction began; it ends the session, whatever runs. */
  #limitTransaction(): void {
    if (this.#transactionTimer !== null) clearTimeout(this.#transactionTimer);
    this.#transactionTimer = null;
    const timeoutMs = Number(this.#state.settings.get('transaction_timeout'));
    if (timeoutMs === 0 || this.#transactionSince === null) return;
    const passedMs = this.#options.environment.nowMs() - this.#transactionSince;
    const message = 'terminating connection due to transaction timeout';
    const reason = new SqlError('transaction_timeout', message, { severity: 'FATAL' });
    const end = (): void => {
      this.#active?.abort(reason);
      this.#terminate?.(reason);
    };
    this.#transactionTimer = setTimeout(end, Math.max(0, timeoutMs - passedMs));
    this.#transactionTimer.unref();
  }

  *#runSimple(parsed: ParsedStatement, isLast: boolean, sink: ResultSink): Task<void> {
    this.#began(parsed);
    const controller = new AbortController();
    const statement = this.#runner.begin(controller.signal, sink, parsed.lifted);
    yield* this.#guard(controller, this.#answer(statement, parsed, isLast, sink));
  }

  *#answer(statement: Statement, parsed: ParsedStatement, isLast: boolean, sink: ResultSink): Task<void> {
    const running = yield* wait(this.#runner.run(statement, parsed));
    let count = 0;
    try {
      if (running.columns !== null) sink.describe(running.columns);
      count = (yield* this.#send(running, 0, statement, sink)).count;
    } finally {
      yield* wait(running.close());
    }
    if (isLast && !this.#state.block.inBlock) {
      yield* this.#endImplicit(statement);
      yield* this.#finishBuilds(statement.signal);
    }
    sink.complete(running.tag(count));
  }

  *#executePortal(portal: Portal, parsed: ParsedStatement, maxRows: number, sink: ResultSink): Task<void> {
    const { statement, running } = yield* this.#start(portal, parsed, sink);
    // The limit is one of rows returned: what returns none runs to its end (pgjdbc sends 1 for batches).
    const limit = running.columns === null ? 0 : maxRows;
    const { count, done } = yield* this.#send(running, limit, statement, sink);
    if (!done) {
      sink.suspended();
      return;
    }
    portal.done = true;
    yield* wait(running.close());
    sink.complete(running.tag(count));
  }

  /** Portals and cursors share their names: psycopg describes a cursor it has declared. */
  #cursor(name: string): Cursor | undefined {
    return this.#portals.find(name) === undefined ? this.#state.cursors.find(name) : undefined;
  }

  *#start(portal: Portal, parsed: ParsedStatement, sink: ResultSink | null): Task<Started> {
    if (portal.started !== null) return portal.started;
    const { parameters, controller, statement: prepared } = portal;
    const statement = this.#runner.begin(controller.signal, sink, { parameters, prepared });
    portal.started = { statement, running: yield* wait(this.#runner.run(statement, parsed)) };
    return portal.started;
  }

  /** A portal as FETCH and MOVE see it: forward only, over the rows not yet executed. */
  #portalCursor(name: string): Cursor | undefined {
    const portal = this.#portals.find(name);
    const parsed = portal?.statement.parsed ?? null;
    if (portal === undefined || parsed === null || portal.statement.columns === null) return undefined;
    return new Cursor(
      {
        name,
        scroll: false,
        hold: false,
        text: parsed.text,
        createdMicros: 0n,
        cancel: (reason) => portal.controller.abort(reason),
        kept: null,
      },
      {
        columns: portal.statement.columns,
        next: async (limit) =>
          portal.done ? null : (await runTask(this.#start(portal, parsed, this.#sink))).running.next(limit),
        tag: (count) => `FETCH ${count}`,
        close: () => this.#portals.remove(name)?.started?.running.close(),
      },
    );
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

  /** Sends rows until the statement ends or `maxRows` (0: no limit) are sent. */
  *#send(
    running: Running,
    maxRows: number,
    statement: Statement,
    sink: ResultSink,
  ): Task<{ count: number; done: boolean }> {
    const format = this.#state.formatSettings();
    let count = 0;
    while (maxRows === 0 || count < maxRows) {
      const next = running.next(maxRows === 0 ? 0 : maxRows - count);
      const batch = yield* wait(count > 0 && next instanceof Promise ? flushedMeanwhile(next, sink) : next);
      if (batch === null) return { count, done: true };
      count += batch.length;
      if (running.columns === null) continue;
      const large = largeColumns(batch).filter((i) => sink.isText?.(i) ?? true);
      const { columns } = running;
      const written =
        large.length === 0
          ? { batch, columns }
          : yield* wait(writtenAsText({ batch, columns }, large, elsewhereOf(statement)));
      yield* wait(sink.rows(written.batch, written.columns, format));
      statement.signal.throwIfAborted();
    }
    return { count, done: false };
  }

  /** Runs with cancel and statement_timeout; what they end raises their reason. */
  *#guard<T>(controller: AbortController, statement: Task<T>): Task<T> {
    this.#active = controller;
    const timeoutMs = Number(this.#state.settings.get('statement_timeout'));
    const timer = timeoutMs > 0 ? setTimeout(() => controller.abort(timedOut()), timeoutMs) : null;
    try {
      return yield* statement;
    } catch (error) {
      throw controller.signal.aborted ? controller.signal.reason : this.#runner.withSchema(error);
    } finally {
      if (timer !== null) clearTimeout(timer);
      this.#active = null;
    }
  }

  /** Only where constraints are left to be checked is there something that can be cancelled. */
  *#endPipeline(): Task<void> {
    if (!this.#runner.constraints.pending) yield* this.#endImplicit(this.#runner.begin(NEVER, this.#sink));
    else {
      const controller = new AbortController();
      const ending = this.#runner.begin(controller.signal, this.#sink);
      yield* this.#guard(controller, this.#endImplicit(ending));
    }
  }

  *#endImplicit(statement: Statement): Task<void> {
    yield* this.#portals.clear();
    if (this.#state.block.open) yield* wait(statement.commit());
  }

  *#finishBuilds(signal: AbortSignal): Task<void> {
    const { indexBuilds } = this.#state;
    if (!indexBuilds.empty) yield* wait(indexBuilds.finish(signal));
  }

  #tellSettings(sink: ResultSink): void {
    const { settings } = this.#state;
    if (settings.generation === this.#toldGeneration) return;
    this.#toldGeneration = settings.generation;
    const now = settings.reported();
    for (const [name, value] of now) {
      if (this.#told.get(name) !== value) sink.parameterStatus(name, value);
    }
    this.#told = now;
  }
}

/** The signal of what waits for nobody. */
const NEVER = new AbortController().signal;
