/**
 * Expressions compiled to functions over whole columns.
 *
 * A compiled expression is pure data flow: it sees a batch and a frame (parameters, enclosing rows) and
 * keeps no state of a run, so it is cached by the expression object it was made from. What takes time,
 * subqueries and calls that wait, is resolved before (`subquery.ts`, `later-call.ts`) and reaches it as extra
 * columns at the end of the batch.
 */
import { unreachable } from '../../assert.ts';
import { notSupported } from '../../errors.ts';
import { type FunctionContext, waits } from '../../functions/function.ts';
import { functionById } from '../../functions/registry.ts';
import type { Call, Expression, Subquery } from '../../plan/expression.ts';
import { expressionChildren, visitExpression } from '../../plan/walk.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import {
  type Batch,
  constantVector,
  type Vector,
  type VectorKind,
  vectorOf,
} from '../../types/column/vector.ts';
import { compileCall, compileQuantified } from './call.ts';
import { compileCast } from './cast.ts';
import { compileArray, compileInList, compileRow } from './list.ts';
import type { Turns } from './turns.ts';
import { compileSelection, type Selector } from './selection.ts';
import { compileCase, compileCoalesce, compileIs, compileLogical, compileNot } from './logic.ts';

/** A row of an enclosing query. */
export interface OuterRow {
  readonly columns: readonly Vector[];
  readonly row: number;
}

export interface Frame {
  readonly parameters: readonly Datum[];
  readonly functions: FunctionContext;
  /** Innermost last: depth 1 is the last one. */
  readonly outer: readonly OuterRow[];
  /** Null where nothing can be waited for. */
  readonly turns: Turns | null;
}

export type Evaluator = (batch: Batch, frame: Frame) => Vector;

export interface CompiledExpression {
  readonly type: TypeRef;
  readonly evaluate: Evaluator;
  /** A way to the rows for which a condition is TRUE without its values; null where there is none. */
  readonly select: Selector | null;
  /** In the order of their extra columns. */
  readonly deferred: readonly Deferred[];
}

/** A part whose values are there before the expression is computed. */
export type Deferred = Subquery | Call;

/** What the parts of one expression are compiled with. */
export interface Compiler {
  readonly deferred: readonly Deferred[];
  compile(expression: Expression): Evaluator;
}

/** One row without columns: where constants are evaluated. */
export const ONE_ROW: Batch = { length: 1, columns: [] };

export class ExpressionCache {
  readonly #compiled = new WeakMap<Expression, CompiledExpression>();

  get(expression: Expression): CompiledExpression {
    let compiled = this.#compiled.get(expression);
    if (compiled === undefined) {
      compiled = compileExpression(expression);
      this.#compiled.set(expression, compiled);
    }
    return compiled;
  }
}

function compileExpression(expression: Expression): CompiledExpression {
  const deferred: Deferred[] = [];
  collectDeferred(expression, false, deferred);
  const compiler: Compiler = {
    deferred,
    compile: (part) => {
      const evaluate = compilePart(part, compiler);
      return part.kind !== 'literal' && isConstant(part) ? broadcast(part, evaluate) : evaluate;
    },
  };
  const select = compileSelection(expression, compiler.compile);
  return { type: expression.type, evaluate: compiler.compile(expression), select, deferred };
}

/** @param conditional inside of CASE or COALESCE, where a call may not be wanted. @throws SqlError 0A000. */
function collectDeferred(expression: Expression, conditional: boolean, found: Deferred[]): void {
  if (expression.kind === 'subquery') {
    found.push(expression);
    return;
  }
  if (expression.kind === 'call') {
    const callable = functionById(expression.function);
    if (waits(callable)) {
      if (conditional) throw notSupported(`${callable.name} within CASE or COALESCE`);
      found.push(expression);
      return;
    }
  }
  const chooses = expression.kind === 'case' || expression.kind === 'coalesce';
  for (const [i, child] of expressionChildren(expression).entries()) {
    collectDeferred(child, conditional || (chooses && i > 0), found);
  }
}

export const kindOf = (type: TypeRef): VectorKind => typeByOid(type.oid).vector;

function compilePart(expression: Expression, compiler: Compiler): Evaluator {
  switch (expression.kind) {
    case 'literal':
      return compileLiteral(kindOf(expression.type), expression.value);
    case 'parameter': {
      const kind = kindOf(expression.type);
      return (batch, frame) => constantVector(kind, frame.parameters[expression.index] ?? null, batch.length);
    }
    case 'column':
      return (batch) => batch.columns[expression.index] as Vector;
    case 'outer':
      return (batch, frame) => outerVector(expression, batch.length, frame);
    case 'call':
      return compileCall(expression, compiler);
    case 'cast':
      return compileCast(expression, compiler);
    case 'and':
    case 'or':
      return compileLogical(expression, compiler);
    case 'not':
      return compileNot(expression, compiler);
    case 'is':
      return compileIs(expression, compiler);
    case 'case':
      return compileCase(expression, compiler);
    case 'coalesce':
      return compileCoalesce(expression, compiler);
    case 'in':
      return compileInList(expression, compiler);
    case 'array':
      return compileArray(expression, compiler);
    case 'row':
      return compileRow(expression, compiler);
    case 'quantified':
      return compileQuantified(expression, compiler);
    case 'subquery':
      return compileDeferred(expression, compiler);
    default:
      return unreachable(expression);
  }
}

/** The same vector serves every batch that is not longer than the first ones. */
function compileLiteral(kind: VectorKind, value: Datum): Evaluator {
  let vector: Vector | null = null;
  return ({ length }) => {
    if (vector === null || vector.length < length) vector = constantVector(kind, value, length);
    return vector.length === length ? vector : vector.slice(0, length);
  };
}

function outerVector(expression: Expression & { kind: 'outer' }, length: number, frame: Frame): Vector {
  const outer = frame.outer[frame.outer.length - expression.depth] as OuterRow;
  const value = (outer.columns[expression.index] as Vector).get(outer.row);
  return constantVector(kindOf(expression.type), value, length);
}

/** An operand that is the same in every row is computed once a batch, and not at all for an empty one. */
function broadcast(expression: Expression, evaluate: Evaluator): Evaluator {
  const kind = kindOf(expression.type);
  return (batch, frame) => {
    if (batch.length === 1) return evaluate(batch, frame);
    if (batch.length === 0) return vectorOf(kind, []);
    return constantVector(kind, evaluate(ONE_ROW, frame).get(0), batch.length);
  };
}

/** A deferred part's value that could not be computed: raised where, and only where, it is used. */
export class FailedValue {
  readonly error: unknown;
  constructor(error: unknown) {
    this.error = error;
  }
}

export function compileDeferred(expression: Deferred, compiler: Compiler): Evaluator {
  const kind = kindOf(expression.type);
  const fromEnd = compiler.deferred.length - compiler.deferred.indexOf(expression);
  return (batch) => {
    const column = batch.columns[batch.columns.length - fromEnd] as Vector;
    const values = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      const value = column.get(row) as unknown;
      if (value instanceof FailedValue) throw value.error;
      values[row] = value as Datum;
    }
    return vectorOf(kind, values);
  };
}

/** True when the value is the same for every row of a batch and evaluating it twice does no harm. */
export function isConstant(expression: Expression): boolean {
  if (expression.kind === 'column' || expression.kind === 'subquery') return false;
  if (expression.kind === 'call' && functionById(expression.function).volatility === 'volatile') return false;
  return expressionChildren(expression).every(isConstant);
}

/** Columns an expression reads, and whether subqueries hang on it. */
export function columnsOf(expression: Expression): ReadonlySet<number> {
  const columns = new Set<number>();
  visitExpression(expression, (part) => {
    if (part.kind === 'column') columns.add(part.index);
  });
  return columns;
}

/**
 * Some rows of a batch for a part of an expression: only the columns it reads and the deferred ones are
 * taken; the others stay in place, longer than the batch and never looked at.
 */
export function takeRows(
  batch: Batch,
  rows: ArrayLike<number>,
  used: ReadonlySet<number>,
  deferred: number,
): Batch {
  const firstExtra = batch.columns.length - deferred;
  const columns = batch.columns.map((column, index) =>
    used.has(index) || index >= firstExtra ? column.take(rows) : column,
  );
  return { length: rows.length, columns };
}
