/** Rows that the catalog generates: pg_catalog, information_schema, quern's own views. */
import { present } from '../../assert.ts';
import { systemRelationByOid } from '../../catalog/system/registry.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { SystemScan } from '../../plan/plan.ts';
import { BatchBuilder } from '../batches.ts';
import type { Steps } from '../plan-rows.ts';
import { type Run, turn } from '../state.ts';

export function* runSystemScan(plan: SystemScan, run: Run): Steps {
  const relation = present(systemRelationByOid(plan.relation), `system relation ${plan.relation}`);
  run.snapshot.rememberCatalog();
  const builder = new BatchBuilder(plan.output);
  for (const row of relation.rows(run.context.system)) {
    builder.add(row);
    if (builder.length < BATCH_ROWS_MAX) continue;
    yield* turn(run);
    yield builder.take();
  }
  if (builder.length > 0) yield builder.take();
}
