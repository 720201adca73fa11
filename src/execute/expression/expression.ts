/**
 * Expressions compiled to functions over whole columns.
 *
 * A compiled expression is pure data flow: it keeps no state of a run, so it is cached by the expression object it was
 * made from. What takes time, subqueries and calls that wait, is resolved before (`subquery.ts`, `later-call.ts`) and
 * reaches it as extra columns at the end of the batch.
 */
import { unreachable } from '../../assert.ts';
import type { Expression } from '../../plan/expression.ts';
import { constantVector, type Vector, type VectorKind, vectorOf } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import { compileCall, compileQuantified } from './call.ts';
import { compileCast } from './cast.ts';
import { isConstant } from '../../plan/columns-read.ts';
import { compileValue, oneValue } from './constant.ts';
import {
  type CompiledExpression,
  type Compiler,
  type Deferred,
  type Evaluator,
  type Frame,
  kindOf,
  type OuterRow,
} from './compiled.ts';
import { collectDeferred, compileDeferred } from './deferred.ts';
import { compileArray, compileInList, compileRow } from './list.ts';
import { compileCase, compileCoalesce, compileIs, compileLogical, compileNot } from './logic.ts';
import { compileSelection } from './selection.ts';
import { visitExpression } from '../../plan/walk.ts';

/** The key of a filter's rows with some values: a session asks with the same ones again and again. */
interface LastKey {
  readonly values: readonly Datum[];
  readonly key: string | null;
}

/** Compiled expressions of a plan, and keys of its filters: kept as long as the plan is. */
export class ExpressionCache {
  readonly #compiled = new WeakMap<Expression, CompiledExpression>();
  /** By what the plan says of them. */
  readonly lastKeys = new Map<object, LastKey>();

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
      const isOnce = part.kind !== 'literal' && isConstant(part) && !reads(part, deferred);
      return isOnce ? broadcast(part, evaluate) : evaluate;
    },
  };
  const select = deferred.length > 0 ? null : compileSelection(expression, compiler.compile);
  const evaluate = compiler.compile(expression);
  const value = deferred.length > 0 ? null : compileValue(expression, evaluate);
  return { type: expression.type, evaluate, value, select, deferred };
}

/** True when a part reads a deferred value, which is in the batch and not in one row by itself. */
function reads(part: Expression, deferred: readonly Deferred[]): boolean {
  let found = false;
  if (deferred.length > 0) {
    visitExpression(part, (inner) => {
      found ||= (deferred as readonly Expression[]).includes(inner);
    });
  }
  return found;
}

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
  const known = compileValue(expression, evaluate);
  const value = known ?? oneValue(evaluate);
  return (batch, frame) => {
    if (batch.length === 1 && known === null) return evaluate(batch, frame);
    if (batch.length === 0) return vectorOf(kind, []);
    return constantVector(kind, value(frame), batch.length);
  };
}
