/**
 * Values whose type JavaScript cannot tell: vectors, lists and matrices by the type of their elements.
 * Wrong elements throw at once: `TypeError` what is no number or text, `RangeError` what is out of range.
 */

import { entriesOf } from './options.ts';
import { INSPECT, shownCall } from './shown.ts';

/** Types of elements: signed, unsigned, floating point (f8 is E4M3), text. */
export type ElementType = 'f8' | 'f16' | 'f32' | 'f64' | 'u8' | 'i8' | 'u32' | 'i32' | 'i64' | 'string';
export type MatrixType = 'f32' | 'f16' | 'f8' | 'u8' | 'i8';

/** Stored form of a list: `vector` in a column for vectors, `list` as an array. */
export type ListForm = 'vector' | 'binary' | 'list';

/** A list or vector of one type of elements. */
export class List {
  readonly type: ElementType;
  readonly form: ListForm;
  readonly values: readonly (number | bigint | string)[];

  constructor(type: ElementType, form: ListForm, values: readonly (number | bigint | string)[]) {
    this.type = type;
    this.form = form;
    this.values = values;
  }

  /** As it is written. */
  toString(): string {
    const kind = this.form === 'list' ? 'List' : 'Vector';
    return shownCall(`${this.form === 'binary' ? 'binary' : this.type}${kind}`, this.values);
  }
  [INSPECT](): string {
    return this.toString();
  }
}

/** Rows of equal length. */
export class Matrix {
  readonly type: MatrixType;
  readonly rows: readonly (readonly number[])[];

  constructor(type: MatrixType, rows: readonly (readonly number[])[]) {
    this.type = type;
    this.rows = rows;
  }

  toString(): string {
    return shownCall('matrix', this.rows, this.type === 'f32' ? undefined : this.type);
  }
  [INSPECT](): string {
    return this.toString();
  }
}

/** Where a sparse vector keeps the type of its values: its own properties are the values by index. */
const SPARSE: unique symbol = Symbol('sparse');

/** Values by 32-bit index: `vector[7]`; `Object.entries` gives them in rising order. */
export class SparseVector {
  readonly [index: number]: number;
  declare readonly [SPARSE]: 'f32' | 'u8';

  constructor(type: 'f32' | 'u8', entries: Iterable<readonly [number, number]>) {
    Object.defineProperty(this, SPARSE, { value: type });
    Object.assign(this, Object.fromEntries(entries));
  }

  toString(): string {
    return shownCall(`${this[SPARSE]}SparseVector`, { ...this });
  }
  [INSPECT](): string {
    return this.toString();
  }
}

export const sparseType = (vector: SparseVector): 'f32' | 'u8' => vector[SPARSE];

/** Named values within a document. */
export class Struct {
  readonly fields: Readonly<Record<string, unknown>>;

  constructor(fields: Readonly<Record<string, unknown>>) {
    this.fields = fields;
  }

  toString(): string {
    return shownCall('struct', this.fields);
  }
  [INSPECT](): string {
    return this.toString();
  }
}

/** A number that is floating point although it is whole: JavaScript has no other way to say 2.0. */
export class Float {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }

  toString(): string {
    return shownCall('float', this.value);
  }
  [INSPECT](): string {
    return this.toString();
  }
}

type Numbers = Iterable<number | bigint>;

const INTEGERS: Readonly<Partial<Record<ElementType, readonly [bigint, bigint]>>> = {
  u8: [0n, 255n],
  i8: [-128n, 127n],
  u32: [0n, 2n ** 32n - 1n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
};
/** The largest finite number of a type. */
const FLOATS: Readonly<Partial<Record<ElementType, number>>> = {
  f8: 448,
  f16: 65_504,
  f32: 3.4028234663852886e38,
  f64: Number.MAX_VALUE,
};

function checkNumber(type: ElementType, value: number | bigint): void {
  if (typeof value !== 'number' && typeof value !== 'bigint') {
    throw new TypeError(`expected a number for ${type}, not ${value === null ? 'null' : typeof value}`);
  }
  const bounds = INTEGERS[type];
  if (bounds !== undefined) {
    if (typeof value === 'number' && !Number.isInteger(value)) {
      throw new TypeError(`expected an integer for ${type}, not ${value}`);
    }
    const [least, most] = bounds;
    if (value < least || value > most) throw new RangeError(`${value} is out of range for ${type}`);
  } else if (!(Math.abs(Number(value)) <= (FLOATS[type] ?? 0))) {
    throw new RangeError(`${value} is out of range for ${type}`);
  }
}

function numbers(type: ElementType, form: ListForm, given: Numbers): List {
  if (typeof given !== 'object' || given === null || !(Symbol.iterator in given)) {
    throw new TypeError(`expected an array of numbers for ${type}, not ${typeof given}`);
  }
  const values = [...given];
  for (const value of values) checkNumber(type, value);
  return new List(type, form, values);
}

const dense =
  (type: ElementType) =>
  (values: Numbers): List =>
    numbers(type, 'vector', values);
const list =
  (type: ElementType) =>
  (values: Numbers): List =>
    numbers(type, 'list', values);

export const f8Vector: (values: Numbers) => List = dense('f8');
export const f16Vector: (values: Numbers) => List = dense('f16');
export const f32Vector: (values: Numbers) => List = dense('f32');
export const u8Vector: (values: Numbers) => List = dense('u8');
export const i8Vector: (values: Numbers) => List = dense('i8');
/** Packed bits: one number 0 to 255 for each eight of them. */
export const binaryVector = (values: Numbers): List => numbers('u8', 'binary', values);
export const u32List: (values: Numbers) => List = list('u32');
export const i32List: (values: Numbers) => List = list('i32');
export const i64List: (values: Numbers) => List = list('i64');
export const f32List: (values: Numbers) => List = list('f32');
export const f64List: (values: Numbers) => List = list('f64');

export function stringList(given: Iterable<string>): List {
  const values = [...given];
  for (const value of values) {
    if (typeof value !== 'string') throw new TypeError(`expected a string, not ${typeof value}`);
  }
  return new List('string', 'list', values);
}

/** Bytes from numbers 0 to 255. */
export const bytes = (values: Numbers): Uint8Array =>
  values instanceof Uint8Array
    ? values
    : Uint8Array.from(numbers('u8', 'list', values).values as readonly number[]);

/** @param given value by index, as an object or a map. */
function sparse(
  type: 'f32' | 'u8',
  given: Readonly<Record<number, number>> | ReadonlyMap<number, number>,
): SparseVector {
  const entries = given instanceof Map ? [...given] : Object.entries(given).map(([at, x]) => [Number(at), x]);
  const sorted = (entries as [number, number][]).sort(([a], [b]) => a - b);
  for (const [at, value] of sorted) {
    checkNumber('u32', at);
    checkNumber(type, value);
  }
  return new SparseVector(type, sorted);
}

type SparseInput = Readonly<Record<number, number>> | ReadonlyMap<number, number>;
export const f32SparseVector = (values: SparseInput): SparseVector => sparse('f32', values);
export const u8SparseVector = (values: SparseInput): SparseVector => sparse('u8', values);

/** @param rows of equal length. @param valueType of the elements, f32 unless told. */
export function matrix(rows: Iterable<Numbers>, valueType?: MatrixType | null): Matrix {
  const type = valueType ?? 'f32';
  const values = [...rows].map((row) => numbers(type, 'list', row).values.map(Number));
  const [first] = values;
  for (const row of values) {
    if (row.length !== first?.length) throw new TypeError('the rows of a matrix have one length');
  }
  return new Matrix(type, values);
}

export function float(value: number): Float {
  if (typeof value !== 'number') throw new TypeError(`expected a number, not ${typeof value}`);
  return new Float(value);
}

/** @param fields a plain object or a map; anything else, an instance of a class too, is an error. */
export const struct = (fields: Readonly<Record<string, unknown>> | ReadonlyMap<string, unknown>): Struct =>
  new Struct(Object.fromEntries(entriesOf<unknown>('a struct', fields)));
