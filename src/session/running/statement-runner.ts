/**
 * Runs one statement of a session: plans through binder, optimizer and executor; the rest by the table in
 * `statements/session-statements.ts`. It knows all kinds of statements, and puts together what they share.
 */
import { SqlError } from '../../errors.ts';
import type { OutputColumn } from '../../plan/plan.ts';
import type { Statement as Tree } from '../../sql/ast.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { Datum } from '../../types/datum.ts';
import { checkConcurrently } from '../builds/index-builds.ts';
import type { ResultSink } from '../protocol.ts';
import type { SessionState } from '../session-state.ts';
import { runCreateTableAs, runRefresh } from '../statements/filled-relations.ts';
import { checkParameters, checkSameColumns, type PreparedStatement } from '../statements/prepared.ts';
import {
  describeSessionStatement,
  isSessionStatement,
  runSessionStatement,
} from '../statements/session-statements.ts';
import { dropTemporaryOf } from '../statements/temporary.ts';
import { ConstraintChecks } from '../transaction/constraint-checks.ts';
import { SessionEnd } from '../transaction/session-end.ts';
import { innerStatement, ownParameters } from './inner-statement.ts';
import { lockedPlan } from './locked-plan.ts';
import { findFields } from '../rights/find-fields.ts';
import type { Planned } from './planner.ts';
import type { Running } from './running.ts';
import { StatementServices } from './services.ts';
import { SessionPlans } from './session-plans.ts';
import { SharedPlans } from './shared-plans.ts';
import { Statement, type StatementHost, type StatementOptions } from './statement.ts';
import { withSchemaOfTable } from './schema-of-error.ts';

const NO_PARAMETERS: readonly Datum[] = [];

export class StatementRunner {
  readonly session: SessionState;
  readonly constraints: ConstraintChecks;
  readonly shared: SharedPlans;
  readonly #host: StatementHost;
  #lastId = 0;

  constructor(session: SessionState) {
    this.session = session;
    this.constraints = new ConstraintChecks(session);
    this.shared = new SharedPlans(session);
    this.#host = {
      session,
      plans: new SessionPlans(session, this.constraints),
      end: new SessionEnd(session, this.constraints),
      servicesOf: (statement) => new StatementServices(statement),
    };
  }

  /** A statement that begins now. @param sink null where nobody reads its notices. */
  begin(
    signal: AbortSignal,
    sink: ResultSink | null,
    given: Pick<StatementOptions, 'parameters' | 'prepared'> = {},
  ): Statement {
    const { parameters = NO_PARAMETERS, prepared = null } = given;
    return new Statement(this.#host, { id: ++this.#lastId, signal, sink, parameters, prepared });
  }

  /** @throws SqlError 25P02 unless the statement may end a failed transaction. */
  checkNotFailed(tree: Tree): void {
    if (!this.session.block.failed) return;
    const ends = ['commit', 'rollback', 'rollback to'];
    if (tree.kind === 'transaction' && ends.includes(tree.action)) return;
    throw new SqlError(
      'in_failed_sql_transaction',
      'current transaction is aborted, commands ignored until end of transaction block',
    );
  }

  /** Before it is prepared: what it may know of is looked for in a transaction, as PostgreSQL's Parse has one. */
  look(
    sink: ResultSink | null,
    parsed: ParsedStatement | null,
    types: readonly number[],
  ): Promise<void> | null {
    const { block, fields } = this.session;
    if (parsed === null || block.failed || !fields.isNarrowed) return null;
    block.start();
    const statement = this.begin(new AbortController().signal, sink);
    const inner = innerStatement(parsed.statement);
    if (inner === null && isSessionStatement(parsed.statement)) return null;
    const make = (): Planned =>
      this.session.plan(inner === null ? parsed : { ...parsed, statement: inner }, types);
    return Promise.resolve(fields.planned(findFields(statement), make)).then(() => undefined);
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
    const preparedMicros = this.session.clockMicros();
    return { name, parsed, types, parameters, columns, fromSql, preparedMicros };
  }

  /** Starts a statement; rows come from what is returned, which the caller closes. */
  run(statement: Statement, parsed: ParsedStatement): Running | Promise<Running> {
    const { session } = this;
    const { block } = session;
    const tree = parsed.statement;
    this.checkNotFailed(tree);
    if (tree.kind === 'create index') checkConcurrently(tree, !block.standsAlone);
    block.start();
    const isFirst = block.transaction === null;
    if (isSessionStatement(tree)) {
      return runSessionStatement({ session, statement, parsed, tree, runner: this });
    }
    if (tree.kind === 'create table as') return runCreateTableAs(statement, parsed, tree);
    if (tree.kind === 'refresh') return runRefresh(statement, parsed, tree);
    const planned = lockedPlan(statement, parsed);
    if (!(planned instanceof Promise)) return this.#runPlan(statement, parsed, { planned, isFirst });
    return planned.then((made) => this.#runPlan(statement, parsed, { planned: made, isFirst }));
  }

  /** @param how.isFirst of its transaction. */
  #runPlan(
    statement: Statement,
    parsed: ParsedStatement,
    { planned, isFirst }: { readonly planned: Planned; readonly isFirst: boolean },
  ): Running | Promise<Running> {
    const { block, indexBuilds } = this.session;
    const { bound } = planned;
    if (statement.prepared !== null) checkSameColumns(bound, statement.prepared);
    else if (parsed.lifted === undefined) checkParameters(bound);
    const { standsAlone } = block;
    if (bound.kind !== 'catalog' || !standsAlone) {
      statement.endsTransaction = standsAlone && isFirst && planned.isRequest;
      return statement.run(planned);
    }
    return this.#define(statement, parsed.statement, indexBuilds.deferred(planned, bound));
  }

  async #define(
    statement: Statement,
    tree: Tree,
    planned: ReturnType<SessionState['indexBuilds']['deferred']>,
  ): Promise<Running> {
    const running = await statement.run(planned);
    const isConcurrent = tree.kind !== 'create index' || tree.concurrently;
    this.session.indexBuilds.add(planned.bound.edits, isConcurrent);
    return running;
  }

  async dispose(): Promise<void> {
    const { session } = this;
    await session.cursors.closeAll();
    session.prepared.clear();
    session.block.rollback();
    session.notifications.end();
    session.locks.unlockAll();
    await dropTemporaryOf(session.environment.engine, (schema) => schema === session.temporarySchema);
  }

  withSchema(error: unknown): unknown {
    const { session } = this;
    const reader = {
      catalog: session.catalog(),
      searchPath: session.searchPath(),
      role: session.identity.current,
    };
    return withSchemaOfTable(error, reader);
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
        columns: describeSessionStatement(this.session, statement),
      };
    }
    const { bound } = this.session.plan(parsed, types);
    if (bound.kind !== 'plan') return { parameters: types, columns: null };
    return { parameters: bound.parameters, columns: bound.output };
  }

  #innerParameters(parsed: ParsedStatement, types: readonly number[]): readonly number[] {
    const inner = innerStatement(parsed.statement);
    if (inner === null || isSessionStatement(inner)) return ownParameters(parsed.statement, types);
    const { bound } = this.session.plan({ ...parsed, statement: inner }, types);
    return bound.kind === 'plan' ? bound.parameters : types;
  }
}
