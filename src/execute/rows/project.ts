/**
 * The select list. With set-returning calls every input row gives as many rows as its longest set; shorter
 * sets are filled up with NULLs, as PostgreSQL has done since version 10.
 */
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { Project } from '../../physical/physical.ts';
import { type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { type Batch, type Vector, vectorOf } from '../../types/column/vector.ts';
import { evaluate, evaluateAll } from '../expression/evaluate.ts';
import { kindOf } from '../expression/compiled.ts';
import { argumentVectors, callSetFunction } from '../expression/set-functions.ts';
import { type PlanRows, SteppedRows, type Steps } from '../plan-rows.ts';
import { eachBatch, mapBatches, type Run, turn } from '../state.ts';

export function runProject(plan: Project, run: Run): PlanRows {
  const { input, expressions, sets } = plan;
  if (sets.length > 0) {
    return new SteppedRows(eachBatch(input, run, (batch) => expandSets(plan, batch, run)));
  }
  return mapBatches(input, run, (batch) => {
    const { length } = batch;
    const made = evaluateAll(expressions, batch, run);
    if (made instanceof Promise) return made.then((later) => ({ length, columns: later }));
    return { length, columns: made };
  });
}

function* expandSets(plan: Project, batch: Batch, run: Run): Steps {
  const args: (readonly Vector[])[] = [];
  for (const set of plan.sets) args.push(yield* argumentVectors(set.args, batch, run));
  const plain = yield* plainColumns(plan, batch, run);
  let sources: number[] = [];
  let values: Datum[][] = plan.sets.map(() => []);
  const flush = (): Batch => {
    const expanded = assemble(plan, plain, { sources, values });
    sources = [];
    values = plan.sets.map(() => []);
    return expanded;
  };
  for (let row = 0; row < batch.length; row++) {
    const open = [];
    for (const [i, set] of plan.sets.entries()) {
      open.push(yield* callSetFunction(set.function, args[i] ?? [], row, run));
    }
    while (true) {
      const next = yield* wait(nextOf(open));
      if (next.every((result) => result.done === true)) break;
      sources.push(row);
      for (const [i, result] of next.entries())
        values[i]?.push(result.done ? null : setValue(result.value, plan.sets[i]?.fields ?? null));
      if (sources.length < BATCH_ROWS_MAX) continue;
      yield* turn(run);
      yield flush();
    }
  }
  if (sources.length > 0) yield flush();
}

type Step = IteratorResult<readonly Datum[]>;

/** The next row of each; waits only where one has to be waited for. */
function nextOf(
  open: readonly { next(): Step | Promise<Step> }[],
): readonly Step[] | Promise<readonly Step[]> {
  const next = open.map((iterator) => iterator.next());
  return next.some((step) => step instanceof Promise) ? Promise.all(next) : (next as readonly Step[]);
}

/** Several columns come as one record. */
function setValue(values: readonly Datum[], fields: Project['sets'][number]['fields']): Datum {
  if (fields === null) return values[0] ?? null;
  const types = fields.map(({ type }) => type.oid);
  return { datum: 'record', types, names: fields.map(({ name }) => name), fields: values };
}

/** Columns that are not sets; null in the place of those that are. */
function* plainColumns(plan: Project, batch: Batch, run: Run): Task<(Vector | null)[]> {
  const columns: (Vector | null)[] = [];
  for (const [position, expression] of plan.expressions.entries()) {
    const isSet = plan.sets.some((set) => set.position === position);
    columns.push(isSet ? null : yield* wait(evaluate(expression, batch, run)));
  }
  return columns;
}

function assemble(
  plan: Project,
  plain: readonly (Vector | null)[],
  { sources, values }: { sources: readonly number[]; values: readonly Datum[][] },
): Batch {
  const columns = plan.output.map((column, position) => {
    const set = plan.sets.findIndex((entry) => entry.position === position);
    if (set >= 0) return vectorOf(kindOf(column.type), values[set] ?? []);
    return (plain[position] as Vector).take(sources);
  });
  return { length: sources.length, columns };
}
