/**
 * Runs the plans of a session's statements: what is refused, locks, constraints around what is written, and the context
 * that operators read.
 */
import { assert, present } from '../../assert.ts';
import type { SystemContext } from '../../catalog/system/context.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import { runDefinition } from '../../execute/write/define.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { runTask, type Task, wait } from '../../task.ts';
import { refuseDatasetWrites } from '../datasets/guard.ts';
import { systemFacts } from '../facts.ts';
import type { SessionState } from '../session-state.ts';
import { efSearch, limitOf } from '../settings/settings.ts';
import { definitionTag } from '../statements/definition-tag.ts';
import { requirePopulated } from '../statements/filled-relations.ts';
import { runFollowUps } from '../statements/follow-ups.ts';
import type { ConstraintChecks } from '../transaction/constraint-checks.ts';
import { refuseWrites } from '../transaction/read-only.ts';
import { PlanRunning } from './plan-running.ts';
import type { PlanRun, PlanRunner } from './plan-runner.ts';
import { isMadeFor, type Planned } from './planner.ts';
import { FixedResult, type Running } from './running.ts';
import type { Statement } from './statement.ts';
import { StatementFunctions } from './statement-functions.ts';
import { lockTables } from './table-locks.ts';

export class SessionPlans implements PlanRunner {
  readonly #session: SessionState;
  readonly #constraints: ConstraintChecks;

  constructor(session: SessionState, constraints: ConstraintChecks) {
    this.#session = session;
    this.#constraints = constraints;
  }

  run(statement: Statement, planned: Planned, how: PlanRun): Running | Promise<Running> {
    return runTask(this.#run(statement, planned, how));
  }

  *#run(statement: Statement, planned: Planned, how: PlanRun): Task<Running> {
    const session = this.#session;
    const { bound, plan } = planned;
    assert(isMadeFor(bound, how.parameters ?? statement.parameters), 'a plan for these parameters');
    refuseWrites(session, bound);
    if (how.asServer !== true) refuseDatasetWrites(session.catalog(), planned);
    const locking = lockTables(session.block, planned, statement.signal);
    if (locking !== null) yield* wait(locking);
    requirePopulated(session.catalog(), planned.locks);
    const context = this.context(statement, how);
    try {
      if (bound.kind !== 'plan') return yield* wait(this.#define(statement, bound, context));
      return new PlanRunning(planned, present(plan, 'the plan of a bound plan'), bound, context);
    } catch (error) {
      context.snapshot[Symbol.dispose]();
      context.account[Symbol.dispose]();
      throw error;
    }
  }

  async #define(
    statement: Statement,
    bound: Exclude<BoundStatement, { kind: 'plan' }>,
    context: ExecutionContext,
  ): Promise<Running> {
    const { snapshot, account } = context;
    const session = this.#session;
    this.#constraints.refuseChanges(bound);
    const tag = definitionTag(bound, snapshot);
    await runDefinition(bound, context);
    if (bound.kind === 'catalog') {
      session.indexBuilds.addStandby(bound.edits, session.block.standsAlone);
      await this.#constraints.validate(bound.edits, statement);
      await runFollowUps(bound.followUps ?? [], statement);
    }
    snapshot[Symbol.dispose]();
    account[Symbol.dispose]();
    return new FixedResult(tag);
  }

  context(statement: Statement, how: PlanRun): ExecutionContext {
    const session = this.#session;
    const { environment, settings, block } = session;
    const { parameters = statement.parameters, newest, embedding, faults, stream } = how;
    const { transaction, check } = this.#constraints.record(block.require());
    const snapshot = transaction.snapshot(newest);
    const system = (functions: StatementFunctions): SystemContext => {
      const facts = systemFacts(session, snapshot);
      return { catalog: snapshot.catalog, settings: functions.settings, functions, facts };
    };
    const functions = new StatementFunctions(statement, system, how.asServer);
    const slice = session.timeSlice();
    return {
      transaction,
      isolation: block.engineIsolation,
      snapshot,
      account: session.openAccount(),
      spill: session.spill,
      parameters,
      functions,
      inference: environment.inference,
      embedding,
      faults,
      helpers: environment.helpers,
      system: functions.system,
      signal: statement.signal,
      yieldToOthers: () => slice.yieldToOthers(),
      statistics: how.statistics ?? null,
      now: () => environment.nowMs(),
      efSearch: efSearch(settings),
      documentBytesMax: limitOf(settings, 'quern.max_document_bytes'),
      ...(stream && { stream }),
      ...(check && { afterWrites: () => check(statement) }),
    };
  }
}
