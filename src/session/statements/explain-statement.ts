/** EXPLAIN: plans the statement inside and shows the plan; with ANALYZE it runs it too. */
import { withEnumNames } from '../../catalog/enums.ts';
import { assert } from '../../assert.ts';
import { notSupported } from '../../errors.ts';
import type { NodeStatistics } from '../../plan/explain/node-statistics.ts';
import { explainPlan, explainPlanAsJson } from '../../plan/explain/explain.ts';
import type { OutputColumn, Plan } from '../../plan/plan.ts';
import type { ExplainStatement } from '../../sql/ast.ts';
import { OID } from '../../types/oids.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { runTask } from '../../task.ts';
import { datasetPending } from '../datasets/pending.ts';
import { lockedPlan } from '../running/locked-plan.ts';
import { pendingOf } from '../running/pending.ts';
import type { Planned } from '../running/planner.ts';
import type { Runner } from '../running/runner.ts';
import { preparedExecution } from './prepare-statements.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import { ExplainedSearches, runToEnd } from './explained-searches.ts';
import type { StatementCall } from './statement-call.ts';

export function explainColumns(statement: ExplainStatement): readonly OutputColumn[] {
  return [column('QUERY PLAN', statement.format === 'json' ? OID.json : OID.text)];
}

/** Plans the statement inside; with ANALYZE runs it to its end and drops its rows. */
export async function explain({
  runner,
  parsed,
  statement,
  request,
}: StatementCall<'explain'>): Promise<Running> {
  if (statement.format === 'xml' || statement.format === 'yaml') {
    throw notSupported(`EXPLAIN (FORMAT ${statement.format.toUpperCase()})`);
  }
  if (statement.statement.kind === 'execute') return explainExecute(statement, { runner, request });
  const inner = { ...parsed, statement: statement.statement };
  return explainPlanned(statement, inner, { runner, request });
}

/** The plan of a prepared statement with its arguments in place. */
async function explainExecute(
  statement: ExplainStatement,
  { runner, request }: Explaining,
): Promise<Running> {
  const { statement: execution } = statement;
  assert(execution.kind === 'execute', 'the statement inside is EXECUTE');
  const { prepared, parameters } = await preparedExecution(runner, execution, request.signal);
  const { parsed } = prepared;
  if (parsed === null) return new FixedResult('EXPLAIN', explainColumns(statement));
  return explainPlanned(statement, parsed, { runner, request: { ...request, parameters, prepared } });
}

type Explaining = Pick<StatementCall<'explain'>, 'runner' | 'request'>;

async function explainPlanned(
  statement: ExplainStatement,
  inner: ParsedStatement,
  { runner, request }: Explaining,
): Promise<Running> {
  const now = (): number => runner.environment.nowMs();
  const began = now();
  const { parameters, prepared } = request;
  const planned = statement.analyze
    ? await runTask(lockedPlan(runner, inner, request))
    : runner.plan(inner, prepared?.types ?? [], { parameters });
  const columns = explainColumns(statement);
  const { plan } = planned;
  if (plan === null) {
    return new FixedResult('EXPLAIN', columns, [[`Utility statement: ${planned.bound.kind}`]]);
  }
  const started = now();
  const statistics = statement.analyze ? new Map<Plan, NodeStatistics>() : null;
  const searches = new ExplainedSearches(runner, statistics);
  if (statistics === null) await searches.describe(planned, request);
  else await searches.during(async () => runToEnd(await runner.runPlanned(planned, request, statistics)));
  const executionMs = now() - started;
  const timing = !isOff(statement.options.timing);
  const catalog = runner.catalog();
  const estimate = isOff(statement.options.costs) ? null : runner.planner.estimates(catalog);
  const place = { catalog, searchPath: runner.searchPath() };
  const isSummed = statistics !== null && !isOff(statement.options.summary);
  const times = isSummed ? { planningMs: started - began, executionMs } : null;
  const shown = { catalog, verbose: statement.verbose, statistics, timing, estimate, times };
  const pending = await pendingNow(runner, planned, request.signal);
  const options = { ...shown, pending, inner: searches.under(plan) };
  if (statement.format === 'json') {
    const text = JSON.stringify(
      withEnumNames(place, () => explainPlanAsJson(plan, options)),
      null,
      2,
    );
    return new FixedResult('EXPLAIN', columns, [[text]]);
  }
  const lines = withEnumNames(place, () => explainPlan(plan, options));
  return new FixedResult(
    'EXPLAIN',
    columns,
    lines.map((line) => [line]),
  );
}

/** For `search()`, whose datasets are known when it runs: those of all datasets. */
async function pendingNow(
  runner: Runner,
  { searched }: Planned,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const names = runner.catalog().namespaces.filter(({ dataset }) => dataset !== undefined);
  const asked = searched.datasets ? names.map(({ name }) => name) : [];
  const relations = (await pendingOf(runner, searched, signal)) ?? [];
  return [...new Set([...relations, ...(await datasetPending(runner, asked, signal))])];
}

function isOff(option: string | undefined): boolean {
  return option !== undefined && /^(off|false|no|0)$/i.test(option);
}
