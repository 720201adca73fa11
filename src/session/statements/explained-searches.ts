/**
 * Plans under `search()` in EXPLAIN: those by which it finds documents and passages. ANALYZE measures them as they
 * run; without it the function is called where its arguments are known, and its statements are planned and not run.
 */
import { setFunctionById } from '../../functions/registry.ts';
import type { NodeStatistics } from '../../physical/explain/node-statistics.ts';
import type { Expression } from '../../plan/expression.ts';
import type { FunctionScan, PhysicalPlan } from '../../physical/physical.ts';
import { inputsOf } from '../../physical/walk.ts';
import type { Plan } from '../../plan/plan.ts';
import { type InnerPlan, InnerPlans } from '../running/inner-plans.ts';
import type { Planned } from '../running/planner.ts';
import type { Statement } from '../running/statement.ts';
import type { Running } from '../running/running.ts';

export class ExplainedSearches {
  /** The statement, whose inner ones tell what they are planned as. */
  readonly statement: Statement;
  readonly #inner: InnerPlans;

  constructor(statement: Statement, statistics: Map<Plan, NodeStatistics> | null) {
    this.#inner = new InnerPlans(statistics);
    this.statement = statement.with({ innerPlans: this.#inner });
  }

  /** @throws SqlError of the calls: an unknown dataset, a filter that is wrong. */
  async describe(planned: Planned): Promise<void> {
    for (const plan of searchesOf(planned.plan)) {
      if (plan.args.every(isKnown)) await runToEnd(await this.statement.run({ ...planned, plan }));
    }
  }

  /** Which plans are shown under a node: all of them under the first search. */
  under(plan: PhysicalPlan): (node: Plan) => readonly InnerPlan[] {
    const [first] = searchesOf(plan);
    return (node) => (node === first ? this.#inner.all() : []);
  }
}

function searchesOf(plan: PhysicalPlan | null): readonly FunctionScan[] {
  if (plan === null) return [];
  const own =
    plan.kind === 'function' && setFunctionById(plan.function).name === 'quern.search' ? [plan] : [];
  return [...own, ...inputsOf(plan).flatMap(searchesOf)];
}

/** Neither of another row nor computed. */
function isKnown(value: Expression): boolean {
  if (value.kind === 'cast') return isKnown(value.input);
  if (value.kind === 'array') return value.elements.every(isKnown);
  return value.kind === 'literal' || value.kind === 'parameter';
}

export async function runToEnd(running: Running): Promise<void> {
  try {
    while ((await running.next(0)) !== null);
  } finally {
    await running.close();
  }
}
