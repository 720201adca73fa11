/** Calling set-returning functions: in FROM (`scan/function-scan.ts`) and in a select list (`rows/project.ts`). */
import { TakesLong } from '../../functions/text/regexp-guard.ts';
import { setFunctionById } from '../../functions/registry.ts';
import { CALL_INLINE_BYTES_MAX } from '../../limits.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Task, wait } from '../../task.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import type { Batch, Vector } from '../../types/column/vector.ts';
import { weightOf } from '../../types/weight.ts';
import type { Account } from '../account.ts';
import { effortOf } from './callee.ts';
import { evaluateAll } from './evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import type { Run } from '../state.ts';

/** The function's arguments for every row of a batch. */
export function* argumentVectors(
  args: readonly Expression[],
  batch: Batch,
  run: Run,
): Task<readonly Vector[]> {
  return yield* wait(evaluateAll(args, batch, run));
}

type Rows = Iterator<readonly Datum[]>;

/** Each step may have to be waited for. */
interface LaterRows {
  next(): IteratorResult<readonly Datum[]> | Promise<IteratorResult<readonly Datum[]>>;
  /** Ends it early. */
  return?(value?: undefined): unknown;
}

/**
 * The rows for one row of arguments; none when the function is strict and an argument is NULL. With large
 * arguments a helper process makes them all; else they are made as they are asked for.
 */
export function* callSetFunction(
  id: string,
  args: readonly Vector[],
  row: number,
  run: Run,
): Task<LaterRows> {
  const { strict } = setFunctionById(id);
  const values = args.map((arg) => arg.get(row));
  if (strict !== false && values.includes(null)) return [].values();
  const weight = values.reduce((sum: number, value) => sum + weightOf(value), 0);
  const effort = effortOf({ kind: 'set', function: id });
  const isLarge = effort !== null && effort * weight > CALL_INLINE_BYTES_MAX;
  const rows = isLarge ? yield* rowsElsewhere(id, values, run) : null;
  return rows ?? (yield* rowsHere(id, values, run));
}

/** Null where only the session can make them. */
function* rowsElsewhere(id: string, args: readonly Datum[], run: Run): Task<Rows | null> {
  const { helpers, signal, functions, account } = run.context;
  const callee = { kind: 'set', function: id } as const;
  if (helpers.refuses(callee)) return null;
  const result = yield* wait(helpers.call({ callee, args, context: functions, signal, account }));
  if (result === 'refused') return null;
  const { elements } = result.value as ArrayDatum;
  return keptRows(elements as readonly RecordDatum[], account);
}

/** Counted until the last one is given; else the statement's end gives them back. */
function* keptRows(
  records: readonly RecordDatum[],
  account: Account,
): Generator<readonly Datum[], undefined> {
  using held = new HeldRows(account);
  held.addBytes(weightOf({ datum: 'record', types: [], fields: records }));
  for (const { fields } of records) yield fields;
}

/** Rows made here; a call that takes long waits before the first row. */
function* rowsHere(id: string, args: readonly Datum[], run: Run): Task<LaterRows> {
  try {
    const made = setFunctionById(id).rows(run.context.functions, ...args);
    if (Symbol.asyncIterator in made) return made[Symbol.asyncIterator]();
    const rows = made[Symbol.iterator]();
    return startedRows(rows, rows.next());
  } catch (error) {
    const elsewhere = error instanceof TakesLong ? yield* rowsElsewhere(id, args, run) : null;
    if (elsewhere === null) throw error;
    return elsewhere;
  }
}

function* startedRows(
  rows: Rows,
  first: IteratorResult<readonly Datum[]>,
): Generator<readonly Datum[], undefined> {
  for (let step = first; step.done !== true; step = rows.next()) yield step.value;
}
