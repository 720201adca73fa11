/**
 * One statement of a session, from when it begins to its last row: who runs SQL for it, or serves its functions, is given
 * it, and nothing is looked up by its signal. One thing to know: SQL that it runs on the way, of functions or of foreign
 * keys, is part of it.
 */
import type { Constraint } from '../../catalog/model.ts';
import type { Notice } from '../../errors.ts';
import type { Sender } from '../../inference/sender.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import type { SessionServices } from '../../functions/services.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { Datum } from '../../types/datum.ts';
import type { ResultSink } from '../protocol.ts';
import { senderOf } from '../outside/sender.ts';
import { Sources } from '../outside/sources.ts';
import type { SessionState } from '../session-state.ts';
import type { PreparedStatement } from '../statements/prepared.ts';
import type { Outcome } from '../transaction/transaction-block.ts';
import type { InnerPlans } from './inner-plans.ts';
import type { PlanRun, PlanRunner, TransactionEnd } from './plan-runner.ts';
import type { Planned } from './planner.ts';
import type { Running } from './running.ts';

/** Shared by all statements of a session. */
export interface StatementHost {
  readonly session: SessionState;
  readonly plans: PlanRunner;
  readonly end: TransactionEnd;
  /** Services of functions, for one statement. */
  servicesOf(statement: Statement): SessionServices;
}

export interface StatementOptions {
  /** Within its session. */
  readonly id: number;
  /** Aborted by cancel and time-outs; its reason is the SqlError to raise. */
  readonly signal: AbortSignal;
  /** Null where nobody reads its notices. */
  readonly sink: ResultSink | null;
  readonly parameters?: readonly Datum[];
  /** The prepared statement it runs for; null in the simple protocol. */
  readonly prepared?: PreparedStatement | null;
  /** While EXPLAIN looks on. */
  readonly innerPlans?: InnerPlans | null;
}

export class Statement {
  readonly id: number;
  readonly signal: AbortSignal;
  readonly sink: ResultSink | null;
  readonly parameters: readonly Datum[];
  readonly prepared: PreparedStatement | null;
  readonly innerPlans: InnerPlans | null;
  /** Its reader has been told what is pending. */
  pendingIsTold = false;
  /** It is a request of documents and a transaction of its own, which it may end, once. */
  endsTransaction = false;
  /** Its turns on the main thread. */
  readonly slice: TimeSlice;
  /** Rows of documents that it is about to write. */
  documentRows: readonly (readonly Datum[])[] = [];
  /** Relations that it reads, with all that runs within it. */
  readonly sources: Sources;
  readonly #host: StatementHost;
  #sender: Sender | null = null;
  #micros: bigint | null = null;
  #services: SessionServices | null = null;

  constructor(host: StatementHost, options: StatementOptions, sources = new Sources()) {
    const { id, signal, sink, parameters = [], prepared = null, innerPlans = null } = options;
    this.#host = host;
    this.sources = sources;
    this.id = id;
    this.signal = signal;
    this.sink = sink;
    this.parameters = parameters;
    this.prepared = prepared;
    this.innerPlans = innerPlans;
    this.slice = host.session.timeSlice();
  }

  /** The statement with something else in its place: the one inside of EXECUTE, of EXPLAIN, of a cursor. */
  with(options: Partial<StatementOptions>): Statement {
    const { id, signal, sink, parameters, prepared, innerPlans } = this;
    const own = { id, signal, sink, parameters, prepared, innerPlans };
    const made = new Statement(this.#host, { ...own, ...options }, this.sources);
    made.#micros = this.#micros;
    return made;
  }

  get session(): SessionState {
    return this.#host.session;
  }

  /** Sends its texts outside, where they may go. */
  get sender(): Sender {
    this.#sender ??= senderOf(this);
    return this.#sender;
  }

  get services(): SessionServices {
    this.#services ??= this.#host.servicesOf(this);
    return this.#services;
  }

  /** Its time, which stands still while the clock goes on; microseconds since 2000-01-01 UTC. */
  get micros(): bigint {
    this.#micros ??= this.session.clockMicros();
    return this.#micros;
  }

  /** Starts a plan; rows come from what is returned, which the caller closes. @param planned as of this turn (`locked-plan.ts`). */
  run(planned: Planned, how: PlanRun = {}): Running | Promise<Running> {
    return this.#host.plans.run(this, planned, how);
  }

  /** Takes a snapshot and opens an account, which the caller releases. */
  context(how: PlanRun = {}): ExecutionContext {
    return this.#host.plans.context(this, how);
  }

  /** Checks constraints that have been put off. @param due says which; absent: all. */
  settle(due?: (constraint: Constraint) => boolean): Promise<void> {
    return this.#host.end.settle(this, due);
  }

  /** Ends the transaction well; cursors WITH HOLD read what is left of them before. */
  commit(): Outcome | Promise<Outcome> {
    return this.#host.end.commit(this);
  }

  rollback(): Promise<void> {
    return this.#host.end.rollback();
  }

  /** Tells the client what it wants to hear of. */
  notice(notice: Notice): void {
    const least = SEVERITIES.indexOf(this.session.settings.get('client_min_messages'));
    if (SEVERITIES.indexOf(notice.severity.toLowerCase()) >= least || notice.severity === 'INFO') {
      this.sink?.notice(notice);
    }
  }
}

const SEVERITIES = ['debug', 'log', 'info', 'notice', 'warning', 'error'];
