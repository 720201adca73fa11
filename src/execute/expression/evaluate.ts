/**
 * Evaluating expressions within a run: subqueries and calls that wait first, then the compiled function
 * over the batch with one extra column for each of them.
 */
import { SqlError } from '../../errors.ts';
import { functionById } from '../../functions/registry.ts';
import type { Expression } from '../../plan/expression.ts';
import { visitExpression } from '../../plan/walk.ts';
import { runTask, type Task, wait } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { type Batch, concatVectors, type Vector } from '../../types/column/vector.ts';
import { HeldRows } from '../held-rows.ts';
import { kindOf, ONE_ROW, type Selector } from './compiled.ts';
import { trueRows } from './logic.ts';
import { markedRows } from './selection.ts';
import type { Run } from '../state.ts';
import { TooWide } from './turns.ts';

/** The expression's values for every row of the batch. */
export function evaluate(expression: Expression, batch: Batch, run: Run): Vector | Promise<Vector> {
  if (expression.kind === 'column') return batch.columns[expression.index] as Vector;
  const { deferred } = run.cache.get(expression);
  if (deferred.length === 0) return compute(expression, batch, run);
  const withExtra = (extra: readonly Vector[]): Vector | Promise<Vector> =>
    compute(expression, { length: batch.length, columns: [...batch.columns, ...extra] }, run);
  const extra = runTask(run.resolveDeferred(deferred, batch, run));
  return extra instanceof Promise ? extra.then(withExtra) : withExtra(extra);
}

/** @param batch with what was deferred. */
function compute(expression: Expression, batch: Batch, run: Run): Vector | Promise<Vector> {
  if (batch.length > run.turns.rowsAtOnce(expression)) return computeInPieces(expression, batch, run);
  return orWhenTooWide<Vector>(
    () => computeAtOnce(expression, batch, run),
    () => computeInPieces(expression, batch, run),
  );
}

function computeAtOnce(expression: Expression, batch: Batch, run: Run): Vector | Promise<Vector> {
  const compiled = run.cache.get(expression);
  return run.turns.evaluate(() => compiled.evaluate(batch, run.frame), batch.length > 1);
}

/** Computes in pieces, as values within the expression may be large where its results are not. */
async function computeInPieces(expression: Expression, batch: Batch, run: Run): Promise<Vector> {
  const { turns, context } = run;
  using held = new HeldRows(context.account);
  const pieces: Vector[] = [];
  let count = Math.min(turns.rowsAtOnce(expression), Math.ceil(batch.length / 2));
  for (let start = 0; start < batch.length; ) {
    const rows = sliceBatch(batch, start, start + count);
    const piece = await orWhenTooWide<Vector | null>(
      () => computeAtOnce(expression, rows, run),
      () => null,
    );
    if (piece === null) {
      count = Math.floor(rows.length / 2);
      continue;
    }
    held.add({ length: rows.length, columns: [piece] });
    pieces.push(piece);
    start += rows.length;
  }
  // The next rows may be smaller.
  turns.setRowsAtOnce(expression, 2 * count);
  return concatVectors(kindOf(expression.type), pieces);
}

function orWhenTooWide<T>(attempt: () => T | Promise<T>, otherwise: () => T | Promise<T>): T | Promise<T> {
  const narrower = (error: unknown): T | Promise<T> => {
    if (error instanceof TooWide) return otherwise();
    throw error;
  };
  try {
    const given = attempt();
    return given instanceof Promise ? given.catch(narrower) : given;
  } catch (error) {
    return narrower(error);
  }
}

export function evaluateAll(
  expressions: readonly Expression[],
  batch: Batch,
  run: Run,
): Vector[] | Promise<Vector[]> {
  return runTask(allVectors(expressions, batch, run));
}

function* allVectors(expressions: readonly Expression[], batch: Batch, run: Run): Task<Vector[]> {
  const vectors: Vector[] = [];
  try {
    for (const expression of expressions) {
      const vector = evaluate(expression, batch, run);
      vectors.push(vector instanceof Promise ? yield* wait(vector) : vector);
    }
  } catch (error) {
    if (isDataException(error)) yield* raiseFirst(expressions, batch, run);
    throw error;
  }
  return vectors;
}

const DATA_EXCEPTION = '22';
/** Rows that are looked at one by one. */
const ROWS_RAISING_MAX = 1_000;

/** Immutable calls of constants that are left after planning, as they fail. */
function failedConstants(expression: Expression): readonly Expression[] {
  const found: Expression[] = [];
  visitExpression(expression, (part) => {
    if (part.kind !== 'call' || part.args.some(({ kind }) => kind !== 'literal')) return;
    if ((functionById(part.function).volatility ?? 'immutable') === 'immutable') found.push(part);
  });
  return found;
}

const isDataException = (error: unknown): boolean =>
  error instanceof SqlError && error.sqlstate.startsWith(DATA_EXCEPTION);

/**
 * Raises the one of several errors that PostgreSQL meets first: those of constants when it plans, then those of the
 * first row. @throws SqlError
 */
function* raiseFirst(expressions: readonly Expression[], batch: Batch, run: Run): Task<void> {
  for (const expression of expressions) {
    for (const constant of failedConstants(expression)) yield* wait(evaluate(constant, ONE_ROW, run));
  }
  const count = batch.length > 1 ? Math.min(batch.length, ROWS_RAISING_MAX) : 0;
  for (let row = 0; row < count; row++) {
    const one = sliceBatch(batch, row, row + 1);
    for (const expression of expressions) yield* wait(evaluate(expression, one, run));
  }
}

/** The value of an expression that reads no columns. */
export function evaluateConstant(expression: Expression, run: Run): Datum | Promise<Datum> {
  if (expression.kind === 'literal') return expression.value;
  if (expression.kind === 'parameter') return run.frame.parameters[expression.index] ?? null;
  const { value } = run.cache.get(expression);
  if (value !== null) return value(run.frame);
  const vector = evaluate(expression, ONE_ROW, run);
  return vector instanceof Promise ? vector.then((value) => value.get(0)) : vector.get(0);
}

/** Positions of the rows for which the condition is TRUE. */
export function rowsWhere(condition: Expression, batch: Batch, run: Run): Uint32Array | Promise<Uint32Array> {
  const { select } = run.cache.get(condition);
  if (select === null) return rowsOfTruth(condition, batch, run);
  const mask = new Uint8Array(batch.length).fill(1);
  const rowsOf = (selected: boolean): Uint32Array | Promise<Uint32Array> =>
    selected ? markedRows(mask) : rowsOfTruth(condition, batch, run);
  const selected = selectRows(select, batch, { mask, run });
  return selected instanceof Promise ? selected.then(rowsOf) : rowsOf(selected);
}

/** True when the condition is TRUE for the one row of the batch. */
export function isTrueOf(condition: Expression, row: Batch, run: Run): boolean | Promise<boolean> {
  const { select } = run.cache.get(condition);
  const mask = Uint8Array.of(1);
  const selected = select !== null && selectRows(select, row, { mask, run });
  if (selected === true) return mask[0] === 1;
  if (selected instanceof Promise)
    return selected.then((is) => (is ? mask[0] === 1 : isTrue(condition, row, run)));
  return isTrue(condition, row, run);
}

function isTrue(condition: Expression, row: Batch, run: Run): boolean | Promise<boolean> {
  const truth = evaluate(condition, row, run);
  return truth instanceof Promise ? truth.then((value) => value.get(0) === true) : truth.get(0) === true;
}

/** Clears the mask where the condition is not TRUE; false where its values have to be looked at. */
export function selectRows(
  select: Selector,
  batch: Batch,
  { mask, run }: { readonly mask: Uint8Array; readonly run: Run },
): boolean | Promise<boolean> {
  return orWhenTooWide<boolean>(
    () => run.turns.evaluate(() => select(batch, run.frame, mask), true),
    () => false,
  );
}

function rowsOfTruth(condition: Expression, batch: Batch, run: Run): Uint32Array | Promise<Uint32Array> {
  const truth = evaluate(condition, batch, run);
  return truth instanceof Promise ? truth.then(trueRows) : trueRows(truth);
}

/** The batch without the rows for which the condition is not TRUE; the same batch when all stay. */
export function filterBatch(condition: Expression, batch: Batch, run: Run): Batch | Promise<Batch> {
  const rows = rowsWhere(condition, batch, run);
  return rows instanceof Promise ? rows.then((kept) => takeBatch(batch, kept)) : takeBatch(batch, rows);
}

/** @param rows ascending positions. */
export function takeBatch(batch: Batch, rows: Uint32Array): Batch {
  if (rows.length === batch.length) return batch;
  return { length: rows.length, columns: batch.columns.map((column) => column.take(rows)) };
}

export function sliceBatch(batch: Batch, start: number, end: number): Batch {
  if (start === 0 && end >= batch.length) return batch;
  const stop = Math.min(end, batch.length);
  return { length: stop - start, columns: batch.columns.map((column) => column.slice(start, stop)) };
}
