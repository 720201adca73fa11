/** What the operators of one plan of a statement read (`execute/context.ts`). */
import type { SystemContext } from '../../catalog/system/context.ts';
import type { Isolation, Snapshot, Transaction } from '../../engine/engine.ts';
import type { Account } from '../../execute/account.ts';
import type { ExecutionContext } from '../../execute/context.ts';
import type { CallHelpers } from '../../execute/expression/call-helpers.ts';
import type { FaultFinder } from '../../execute/write/row-faults.ts';
import type { Inference } from '../../inference/provider.ts';
import type { Datum } from '../../types/datum.ts';
import type { TimeSlice } from '../../time-slice.ts';
import type { SpillSpace } from '../../execute/spill/space.ts';
import type { PlanRun } from './plan-runner.ts';
import type { Statement } from './statement.ts';
import { StatementFunctions } from './statement-functions.ts';

export class PlanContext implements ExecutionContext {
  readonly transaction: Transaction;
  readonly isolation: Isolation;
  readonly snapshot: Snapshot;
  readonly account: Account;
  readonly spill: SpillSpace;
  readonly parameters: readonly Datum[];
  readonly functions: StatementFunctions;
  readonly inference: Inference;
  readonly embedding: 'later' | undefined;
  readonly faults: FaultFinder | undefined;
  readonly helpers: CallHelpers;
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
    this.transaction = transaction;
    this.isolation = session.block.engineIsolation;
    this.snapshot = snapshot;
    this.account = session.openAccount();
    this.spill = session.spill;
    this.parameters = how.parameters ?? statement.parameters;
    this.functions = new StatementFunctions(statement, snapshot, how.asServer);
    this.inference = inference;
    this.embedding = how.embedding;
    this.faults = how.faults;
    this.helpers = helpers;
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
