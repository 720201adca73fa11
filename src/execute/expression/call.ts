/**
 * Calls of functions and operators, and `left op ANY|ALL (array)`. A registry row with a kernel does whole
 * columns; any other is called row by row, and not at all with a NULL when it is strict.
 */
import { type Operator, type ScalarFunction, waits } from '../../functions/function.ts';
import { functionById } from '../../functions/registry.ts';
import type { Call, Quantified } from '../../plan/expression.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import { vectorWeight } from '../../types/weight.ts';
import { implementationOf, rowCall } from './callee.ts';
import { compileDeferred } from './deferred.ts';
import { type Compiler, type Evaluator, type Frame, kindOf } from './compiled.ts';
import { callRows } from './row-calls.ts';

export function compileCall(expression: Call, compiler: Compiler): Evaluator {
  const callable = functionById(expression.function);
  if (waits(callable)) return compileDeferred(expression, compiler);
  const args = expression.args.map((arg) => compiler.compile(arg));
  const { kernel } = callable;
  const byRow = rowsOfCall(expression, callable);
  if (kernel !== undefined) return compileKernel(kernel, args, byRow);
  return (batch, frame) =>
    byRow(
      args.map((evaluate) => evaluate(batch, frame)),
      batch.length,
      frame,
    );
}

type ByRow = (vectors: readonly Vector[], length: number, frame: Frame) => Vector;

function rowsOfCall({ function: id, type }: Call, callable: ScalarFunction | Operator): ByRow {
  const callee = { kind: 'call', function: id } as const;
  const call = rowCall(callable);
  const kind = kindOf(type);
  const strict = callable.strict !== false;
  return (vectors, length, frame) => callRows({ callee, call, strict, kind, vectors, length, frame });
}

type Kernel = (args: readonly Vector[], length: number) => Vector;

/** A kernel computes a batch without a pause: with more than this its rows are called one by one. */
const KERNEL_BYTES_MAX = 1024 * 1024;

const areHeavy = (vectors: readonly Vector[]): boolean =>
  vectors.reduce((weight, vector) => weight + vectorWeight(vector), 0) > KERNEL_BYTES_MAX;

/** One and two arguments are by far the most frequent. */
function compileKernel(kernel: Kernel, args: readonly Evaluator[], byRow: ByRow): Evaluator {
  const compute = (vectors: readonly Vector[], length: number, frame: Frame): Vector =>
    areHeavy(vectors) ? byRow(vectors, length, frame) : kernel(vectors, length);
  const [first, second] = args;
  if (args.length === 2 && first !== undefined && second !== undefined) {
    return (batch, frame) => compute([first(batch, frame), second(batch, frame)], batch.length, frame);
  }
  return (batch, frame) =>
    compute(
      args.map((evaluate) => evaluate(batch, frame)),
      batch.length,
      frame,
    );
}

export function compileQuantified(expression: Quantified, compiler: Compiler): Evaluator {
  const operator = functionById(expression.operator);
  const left = compiler.compile(expression.left);
  const array = compiler.compile(expression.array);
  if (isPlainEquality(expression, operator)) return compileMembers(expression, left, array);
  const { quantifier } = expression;
  const callee = { kind: 'quantified', operator: expression.operator, quantifier } as const;
  const call = implementationOf(callee);
  return (batch, frame) => {
    const vectors = [left(batch, frame), array(batch, frame)];
    return callRows({ callee, call, strict: false, kind: 'bool', vectors, length: batch.length, frame });
  };
}

/** `value = ANY (array)`: one set for as long as the same array comes. */
function compileMembers(expression: Quantified, left: Evaluator, array: Evaluator): Evaluator {
  const test = memberTest(expression.left.type.oid);
  return (batch, frame) => {
    const lefts = left(batch, frame);
    const arrays = array(batch, frame);
    const results = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      const of = arrays.get(row) as ArrayDatum | null;
      results[row] = of === null ? null : test(lefts.get(row), of);
    }
    return vectorOf('bool', results);
  };
}

function isPlainEquality(expression: Quantified, operator: ScalarFunction | Operator): boolean {
  if (expression.quantifier !== 'any' || operator.name !== '=') return false;
  const element = typeByOid(expression.array.type.oid).elementOid;
  return element === expression.left.type.oid && typeByOid(element).hashKey !== undefined;
}

/** `value = ANY (array)` by a set, kept while the same array comes again (a constant, mostly). */
function memberTest(type: number): (value: Datum, of: ArrayDatum) => Datum {
  const { hashKey } = typeByOid(type);
  let known: ArrayDatum | null = null;
  let keys = new Set<unknown>();
  let hasNull = false;
  return (value, of) => {
    if (of !== known) {
      known = of;
      hasNull = of.elements.includes(null);
      keys = new Set(of.elements.flatMap((element) => (element === null ? [] : [hashKey?.(element)])));
    }
    if (of.elements.length === 0) return false;
    if (value === null) return null;
    if (keys.has(hashKey?.(value))) return true;
    return hasNull ? null : false;
  };
}
