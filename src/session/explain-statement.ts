/** EXPLAIN: plans the statement inside and shows the plan; with ANALYZE it runs it too. */
import { notSupported } from '../errors.ts';
import type { NodeStatistics } from '../plan/node-statistics.ts';
import { explainPlan, explainPlanAsJson } from '../plan/explain.ts';
import type { OutputColumn, Plan } from '../plan/plan.ts';
import type { ExplainStatement } from '../sql/ast.ts';
import { OID } from '../types/oids.ts';
import { column, FixedResult, type Running } from './running.ts';
import type { StatementCall } from './session-statements.ts';

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
  const inner = { ...parsed, statement: statement.statement };
  const planned = runner.plan(inner, request.prepared?.types ?? []);
  const columns = explainColumns(statement);
  if (planned.plan === null) {
    return new FixedResult('EXPLAIN', columns, [[`Utility statement: ${planned.bound.kind}`]]);
  }
  const started = runner.environment.nowMs();
  const statistics = statement.analyze ? new Map<Plan, NodeStatistics>() : null;
  if (statistics !== null) await runToEnd(await runner.runPlanned(planned, request, statistics));
  const options = {
    catalog: runner.catalog(),
    verbose: statement.verbose,
    statistics,
    executionMs: statistics === null ? null : runner.environment.nowMs() - started,
  };
  if (statement.format === 'json') {
    return new FixedResult('EXPLAIN', columns, [
      [JSON.stringify(explainPlanAsJson(planned.plan, options), null, 2)],
    ]);
  }
  return new FixedResult(
    'EXPLAIN',
    columns,
    explainPlan(planned.plan, options).map((line) => [line]),
  );
}

async function runToEnd(running: Running): Promise<void> {
  try {
    while ((await running.next(0)) !== null);
  } finally {
    await running.close();
  }
}
