/**
 * Calls of functions that wait: made before the expression that they are part of is computed, row by row and one
 * after the other (`pg_sleep`, `pg_advisory_lock`), or for all rows of a batch together (`rerank`, `embed`).
 */
import type { ScalarFunction } from '../../functions/function.ts';
import { functionById } from '../../functions/registry.ts';
import type { Call } from '../../plan/expression.ts';
import type { Datum } from '../../types/datum.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import { type Batch, type Vector, vectorOf } from '../../types/column/vector.ts';
import { evaluateAll } from './evaluate.ts';
import { kindOf } from './compiled.ts';
import type { Run } from '../state.ts';

export async function callLater(call: Call, batch: Batch, run: Run): Promise<Vector> {
  const { evaluateLater, evaluateAllLater, strict } = functionById(call.function) as ScalarFunction;
  const args = await evaluateAll(call.args, batch, run);
  const values = new Array<Datum>(batch.length).fill(null);
  const rows = Array.from({ length: batch.length }, (_, row) => args.map((arg) => arg.get(row)));
  const called = [...rows.keys()].filter((row) => strict === false || !rows[row]?.includes(null));
  if (evaluateAllLater !== undefined && called.length > 0) {
    const given = await evaluateAllLater(
      run.context.functions,
      called.map((row) => rows[row] as Datum[]),
    );
    for (const [i, row] of called.entries()) values[row] = given[i] ?? null;
    return vectorOf(kindOf(call.type), values);
  }
  for (const row of called) {
    const given = rows[row] as Datum[];
    values[row] = (await evaluateLater?.(run.context.functions, ...given)) ?? null;
  }
  return new ObjectVector(values);
}
