/**
 * Casts: by registry row, through text input and output, by modifier (length, precision), or none at all
 * between types that are stored alike.
 */
import { assert } from '../../assert.ts';
import { castById } from '../../functions/registry.ts';
import type { Cast } from '../../plan/expression.ts';
import type { Datum } from '../../types/datum.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import {
  Float64Vector,
  Int64Vector,
  type Vector,
  type VectorKind,
  vectorOf,
} from '../../types/column/vector.ts';
import { implementationOf } from './callee.ts';
import { type Compiler, type Evaluator, kindOf } from './compiled.ts';
import { callRows } from './row-calls.ts';

export function compileCast(expression: Cast, compiler: Compiler): Evaluator {
  const input = compiler.compile(expression.input);
  const kind = kindOf(expression.type);
  if (expression.method === 'none') {
    return (batch, frame) => asKind(input(batch, frame), kind);
  }
  const kernel = castKernel(expression.method);
  if (kernel !== undefined) return (batch, frame) => kernel(input(batch, frame));
  const { method, explicit } = expression;
  const callee = {
    kind: 'cast',
    method,
    from: expression.input.type,
    to: expression.type,
    explicit,
  } as const;
  const call = implementationOf(callee);
  return (batch, frame) => {
    const vectors = [input(batch, frame)];
    return callRows({ callee, call, strict: true, kind, vectors, length: batch.length, frame });
  };
}

function castKernel(method: string): ((arg: Vector) => Vector) | undefined {
  if (method === 'text' || method === 'modifier') return undefined;
  return WIDENING[method] ?? castById(method).kernel;
}

const toFloat64 = (arg: Vector): Vector =>
  arg.kind === 'int32' ? new Float64Vector(new Float64Array(arg.values), arg.nulls) : asKind(arg, 'float64');

/** Writes words, so that no BigInt is made. */
function toInt64(arg: Vector): Vector {
  if (arg.kind !== 'int32') return asKind(arg, 'int64');
  const { values, nulls } = arg;
  const words = new Int32Array(2 * values.length);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as number;
    words[2 * i] = value;
    words[2 * i + 1] = value >> 31;
  }
  return new Int64Vector(new BigInt64Array(words.buffer), nulls);
}

function toNumeric(arg: Vector): Vector {
  assert(arg.kind === 'int32', 'a smallint or integer');
  return ObjectVector.fromDecimals({ units: new Float64Array(arg.values), scale: 0 }, arg.nulls);
}

/** Casts that cannot fail, whole columns at once. */
const WIDENING: Readonly<Record<string, (arg: Vector) => Vector>> = {
  'int2->int4': (arg) => arg,
  'int2->int8': toInt64,
  'int4->int8': toInt64,
  'int2->float8': toFloat64,
  'int4->float8': toFloat64,
  'float4->float8': (arg) => arg,
  'int2->numeric': toNumeric,
  'int4->numeric': toNumeric,
};

/** The vector itself, or its values in the layout of another kind. */
export function asKind(vector: Vector, kind: VectorKind): Vector {
  if (vector.kind === kind) return vector;
  if (vector.kind === 'int32' && kind === 'int64') return toInt64(vector);
  const values = new Array<Datum>(vector.length);
  for (let row = 0; row < vector.length; row++) values[row] = vector.get(row);
  return vectorOf(kind, values);
}
