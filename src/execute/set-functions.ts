/** Calling set-returning functions: in FROM (`function-scan.ts`) and in a select list (`project.ts`). */
import { setFunctionById } from '../functions/registry.ts';
import type { Expression } from '../plan/expression.ts';
import type { Datum } from '../types/datum.ts';
import type { Batch, Vector } from '../types/vector.ts';
import { evaluateAll } from './evaluate.ts';
import type { Run } from './state.ts';

/** The function's arguments for every row of a batch. */
export async function argumentVectors(
  args: readonly Expression[],
  batch: Batch,
  run: Run,
): Promise<readonly Vector[]> {
  return evaluateAll(args, batch, run);
}

/** The rows for one row of arguments; none when the function is strict and an argument is NULL. */
export function callSetFunction(
  id: string,
  args: readonly Vector[],
  row: number,
  run: Run,
): Iterable<readonly Datum[]> {
  const { rows, strict } = setFunctionById(id);
  const values = args.map((arg) => arg.get(row));
  if (strict !== false && values.includes(null)) return [];
  return rows(run.context.functions, ...values);
}
