/** A snapshot for functions that read a relation without a plan: with the rows that its policies show, and no others. */
import { present } from '../../assert.ts';
import { namespaceName } from '../../catalog/lookup.ts';
import type { Relation } from '../../catalog/model.ts';
import type { Snapshot } from '../../engine/engine.ts';
import { snapshotOf } from '../../execute/run.ts';
import type { PhysicalPlan, Scan } from '../../physical/physical.ts';
import { inputsOf } from '../../physical/walk.ts';
import { quoteIdentifier } from '../../types/text/quote.ts';
import { lockedInternal, parsedInternal } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';

/** @returns what the caller releases. @throws SqlError 42501. */
export async function shownSnapshot(
  statement: Statement,
  relation: Relation,
  partition: string | null,
): Promise<Snapshot> {
  const name = partition === null ? relation.name : `${relation.name}$${partition}`;
  const schema = namespaceName(statement.session.catalog(), relation.namespace) ?? '';
  const text = `SELECT FROM ${quoteIdentifier(schema)}.${quoteIdentifier(name)}`;
  const parsed = await parsedInternal(statement, text);
  const planned = await lockedInternal(statement, parsed, { types: [], parameters: [] });
  statement.sources.add(planned);
  const context = statement.context();
  try {
    return await snapshotOf(scanIn(present(planned.plan, 'a plan')), context, planned.expressions);
  } finally {
    context.snapshot[Symbol.dispose]();
    context.account[Symbol.dispose]();
  }
}

function scanIn(plan: PhysicalPlan): Scan {
  if (plan.kind === 'scan') return plan;
  return scanIn(present(inputsOf(plan)[0], 'a scan'));
}
