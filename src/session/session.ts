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
import { type Portal, Portals } from './statements/prepared.ts';
import type { ResultSink, Session, TransactionStatus } from './protocol.ts';
import { elsewhereOf, largeColumns, readLargeParameter, writtenAsText } from './running/large-values.ts';
import type { Running } from './running/running.ts';
import { type RunnerOptions, StatementRunner } from './running/statement-runner.ts';
import { IDLE_TIMEOUTS, timedOut } from './running/timeouts.ts';

interface SessionOptions extends RunnerOptions {
  readonly secretKey: number;
  readonly onClose: () => void;
}

export class QuernSession implements Session {
  readonly processId: number;
  readonly secretKey: number;
  #options: SessionOptions;
  #runner: StatementRunner;
  readonly #portals: Portals;
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
    this.#runner = new StatementRunner(options, notifications, (name) => this.#portalCursor(name));
    const { settings } = this.#runner;
    this.#told = settings.reported();
    this.#toldGeneration = settings.generation;
    this.#startedMicros = options.environment.clockMicros();
  }

  status(): TransactionStatus {
    return this.#runner.block.status();
  }

  reportedSettings(): ReadonlyMap<string, string> {
    return this.#told;
  }

  formatSettings(): FormatSettings {
    return this.#runner.formatSettings();
  }

  /** For `pg_stat_activity`. */
  activity(): SessionFact {
    const { block, settings } = this.#runner;
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
      const statements = yield* this.#parsed(text);
      this.#runner.statements.remove('');
      if (statements.length === 0) sink.emptyQuery();
      this.#runner.block.severalStatements = statements.length > 1;
      for (let i = 0; i < statements.length; i++) {
        const isLast = i === statements.length - 1;
        yield* this.#runSimple(statements[i] as ParsedStatement, isLast, sink);
      }
    } catch (error) {
      this.fail();
      yield* this.#portals.clear();
      throw error;
    } finally {
      this.#runner.block.severalStatements = false;
      this.#leave(sink);
    }
  }

  openAccount(): Account {
    return this.#runner.openAccount();
  }

  parse(name: string, text: string, types: readonly number[], sink: ResultSink): void | Promise<void> {
    return runTask(this.#parse(name, text, types, sink));
  }

  *#parse(name: string, text: string, types: readonly number[], sink: ResultSink): Task<void> {
    this.#enter(sink);
    const { statements } = this.#runner;
    if (name === '') statements.remove('');
    using account = this.openAccount();
    account.hold(treeBytes(text));
    const parsed = yield* this.#parsed(text);
    if (parsed.length > 1) {
      throw new SqlError('syntax_error', 'cannot insert multiple commands into a prepared statement');
    }
    statements.add(this.#runner.prepare(name, parsed[0] ?? null, types));
  }

  /** A long text is parsed elsewhere: its time-out and a cancel end the wait. */
  *#parsed(text: string): Task<readonly ParsedStatement[]> {
    const { parser } = this.#options.environment;
    if (text.length <= PARSE_INLINE_BYTES_MAX) return yield* wait(parser.parse(text));
    const controller = new AbortController();
    return yield* this.#guard(controller, wait(parser.parse(text, controller.signal)));
  }

  parameterTypes(statement: string): readonly number[] {
    return this.#runner.statements.get(statement).parameters;
  }

  describeStatement(statement: string): readonly OutputColumn[] | null {
    return this.#runner.statements.get(statement).columns;
  }

  async readParameter(bytes: Uint8Array, type: number, isBinary: boolean): Promise<Datum> {
    const controller = new AbortController();
    const given = { bytes, type, isBinary };
    return runTask(this.#guard(controller, wait(readLargeParameter(this.#runner, given, controller.signal))));
  }

  bind(
    portal: string,
    statement: string,
    parameters: readonly Datum[],
    sink: ResultSink,
  ): void | Promise<void> {
    this.#enter(sink);
    const prepared = this.#runner.statements.get(statement);
    if (prepared.parsed !== null) this.#runner.checkNotFailed(prepared.parsed.statement);
    const replaced = portal === '' ? this.#portals.remove('')?.running?.close() : undefined;
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
    this.#runner.statements.remove(name);
  }

  closePortal(name: string): void | Promise<void> {
    const isCursor = this.#cursor(name) !== undefined;
    return isCursor ? this.#runner.cursors.close(name) : this.#portals.remove(name)?.running?.close();
  }

  fail(): void {
    this.#runner.block.fail();
  }

  sync(sink: ResultSink): void | Promise<void> {
    return runTask(this.#sync(sink));
  }

  *#sync(sink: ResultSink): Task<void> {
    this.#enter(sink);
    try {
      if (!this.#runner.block.inBlock) {
        yield* this.#endPipeline();
        if (!this.#runner.indexBuilds.empty) {
          const controller = new AbortController();
          yield* this.#guard(controller, this.#finishBuilds(controller.signal));
        }
      } else if (this.#runner.block.failed) yield* this.#portals.clear();
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
    const { block, notifications } = this.#runner;
    if (block.inBlock || this.#tell === null) return;
    for (const notification of notifications.take()) this.#tell(notification);
  }

  /** Called when the client has its answer: from here on it is idle. */
  #leave(sink: ResultSink): void {
    this.#tellSettings(sink);
    this.#tellHeard();
    this.#idle = true;
    const { block, settings } = this.#runner;
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
    this.#runner.sink = sink;
    this.#transactionSince ??= this.#options.environment.nowMs();
    this.#limitTransaction();
  }

  /** transaction_timeout, from where the transaction began; it ends the session, whatever runs. */
  #limitTransaction(): void {
    if (this.#transactionTimer !== null) clearTimeout(this.#transactionTimer);
    this.#transactionTimer = null;
    const timeoutMs = Number(this.#runner.settings.get('transaction_timeout'));
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
    yield* this.#guard(controller, this.#answer(parsed, controller.signal, isLast, sink));
  }

  *#answer(parsed: ParsedStatement, signal: AbortSignal, isLast: boolean, sink: ResultSink): Task<void> {
    const running = yield* wait(this.#runner.run(parsed, { parameters: [], signal, prepared: null }));
    let count = 0;
    try {
      if (running.columns !== null) sink.describe(running.columns);
      count = (yield* this.#send(running, 0, signal, sink)).count;
    } finally {
      yield* wait(running.close());
    }
    if (isLast && !this.#runner.block.inBlock) {
      yield* this.#endImplicit(signal);
      yield* this.#finishBuilds(signal);
    }
    sink.complete(running.tag(count));
  }

  *#executePortal(portal: Portal, parsed: ParsedStatement, maxRows: number, sink: ResultSink): Task<void> {
    const running = yield* this.#start(portal, parsed);
    // The limit is one of rows returned: what returns none runs to its end (pgjdbc sends 1 for batches).
    const limit = running.columns === null ? 0 : maxRows;
    const { count, done } = yield* this.#send(running, limit, portal.controller.signal, sink);
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
    return this.#portals.find(name) === undefined ? this.#runner.cursors.find(name) : undefined;
  }

  *#start(portal: Portal, parsed: ParsedStatement): Task<Running> {
    const { parameters, controller, statement } = portal;
    portal.running ??= yield* wait(
      this.#runner.run(parsed, { parameters, signal: controller.signal, prepared: statement }),
    );
    return portal.running;
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
        account: null,
      },
      {
        columns: portal.statement.columns,
        next: async (limit) =>
          portal.done ? null : (await runTask(this.#start(portal, parsed))).next(limit),
        tag: (count) => `FETCH ${count}`,
        close: () => this.#portals.remove(name)?.running?.close(),
      },
    );
  }

  *#executeCursor(
    cursor: Cursor,
    maxRows: number,
    { sink, signal }: { readonly sink: ResultSink; readonly signal: AbortSignal },
  ): Task<void> {
    const format = this.#runner.formatSettings();
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
    signal: AbortSignal,
    sink: ResultSink,
  ): Task<{ count: number; done: boolean }> {
    const format = this.#runner.formatSettings();
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
          : yield* wait(writtenAsText({ batch, columns }, large, elsewhereOf(this.#runner, signal)));
      yield* wait(sink.rows(written.batch, written.columns, format));
      signal.throwIfAborted();
    }
    return { count, done: false };
  }

  /** Runs with cancel and statement_timeout; what they end raises their reason. */
  *#guard<T>(controller: AbortController, statement: Task<T>): Task<T> {
    this.#active = controller;
    const timeoutMs = Number(this.#runner.settings.get('statement_timeout'));
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
    if (!this.#runner.constraints.pending) yield* this.#endImplicit(NEVER);
    else {
      const controller = new AbortController();
      yield* this.#guard(controller, this.#endImplicit(controller.signal));
    }
  }

  *#endImplicit(signal: AbortSignal): Task<void> {
    yield* this.#portals.clear();
    if (this.#runner.block.open) yield* wait(this.#runner.commit(signal));
  }

  *#finishBuilds(signal: AbortSignal): Task<void> {
    const { indexBuilds } = this.#runner;
    if (!indexBuilds.empty) yield* wait(indexBuilds.finish(signal));
  }

  #tellSettings(sink: ResultSink): void {
    const { settings } = this.#runner;
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
