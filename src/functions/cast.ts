/**
 * Casts of PostgreSQL's pg_cast between the types there are. What is stored alike is only named
 * (`BINARY_CASTS`); all that is missing goes through text (`resolve-casts.ts`).
 */
import { SqlError } from '../errors.ts';
import {
  formatNumeric,
  parseNumeric,
  numericFromNumber,
  numericOf,
  numericToBigint,
  numericToNumber,
} from '../types/number/numeric.ts';
import type { Datum, NumericDatum } from '../types/datum.ts';
import { isInfiniteTimestamp } from '../types/time/datetime.ts';
import { formatJsonb, parseJson } from '../types/json/json.ts';
import { roundHalfEven } from '../types/number/round.ts';
import { BIT_CASTS } from './number/bit-strings.ts';
import { checkFloat, checkInt2, checkInt4, checkInt8, rangeError } from './number/arithmetic-kernels.ts';
import { DATETIME_CASTS, dateToTimestamp, timestampToDate } from './time/datetime.ts';
import type { Cast } from './function.ts';
import { MATRIX_CASTS } from './vector/matrix.ts';
import { SPARSE_VECTOR_CASTS } from './vector/sparse-vectors.ts';
import { VECTOR_CASTS } from './vector/vector.ts';

type Context = Cast['context'];
interface BinaryCast {
  readonly from: string;
  readonly to: string;
  readonly context: Context;
}

const binary = (from: string, to: string, context: Context): BinaryCast => ({ from, to, context });

const REGS =
  'regclass regtype regproc regprocedure regoper regoperator regnamespace regrole regconfig regdictionary regcollation'.split(
    ' ',
  );

export const BINARY_CASTS: readonly BinaryCast[] = [
  binary('text', 'varchar', 'implicit'),
  binary('varchar', 'text', 'implicit'),
  binary('text', 'bpchar', 'implicit'),
  binary('varchar', 'bpchar', 'implicit'),
  binary('name', 'text', 'implicit'),
  binary('name', 'varchar', 'assignment'),
  binary('cstring', 'text', 'implicit'),
  binary('pg_node_tree', 'text', 'implicit'),
  binary('bit', 'varbit', 'implicit'),
  binary('varbit', 'bit', 'implicit'),
  binary('vector', 'f32_vector', 'implicit'),
  ...REGS.flatMap((type) => [binary(type, 'oid', 'implicit'), binary('oid', type, 'implicit')]),
  binary('regprocedure', 'regproc', 'implicit'),
  binary('regproc', 'regprocedure', 'implicit'),
  binary('regoperator', 'regoper', 'implicit'),
  binary('regoper', 'regoperator', 'implicit'),
];

type Convert = (value: never) => Datum;
const cast = (from: string, to: string, context: Context, evaluate: Convert): Cast => ({
  from,
  to,
  context,
  evaluate,
});

function floatToInteger(value: number, type: string, check: (value: number) => number): number {
  if (!Number.isFinite(value)) throw rangeError(type);
  return check(roundHalfEven(value) + 0);
}

function floatToInt8(value: number): bigint {
  if (!Number.isFinite(value) || value < -(2 ** 63) || value >= 2 ** 63) throw rangeError('bigint');
  return BigInt(roundHalfEven(value));
}

function oidFromInt8(value: bigint): number {
  if (value < 0n || value > 4294967295n) throw new SqlError('numeric_value_out_of_range', 'OID out of range');
  return Number(value);
}

function toFloat4(value: number): number {
  const single = Math.fround(value);
  return checkFloat(single, Number.isFinite(value), value !== 0);
}

/** @throws SqlError 22003 for what becomes an infinity or, though it is not 0, nothing. */
function numericToFloat(value: NumericDatum, type: 'real' | 'double precision'): number {
  const double = numericToNumber(value);
  const float = type === 'real' ? Math.fround(double) : double;
  if (value.special !== undefined || (Number.isFinite(float) && (float !== 0 || value.digits === 0n)))
    return float;
  const message = `"${formatNumeric(value)}" is out of range for type ${type}`;
  throw new SqlError('numeric_value_out_of_range', message);
}

const int4 = (value: bigint): number => Number(intRange(value, 'integer', 31n));
const int2 = (value: bigint): number => Number(intRange(value, 'smallint', 15n));

function intRange(value: bigint, type: string, bits: bigint): bigint {
  if (value < -(1n << bits) || value >= 1n << bits) throw rangeError(type);
  return value;
}

const numericInteger = (value: NumericDatum, type: string, bits: bigint): bigint =>
  numericToBigint(value, type, -(1n << bits), (1n << bits) - 1n);

/** Floats become what their shortest text says, to 6 or 15 digits. */
const NUMBER_CASTS: readonly Cast[] = [
  cast('int2', 'int4', 'implicit', (v: number) => v),
  cast('int2', 'int8', 'implicit', (v: number) => BigInt(v)),
  cast('int2', 'float4', 'implicit', (v: number) => v),
  cast('int2', 'float8', 'implicit', (v: number) => v),
  cast('int2', 'numeric', 'implicit', (v: number) => numericOf(BigInt(v))),
  cast('int4', 'int2', 'assignment', (v: number) => checkInt2(v)),
  cast('int4', 'int8', 'implicit', (v: number) => BigInt(v)),
  cast('int4', 'float4', 'implicit', (v: number) => Math.fround(v)),
  cast('int4', 'float8', 'implicit', (v: number) => v),
  cast('int4', 'numeric', 'implicit', (v: number) => numericOf(BigInt(v))),
  cast('int8', 'int2', 'assignment', int2),
  cast('int8', 'int4', 'assignment', int4),
  cast('int8', 'float4', 'implicit', (v: bigint) => Math.fround(Number(v))),
  cast('int8', 'float8', 'implicit', (v: bigint) => Number(v)),
  cast('int8', 'numeric', 'implicit', (v: bigint) => numericOf(v)),
  cast('float4', 'int2', 'assignment', (v: number) => floatToInteger(v, 'smallint', checkInt2)),
  cast('float4', 'int4', 'assignment', (v: number) => floatToInteger(v, 'integer', checkInt4)),
  cast('float4', 'int8', 'assignment', floatToInt8),
  cast('float4', 'float8', 'implicit', (v: number) => v),
  cast('float4', 'numeric', 'assignment', (v: number) => numericFromNumber(v, 6)),
  cast('float8', 'int2', 'assignment', (v: number) => floatToInteger(v, 'smallint', checkInt2)),
  cast('float8', 'int4', 'assignment', (v: number) => floatToInteger(v, 'integer', checkInt4)),
  cast('float8', 'int8', 'assignment', floatToInt8),
  cast('float8', 'float4', 'assignment', toFloat4),
  cast('float8', 'numeric', 'assignment', (v: number) => numericFromNumber(v)),
  cast('numeric', 'int2', 'assignment', (v: NumericDatum) => Number(numericInteger(v, 'smallint', 15n))),
  cast('numeric', 'int4', 'assignment', (v: NumericDatum) => Number(numericInteger(v, 'integer', 31n))),
  cast('numeric', 'int8', 'assignment', (v: NumericDatum) => numericInteger(v, 'bigint', 63n)),
  cast('numeric', 'float4', 'implicit', (v: NumericDatum) => numericToFloat(v, 'real')),
  cast('numeric', 'float8', 'implicit', (v: NumericDatum) => numericToFloat(v, 'double precision')),
  cast('int4', 'bool', 'explicit', (v: number) => v !== 0),
  cast('bool', 'int4', 'explicit', (v: boolean) => (v ? 1 : 0)),
];

const OID_CASTS: readonly Cast[] = ['oid', ...REGS].flatMap((type) => [
  cast('int2', type, 'implicit', (v: number) => v >>> 0),
  cast('int4', type, 'implicit', (v: number) => v >>> 0),
  cast('int8', type, 'implicit', oidFromInt8),
  cast(type, 'int4', 'assignment', (v: number) => v | 0),
  cast(type, 'int8', type === 'oid' ? 'implicit' : 'assignment', (v: number) => BigInt(v)),
]);

const TEXT_CASTS: readonly Cast[] = [
  cast('bpchar', 'text', 'implicit', (v: string) => v.replace(/ +$/, '')),
  cast('bpchar', 'varchar', 'implicit', (v: string) => v.replace(/ +$/, '')),
  cast('bpchar', 'name', 'implicit', (v: string) => v.replace(/ +$/, '')),
  ...['text', 'varchar', 'bpchar'].map((type) =>
    cast('bool', type, 'assignment', (v: boolean) => (v ? 'true' : 'false')),
  ),
  cast('text', 'name', 'implicit', (v: string) => v),
  cast('varchar', 'name', 'implicit', (v: string) => v),
  cast('char', 'text', 'implicit', (v: string) => v),
  cast('text', 'char', 'assignment', (v: string) => v.slice(0, 1)),
  cast('char', 'int4', 'explicit', (v: string) => (v === '' ? 0 : (v.charCodeAt(0) << 24) >> 24)),
  cast('int4', 'char', 'explicit', (v: number) => (v === 0 ? '' : String.fromCharCode(v))),
  {
    from: 'text',
    to: 'regclass',
    context: 'implicit',
    evaluateIn: (context, name: string) => {
      const oid = /^\d+$/.test(name) ? Number(name) : context.catalog.relationOid(name);
      if (oid !== null) return oid;
      throw new SqlError('undefined_table', `relation "${name}" does not exist`);
    },
  },
];

const MICROS_PER_DAY = 86_400_000_000n;
/** JSON scalars of the canonical text of jsonb. */
function jsonScalar(text: string, kind: 'number' | 'boolean', target: string): string {
  const found = /^["[{]/.test(text)
    ? ({ '"': 'string', '[': 'array', '{': 'object' }[text[0] ?? ''] ?? '')
    : '';
  const actual =
    found || (text === 'null' ? 'null' : text === 'true' || text === 'false' ? 'boolean' : 'number');
  const shown = { number: 'numeric', string: 'string', boolean: 'boolean' }[actual] ?? actual;
  if (actual === kind) return text;
  throw new SqlError('invalid_parameter_value', `cannot cast jsonb ${shown} to type ${target}`);
}

const jsonNumber = (text: string, target: string): NumericDatum =>
  parseNumeric(jsonScalar(text, 'number', target));

const JSON_CASTS: readonly Cast[] = [
  cast('json', 'jsonb', 'assignment', (v: string) => formatJsonb(parseJson(v))),
  cast('jsonb', 'json', 'assignment', (v: string) => v),
  cast('jsonb', 'bool', 'explicit', (v: string) => jsonScalar(v, 'boolean', 'boolean') === 'true'),
  cast('jsonb', 'numeric', 'explicit', (v: string) => jsonNumber(v, 'numeric')),
  cast('jsonb', 'int2', 'explicit', (v: string) =>
    Number(numericInteger(jsonNumber(v, 'smallint'), 'smallint', 15n)),
  ),
  cast('jsonb', 'int4', 'explicit', (v: string) =>
    Number(numericInteger(jsonNumber(v, 'integer'), 'integer', 31n)),
  ),
  cast('jsonb', 'int8', 'explicit', (v: string) =>
    checkInt8(numericInteger(jsonNumber(v, 'bigint'), 'bigint', 63n)),
  ),
  cast('jsonb', 'float4', 'explicit', (v: string) => numericToFloat(jsonNumber(v, 'real'), 'real')),
  cast('jsonb', 'float8', 'explicit', (v: string) =>
    numericToFloat(jsonNumber(v, 'double precision'), 'double precision'),
  ),
];

const TIME_CASTS: readonly Cast[] = [
  cast('date', 'timestamp', 'implicit', dateToTimestamp),
  cast('timestamp', 'date', 'assignment', timestampToDate),
  cast('timestamp', 'time', 'assignment', (v: bigint) =>
    isInfiniteTimestamp(v) ? null : ((v % MICROS_PER_DAY) + MICROS_PER_DAY) % MICROS_PER_DAY,
  ),
  cast('time', 'interval', 'implicit', (micros: bigint) => ({
    datum: 'interval',
    months: 0,
    days: 0,
    micros,
  })),
];

export const CASTS: readonly Cast[] = [
  ...NUMBER_CASTS,
  ...OID_CASTS,
  ...TEXT_CASTS,
  ...JSON_CASTS,
  ...TIME_CASTS,
  ...DATETIME_CASTS,
  ...VECTOR_CASTS,
  ...BIT_CASTS,
  ...SPARSE_VECTOR_CASTS,
  ...MATRIX_CASTS,
];
