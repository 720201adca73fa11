/** EXPLAIN: plans the statement inside and shows the plan; with ANALYZE it runs it too. */
import { withEnumNames } from '../../catalog/enums.ts';
import type { Relation } from '../../catalog/model.ts';
import { hidesRows } from '../../catalog/policies.ts';
import { isPrivate } from '../../catalog/private-relations.ts';
import { assert } from '../../assert.ts';
import { notSupported } from '../../errors.ts';
import type { NodeStatistics } from '../../physical/explain/node-statistics.ts';
import { explainPlan, explainPlanAsJson } from '../../physical/explain/explain.ts';
import type { OutputColumn, Plan } from '../../plan/plan.ts';
import type { ExplainStatement } from '../../sql/ast.ts';
import { OID } from '../../types/oids.ts';
import type { ParsedStatement } from '../../sql/parse/parse.ts';
import { datasetPending } from '../datasets/pending.ts';
import { checkBound } from '../rights/check.ts';
import { findFields } from '../rights/find-fields.ts';
import { mayReadDataset } from '../rights/of-session.ts';
import { refuseBeyondKey, rowLimits } from '../scope/key-limits.ts';
import { lockedPlan } from '../running/locked-plan.ts';
import { pendingOf } from '../running/pending.ts';
import type { Planned } from '../running/planner.ts';
import type { Statement } from '../running/statement.ts';
import { preparedExecution } from './prepare-statements.ts';
import { column, FixedResult, type Running } from '../running/running.ts';
import { ExplainedSearches, runToEnd } from './explained-searches.ts';
import type { StatementCall } from './statement-call.ts';

export function explainColumns(tree: ExplainStatement): readonly OutputColumn[] {
  return [column('QUERY PLAN', tree.format === 'json' ? OID.json : OID.text)];
}

/** Plans the statement inside; with ANALYZE runs it to its end and drops its rows. */
export async function explain({ statement, parsed, tree }: StatementCall<'explain'>): Promise<Running> {
  if (tree.format === 'xml' || tree.format === 'yaml') {
    throw notSupported(`EXPLAIN (FORMAT ${tree.format.toUpperCase()})`);
  }
  if (tree.statement.kind === 'execute') return explainExecute(statement, tree);
  return explainPlanned(statement, tree, { ...parsed, statement: tree.statement });
}

/** The plan of a prepared statement with its arguments in place. */
async function explainExecute(statement: Statement, tree: ExplainStatement): Promise<Running> {
  const { statement: execution } = tree;
  assert(execution.kind === 'execute', 'the statement inside is EXECUTE');
  const { prepared, parameters } = await preparedExecution(statement, execution);
  const { parsed } = prepared;
  if (parsed === null) return new FixedResult('EXPLAIN', explainColumns(tree));
  return explainPlanned(statement.with({ parameters, prepared }), tree, parsed);
}

async function explainPlanned(
  statement: Statement,
  tree: ExplainStatement,
  inner: ParsedStatement,
): Promise<Running> {
  const { session, parameters, prepared } = statement;
  const now = (): number => session.environment.nowMs();
  const began = now();
  const planned = tree.analyze
    ? await lockedPlan(statement, inner)
    : await session.fields.planned(findFields(statement), () =>
        session.plan(inner, prepared?.types ?? [], { parameters }),
      );
  checkBound(session.catalog(), session.identity.current, planned.bound);
  refuseBeyondKey(session, planned, false);
  const columns = explainColumns(tree);
  const { plan } = planned;
  if (plan === null) {
    return new FixedResult('EXPLAIN', columns, [[`Utility statement: ${planned.bound.kind}`]]);
  }
  const started = now();
  const statistics = tree.analyze ? new Map<Plan, NodeStatistics>() : null;
  const searches = new ExplainedSearches(statement, statistics);
  if (statistics === null) await searches.describe(planned);
  else await runToEnd(await searches.statement.run(planned, { statistics }));
  const executionMs = now() - started;
  const timing = !isOff(tree.options.timing);
  const catalog = session.catalog();
  const limits = rowLimits(session);
  const hides = (relation: Relation): boolean =>
    (limits !== null && (limits.partitions !== null || isPrivate(catalog, relation))) ||
    hidesRows(catalog, relation, session.identity.current);
  const estimate = isOff(tree.options.costs) ? null : session.planner.estimates(catalog, hides);
  const place = { catalog, searchPath: session.searchPath() };
  const isSummed = statistics !== null && !isOff(tree.options.summary);
  const times = isSummed ? { planningMs: started - began, executionMs } : null;
  const shown = { catalog, verbose: tree.verbose, statistics, timing, estimate, times };
  const pending = await pendingNow(statement, planned);
  const options = { ...shown, pending, inner: searches.under(plan) };
  if (tree.format === 'json') {
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
async function pendingNow(statement: Statement, { searched }: Planned): Promise<readonly string[]> {
  const { session } = statement;
  const names = session
    .catalog()
    .namespaces.filter(({ name, dataset }) => dataset !== undefined && mayReadDataset(session, name));
  const asked = searched.datasets ? names.map(({ name }) => name) : [];
  const relations = (await pendingOf(statement, searched)) ?? [];
  return [...new Set([...relations, ...(await datasetPending(statement, asked))])];
}

function isOff(option: string | undefined): boolean {
  return option !== undefined && /^(off|false|no|0)$/i.test(option);
}
