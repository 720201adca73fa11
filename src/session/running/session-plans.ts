/**
 * Runs the plans of a session's statements: what is refused, locks, constraints around what is written, and the context
 * that operators read.
 */
import { assert, present } from '../../assert.ts';
import type { SystemContext } from '../../catalog/system/context.ts';
import type { Isolation, Snapshot, Transaction } from '../../engine/engine.ts';
import type { Account } from '../../execute/account.ts';
import type { CallHelpers } from '../../execute/expression/call-helpers.ts';
import type { SpillSpace } from '../../execute/spill/space.ts';
import type { FaultFinder } from '../../execute/write/row-faults.ts';
import type { Inference } from '../../inference/provider.ts';
import type { Sender } from '../../inference/sender.ts';
import type { Datum } from '../../types/datum.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import { runDefinition } from '../../execute/write/define.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { refuseDatasetWrites } from '../datasets/guard.ts';
import { checkBound } from '../rights/check.ts';
import type { SessionState } from '../session-state.ts';
import { refuseKeyedRoles } from '../rights/keyed-roles.ts';
import { definitionTag } from '../statements/definition-tag.ts';
import { requirePopulated } from '../statements/filled-relations.ts';
import { runFollowUps } from '../statements/follow-ups.ts';
import type { ConstraintChecks } from '../transaction/constraint-checks.ts';
import { refuseEffect } from '../transaction/read-only.ts';
import { refuseBeyondKey } from '../scope/key-limits.ts';
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
    const session = this.#session;
    assert(isMadeFor(planned.bound, how.parameters ?? statement.parameters), 'a plan for these parameters');
    const { writes, locks } = planned;
    const isAllowed = how.asServer === true || how.isAllowed === true;
    if (!isAllowed) checkBound(session.catalog(), session.identity.current, planned.bound);
    refuseBeyondKey(session, planned, isAllowed);
    if (how.isToldApart !== true) statement.sources.add(planned);
    if (writes !== null) {
      refuseEffect(session, 'data', writes);
      if (how.asServer !== true) refuseDatasetWrites(session.catalog(), planned);
    }
    const locking = locks.length === 0 ? null : lockTables(session.block, planned, statement.signal);
    if (locking !== null) return locking.then(() => this.#begin(statement, planned, how));
    return this.#begin(statement, planned, how);
  }

  #begin(statement: Statement, planned: Planned, how: PlanRun): Running | Promise<Running> {
    const { bound, plan } = planned;
    if (planned.locks.length > 0) requirePopulated(this.#session.catalog(), planned.locks);
    const context = this.context(statement, how);
    if (bound.kind !== 'plan') return this.#define(statement, bound, context);
    try {
      return new PlanRunning(planned, present(plan, 'the plan of a bound plan'), bound, context);
    } catch (error) {
      release(context);
      throw error;
    }
  }

  async #define(
    statement: Statement,
    bound: Exclude<BoundStatement, { kind: 'plan' }>,
    context: ExecutionContext,
  ): Promise<Running> {
    const session = this.#session;
    try {
      this.#constraints.refuseChanges(bound);
      refuseKeyedRoles(session.directory.keys, session.catalog(), bound);
      const tag = definitionTag(bound, context.snapshot);
      await runDefinition(bound, context);
      if (bound.kind === 'catalog') {
        session.indexBuilds.addStandby(bound.edits, session.block.standsAlone);
        await this.#constraints.validate(bound.edits, statement);
        await runFollowUps(bound.followUps ?? [], statement);
      }
      return new FixedResult(tag);
    } finally {
      release(context);
    }
  }

  context(statement: Statement, how: PlanRun): ExecutionContext {
    const session = this.#session;
    const { transaction, check } = this.#constraints.record(session.block.require());
    const snapshot = transaction.snapshot(how.newest);
    const context = new PlanContext(statement, how, { transaction, snapshot });
    if (check !== null) context.afterWrites = () => check(statement);
    return context;
  }
}

function release({ snapshot, account }: ExecutionContext): void {
  snapshot[Symbol.dispose]();
  account[Symbol.dispose]();
}

/** The context that operators of one plan of a statement read. */
class PlanContext implements ExecutionContext {
  readonly role: number;
  readonly transaction: Transaction;
  readonly isolation: Isolation;
  readonly snapshot: Snapshot;
  readonly account: Account;
  readonly parameters: readonly Datum[];
  readonly functions: StatementFunctions;
  readonly inference: Inference;
  readonly sender: Sender;
  readonly embedding: 'later' | undefined;
  readonly faults: FaultFinder | undefined;
  readonly helpers: CallHelpers;
  readonly spill: SpillSpace;
  readonly signal: AbortSignal;
  readonly statistics: ExecutionContext['statistics'];
  readonly now: () => number;
  readonly efSearch: number;
  readonly documentBytesMax: number;
  declare stream?: NonNullable<ExecutionContext['stream']>;
  declare afterWrites?: () => Promise<void>;
  readonly #slice: TimeSlice;

  constructor(
    statement: Statement,
    how: PlanRun,
    { transaction, snapshot }: Pick<ExecutionContext, 'transaction' | 'snapshot'>,
  ) {
    const { session } = statement;
    const { inference, helpers } = session.environment;
    const { efSearch, documentBytesMax } = session.settings.figures();
    this.role = session.identity.current;
    this.transaction = transaction;
    this.isolation = session.block.engineIsolation;
    this.snapshot = snapshot;
    this.account = session.openAccount();
    this.parameters = how.parameters ?? statement.parameters;
    this.functions = new StatementFunctions(statement, snapshot, how.asServer);
    this.inference = inference;
    this.sender = statement.sender;
    this.embedding = how.embedding;
    this.faults = how.faults;
    this.helpers = helpers;
    this.spill = session.spill;
    this.signal = statement.signal;
    this.statistics = how.statistics ?? null;
    this.now = session.nowMs;
    this.efSearch = efSearch;
    this.documentBytesMax = documentBytesMax;
    this.#slice = statement.slice;
    if (how.stream !== undefined) this.stream = how.stream;
  }

  get system(): SystemContext {
    return this.functions.system;
  }

  yieldToOthers(): Promise<void> | null {
    return this.#slice.yieldToOthers();
  }
}
