/**
 * Runs a plan: the one switch from plan nodes to operators. An operator is an async generator of batches
 * of up to BATCH_ROWS_MAX rows (a batch may be empty); a command without RETURNING gives batches without
 * columns whose lengths add up to the rows it touched.
 */
import { unreachable } from '../assert.ts';
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
import { isOneBatch, oneBatch } from './one-batch.ts';
import { GeneratedRows, OneBatch, type PlanRows } from './plan-rows.ts';
import { runMerge } from './write/merge.ts';
import { runLockRows } from './rows/lock-rows.ts';
import { runProject } from './rows/project.ts';
import { runScan } from './scan/scan.ts';
import { runSetOperation } from './rows/set-operation.ts';
import { runSort } from './rows/sort.ts';
import type { Run } from './state.ts';
import { runSystemScan } from './scan/system-scan.ts';
import { Turns } from './expression/turns.ts';
import { runUpdate } from './write/update.ts';
import { runConstants } from './rows/constant-rows.ts';
import { runValues } from './rows/values.ts';
import { runWindow } from './window/window.ts';

/** The plan's rows, at once where they can be. @param cache compiled expressions, kept for later runs. */
export function planRows(plan: PhysicalPlan, context: ExecutionContext, cache: ExpressionCache): PlanRows {
  const run = beginRun(context, cache);
  const atOnce = context.statistics === null && isOneBatch(plan, run);
  return atOnce ? new OneBatch(oneBatch(plan, run)) : new GeneratedRows(runChecked(plan, run));
}

/** The plan's rows. Ending the generator early releases what it holds. */
export function runPlan(plan: PhysicalPlan, context: ExecutionContext): AsyncGenerator<Batch> {
  return runChecked(plan, beginRun(context, new ExpressionCache()));
}

function beginRun(context: ExecutionContext, cache: ExpressionCache): Run {
  const { parameters, functions } = context;
  const turns = new Turns(context);
  return {
    context,
    snapshot: context.snapshot,
    frame: { parameters, functions, outer: [], turns },
    turns,
    cache,
    tables: new Map(),
    memo: new Map(),
    execute,
    resolveDeferred,
  };
}

function runChecked(plan: PhysicalPlan, run: Run): AsyncGenerator<Batch> {
  const { context } = run;
  return context.afterWrites === undefined ? execute(plan, run) : checkedAfter(execute(plan, run), context);
}

async function* checkedAfter(rows: AsyncGenerator<Batch>, context: ExecutionContext): AsyncGenerator<Batch> {
  yield* rows;
  await context.afterWrites?.();
}

function execute(plan: PhysicalPlan, run: Run): AsyncGenerator<Batch> {
  const { statistics } = run.context;
  const rows = dispatch(plan, run);
  return statistics === null
    ? rows
    : measure(rows, nodeStatistics(plan, statistics), { run, count: countOf(plan) });
}

function dispatch(plan: PhysicalPlan, run: Run): AsyncGenerator<Batch> {
  switch (plan.kind) {
    case 'values':
      return runValues(plan, run);
    case 'constants':
      return runConstants(plan, run);
    case 'scan':
      return isRanked(plan, run) ? runTopK(plan, run) : runScan(plan, run);
    case 'stream':
      return run.context.stream ?? noRows();
    case 'system':
      return runSystemScan(plan, run);
    case 'function':
      return runFunctionScan(plan, run);
    case 'filter':
      return runFilter(plan, run);
    case 'project':
      return runProject(plan, run);
    case 'join':
      return runJoin(plan, run);
    case 'aggregate':
      return runAggregate(plan, run);
    case 'window':
      return runWindow(plan, run);
    case 'fusion':
      return runFusion(plan, run);
    case 'sort':
      return runSort(plan, run);
    case 'limit':
      return runLimit(plan, run);
    case 'distinct':
      return runDistinct(plan, run);
    case 'set':
      return runSetOperation(plan, run);
    case 'lock rows':
      return runLockRows(plan, run);
    case 'with':
      return runCommonTable(plan, run);
    case 'cte':
      return runCommonTableScan(plan, run);
    case 'insert':
      return runInsert(plan, run);
    case 'update':
      return runUpdate(plan, run);
    case 'delete':
      return runDelete(plan, run);
    case 'merge':
      return runMerge(plan, run);
    default:
      return unreachable(plan);
  }
}

async function* noRows(): AsyncGenerator<Batch> {}

/** How many rows of a batch count: those of a masked scan that pass. */
function countOf(plan: PhysicalPlan): (batch: Batch) => number {
  if (plan.kind !== 'scan' || !isMasked(plan)) return ({ length }) => length;
  return ({ length, columns }) => {
    const mask = columns[plan.output.length] as BoolVector | undefined;
    return mask?.values.reduce((sum, passes) => sum + passes, 0) ?? length;
  };
}

const isMasked = ({ request }: Scan): boolean => request.kind === 'rows' && request.masked;

async function* measure(
  rows: AsyncGenerator<Batch>,
  statistics: NodeStatistics,
  { run, count }: { readonly run: Run; readonly count: (batch: Batch) => number },
): AsyncGenerator<Batch> {
  const { now } = run.context;
  statistics.loops++;
  let started = false;
  try {
    while (true) {
      const before = now();
      const next = await rows.next();
      const spent = now() - before;
      statistics.totalMs += spent;
      if (!started) statistics.startMs += spent;
      if (next.done) return;
      started ||= next.value.length > 0;
      statistics.rows += count(next.value);
      yield next.value;
    }
  } finally {
    await rows.return(undefined);
  }
}
