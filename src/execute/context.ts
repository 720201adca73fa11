/**
 * Context of a statement: filled by the session once per statement, read by every operator.
 */
import type { SystemContext } from '../catalog/system/context.ts';
import type { Isolation, Snapshot, Transaction } from '../engine/engine.ts';
import type { FunctionContext } from '../functions/function.ts';
import type { Inference } from '../inference/provider.ts';
import type { Sender } from '../inference/sender.ts';
import type { NodeStatistics } from '../physical/explain/node-statistics.ts';
import type { Plan } from '../plan/plan.ts';
import type { Datum } from '../types/datum.ts';
import type { Account } from './account.ts';
import type { CallHelpers } from './expression/call-helpers.ts';
import type { PlanRows } from './plan-rows.ts';
import type { SpillSpace } from './spill/space.ts';
import type { FaultFinder } from './write/row-faults.ts';

export interface ExecutionContext {
  /** OID of the role that runs it, which owns what it makes. */
  readonly role: number;
  readonly transaction: Transaction;
  readonly isolation: Isolation;
  /** Read view of the statement; its own writes are not in it. Owned by the session. */
  readonly snapshot: Snapshot;
  readonly parameters: readonly Datum[];
  /** Account of the statement's memory; given back when it ends. */
  readonly account: Account;
  /** Where operators put rows past `work_mem`. */
  readonly spill: SpillSpace;
  /** Rows that a `stream` node reads: they come from the client. */
  readonly stream?: PlanRows;
  readonly functions: FunctionContext;
  readonly inference: Inference;
  /** Its texts go outside by this one alone. */
  readonly sender: Sender;
  /** Finder of faults in documents that come as a request; they are one batch, whatever pieces they are written in. */
  readonly faults?: FaultFinder | undefined;
  /** Rows are stored without embeddings. */
  readonly embedding?: 'later' | undefined;
  /** Make calls with large arguments. */
  readonly helpers: CallHelpers;
  readonly system: SystemContext;
  /** Candidates a search of a vector graph keeps in view; 0: as measured when the graph was made. */
  readonly efSearch: number;
  /** Bytes of a document that is written. */
  readonly documentBytesMax: number;
  /** Aborted by cancel and time-outs; its reason is the SqlError to raise. */
  readonly signal: AbortSignal;
  /** Null while the time slice lasts, else a promise that gives others a turn: see `time-slice.ts`. */
  yieldToOthers(): Promise<void> | null;
  /** Run when all rows of a plan are written: foreign keys are checked then. */
  afterWrites?(): Promise<void>;
  /** Filled for EXPLAIN ANALYZE, else null. */
  readonly statistics: Map<Plan, NodeStatistics> | null;
  /** Milliseconds, monotonic; for statistics only. */
  now(): number;
}
