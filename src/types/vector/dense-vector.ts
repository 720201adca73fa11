/**
 * Dense vectors: `vector` (F32_VECTOR) and `halfvec` (F16_VECTOR) with pgvector's text, binary format and
 * messages, and F8_ (E4M3), U8_ and I8_VECTOR in the same shape with one byte an element. The datum is a
 * Float32Array of the values as the element type holds them; the modifier is the dimension.
 */
import { SqlError } from '../../errors.ts';
import { DIMENSION_MAX } from '../../limits.ts';
import { expectBytes, expectBytesAtLeast, viewOf } from '../column/bytes.ts';
import type { Datum } from '../datum.ts';
import { ELEMENT_FORMATS, type ElementFormat, type ElementKind } from './element-format.ts';
import { OID } from '../oids.ts';
import type { SqlType } from '../type.ts';
import { invalidBinary, invalidText } from '../type-errors.ts';

const HEADER_BYTES = 4;

/** @throws SqlError 22000 unless `modifier` is none or the dimension. */
export function checkDimension(dimension: number, modifier: number): void {
  if (modifier >= 0 && dimension !== modifier) {
    throw new SqlError('data_exception', `expected ${modifier} dimensions, not ${dimension}`);
  }
}

type Base = Pick<
  SqlType,
  | 'oid'
  | 'name'
  | 'displayName'
  | 'arrayOid'
  | 'category'
  | 'typlen'
  | 'vector'
  | 'packModifier'
  | 'showModifier'
>;

/** Common part of all types of vectors; their modifier is the dimension, `(384)`. @param maximum dimensions it allows. */
export function vectorTypeBase(name: keyof typeof OID, maximum: number): Base {
  return {
    oid: OID[name],
    name,
    displayName: name,
    arrayOid: OID[name] + 1,
    category: 'U',
    typlen: -1,
    vector: 'object',
    packModifier: ([dimension, ...more]) => {
      if (dimension === undefined || more.length > 0) {
        throw new SqlError('invalid_parameter_value', 'invalid type modifier');
      }
      if (dimension < 1) {
        throw new SqlError('invalid_parameter_value', `dimensions for type ${name} must be at least 1`);
      }
      if (dimension > maximum) {
        throw new SqlError('invalid_parameter_value', `dimensions for type ${name} cannot exceed ${maximum}`);
      }
      return dimension;
    },
    showModifier: (modifier) => (modifier < 0 ? '' : `(${modifier})`),
  };
}

/** @throws SqlError 22000, 54000. */
function checkCount(count: number, name: string): void {
  if (count < 1) throw new SqlError('data_exception', `${name} must have at least 1 dimension`);
  if (count > DIMENSION_MAX) {
    throw new SqlError('program_limit_exceeded', `${name} cannot have more than ${DIMENSION_MAX} dimensions`);
  }
}

/**
 * `[1,2.5]` to numbers; `format` reads each. Such a text is JSON as a rule, which V8 reads faster than anything
 * written here; `+1`, `.5` and what is wrong are read element by element.
 * @throws SqlError 22P02, 22000, 22003, 54000.
 */
export function parseElements(text: string, name: string, format: ElementFormat): Float32Array {
  const values = jsonElements(text, format);
  if (values === null) return anyElements(text, name, format);
  checkCount(values.length, name);
  return values;
}

/** Null where it is no JSON, or holds what `format` has to look at. */
function jsonElements(text: string, format: ElementFormat): Float32Array | null {
  let elements: unknown;
  try {
    elements = JSON.parse(text);
  } catch {
    return null;
  }
  if (!Array.isArray(elements)) return null;
  const values = new Float32Array(elements.length);
  for (let i = 0; i < values.length; i++) {
    const element: unknown = elements[i];
    const value = typeof element === 'number' ? format.quick(element) : Number.NaN;
    if (!Number.isFinite(value)) return null;
    values[i] = value;
  }
  return values;
}

const OPENING = /^[ \t\n\v\f\r]*\[/;
const CLOSING = /[ \t\n\v\f\r]*\]/y;
const ELEMENT = /[ \t\n\v\f\r]*([^\s,[\]]+)[ \t\n\v\f\r]*([,\]]?)/y;

function anyElements(text: string, name: string, format: ElementFormat): Float32Array {
  let at = OPENING.exec(text)?.[0].length ?? 0;
  if (at === 0) throw invalidText(name, text, { detail: 'Vector contents must start with "[".' });
  const values: number[] = [];
  CLOSING.lastIndex = at;
  let closed = CLOSING.test(text);
  if (closed) at = CLOSING.lastIndex;
  while (!closed && values.length <= DIMENSION_MAX) {
    ELEMENT.lastIndex = at;
    const [, element, separator] = ELEMENT.exec(text) ?? [];
    if (element === undefined) throw invalidText(name, text);
    values.push(format.parse(element, name, text));
    if (separator === '') throw invalidText(name, text);
    at = ELEMENT.lastIndex;
    closed = separator === ']';
  }
  checkCount(values.length, name);
  if (/\S/.test(text.slice(at))) {
    throw invalidText(name, text, { detail: 'Junk after closing right brace.' });
  }
  return Float32Array.from(values);
}

/** @param header int16 dimension and int16 zero, as pgvector. */
function sendElements(values: Float32Array, format: ElementFormat): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + values.length * format.bytes);
  const view = viewOf(bytes);
  view.setUint16(0, values.length);
  if (format === ELEMENT_FORMATS.f32) {
    // Millions of elements go this way on bulk inserts: one swap of all bytes is ten times faster.
    bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), HEADER_BYTES);
    Buffer.from(bytes.buffer, HEADER_BYTES).swap32();
    return bytes;
  }
  for (let i = 0; i < values.length; i++) {
    format.write(view, HEADER_BYTES + i * format.bytes, values[i] as number);
  }
  return bytes;
}

function receiveElements(bytes: Uint8Array, name: string, format: ElementFormat): Float32Array {
  expectBytesAtLeast(bytes, HEADER_BYTES);
  const view = viewOf(bytes);
  const count = view.getUint16(0);
  checkCount(count, name);
  if (view.getInt16(2) !== 0) throw invalidBinary(`expected unused to be 0, not ${view.getInt16(2)}`);
  expectBytes(bytes, HEADER_BYTES + count * format.bytes);
  const values = new Float32Array(count);
  if (format === ELEMENT_FORMATS.f32) {
    const own = Buffer.from(values.buffer);
    own.set(bytes.subarray(HEADER_BYTES));
    own.swap32();
    for (let i = 0; i < count; i++) checkElement(values[i] as number, name);
    return values;
  }
  for (let i = 0; i < count; i++) {
    values[i] = checkElement(format.read(view, HEADER_BYTES + i * format.bytes), name);
  }
  return values;
}

/** @throws SqlError 22000 for what no vector may hold. */
export function checkElement(value: number, name: string): number {
  if (Number.isNaN(value)) throw new SqlError('data_exception', `NaN not allowed in ${name}`);
  if (!Number.isFinite(value)) throw new SqlError('data_exception', `infinite value not allowed in ${name}`);
  return value;
}

/** Element by element, then by dimension. */
export function compareVectors(a: Float32Array, b: Float32Array): number {
  const count = Math.min(a.length, b.length);
  for (let i = 0; i < count; i++) {
    const x = a[i] as number;
    const y = b[i] as number;
    if (x !== y) return x < y ? -1 : 1;
  }
  return a.length - b.length;
}

function formatElements(values: Float32Array, format: ElementFormat): string {
  let text = '[';
  for (let i = 0; i < values.length; i++) {
    text += (i === 0 ? '' : ',') + format.format(values[i] as number);
  }
  return `${text}]`;
}

/** `values` (floats of any precision) as the elements of a type; rounded, checked. @throws SqlError 22000, 22003. */
export function denseVector(values: ArrayLike<number>, kind: ElementKind, name: string): Float32Array {
  const format = ELEMENT_FORMATS[kind];
  const vector = new Float32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    vector[i] = format.round(checkElement(values[i] as number, name), name);
  }
  checkCount(vector.length, name);
  return vector;
}

type VectorName = 'vector' | 'halfvec' | 'f8_vector' | 'u8_vector' | 'i8_vector';

/** Those of pgvector have its operators; ours are only ranked. */
const COMPARED: ReadonlySet<VectorName> = new Set(['vector', 'halfvec']);

function denseType(name: VectorName, kind: ElementKind, aliases: readonly string[] = []): SqlType {
  const format = ELEMENT_FORMATS[kind];
  const checked = (values: Float32Array, modifier: number): Datum => {
    checkDimension(values.length, modifier);
    return values;
  };
  return {
    ...vectorTypeBase(name, DIMENSION_MAX),
    aliases,
    ...(COMPARED.has(name) && { comparison: { samples: ['[1,2]', '[1,3]'], extremes: false } }),
    parse: (text, modifier) => checked(parseElements(text, name, format), modifier),
    format: (datum) => formatElements(datum as Float32Array, format),
    receive: (bytes, modifier) => checked(receiveElements(bytes, name, format), modifier),
    send: (datum) => sendElements(datum as Float32Array, format),
    compare: (a, b) => compareVectors(a as Float32Array, b as Float32Array),
    hashKey: (datum) => (datum as Float32Array).map((value) => value + 0).join(),
    coerce: (datum, modifier) => checked(datum as Float32Array, modifier),
  };
}

export const DENSE_VECTOR_TYPES: readonly SqlType[] = [
  denseType('vector', 'f32', ['f32_vector']),
  denseType('halfvec', 'f16', ['f16_vector']),
  denseType('f8_vector', 'f8'),
  denseType('u8_vector', 'u8'),
  denseType('i8_vector', 'i8'),
];
