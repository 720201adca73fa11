/** Rows that the catalog generates: pg_catalog, information_schema, quern's own views. */
import { present } from '../../assert.ts';
import { systemRelationByOid } from '../../catalog/system/registry.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { SystemScan } from '../../plan/plan.ts';
import type { Batch } from '../../types/column/vector.ts';
import { BatchBuilder } from '../batches.ts';
import { checkpoint, type Run } from '../state.ts';

export async function* runSystemScan(plan: SystemScan, run: Run): AsyncGenerator<Batch> {
  const relation = present(systemRelationByOid(plan.relation), `system relation ${plan.relation}`);
  run.snapshot.rememberCatalog();
  const builder = new BatchBuilder(plan.output);
  for (const row of relation.rows(run.context.system)) {
    builder.add(row);
    if (builder.length < BATCH_ROWS_MAX) continue;
    const pause = checkpoint(run);
    if (pause !== null) await pause;
    yield builder.take();
  }
  if (builder.length > 0) yield builder.take();
}
