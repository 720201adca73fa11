/**
 * Calls of functions that wait (`pg_sleep`, `pg_advisory_lock`): made row by row, one after the other, before
 * the expression that they are part of is computed.
 */
import type { ScalarFunction } from '../functions/function.ts';
import { functionById } from '../functions/registry.ts';
import type { Call } from '../plan/expression.ts';
import type { Datum } from '../types/datum.ts';
import { ObjectVector } from '../types/object-vector.ts';
import type { Batch, Vector } from '../types/vector.ts';
import { evaluateAll } from './evaluate.ts';
import type { Run } from './state.ts';

export async function callLater(call: Call, batch: Batch, run: Run): Promise<Vector> {
  const { evaluateLater, strict } = functionById(call.function) as ScalarFunction;
  const args = await evaluateAll(call.args, batch, run);
  const values = new Array<Datum>(batch.length).fill(null);
  for (let row = 0; row < batch.length; row++) {
    const given = args.map((arg) => arg.get(row));
    if (strict !== false && given.includes(null)) continue;
    values[row] = (await evaluateLater?.(run.context.functions, ...given)) ?? null;
  }
  return new ObjectVector(values);
}
