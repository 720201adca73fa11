/**
 * A session's runner as the statements see it that it runs: what they share, and how one of them plans and runs
 * another. `statement-runner.ts` is the one there is, and knows all statements; they know only this.
 */
import type { Catalog, Constraint } from '../../catalog/model.ts';
import type { SessionLocks } from '../../engine/engine.ts';
import type { Account } from '../../execute/account.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import type { FaultFinder } from '../../execute/write/row-faults.ts';
import type { NodeStatistics } from '../../plan/explain/node-statistics.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { Batch } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import type { SessionDirectory } from '../directory.ts';
import type { Requests } from './requests.ts';
import type { Environment } from '../environment.ts';
import type { ResultSink } from '../protocol.ts';
import type { SessionSettings } from '../settings/settings.ts';
import type { Cursors } from '../statements/cursor.ts';
import type { Notifications } from '../statements/notifications.ts';
import type { PreparedStatement, PreparedStatements } from '../statements/prepared.ts';
import type { Outcome, TransactionBlock } from '../transaction/transaction-block.ts';
import type { InnerPlans } from './inner-plans.ts';
import type { Planned, Planner, PlanRequest } from './planner.ts';
import type { Running } from './running.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { FunctionHost } from './statement-functions.ts';

export interface RunRequest {
  readonly parameters: readonly Datum[];
  readonly signal: AbortSignal;
  /** The prepared statement it runs for; null in the simple protocol. */
  readonly prepared: PreparedStatement | null;
}

/** Context that a plan runs with. */
export interface ExecutionRequest extends Pick<RunRequest, 'parameters' | 'signal'> {
  /** Reads what is committed by now under every isolation level: the server's own checks. */
  readonly newest?: boolean;
  /** May write the relations of datasets, and of schema quern. */
  readonly asServer?: boolean;
  /** Rows are stored without their embeddings: words find them, and an UPDATE embeds them. */
  readonly embedding?: 'later';
  /** Faults of the documents that are written. */
  readonly faults?: FaultFinder;
}

export interface Runner extends FunctionHost {
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
  /** After setseed(). */
  seeded: SeededRandom | null;
  /** Handle of the last request to ingestion. */
  lastHandle: string | null;
  /** The id of the answer that was kept last. */
  lastAnswer: string | null;
  /** Statements, by their signals, whose reader has been told what is pending. */
  readonly toldPending: WeakSet<AbortSignal>;
  readonly requests: Requests;
  /** While EXPLAIN looks on. */
  innerPlans: InnerPlans | null;
  /** Where notices of the running statement go. */
  readonly sink: ResultSink | null;

  catalog(): Catalog;

  /** @param value null: as it was at the start. */
  setSetting(name: string, value: string | null, local: boolean): string;

  /** Binds now, so that parameters and columns are known. @param types OIDs; 0 for unknown. */
  prepare(
    name: string,
    parsed: ParsedStatement | null,
    types: readonly number[],
    fromSql?: boolean,
  ): PreparedStatement;

  /** Starts a statement; rows come from what is returned, which the caller closes. */
  run(parsed: ParsedStatement, request: RunRequest): Running | Promise<Running>;

  /** @param how `parameters` are values to plan for, which a plan needs that is run; `exact` in place of `quern.exact`. */
  plan(
    parsed: ParsedStatement,
    types: readonly number[],
    how?: Pick<PlanRequest, 'parameters' | 'exact'>,
  ): Planned;

  /**
   * @param planned as of this turn (`locked-plan.ts`).
   * @param statistics filled for EXPLAIN ANALYZE.
   * @param stream rows of a COPY.
   */
  runPlanned(
    planned: Planned,
    request: ExecutionRequest,
    statistics: Map<Plan, NodeStatistics> | null,
    stream?: AsyncGenerator<Batch>,
  ): Running | Promise<Running>;

  /** Resolves when the state is there that `quern.lsn` asks for; null: it asks for none. */
  awaitedLsn(signal: AbortSignal): Promise<void> | null;

  /** Its slice starts now. */
  timeSlice(): TimeSlice;

  /** Counts what a statement holds; who opens it gives it back. */
  openAccount(): Account;

  /** Takes a snapshot and opens an account, which the caller releases. */
  executionContext(request: ExecutionRequest, statistics: Map<Plan, NodeStatistics> | null): ExecutionContext;

  /** Checks constraints that have been put off. @param due says which; absent: all. */
  settleConstraints(signal: AbortSignal, due?: (constraint: Constraint) => boolean): Promise<void>;

  /** Ends the transaction well; cursors WITH HOLD read what is left of them before. */
  commit(signal: AbortSignal): Outcome | Promise<Outcome>;
  rollback(): Promise<void>;
}
