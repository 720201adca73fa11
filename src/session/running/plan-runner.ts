/**
 * Interfaces of those who run a statement's plans and end its transaction. They know all that takes; a statement knows
 * only these, and says what each call is (`statement.ts`).
 */
import type { Constraint } from '../../catalog/model.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import type { PlanRows } from '../../execute/plan-rows.ts';
import type { FaultFinder } from '../../execute/write/row-faults.ts';
import type { NodeStatistics } from '../../physical/explain/node-statistics.ts';
import type { Plan } from '../../plan/plan.ts';
import type { Datum } from '../../types/datum.ts';
import type { Outcome } from '../transaction/transaction-block.ts';
import type { Planned } from './planner.ts';
import type { Running } from './running.ts';
import type { Statement } from './statement.ts';

/** How one plan of a statement runs: its own, or that of SQL that it needs. */
export interface PlanRun {
  /** Absent: the statement's own. */
  readonly parameters?: readonly Datum[];
  /** Reads what is committed by now under every isolation level: the server's own checks. */
  readonly newest?: boolean;
  /** May write the relations of datasets, and of schema quern. */
  readonly asServer?: boolean;
  /** Its rights have been asked for, or are the server's: checks of constraints, work that follows a definition. */
  readonly isAllowed?: true;
  /** Whose texts it reads is told to the sender by itself, and closer than by relations. */
  readonly isToldApart?: true;
  /** Rows are stored without their embeddings: words find them, and an UPDATE embeds them. */
  readonly embedding?: 'later';
  /** Faults of the documents that are written. */
  readonly faults?: FaultFinder;
  /** Filled for EXPLAIN ANALYZE. */
  readonly statistics?: Map<Plan, NodeStatistics> | null;
  /** Rows of a COPY. */
  readonly stream?: PlanRows;
}

export interface PlanRunner {
  run(statement: Statement, planned: Planned, how: PlanRun): Running | Promise<Running>;
  context(statement: Statement, how: PlanRun): ExecutionContext;
}

export interface TransactionEnd {
  settle(statement: Statement, due?: (constraint: Constraint) => boolean): Promise<void>;
  commit(statement: Statement): Outcome | Promise<Outcome>;
  rollback(): Promise<void>;
}
