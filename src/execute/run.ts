/**
 * Runs a plan: the one switch from plan nodes to operators, the same with EXPLAIN ANALYZE, which only looks on. A
 * command without RETURNING gives batches without columns whose lengths add up to the rows it touched.
 */
import { unreachable } from '../assert.ts';
import type { Snapshot } from '../engine/engine.ts';
import { runTask } from '../task.ts';
import type { NodeStatistics } from '../physical/explain/node-statistics.ts';
import type { PhysicalPlan, Scan } from '../physical/physical.ts';
import type { Batch, BoolVector } from '../types/column/vector.ts';
import { runAggregate } from './group/aggregate.ts';
import { runCommonTable, runCommonTableScan } from './common-table.ts';
import type { ExecutionContext } from './context.ts';
import { runDelete } from './write/delete.ts';
import { runDistinct } from './rows/distinct.ts';
import { ExpressionCache } from './expression/expression.ts';
import { resolveDeferred } from './expression/subquery.ts';
import { runFilter } from './rows/filter.ts';
import { runFunctionScan } from './scan/function-scan.ts';
import { runFusion } from './ranking/fusion.ts';
import { isRanked, runTopK } from './ranking/top-k.ts';
import { runInsert } from './write/insert.ts';
import { runJoin } from './rows/join.ts';
import { nodeStatistics } from './node-statistics.ts';
import { runLimit } from './rows/limit.ts';
import { passOn, type PlanRows, SteppedRows, type Steps } from './plan-rows.ts';
import { runMerge } from './write/merge.ts';
import { runLockRows } from './rows/lock-rows.ts';
import { runProject } from './rows/project.ts';
import { runScan } from './scan/scan.ts';
import { overShown, shownSnapshot } from './scan/shown-rows.ts';
import { runSetOperation } from './rows/set-operation.ts';
import { runSort } from './rows/sort.ts';
import type { Run } from './state.ts';
import { runSystemScan } from './scan/system-scan.ts';
import { Turns } from './expression/turns.ts';
import { runUpdate } from './write/update.ts';
import { runConstants } from './rows/constant-rows.ts';
import { runValues } from './rows/values.ts';
import { runWindow } from './window/window.ts';

/**
 * The plan's rows.
 * @param cache compiled expressions, kept for later runs.
 */
export function planRows(
  plan: PhysicalPlan,
  context: ExecutionContext,
  cache = new ExpressionCache(),
): PlanRows {
  const rows = execute(plan, beginRun(context, cache));
  return context.afterWrites === undefined ? rows : new CheckedRows(rows, context.afterWrites);
}

/** The context's snapshot, with the rows that the scan's relation shows. To be released by itself. */
export async function snapshotOf(
  { relation, partition, rule }: Scan,
  context: ExecutionContext,
  cache: ExpressionCache,
): Promise<Snapshot> {
  if (rule === null) return context.snapshot.narrowed(relation, partition, null);
  return await runTask(shownSnapshot({ relation, partition }, rule, beginRun(context, cache)));
}

const NO_TABLES: Run['tables'] = new Map();

function beginRun(context: ExecutionContext, cache: ExpressionCache): Run {
  const { parameters, functions } = context;
  const turns = new Turns(context);
  return {
    context,
    snapshot: context.snapshot,
    frame: { parameters, functions, outer: [], turns },
    turns,
    cache,
    tables: NO_TABLES,
    memo: new Map(),
    execute,
    resolveDeferred,
  };
}

function execute(plan: PhysicalPlan, given: Run): PlanRows {
  const { whole } = given;
  const run = whole === undefined ? given : { ...given, snapshot: whole, whole: undefined };
  const { statistics } = run.context;
  const rows = open(plan, run);
  return statistics === null
    ? rows
    : new MeasuredRows(rows, nodeStatistics(plan, statistics), {
        now: run.context.now,
        count: countOf(plan),
      });
}

function open(plan: PhysicalPlan, run: Run): PlanRows {
  switch (plan.kind) {
    case 'values':
      return new SteppedRows(runValues(plan, run));
    case 'constants':
      return new SteppedRows(runConstants(plan, run));
    case 'scan':
      return new SteppedRows(scanned(plan, run));
    case 'stream':
      return new SteppedRows(run.context.stream ? passOn(run.context.stream) : noRows());
    case 'system':
      return new SteppedRows(runSystemScan(plan, run));
    case 'function':
      return new SteppedRows(runFunctionScan(plan, run));
    case 'filter':
      return runFilter(plan, run);
    case 'project':
      return runProject(plan, run);
    case 'join':
      return new SteppedRows(runJoin(plan, run));
    case 'aggregate':
      return new SteppedRows(runAggregate(plan, run));
    case 'window':
      return new SteppedRows(runWindow(plan, run));
    case 'fusion':
      return new SteppedRows(overShown(plan.scan, run, (own) => runFusion(plan, own)));
    case 'sort':
      return new SteppedRows(runSort(plan, run));
    case 'limit':
      return new SteppedRows(runLimit(plan, run));
    case 'distinct':
      return new SteppedRows(runDistinct(plan, run));
    case 'set':
      return new SteppedRows(runSetOperation(plan, run));
    case 'lock rows':
      return new SteppedRows(runLockRows(plan, run));
    case 'with':
      return new SteppedRows(runCommonTable(plan, run));
    case 'cte':
      return new SteppedRows(runCommonTableScan(plan, run));
    case 'insert':
      return new SteppedRows(runInsert(plan, run));
    case 'update':
      return new SteppedRows(runUpdate(plan, run));
    case 'delete':
      return new SteppedRows(runDelete(plan, run));
    case 'merge':
      return new SteppedRows(runMerge(plan, run));
    default:
      return unreachable(plan);
  }
}

/** A row that is named is asked for by itself whether it is shown; else there are only rows that are. */
function scanned(plan: Scan, run: Run): Steps {
  if (isRanked(plan, run)) return overShown(plan, run, (own) => runTopK(plan, own));
  const isNamed = plan.request.kind === 'key' || (plan.mark !== undefined && run.pins?.has(plan.mark));
  return plan.rule === null || isNamed
    ? runScan(plan, run)
    : overShown(plan, run, (own) => runScan(plan, own));
}

function* noRows(): Steps {}

/** How many rows of a batch count: those of a masked scan that pass. */
function countOf(plan: PhysicalPlan): (batch: Batch) => number {
  if (plan.kind !== 'scan' || !isMasked(plan)) return ({ length }) => length;
  return ({ length, columns }) => {
    const mask = columns[plan.output.length] as BoolVector | undefined;
    return mask?.values.reduce((sum, passes) => sum + passes, 0) ?? length;
  };
}

const isMasked = ({ request }: Scan): boolean => request.kind === 'rows' && request.masked;

/** Rows after whose last one something is checked. */
class CheckedRows implements PlanRows {
  readonly #rows: PlanRows;
  readonly #check: () => Promise<void>;

  constructor(rows: PlanRows, check: () => Promise<void>) {
    this.#rows = rows;
    this.#check = check;
  }

  next(): Batch | null | Promise<Batch | null> {
    const batch = this.#rows.next();
    return batch instanceof Promise ? batch.then((made) => this.#given(made)) : this.#given(batch);
  }

  #given(batch: Batch | null): Batch | null | Promise<Batch | null> {
    return batch ?? this.#check().then(() => null);
  }

  close(): void | Promise<void> {
    return this.#rows.close();
  }
}

/** Rows whose number and time EXPLAIN ANALYZE tells. */
class MeasuredRows implements PlanRows {
  readonly #rows: PlanRows;
  readonly #statistics: NodeStatistics;
  readonly #now: () => number;
  readonly #count: (batch: Batch) => number;
  #asked = false;
  #started = false;

  constructor(
    rows: PlanRows,
    statistics: NodeStatistics,
    { now, count }: { readonly now: () => number; readonly count: (batch: Batch) => number },
  ) {
    this.#rows = rows;
    this.#statistics = statistics;
    this.#now = now;
    this.#count = count;
  }

  next(): Batch | null | Promise<Batch | null> {
    if (!this.#asked) this.#statistics.loops++;
    this.#asked = true;
    const before = this.#now();
    const batch = this.#rows.next();
    return batch instanceof Promise
      ? batch.then((made) => this.#measure(made, before))
      : this.#measure(batch, before);
  }

  #measure(batch: Batch | null, before: number): Batch | null {
    const spent = this.#now() - before;
    this.#statistics.totalMs += spent;
    if (!this.#started) this.#statistics.startMs += spent;
    if (batch === null) return null;
    this.#started ||= batch.length > 0;
    this.#statistics.rows += this.#count(batch);
    return batch;
  }

  close(): void | Promise<void> {
    return this.#rows.close();
  }
}
