/**
 * Runs one statement of a session: plans through binder, optimizer and executor; the rest by the table in
 * `statements/session-statements.ts`. Owns what statements share: settings, transaction, prepared statements, cursors.
 */
import { assert, present } from '../../assert.ts';
import type { SystemContext } from '../../catalog/system/context.ts';
import type { Catalog, Constraint } from '../../catalog/model.ts';
import { catalogServices, type DefinitionTexts, objectNames } from '../../catalog/services.ts';
import { hasSchema } from '../../catalog/temporary.ts';
import { temporarySchema } from '../../catalog/temporary-names.ts';
import type { SessionLocks, Snapshot } from '../../engine/engine.ts';
import { type Notice, SqlError } from '../../errors.ts';
import { Account } from '../../execute/account.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import { runDefinition } from '../../execute/write/define.ts';
import { TimeSlice } from '../../time-slice.ts';
import type { CatalogServices, Effect } from '../../functions/function.ts';
import type { NodeStatistics } from '../../plan/explain/node-statistics.ts';
import type { OutputColumn, Plan } from '../../plan/plan.ts';
import type { BoundStatement, FollowUp } from '../../plan/statement.ts';
import type { Statement } from '../../sql/ast.ts';
import { bindContext } from '../../sql/bind/bind.ts';
import { definitionTexts } from '../../sql/deparse/definitions.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { runTask, type Task, wait } from '../../task.ts';
import type { FormatSettings, ObjectNames } from '../../types/type.ts';
import type { Batch } from '../../types/column/vector.ts';
import { requirePopulated, runCreateTableAs, runRefresh } from '../statements/filled-relations.ts';
import { ConstraintChecks } from '../transaction/constraint-checks.ts';
import { type Cursor, Cursors } from '../statements/cursor.ts';
import type { Environment } from '../environment.ts';
import type { SessionDirectory } from '../directory.ts';
import { serverSettings, systemFacts } from '../facts.ts';
import { checkConcurrently, IndexBuilds } from '../builds/index-builds.ts';
import type { Notifications } from '../statements/notifications.ts';
import { PlanRunning } from './plan-running.ts';
import { isMadeFor, type Planned, Planner, type PlanRequest } from './planner.ts';
import {
  checkParameters,
  checkSameColumns,
  type PreparedStatement,
  PreparedStatements,
} from '../statements/prepared.ts';
import type { ResultSink } from '../protocol.ts';
import { Requests } from './requests.ts';
import { refuseDatasetWrites } from '../datasets/guard.ts';
import { refuseEffect, refuseWrites } from '../transaction/read-only.ts';
import { runFollowUps } from '../statements/follow-ups.ts';
import { definitionTag } from '../statements/definition-tag.ts';
import { FixedResult, type Running } from './running.ts';
import type { SeededRandom } from './seeded-random.ts';
import { sessionServices } from './services.ts';
import {
  describeSessionStatement,
  isSessionStatement,
  runSessionStatement,
} from '../statements/session-statements.ts';
import { efSearch, limitOf, SessionSettings } from '../settings/settings.ts';
import { applyOnCommit, dropTemporaryOf } from '../statements/temporary.ts';
import { StatementFunctions } from './statement-functions.ts';
import { lockTables } from './table-locks.ts';
import type { InnerPlans } from './inner-plans.ts';
import { innerStatement, ownParameters } from './inner-statement.ts';
import type { ExecutionRequest, Runner, RunRequest } from './runner.ts';
import { lockedPlan } from './locked-plan.ts';
import { waitForLsn } from './lsn-wait.ts';
import { withSchemaOfTable } from './schema-of-error.ts';
import { type Outcome, TransactionBlock } from '../transaction/transaction-block.ts';

/** Something made from a version of the catalog and of the settings. */
interface Remembered<T> {
  readonly catalog: Catalog;
  readonly generation: number;
  readonly value: T;
}

/** Parts that a session gives its runner. */
export interface RunnerOptions {
  readonly environment: Environment;
  readonly directory: SessionDirectory;
  readonly processId: number;
  readonly settings: ReadonlyMap<string, string>;
}

export class StatementRunner implements Runner {
  readonly processId: number;
  readonly environment: Environment;
  readonly directory: SessionDirectory;
  readonly settings: SessionSettings;
  readonly notifications: Notifications;
  /** Name of the session's schema for temporary relations, which may not be there. */
  readonly temporarySchema: string;
  readonly block: TransactionBlock;
  readonly locks: SessionLocks;
  readonly statements: PreparedStatements;
  readonly cursors: Cursors;
  readonly planner: Planner;
  readonly indexBuilds: IndexBuilds;
  readonly constraints = new ConstraintChecks(this);
  readonly services = sessionServices(this);
  /** After setseed(). */
  seeded: SeededRandom | null = null;
  lastHandle: string | null = null;
  lastAnswer: string | null = null;
  readonly toldPending = new WeakSet<AbortSignal>();
  readonly requests = new Requests();
  innerPlans: InnerPlans | null = null;
  readonly random = (): number => (this.seeded ?? this.environment).random();
  /** Where notices of the running statement go. */
  sink: ResultSink | null = null;
  #format: { readonly settings: FormatSettings; readonly generation: number } | null = null;
  #services: Remembered<CatalogServices> | null = null;
  #names: Remembered<ObjectNames> | null = null;
  /** Asked of the catalog as it is at the time. */
  #objects: ObjectNames = {
    name: (kind, oid) => this.#objectNames().name(kind, oid),
    oid: (kind, name) => this.#objectNames().oid(kind, name),
    enumValues: (type) => this.#objectNames().enumValues(type),
  };

  #bytes = {
    relationBytes: (oid: number): bigint | null =>
      this.catalog().relations.has(oid) ? BigInt(this.environment.engine.size(oid).bytes) : null,
    databaseBytes: (): bigint => BigInt(this.environment.engine.diskBytes()),
  };

  constructor(
    { environment, directory, processId, settings }: RunnerOptions,
    notifications: Notifications,
    ofPortal: (name: string) => Cursor | undefined,
  ) {
    this.notifications = notifications;
    this.cursors = new Cursors(ofPortal);
    this.statements = new PreparedStatements(environment.engine.statementMemory);
    this.processId = processId;
    this.environment = environment;
    this.directory = directory;
    this.temporarySchema = temporarySchema(processId);
    this.settings = new SessionSettings(settings, this.temporarySchema, serverSettings(environment));
    const timeoutMs = (): number => Number(this.settings.get('lock_timeout'));
    this.locks = environment.engine.sessionLocks({ processId: this.processId, timeoutMs });
    this.block = new TransactionBlock(environment.engine, this.settings, {
      clockMicros: () => environment.clockMicros(),
      locks: this.locks,
      notifications,
    });
    this.planner = new Planner(environment.engine, this.settings);
    this.indexBuilds = new IndexBuilds(environment, processId, directory.embeddingBuilds);
  }

  // ───────────────────────────── what the session shows ─────────────────────────────

  catalog(): Catalog {
    return this.block.transaction?.catalog() ?? this.environment.engine.catalog();
  }

  formatSettings(): FormatSettings {
    const { settings, block, environment } = this;
    if (this.#format?.generation === settings.generation) return this.#format.settings;
    const made: FormatSettings = {
      timeZone: settings.get('TimeZone'),
      dateStyle: settings.get('DateStyle'),
      intervalStyle: settings.get('IntervalStyle'),
      byteaOutput: settings.get('bytea_output'),
      extraFloatDigits: Number(settings.get('extra_float_digits')),
      get nowMicros() {
        return block.open ? block.startMicros : environment.clockMicros();
      },
      objects: this.#objects,
    };
    this.#format = { settings: made, generation: settings.generation };
    return made;
  }

  clockMicros(): bigint {
    return this.environment.clockMicros();
  }

  searchPath(): readonly string[] {
    return this.settings.searchPath();
  }

  /** Value that SHOW prints; the transaction's own settings come from the transaction. */
  showSetting(name: string): string | null {
    switch (name.toLowerCase()) {
      case 'transaction_isolation':
        return this.block.isolation;
      case 'transaction_read_only':
        return this.block.readOnly ? 'on' : 'off';
      case 'transaction_deferrable':
        return this.block.deferrable ? 'on' : 'off';
      default:
        return this.settings.show(name);
    }
  }

  setSetting(name: string, value: string | null, local: boolean): string {
    this.block.start();
    return this.settings.set(name, value, local);
  }

  allow(effect: Effect, what: string): void {
    refuseEffect(this, effect, what);
  }

  notice(notice: Notice): void {
    const least = SEVERITIES.indexOf(this.settings.get('client_min_messages'));
    if (SEVERITIES.indexOf(notice.severity.toLowerCase()) >= least || notice.severity === 'INFO') {
      this.sink?.notice(notice);
    }
  }

  catalogServices(): CatalogServices {
    this.#services = this.#remember(this.#services, (catalog) =>
      catalogServices(catalog, this.searchPath(), { ...this.#bytes, texts: this.#texts(catalog) }),
    );
    return this.#services.value;
  }

  #texts(catalog: Catalog): DefinitionTexts {
    const searchPath = this.searchPath();
    const settings = this.formatSettings();
    return definitionTexts(bindContext({ catalog, searchPath, parameterTypes: [], settings }));
  }

  #objectNames(): ObjectNames {
    this.#names = this.#remember(this.#names, (catalog) => objectNames(catalog, this.searchPath()));
    return this.#names.value;
  }

  /** Remembers a value for this version of the catalog and these settings, and else makes it anew. */
  #remember<T>(known: Remembered<T> | null, make: (catalog: Catalog) => T): Remembered<T> {
    const catalog = this.catalog();
    const { generation } = this.settings;
    if (known?.catalog === catalog && known.generation === generation) return known;
    return { catalog, generation, value: make(catalog) };
  }

  // ───────────────────────────── statements ─────────────────────────────

  /** @throws SqlError 25P02 unless the statement may end a failed transaction. */
  checkNotFailed(statement: Statement): void {
    if (!this.block.failed) return;
    const ends = ['commit', 'rollback', 'rollback to'];
    if (statement.kind === 'transaction' && ends.includes(statement.action)) return;
    throw new SqlError(
      'in_failed_sql_transaction',
      'current transaction is aborted, commands ignored until end of transaction block',
    );
  }

  /** Binds now, so that parameters and columns are known. @param types OIDs; 0 for unknown. */
  prepare(
    name: string,
    parsed: ParsedStatement | null,
    types: readonly number[],
    fromSql = false,
  ): PreparedStatement {
    if (parsed !== null) this.checkNotFailed(parsed.statement);
    const { parameters, columns } = this.#describe(parsed, types);
    return {
      name,
      parsed,
      types,
      parameters,
      columns,
      fromSql,
      preparedMicros: this.clockMicros(),
    };
  }

  /** Starts a statement; rows come from what is returned, which the caller closes. */
  run(parsed: ParsedStatement, request: RunRequest): Running | Promise<Running> {
    return runTask(this.#run(parsed, request));
  }

  *#run(parsed: ParsedStatement, request: RunRequest): Task<Running> {
    const { statement } = parsed;
    this.checkNotFailed(statement);
    checkConcurrently(statement, !this.block.standsAlone);
    this.block.start();
    const isFirst = this.block.transaction === null;
    if (isSessionStatement(statement)) {
      return yield* wait(runSessionStatement(this, parsed, statement, request));
    }
    if (statement.kind === 'create table as') {
      return yield* wait(runCreateTableAs(this, parsed, statement, request));
    }
    if (statement.kind === 'refresh') return yield* wait(runRefresh(this, parsed, statement, request));
    let planned = yield* lockedPlan(this, parsed, request);
    checkParameters(planned.bound, request.prepared);
    checkSameColumns(planned.bound, request.prepared);
    if (this.block.standsAlone) planned = this.indexBuilds.deferred(planned);
    if (this.block.standsAlone && isFirst) this.requests.begin(planned.plan, request.signal);
    const running = yield* wait(this.runPlanned(planned, request, null));
    if (planned.bound.kind === 'catalog' && this.block.standsAlone) {
      const concurrently = statement.kind !== 'create index' || statement.concurrently;
      this.indexBuilds.add(planned.bound.edits, concurrently);
    }
    return running;
  }

  timeSlice(): TimeSlice {
    return new TimeSlice(() => this.environment.nowMs());
  }

  plan(
    parsed: ParsedStatement,
    types: readonly number[],
    how: Pick<PlanRequest, 'parameters' | 'exact'> = {},
  ): Planned {
    return this.planner.plan({
      statement: parsed.statement,
      text: parsed.text,
      catalog: this.catalog(),
      format: this.formatSettings(),
      types,
      ...how,
    });
  }

  /**
   * @param statistics filled for EXPLAIN ANALYZE.
   * @param stream rows of a COPY.
   */
  runPlanned(
    planned: Planned,
    request: ExecutionRequest,
    statistics: Map<Plan, NodeStatistics> | null,
    stream?: AsyncGenerator<Batch>,
  ): Running | Promise<Running> {
    return runTask(this.#runPlanned(planned, request, statistics, stream));
  }

  *#runPlanned(
    planned: Planned,
    request: ExecutionRequest,
    statistics: Map<Plan, NodeStatistics> | null,
    stream?: AsyncGenerator<Batch>,
  ): Task<Running> {
    const { bound, plan } = planned;
    const { signal } = request;
    assert(isMadeFor(bound, request.parameters), 'a plan for these parameters');
    refuseWrites(this, bound);
    if (request.asServer !== true) refuseDatasetWrites(this.catalog(), planned);
    const locking = lockTables(this.block, planned, signal);
    if (locking !== null) yield* wait(locking);
    requirePopulated(this.catalog(), planned.locks);
    const made = this.executionContext(request, statistics);
    const context = stream === undefined ? made : { ...made, stream };
    try {
      if (bound.kind !== 'plan') return yield* wait(this.#define(bound, context));
      return new PlanRunning(planned, present(plan, 'the plan of a bound plan'), bound, context);
    } catch (error) {
      context.snapshot[Symbol.dispose]();
      context.account[Symbol.dispose]();
      throw error;
    }
  }

  async #define(
    bound: Exclude<BoundStatement, { kind: 'plan' }>,
    context: ExecutionContext,
  ): Promise<Running> {
    const { snapshot, signal, account } = context;
    this.constraints.refuseChanges(bound);
    const tag = definitionTag(bound, snapshot);
    await runDefinition(bound, context);
    if (bound.kind === 'catalog') {
      this.indexBuilds.addStandby(bound.edits, this.block.standsAlone);
      await this.constraints.validate(bound.edits, signal);
      await this.#followUp(bound.followUps ?? [], signal);
    }
    snapshot[Symbol.dispose]();
    account[Symbol.dispose]();
    return new FixedResult(tag);
  }

  async #followUp(followUps: readonly FollowUp[], signal: AbortSignal): Promise<void> {
    const start = (parsed: ParsedStatement): Running | Promise<Running> =>
      this.runPlanned(this.plan(parsed, []), { parameters: [], signal }, null);
    await runFollowUps(followUps, { transaction: this.block.require(), signal, start });
  }

  /** Counts what a statement holds; who opens it gives it back. */
  openAccount(): Account {
    return new Account(this.environment.engine.statementMemory);
  }

  /** Takes a snapshot and opens an account, which the caller releases. */
  executionContext(
    { parameters, signal, newest, embedding, faults, asServer = false }: ExecutionRequest,
    statistics: Map<Plan, NodeStatistics> | null,
  ): ExecutionContext {
    const { transaction, check } = this.constraints.record(this.block.require());
    const snapshot = transaction.snapshot(newest);
    const system = (self: StatementFunctions): SystemContext => this.#systemContext(self, snapshot);
    const functions = new StatementFunctions(this, signal, system, asServer);
    const slice = this.timeSlice();
    return {
      transaction,
      isolation: this.block.engineIsolation,
      snapshot,
      account: this.openAccount(),
      parameters,
      functions,
      inference: this.environment.inference,
      embedding,
      faults,
      helpers: this.environment.helpers,
      system: functions.system,
      signal,
      yieldToOthers: () => slice.yieldToOthers(),
      statistics,
      now: () => this.environment.nowMs(),
      efSearch: efSearch(this.settings),
      documentBytesMax: limitOf(this.settings, 'quern.max_document_bytes'),
      ...(check && { afterWrites: () => check(signal) }),
    };
  }

  settleConstraints(signal: AbortSignal, due?: (constraint: Constraint) => boolean): Promise<void> {
    return this.constraints.settle(signal, due);
  }

  /** Ends the transaction well; cursors WITH HOLD read what is left of them before. */
  commit(signal: AbortSignal): Outcome | Promise<Outcome> {
    return runTask(this.#commit(signal));
  }

  *#commit(signal: AbortSignal): Task<Outcome> {
    const { block, temporarySchema: own } = this;
    if (!block.failed && this.constraints.pending) yield* wait(this.constraints.settleAtEnd(signal));
    if (!this.cursors.empty) yield* wait(this.cursors.endTransaction(!block.failed));
    const { transaction } = block;
    const hasTemporary = !block.failed && transaction !== null && hasSchema(transaction.catalog(), own);
    if (hasTemporary) yield* wait(applyOnCommit(transaction, own));
    const outcome = yield* wait(block.commit());
    this.indexBuilds.committed();
    return outcome;
  }

  async rollback(): Promise<void> {
    await this.cursors.endTransaction(false);
    this.block.rollback();
  }

  async dispose(): Promise<void> {
    await this.cursors.closeAll();
    this.statements.clear();
    this.block.rollback();
    this.notifications.end();
    this.locks.unlockAll();
    await dropTemporaryOf(this.environment.engine, (schema) => schema === this.temporarySchema);
  }

  withSchema(error: unknown): unknown {
    return withSchemaOfTable(error, this.catalog(), this.searchPath());
  }

  #describe(
    parsed: ParsedStatement | null,
    types: readonly number[],
  ): { parameters: readonly number[]; columns: readonly OutputColumn[] | null } {
    if (parsed === null) return { parameters: types, columns: null };
    const { statement } = parsed;
    if (isSessionStatement(statement)) {
      return {
        parameters: this.#innerParameters(parsed, types),
        columns: describeSessionStatement(this, statement),
      };
    }
    const { bound } = this.plan(parsed, types);
    if (bound.kind !== 'plan') return { parameters: types, columns: null };
    return { parameters: bound.parameters, columns: bound.output };
  }

  #innerParameters(parsed: ParsedStatement, types: readonly number[]): readonly number[] {
    const inner = innerStatement(parsed.statement);
    if (inner === null || isSessionStatement(inner)) return ownParameters(parsed.statement, types);
    const { bound } = this.plan({ ...parsed, statement: inner }, types);
    return bound.kind === 'plan' ? bound.parameters : types;
  }

  /** `SET quern.lsn = 'books:12'`: the statement reads no older state. */
  awaitedLsn(signal: AbortSignal): Promise<void> | null {
    const wanted = this.settings.get('quern.lsn');
    if (wanted === '') return null;
    const names = { catalog: this.catalog(), searchPath: this.settings.searchPath() };
    const timeoutMs = Number(this.settings.get('quern.lsn_timeout'));
    return waitForLsn({ ...names, wanted, timeoutMs, engine: this.environment.engine }, signal);
  }

  #systemContext(functions: StatementFunctions, snapshot: Snapshot): SystemContext {
    const { settings } = functions;
    return { catalog: snapshot.catalog, settings, functions, facts: systemFacts(this, snapshot) };
  }
}

const SEVERITIES = ['debug', 'log', 'info', 'notice', 'warning', 'error'];
