/**
 * IN lists, ARRAY[…] and ROW(…). An IN list of constants is a hash set, made once a batch at most.
 */
import { functionById } from '../../functions/registry.ts';
import type { ArrayConstructor, InList, RowConstructor } from '../../plan/expression.ts';
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import { ObjectVector } from '../../types/column/object-vector.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import { rowCall } from './callee.ts';
import { type Compiler, type Evaluator, type Frame, ONE_ROW } from './compiled.ts';
import { isConstant } from '../../plan/columns-read.ts';

export function compileInList(expression: InList, compiler: Compiler): Evaluator {
  const { hashKey } = typeByOid(expression.input.type.oid);
  const sameType = expression.items.every((item) => item.type.oid === expression.input.type.oid);
  if (hashKey !== undefined && sameType && expression.items.every(isConstant)) {
    return compileSetTest(expression, compiler, hashKey);
  }
  const input = compiler.compile(expression.input);
  const items = expression.items.map((item) => compiler.compile(item));
  const equals = rowCall(functionById(expression.equals));
  return (batch, frame) => {
    const left = input(batch, frame);
    const right = items.map((item) => item(batch, frame));
    const results = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      const value = left.get(row);
      const found = findEqual(value, right, row, (a, b) => equals(frame.functions, a, b));
      results[row] = found === null ? null : found !== expression.negated;
    }
    return vectorOf('bool', results);
  };
}

function findEqual(
  value: Datum,
  items: readonly Vector[],
  row: number,
  equals: (a: Datum, b: Datum) => Datum,
): boolean | null {
  let unknown = false;
  for (const item of items) {
    const candidate = item.get(row);
    const same = value === null || candidate === null ? null : equals(value, candidate);
    if (same === true) return true;
    if (same === null) unknown = true;
  }
  return unknown ? null : false;
}

/** Literals make one set for ever; parameters and outer references one a batch. */
function compileSetTest(
  expression: InList,
  compiler: Compiler,
  hashKey: (datum: Datum) => unknown,
): Evaluator {
  const input = compiler.compile(expression.input);
  const items = expression.items.map((item) => compiler.compile(item));
  const fixed = expression.items.every((item) => item.kind === 'literal');
  let known: { keys: Set<unknown>; hasNull: boolean } | null = null;
  const keysOf = (frame: Frame) => {
    if (known !== null) return known;
    const values = items.map((item) => item(ONE_ROW, frame).get(0));
    const keys = new Set(values.flatMap((value) => (value === null ? [] : [hashKey(value)])));
    const made = { keys, hasNull: values.includes(null) };
    if (fixed) known = made;
    return made;
  };
  return (batch, frame) => {
    const left = input(batch, frame);
    if (batch.length === 0) return vectorOf('bool', []);
    const { keys, hasNull } = keysOf(frame);
    const results = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      const value = left.get(row);
      if (value === null) results[row] = null;
      else if (keys.has(hashKey(value))) results[row] = !expression.negated;
      else results[row] = hasNull ? null : expression.negated;
    }
    return vectorOf('bool', results);
  };
}

export function compileArray(expression: ArrayConstructor, compiler: Compiler): Evaluator {
  const elements = expression.elements.map((element) => compiler.compile(element));
  const elementType = typeByOid(expression.type.oid).elementOid ?? 0;
  const nested = expression.elements.some((element) => element.type.oid === expression.type.oid);
  const make = nested ? nestArrays : flatArray;
  return (batch, frame) => {
    const vectors = elements.map((element) => element(batch, frame));
    const arrays = new Array<Datum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      arrays[row] = make(
        elementType,
        vectors.map((vector) => vector.get(row)),
      );
    }
    return new ObjectVector(arrays);
  };
}

function flatArray(elementType: number, elements: readonly Datum[]): ArrayDatum {
  const dimensions = elements.length === 0 ? [] : [{ length: elements.length, lowerBound: 1 }];
  return { datum: 'array', elementType, dimensions, elements };
}

/** `ARRAY[ARRAY[1,2],ARRAY[3,4]]`: arrays of equal shape become one of one dimension more. */
function nestArrays(elementType: number, arrays: readonly Datum[]): ArrayDatum {
  const parts = arrays.map((array) => (array as ArrayDatum | null) ?? flatArray(elementType, []));
  const first = parts.find(({ dimensions }) => dimensions.length > 0);
  if (first === undefined) return flatArray(elementType, []);
  for (const part of parts) {
    const sameShape =
      part.dimensions.length === first.dimensions.length &&
      part.dimensions.every((dimension, i) => dimension.length === first.dimensions[i]?.length);
    if (!sameShape) {
      throw new SqlError(
        'array_subscript_error',
        'multidimensional arrays must have array expressions with matching dimensions',
      );
    }
  }
  return {
    datum: 'array',
    elementType,
    dimensions: [{ length: parts.length, lowerBound: 1 }, ...first.dimensions],
    elements: parts.flatMap((part) => part.elements),
  };
}

export function compileRow(expression: RowConstructor, compiler: Compiler): Evaluator {
  const fields = expression.fields.map((field) => compiler.compile(field));
  const shape = {
    datum: 'record' as const,
    types: expression.fields.map((field) => field.type.oid),
    ...(expression.names === undefined ? {} : { names: expression.names }),
  };
  return (batch, frame) => {
    const vectors = fields.map((field) => field(batch, frame));
    const records = new Array<RecordDatum>(batch.length);
    for (let row = 0; row < batch.length; row++) {
      records[row] = { ...shape, fields: vectors.map((vector) => vector.get(row)) };
    }
    return new ObjectVector(records);
  };
}
