/**
 * Calls of functions and operators, and `left op ANY|ALL (array)`. A registry row with a kernel does whole
 * columns; any other is called row by row, and not at all with a NULL when it is strict.
 */
import { type FunctionContext, type Operator, type ScalarFunction, waits } from '../functions/function.ts';
import { functionById } from '../functions/registry.ts';
import type { Call, Quantified } from '../plan/expression.ts';
import { assert } from '../assert.ts';
import type { ArrayDatum, Datum } from '../types/datum.ts';
import { typeByOid } from '../types/registry.ts';
import { type Vector, type VectorKind, vectorOf } from '../types/vector.ts';
import { compileDeferred, type Compiler, type Evaluator, kindOf } from './expression.ts';

type Callable = ScalarFunction | Operator;
type Evaluate = (...args: Datum[]) => Datum;
type EvaluateIn = (context: FunctionContext, ...args: Datum[]) => Datum;

export function compileCall(expression: Call, compiler: Compiler): Evaluator {
  const callable = functionById(expression.function);
  if (waits(callable)) return compileDeferred(expression, compiler);
  const args = expression.args.map((arg) => compiler.compile(arg));
  const { kernel } = callable;
  if (kernel !== undefined) return compileKernel(kernel, args);
  const kind = kindOf(expression.type);
  const call = rowCall(callable);
  const strict = callable.strict !== false;
  return (batch, frame) => {
    const vectors = args.map((evaluate) => evaluate(batch, frame));
    return callRows({ call, strict, kind, vectors, length: batch.length, context: frame.functions });
  };
}

/** One and two arguments are by far the most frequent. */
function compileKernel(
  kernel: (args: readonly Vector[], length: number) => Vector,
  args: readonly Evaluator[],
): Evaluator {
  const [first, second] = args;
  if (args.length === 2 && first !== undefined && second !== undefined) {
    return (batch, frame) => kernel([first(batch, frame), second(batch, frame)], batch.length);
  }
  return (batch, frame) =>
    kernel(
      args.map((evaluate) => evaluate(batch, frame)),
      batch.length,
    );
}

/** A function of one row's values, whatever the registry row offers. */
export function rowCall(callable: Callable): EvaluateIn {
  const { evaluate, evaluateIn, kernel } = callable;
  if (evaluate !== undefined) return (_context, ...args) => (evaluate as Evaluate)(...args);
  if (evaluateIn !== undefined) return evaluateIn as EvaluateIn;
  assert(kernel !== undefined, `function ${callable.name} has no implementation`);
  const kinds = argumentKinds(callable);
  return (_context, ...args) =>
    kernel(
      args.map((arg, i) => vectorOf(kinds[i] ?? kindOfDatum(arg), [arg])),
      1,
    ).get(0);
}

/** Vector kinds of an operator's arguments where its id tells them. */
function argumentKinds(callable: Callable): readonly (VectorKind | undefined)[] {
  const names = 'args' in callable ? callable.args : [callable.left, callable.right];
  return names.filter((name) => name !== undefined).map(kindByName);
}

const KINDS: Readonly<Record<string, VectorKind>> = {
  bool: 'bool',
  int2: 'int32',
  int4: 'int32',
  date: 'int32',
  int8: 'int64',
  timestamp: 'int64',
  timestamptz: 'int64',
  time: 'int64',
  float4: 'float64',
  float8: 'float64',
  oid: 'float64',
  text: 'text',
};

const kindByName = (name: string): VectorKind | undefined => KINDS[name];

function kindOfDatum(datum: Datum): VectorKind {
  switch (typeof datum) {
    case 'boolean':
      return 'bool';
    case 'number':
      return 'float64';
    case 'bigint':
      return 'int64';
    case 'string':
      return 'text';
    default:
      return 'object';
  }
}

interface RowCalls {
  readonly call: EvaluateIn;
  readonly strict: boolean;
  readonly kind: VectorKind;
  readonly vectors: readonly Vector[];
  readonly length: number;
  readonly context: FunctionContext;
}

function callRows({ call, strict, kind, vectors, length, context }: RowCalls): Vector {
  const results = new Array<Datum>(length);
  const args = new Array<Datum>(vectors.length);
  for (let row = 0; row < length; row++) {
    let anyNull = false;
    for (let i = 0; i < vectors.length; i++) {
      const value = (vectors[i] as Vector).get(row);
      if (value === null) anyNull = true;
      args[i] = value;
    }
    results[row] = strict && anyNull ? null : call(context, ...args);
  }
  return vectorOf(kind, results);
}

/** Three-valued: ANY is TRUE when one is, else NULL when one is NULL, else FALSE; ALL is its mirror image. */
export function compileQuantified(expression: Quantified, compiler: Compiler): Evaluator {
  const operator = functionById(expression.operator);
  const call = rowCall(operator);
  const strict = operator.strict !== false;
  const left = compiler.compile(expression.left);
  const array = compiler.compile(expression.array);
  const deciding = expression.quantifier === 'any';
  const members = isPlainEquality(expression, operator) ? memberTest(expression.left.type.oid) : null;
  return (batch, frame) => {
    const lefts = left(batch, frame);
    const arrays = array(batch, frame);
    const compare = (value: Datum, element: Datum): Datum =>
      strict && (value === null || element === null) ? null : call(frame.functions, value, element);
    const test =
      members ?? ((value: Datum, of: ArrayDatum) => quantify(of.elements, value, compare, deciding));
    const results = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      const of = arrays.get(row) as ArrayDatum | null;
      results[row] = of === null ? null : test(lefts.get(row), of);
    }
    return vectorOf('bool', results);
  };
}

function quantify(
  elements: readonly Datum[],
  value: Datum,
  compare: (value: Datum, element: Datum) => Datum,
  deciding: boolean,
): Datum {
  let unknown = false;
  for (const element of elements) {
    const result = compare(value, element);
    if (result === deciding) return deciding;
    if (result === null) unknown = true;
  }
  return unknown ? null : !deciding;
}

function isPlainEquality(expression: Quantified, operator: Callable): boolean {
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
