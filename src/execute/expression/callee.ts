/**
 * Callee: it is called with the values of one row, and named by plain data, so that a helper process can make the same
 * call: a function or operator, a cast, `op ANY|ALL (array)`, a set-returning function with all its rows.
 */
import { assert } from '../../assert.ts';
import type { FunctionContext, Operator, ScalarFunction, SetFunction } from '../../functions/function.ts';
import { aggregateById, castById, functionById, setFunctionById } from '../../functions/registry.ts';
import { decodeText } from '../../types/column/bytes.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { TypeRef } from '../../types/type.ts';
import { type VectorKind, vectorOf } from '../../types/column/vector.ts';
import { checkValueBytes } from '../../types/weight.ts';

export type Callee =
  | { readonly kind: 'call'; readonly function: string }
  | {
      readonly kind: 'cast';
      readonly method: string;
      readonly from: TypeRef;
      readonly to: TypeRef;
      readonly explicit: boolean;
    }
  | { readonly kind: 'quantified'; readonly operator: string; readonly quantifier: 'any' | 'all' }
  /** A client's value from its bytes. */
  | { readonly kind: 'read'; readonly type: TypeRef; readonly isBinary: boolean }
  /** The end of an aggregate that gathers: its one argument is an array of what it has gathered. */
  | { readonly kind: 'final'; readonly aggregate: string }
  /** Its value is an array of records, one a row. */
  | { readonly kind: 'set'; readonly function: string };

export type Implementation = (context: FunctionContext, ...args: Datum[]) => Datum;
type Evaluate = (...args: Datum[]) => Datum;

export function implementationOf(callee: Callee): Implementation {
  switch (callee.kind) {
    case 'call':
      return rowCall(functionById(callee.function));
    case 'cast':
      return conversion(callee);
    case 'quantified':
      return quantified(callee);
    case 'set':
      return allRows(callee.function);
    case 'read':
      return reading(callee);
    case 'final': {
      const { final } = aggregateById(callee.aggregate);
      return (context, rows) => final({ rows: (rows as ArrayDatum).elements }, context);
    }
  }
}

/** How its work grows with the weight of its arguments; null where it is to stay with its session. */
export function effortOf(callee: Callee): number | null {
  switch (callee.kind) {
    case 'call':
      return effortOfRow(functionById(callee.function));
    case 'quantified':
      return effortOfRow(functionById(callee.operator));
    case 'set':
      return effortOfRow(setFunctionById(callee.function));
    case 'cast':
      return callee.method === 'modifier' ? 1 : READING;
    case 'final':
    case 'read':
      return READING;
  }
}

/** Texts are read and written by the character, as documents and text search vectors are by every function. */
const READING = 8;
const READ_TYPES: ReadonlySet<string> = new Set(['json', 'jsonb', 'tsvector', 'tsquery', '...any']);

function effortOfRow(row: ScalarFunction | Operator | SetFunction): number | null {
  if (row.effort !== undefined) return row.effort;
  if (row.volatility === 'volatile') return null;
  const types = 'args' in row ? row.args : [row.left ?? '', row.right];
  return types.some((type) => READ_TYPES.has(type)) ? READING : 1;
}

/** A helper may call it with chance of its own, which a number of the session's begins. */
export const dependsOnChance = (callee: Callee): boolean =>
  callee.kind === 'call' && functionById(callee.function).volatility === 'volatile';

// ───────────────────────────── functions and operators ─────────────────────────────

/** A function of one row's values, whatever the registry row offers. */
export function rowCall(callable: ScalarFunction | Operator): Implementation {
  const { evaluate, evaluateIn, kernel } = callable;
  if (evaluate !== undefined) return (_context, ...args) => (evaluate as Evaluate)(...args);
  if (evaluateIn !== undefined) return evaluateIn as Implementation;
  assert(kernel !== undefined, `function ${callable.name} has no implementation`);
  const kinds = argumentKinds(callable);
  return (_context, ...args) =>
    kernel(
      args.map((arg, i) => vectorOf(kinds[i] ?? kindOfDatum(arg), [arg])),
      1,
    ).get(0);
}

/** Vector kinds of an operator's arguments where its id tells them. */
function argumentKinds(callable: ScalarFunction | Operator): readonly (VectorKind | undefined)[] {
  const names = 'args' in callable ? callable.args : [callable.left, callable.right];
  return names.filter((name) => name !== undefined).map((name) => KINDS[name]);
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

// ───────────────────────────── casts ─────────────────────────────

/** The conversion of one value that is not NULL. */
function conversion({ method, from, to, explicit }: Callee & { kind: 'cast' }): Implementation {
  const source = typeByOid(from.oid);
  const target = typeByOid(to.oid);
  if (method === 'none') return (_context, datum) => datum as Datum;
  if (method === 'text') {
    return ({ settings }, datum) =>
      target.parse(source.format(datum as Datum, settings), to.modifier, settings);
  }
  if (method === 'modifier') {
    const { coerce } = target;
    return (_context, datum) =>
      coerce === undefined ? (datum as Datum) : coerce(datum as Datum, to.modifier, explicit);
  }
  const { evaluate, evaluateIn } = castById(method);
  if (evaluate !== undefined) return (_context, datum) => evaluate(datum as never);
  return (context, datum) => evaluateIn?.(context, datum as never) ?? null;
}

function reading({ type: { oid, modifier }, isBinary }: Callee & { kind: 'read' }): Implementation {
  const type = typeByOid(oid);
  return ({ settings }, bytes) =>
    isBinary
      ? type.receive(bytes as Uint8Array, modifier, settings)
      : type.parse(decodeText(bytes as Uint8Array), modifier, settings);
}

// ───────────────────────────── ANY and ALL ─────────────────────────────

/** Three-valued: ANY is TRUE when one is, else NULL when one is NULL, else FALSE; ALL is its mirror image. */
function quantified({ operator, quantifier }: Callee & { kind: 'quantified' }): Implementation {
  const callable = functionById(operator);
  const call = rowCall(callable);
  const strict = callable.strict !== false;
  const deciding = quantifier === 'any';
  return (context, value, array) => {
    if (array === null) return null;
    let unknown = false;
    for (const element of (array as ArrayDatum).elements) {
      const isUnknown = strict && (value === null || element === null);
      const result = isUnknown ? null : call(context, value as Datum, element);
      if (result === deciding) return deciding;
      if (result === null) unknown = true;
    }
    return unknown ? null : !deciding;
  };
}

/** Datums that are an array to nobody but a callee. */
export const listOf = (elements: readonly Datum[]): ArrayDatum => ({
  datum: 'array',
  elementType: 0,
  dimensions: [],
  elements,
});

// ───────────────────────────── sets ─────────────────────────────

/** About what a record takes beside its values. */
const RECORD_BYTES = 48;

/** @throws SqlError 54000 when the rows are too many for one value. */
function allRows(id: string): Implementation {
  const { rows } = setFunctionById(id);
  return (context, ...args) => {
    const elements: RecordDatum[] = [];
    const made = rows(context, ...args);
    assert(Symbol.iterator in made, `${id} does not wait`);
    for (const fields of made) {
      elements.push({ datum: 'record', types: [], fields });
      if (elements.length % 1024 === 0) checkValueBytes(elements.length * RECORD_BYTES);
    }
    return listOf(elements);
  };
}
