/** Values as the server takes them: documents as JSON with tags (`docs/documents.md`), single values as text with a type. */
import { type ElementType, Float, List, Matrix, SparseVector, sparseType, Struct } from '../data.ts';
import { InvalidArgumentError } from '../errors.ts';
import { entriesOf } from '../options.ts';
import { toBase64, toHex } from './base64.ts';

/** JSON that is written as it stands: integers beyond 2^53, floats without a fraction. */
interface Tagged {
  readonly [tag: `$${string}`]: unknown;
}

/** Deeper than this no struct goes; a value that holds itself ends here. */
const DEPTH_MAX = 100;

const TYPED: readonly (readonly [new (...args: never[]) => ArrayLike<unknown>, string])[] = [
  [Float32Array, 'f32'],
  [Int8Array, 'i8'],
];
/** A member of this name would be read as a tagged value. */
const TAG =
  /^\$+(?:int|float|bytes|timestamp|(?:text|int|float)_list|(?:f32|f16|f8|u8|i8|binary)_vector|(?:f32|u8)_sparse_vector|(?:f32|f16|f8|u8|i8)_matrix)$/;

/** One document, or any value within one, as JSON's values. */
function jsonOf(value: unknown, depth = 0): unknown {
  if (depth > DEPTH_MAX) throw new InvalidArgumentError(`a value has at most ${DEPTH_MAX} levels`);
  switch (typeof value) {
    case 'string':
    case 'boolean':
    case 'undefined':
      return value;
    case 'number':
      return Number.isFinite(value) ? value : { $float: String(value) };
    case 'bigint':
      return { $int: String(value) };
    case 'object':
      return value === null ? null : objectJson(value, depth);
    default:
      throw new InvalidArgumentError(`a document holds no ${typeof value}`);
  }
}

function objectJson(value: object, depth: number): unknown {
  if (Array.isArray(value)) return arrayJson(value, depth);
  if (value instanceof Date) return timestampJson(value);
  if (value instanceof Uint8Array) return { $bytes: toBase64(value) };
  if (value instanceof ArrayBuffer) return { $bytes: toBase64(new Uint8Array(value)) };
  if (value instanceof List) return listJson(value);
  if (value instanceof Matrix) return matrixJson(value);
  if (value instanceof SparseVector) return sparseJson(value);
  if (value instanceof Struct) return structJson(value.fields, depth);
  if (value instanceof Float) return { $float: numberJson(value.value) };
  for (const [kind, element] of TYPED) {
    if (value instanceof kind) return { [`$${element}_vector`]: elementsBase64(value as Float32Array) };
  }
  if (value instanceof Float64Array) return { $float_list: Array.from(value, numberJson) };
  if (value instanceof Int32Array || value instanceof Uint32Array) return { $int_list: Array.from(value) };
  if (value instanceof BigInt64Array) return { $int_list: Array.from(value, String) };
  return structJson(Object.fromEntries(entriesOf('a value of a document', value as never)), depth);
}

function timestampJson(value: Date): Tagged {
  if (Number.isNaN(value.getTime())) throw new InvalidArgumentError('an invalid Date');
  return { $timestamp: value.getTime() };
}

const numberJson = (value: number): unknown => (Number.isFinite(value) ? value : String(value));

function arrayJson(values: readonly unknown[], depth: number): unknown {
  const isWhole = (one: unknown): boolean => typeof one === 'bigint' || Number.isInteger(one);
  if (values.some((one) => typeof one === 'bigint') && values.every(isWhole)) {
    return { $int_list: values.map(String) };
  }
  const isNumber = (one: unknown): one is number => typeof one === 'number';
  if (values.every(isNumber) && !values.every(Number.isFinite)) {
    return { $float_list: values.map(numberJson) };
  }
  return values.map((one) => jsonOf(one, depth + 1) ?? null);
}

/** Within a document a member that is called like a tag gets one more `$`. */
function structJson(fields: Readonly<Record<string, unknown>>, depth: number): unknown {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      depth > 0 && name.startsWith('$') && TAG.test(name) ? `$${name}` : name,
      jsonOf(value, depth + 1),
    ]),
  );
}

function listJson({ type, form, values }: List): Tagged {
  if (form === 'binary') return { $binary_vector: toBase64(Uint8Array.from(values as number[])) };
  if (form === 'vector') return { [`$${type}_vector`]: vectorJson(type, values as number[]) };
  if (type === 'string') return { $text_list: values };
  if (type === 'f8' || type.startsWith('f'))
    return { $float_list: values.map((one) => numberJson(Number(one))) };
  return { $int_list: values.map(String) };
}

/** Little-endian bytes in base64 for what JavaScript has arrays of, else numbers. */
function vectorJson(type: ElementType, values: readonly number[]): unknown {
  if (type === 'f32') return elementsBase64(Float32Array.from(values));
  if (type === 'u8' || type === 'i8') return toBase64(Uint8Array.from(values));
  return values;
}

const LITTLE_ENDIAN = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;

function elementsBase64(values: Float32Array | Int8Array): string {
  if (values instanceof Int8Array || LITTLE_ENDIAN) {
    return toBase64(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
  }
  const view = new DataView(new ArrayBuffer(values.length * 4));
  for (const [at, value] of values.entries()) view.setFloat32(at * 4, value, true);
  return toBase64(new Uint8Array(view.buffer));
}

function matrixJson({ type, rows }: Matrix): Tagged {
  if (type !== 'f32' || rows.length === 0) return { [`$${type}_matrix`]: rows };
  return {
    $f32_matrix: { dimension: rows[0]?.length ?? 0, data: elementsBase64(Float32Array.from(rows.flat())) },
  };
}

function sparseJson(vector: SparseVector): Tagged {
  const entries = Object.entries(vector);
  return {
    [`$${sparseType(vector)}_sparse_vector`]: {
      indices: entries.map(([at]) => Number(at)),
      values: entries.map(([, value]) => value),
    },
  };
}

/** Elements of vectors whose lists of numbers go as bytes, and of those that are numbers by index. */
export type PackedType = 'f32' | 'u8' | 'i8' | 'f32_sparse' | 'u8_sparse';
export type PackedFields = ReadonlyMap<string, PackedType>;
export const NOTHING_PACKED: PackedFields = new Map();

/** Shorter lists are as well written out. */
const PACKED_MIN = 32;

const isWorthPacking = (value: unknown): value is readonly number[] =>
  Array.isArray(value) && value.length >= PACKED_MIN && typeof value[0] === 'number';

const INDEX = /^(?:0|[1-9]\d{0,9})$/;

/** True of numbers by index, as sparse vectors are written, and structs with such names. */
const isByIndex = (value: unknown): value is Readonly<Record<string, number>> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.entries(value).every(([at, one]) => INDEX.test(at) && typeof one === 'number');

/** True when the type of its field decides about a value: lists would go shorter and quicker as bytes. */
const isOfItsField = (value: unknown): boolean =>
  isWorthPacking(value) || (isByIndex(value) && Object.keys(value).length > 0);

export const areWorthPacking = (documents: readonly unknown[]): boolean =>
  Array.isArray(documents) &&
  documents.some((one) => typeof one === 'object' && one !== null && Object.values(one).some(isOfItsField));

const sparseByIndex = (type: 'f32' | 'u8', value: Readonly<Record<string, number>>): SparseVector =>
  new SparseVector(
    type,
    Object.entries(value)
      .map(([at, one]) => [Number(at), one] as const)
      .sort(([a], [b]) => a - b),
  );

function packed(type: 'f32' | 'u8' | 'i8', values: readonly number[]): unknown {
  const [least, most] = type === 'u8' ? [0, 255] : [-128, 127];
  const fits = (value: unknown): boolean =>
    type === 'f32'
      ? typeof value === 'number' && Number.isFinite(Math.fround(value))
      : Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
  // A value that does not fit is the server's to refuse.
  return values.every(fits) ? { [`$${type}_vector`]: vectorJson(type, values) } : values;
}

function documentJson(document: unknown, fields: PackedFields): unknown {
  const json = jsonOf(document);
  if (fields.size === 0 || typeof json !== 'object' || json === null || Array.isArray(json)) return json;
  const object = json as Record<string, unknown>;
  for (const [name, type] of fields) {
    const value = object[name];
    if (type === 'f32_sparse' || type === 'u8_sparse') {
      if (isByIndex(value))
        object[name] = sparseJson(sparseByIndex(type === 'u8_sparse' ? 'u8' : 'f32', value));
    } else if (isWorthPacking(value)) object[name] = packed(type, value);
  }
  return object;
}

/** A batch as the text of `quern.upsert`'s and `quern.update`'s documents. */
export function documentsJson(documents: readonly unknown[], fields: PackedFields): string {
  if (Array.isArray(documents)) return JSON.stringify(documents.map((one) => documentJson(one, fields)));
  throw new InvalidArgumentError('documents are an array of objects');
}

/** A parameter: its text, and the SQL type that it is cast to. */
export interface Parameter {
  readonly text: string | null;
  readonly type: string;
}

const quoted = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
export const arrayText = (values: readonly unknown[]): string =>
  `{${values.map((one) => (one === null ? 'NULL' : quoted(String(one)))).join(',')}}`;
const numbersText = (values: Iterable<unknown>): string => `[${[...values].join(',')}]`;

const INT8_MAX = 2 ** 63;

/** A value of an expression as a parameter. */
export function parameterOf(value: unknown): Parameter {
  switch (typeof value) {
    case 'string':
      return { text: value, type: 'text' };
    case 'boolean':
      return { text: String(value), type: 'boolean' };
    case 'bigint':
      return { text: String(value), type: 'bigint' };
    case 'number': {
      const whole = Number.isInteger(value) && Math.abs(value) < INT8_MAX;
      return {
        text: whole ? String(BigInt(value)) : String(value),
        type: whole ? 'bigint' : 'double precision',
      };
    }
    default:
      if (value === null) return { text: null, type: 'text' };
      return objectParameter(value as object);
  }
}

function objectParameter(value: object): Parameter {
  if (value instanceof Date) return { text: value.toISOString(), type: 'timestamptz' };
  if (value instanceof Uint8Array) return { text: `\\x${toHex(value)}`, type: 'bytea' };
  if (value instanceof Float) return { text: String(value.value), type: 'double precision' };
  if (Array.isArray(value)) return listParameter(value);
  if (value instanceof List) return typedListParameter(value);
  if (value instanceof Matrix) {
    return { text: numbersText(value.rows.map(numbersText)), type: `${value.type}_matrix` };
  }
  if (value instanceof SparseVector) {
    // Text of sparse vectors counts from 1.
    const entries = Object.entries(value).map(([at, one]) => `${Number(at) + 1}:${one}`);
    return { text: `{${entries.join(',')}}`, type: `${sparseType(value)}_sparse_vector` };
  }
  return jsonParameter(value);
}

const jsonParameter = (value: object): Parameter => ({ text: plainText(jsonOf(value, 1)), type: 'jsonb' });

/** Numbers that have a tag within documents, as the numbers that `jsonb` has: compared with a field it reads no tags. */
const PLAIN: Readonly<Record<string, (given: unknown) => string | null>> = {
  $int: String,
  $float: floatText,
  $int_list: (given) => `[${(given as unknown[]).join(',')}]`,
  $float_list: (given) => {
    const texts = (given as unknown[]).map(floatText);
    return texts.includes(null) ? null : `[${texts.join(',')}]`;
  },
};

/** With a point, without which it would be an integer; null of what JSON has no number for. */
function floatText(given: unknown): string | null {
  if (!Number.isFinite(given)) return null;
  return Number.isInteger(given) ? `${BigInt(given as number)}.0` : String(given);
}

/** JSON's text of what `jsonOf` gave. */
function plainText(json: unknown): string {
  if (Array.isArray(json)) return `[${json.map(plainText).join(',')}]`;
  if (typeof json !== 'object' || json === null) return JSON.stringify(json);
  const entries = Object.entries(json).filter(([, one]) => one !== undefined);
  const [first] = entries;
  const plain =
    entries.length === 1 && first !== undefined && Object.hasOwn(PLAIN, first[0])
      ? PLAIN[first[0]]?.(first[1])
      : null;
  const members = entries.map(([name, one]) => `${JSON.stringify(name)}:${plainText(one)}`);
  return plain ?? `{${members.join(',')}}`;
}

const isNumeric = (one: unknown): one is number | bigint | Float =>
  typeof one === 'number' || typeof one === 'bigint' || one instanceof Float;

function listParameter(values: readonly unknown[]): Parameter {
  if (values.every(isNumeric)) {
    const plain = values.map((one) => (one instanceof Float ? one.value : one));
    const whole = values.every((one) => typeof one === 'bigint' || Number.isInteger(one));
    return { text: arrayText(plain), type: whole ? 'bigint[]' : 'double precision[]' };
  }
  if (values.every((one) => typeof one === 'string')) return { text: arrayText(values), type: 'text[]' };
  if (values.every((one) => typeof one === 'boolean')) return { text: arrayText(values), type: 'boolean[]' };
  return jsonParameter(values);
}

function typedListParameter({ type, form, values }: List): Parameter {
  if (form === 'binary') return { text: numbersText(values), type: 'binary_vector' };
  if (form === 'vector') return { text: numbersText(values), type: `${type}_vector` };
  if (type === 'string') return { text: arrayText(values), type: 'text[]' };
  return { text: arrayText(values), type: type.startsWith('f') ? 'double precision[]' : 'bigint[]' };
}

/** The query of `fn.vectorDistance`: a list of numbers is a vector of the field's type. */
export function vectorParameter(value: unknown): Parameter {
  if (value instanceof SparseVector) return objectParameter(value);
  if (value instanceof List && value.form !== 'list') return typedListParameter(value);
  if (value instanceof Float32Array) return { text: numbersText(value), type: 'f32_vector' };
  if (value instanceof Int8Array) return { text: numbersText(value), type: 'i8_vector' };
  if (value instanceof Uint8Array) return { text: numbersText(value), type: 'u8_vector' };
  const numbers = value instanceof List ? value.values : value;
  if (Array.isArray(numbers) || numbers instanceof Float64Array) {
    return { text: numbersText(numbers), type: '' };
  }
  const byIndex: unknown = value instanceof Map ? Object.fromEntries(value) : value;
  if (isByIndex(byIndex) && !(byIndex instanceof Date)) return objectParameter(sparseByIndex('f32', byIndex));
  throw new InvalidArgumentError(
    'the query of a vector is a list of numbers, or a value of quern-client/data',
  );
}

/** The query of `fn.multiVectorDistance`. */
export function matrixParameter(value: unknown): Parameter {
  if (value instanceof Matrix) return objectParameter(value);
  if (Array.isArray(value) && value.every((row) => Array.isArray(row) || ArrayBuffer.isView(row))) {
    return objectParameter(
      new Matrix(
        'f32',
        value.map((row) => Array.from(row as ArrayLike<number>)),
      ),
    );
  }
  throw new InvalidArgumentError(
    'the query of a matrix is a list of lists of numbers, or a matrix of quern-client/data',
  );
}
