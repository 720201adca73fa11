/**
 * Compiled form of an expression, and its view: a batch and a frame (parameters, enclosing rows), never the
 * state of a run.
 */
import type { FunctionContext } from '../../functions/function.ts';
import type { Call, Expression, Subquery } from '../../plan/expression.ts';
import type { Batch, Vector, VectorKind } from '../../types/column/vector.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import type { Turns } from './turns.ts';

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

/** The value of what is the same for every row. */
export type Value = (frame: Frame) => Datum;

/**
 * Clears the mask's bytes of rows for which the condition is not TRUE; false, with the mask untouched, when
 * these vectors need the general way.
 */
export type Selector = (batch: Batch, frame: Frame, mask: Uint8Array) => boolean;

export interface CompiledExpression {
  readonly type: TypeRef;
  readonly evaluate: Evaluator;
  /** Its value where it is the same for every row and is known at once; null where only `evaluate` tells. */
  readonly value: Value | null;
  /** A way to the rows for which a condition is TRUE without its values; null where there is none. */
  readonly select: Selector | null;
  /** In the order of their extra columns. */
  readonly deferred: readonly Deferred[];
}

/** A part whose values are there before the expression is computed. */
export type Deferred = Subquery | Call;

/** Tools by which the parts of one expression are compiled. */
export interface Compiler {
  readonly deferred: readonly Deferred[];
  compile(expression: Expression): Evaluator;
}

/** One row without columns: where constants are evaluated. */
export const ONE_ROW: Batch = { length: 1, columns: [] };

export const kindOf = (type: TypeRef): VectorKind => typeByOid(type.oid).vector;
