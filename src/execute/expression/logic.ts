/**
 * AND, OR, NOT, IS, CASE and COALESCE with SQL's three-valued logic. A later operand is evaluated only on
 * the rows that need it, so `CASE WHEN x <> 0 THEN 1 / x END` never divides by zero.
 */
import { functionById } from '../../functions/registry.ts';
import type { Case, Coalesce, Expression, Logical, Not, NullTest } from '../../plan/expression.ts';
import { expressionChildren } from '../../plan/walk.ts';
import type { RecordDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import {
  type Batch,
  BoolVector,
  concatVectors,
  constantVector,
  type Vector,
  type VectorKind,
  vectorOf,
} from '../../types/column/vector.ts';
import { columnsOf } from '../../plan/columns-read.ts';
import { takeRows } from './take-rows.ts';
import { type Compiler, type Evaluator, type Frame, kindOf } from './compiled.ts';

/** One operand that may be evaluated on some of the rows. */
interface Operand {
  readonly evaluate: Evaluator;
  readonly columns: ReadonlySet<number>;
  /** It cannot fail and is cheap: evaluating it on every row costs less than picking rows. */
  readonly harmless: boolean;
  readonly deferred: number;
}

const COMPARISONS = new Set(['=', '<>', '<', '<=', '>', '>=']);

function isHarmless(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
    case 'parameter':
    case 'column':
    case 'outer':
      return true;
    case 'and':
    case 'or':
    case 'not':
    case 'is':
      return expressionChildren(expression).every(isHarmless);
    case 'call': {
      const callable = functionById(expression.function);
      if (callable.kernel === undefined || !COMPARISONS.has(callable.name)) return false;
      return expression.args.every(isHarmless);
    }
    default:
      return false;
  }
}

const operandOf = (expression: Expression, compiler: Compiler): Operand => ({
  evaluate: compiler.compile(expression),
  columns: columnsOf(expression),
  harmless: isHarmless(expression),
  deferred: compiler.deferred.length,
});

const evaluateOn = (operand: Operand, batch: Batch, rows: Uint32Array, frame: Frame): Vector =>
  rows.length === batch.length
    ? operand.evaluate(batch, frame)
    : operand.evaluate(takeRows(batch, rows, operand.columns, operand.deferred), frame);

export function compileLogical(expression: Logical, compiler: Compiler): Evaluator {
  const operands = expression.args.map((arg) => operandOf(arg, compiler));
  const deciding = expression.kind === 'or' ? 1 : 0;
  return (batch, frame) => {
    let result = (operands[0] as Operand).evaluate(batch, frame) as BoolVector;
    for (const operand of operands.slice(1)) {
      result = operand.harmless
        ? combineAll(result, operand.evaluate(batch, frame) as BoolVector, deciding)
        : combineOpen(result, operand, { batch, frame, deciding });
    }
    return result;
  };
}

/** Row by row: the deciding value wins, then NULL, then the other one. */
function combineAll(left: BoolVector, right: BoolVector, deciding: number): BoolVector {
  const length = left.length;
  const values = new Uint8Array(length);
  if (left.nulls === null && right.nulls === null) {
    const a = left.values;
    const b = right.values;
    if (deciding === 1) for (let i = 0; i < length; i++) values[i] = (a[i] as number) | (b[i] as number);
    else for (let i = 0; i < length; i++) values[i] = (a[i] as number) & (b[i] as number);
    return new BoolVector(values);
  }
  const nulls = new Uint8Array(length);
  for (let i = 0; i < length; i++) {
    const leftNull = left.nulls !== null && left.nulls[i] === 1;
    const rightNull = right.nulls !== null && right.nulls[i] === 1;
    const decided =
      (!leftNull && left.values[i] === deciding) || (!rightNull && right.values[i] === deciding);
    values[i] = decided ? deciding : 1 - deciding;
    nulls[i] = !decided && (leftNull || rightNull) ? 1 : 0;
  }
  return new BoolVector(values, nulls);
}

/** Evaluates `operand` only where `result` has not decided yet. */
function combineOpen(
  result: BoolVector,
  operand: Operand,
  { batch, frame, deciding }: { batch: Batch; frame: Frame; deciding: number },
): BoolVector {
  const open = rowsWhere(
    result.length,
    (i) => result.values[i] !== deciding || (result.nulls !== null && result.nulls[i] === 1),
  );
  if (open.length === 0) return result;
  const right = evaluateOn(operand, batch, open, frame) as BoolVector;
  if (open.length === batch.length) return combineAll(result, right, deciding);
  const combined = combineAll(result.take(open), right, deciding);
  const values = result.values.slice();
  const nulls = result.nulls === null ? new Uint8Array(result.length) : result.nulls.slice();
  for (let i = 0; i < open.length; i++) {
    const row = open[i] as number;
    values[row] = combined.values[i] as number;
    nulls[row] = combined.nulls === null ? 0 : (combined.nulls[i] as number);
  }
  return new BoolVector(values, nulls);
}

function rowsWhere(length: number, test: (row: number) => boolean): Uint32Array {
  const rows = new Uint32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) if (test(i)) rows[count++] = i;
  return rows.subarray(0, count);
}

/** Positions at which a condition is TRUE (not NULL, not FALSE). */
export function trueRows(condition: Vector): Uint32Array {
  const { values, nulls } = condition as BoolVector;
  const rows = new Uint32Array(values.length);
  let count = 0;
  for (let i = 0; i < values.length; i++) {
    if (values[i] === 1 && (nulls === null || nulls[i] === 0)) rows[count++] = i;
  }
  return rows.subarray(0, count);
}

export function compileNot(expression: Not, compiler: Compiler): Evaluator {
  const input = compiler.compile(expression.input);
  return (batch, frame) => {
    const vector = input(batch, frame) as BoolVector;
    return new BoolVector(
      vector.values.map((value) => 1 - value),
      vector.nulls,
    );
  };
}

export function compileIs(expression: NullTest, compiler: Compiler): Evaluator {
  const input = compiler.compile(expression.input);
  const { test, negated } = expression;
  if (expression.input.type.oid === OID.record && test === 'null') {
    return (batch, frame) => recordIsNull(input(batch, frame), negated);
  }
  const yes = negated ? 0 : 1;
  const wanted = test === 'true' ? 1 : 0;
  const wantsNull = test === 'null' || test === 'unknown';
  return (batch, frame) => {
    const vector = input(batch, frame);
    const result = new Uint8Array(batch.length);
    for (let i = 0; i < batch.length; i++) {
      const isNull = vector.nulls !== null && vector.nulls[i] === 1;
      const holds = wantsNull ? isNull : !isNull && (vector as BoolVector).values[i] === wanted;
      result[i] = holds ? yes : 1 - yes;
    }
    return new BoolVector(result);
  };
}

/** A row IS NULL when every field is, and IS NOT NULL when no field is: not each other's opposite. */
function recordIsNull(vector: Vector, negated: boolean): Vector {
  const result = new Uint8Array(vector.length);
  for (let i = 0; i < vector.length; i++) {
    const record = vector.get(i) as RecordDatum | null;
    const fields = record === null ? [] : record.fields;
    const holds = negated
      ? record !== null && fields.every((field) => field !== null)
      : fields.every((field) => field === null);
    result[i] = holds ? 1 : 0;
  }
  return new BoolVector(result);
}

/** Results for groups of rows, put together in row order. */
class Scatter {
  readonly #pieces: Vector[] = [];
  readonly #order: Uint32Array;
  #filled = 0;

  constructor(length: number) {
    this.#order = new Uint32Array(length);
  }

  add(rows: Uint32Array, values: Vector): void {
    if (rows.length === 0) return;
    for (let i = 0; i < rows.length; i++) this.#order[rows[i] as number] = this.#filled + i;
    this.#filled += rows.length;
    this.#pieces.push(values);
  }

  result(kind: VectorKind): Vector {
    if (this.#pieces.length === 0) return vectorOf(kind, []);
    return concatVectors(kind, this.#pieces).take(this.#order);
  }
}

const allRows = (length: number): Uint32Array => Uint32Array.from({ length }, (_, i) => i);

export function compileCase(expression: Case, compiler: Compiler): Evaluator {
  const kind = kindOf(expression.type);
  const branches = expression.branches.map(({ when, then }) => ({
    when: operandOf(when, compiler),
    value: operandOf(then, compiler),
  }));
  const otherwise = expression.otherwise === null ? null : operandOf(expression.otherwise, compiler);
  return (batch, frame) => {
    const scatter = new Scatter(batch.length);
    let open = allRows(batch.length);
    for (const { when, value } of branches) {
      if (open.length === 0) break;
      const condition = evaluateOn(when, batch, open, frame) as BoolVector;
      const { taken, left } = splitRows(open, condition);
      if (taken.length > 0) scatter.add(taken, evaluateOn(value, batch, taken, frame));
      open = left;
    }
    if (open.length > 0) {
      scatter.add(
        open,
        otherwise === null
          ? constantVector(kind, null, open.length)
          : evaluateOn(otherwise, batch, open, frame),
      );
    }
    return scatter.result(kind);
  };
}

function splitRows(rows: Uint32Array, condition: BoolVector): { taken: Uint32Array; left: Uint32Array } {
  const taken = new Uint32Array(rows.length);
  const left = new Uint32Array(rows.length);
  let takenCount = 0;
  let leftCount = 0;
  for (let i = 0; i < rows.length; i++) {
    const holds = condition.values[i] === 1 && (condition.nulls === null || condition.nulls[i] === 0);
    if (holds) taken[takenCount++] = rows[i] as number;
    else left[leftCount++] = rows[i] as number;
  }
  return { taken: taken.subarray(0, takenCount), left: left.subarray(0, leftCount) };
}

export function compileCoalesce(expression: Coalesce, compiler: Compiler): Evaluator {
  const kind = kindOf(expression.type);
  const operands = expression.args.map((arg) => operandOf(arg, compiler));
  return (batch, frame) => {
    const scatter = new Scatter(batch.length);
    let open = allRows(batch.length);
    for (const operand of operands) {
      if (open.length === 0) break;
      const values = evaluateOn(operand, batch, open, frame);
      if (values.nulls === null && open.length === batch.length) return values;
      const known = rowsWhere(open.length, (i) => values.nulls === null || values.nulls[i] === 0);
      scatter.add(
        open.filter((_, i) => values.nulls === null || values.nulls[i] === 0),
        values.take(known),
      );
      open = open.filter((_, i) => values.nulls !== null && values.nulls[i] === 1);
    }
    if (open.length > 0) scatter.add(open, constantVector(kind, null, open.length));
    return scatter.result(kind);
  };
}
