/** Values as the server sends them, text by the type's OID; and what JSON holds with tags (`docs/documents.md`). */
import { Matrix, type MatrixType, SparseVector } from '../data.ts';
import { InvalidArgumentError } from '../errors.ts';
import { fromBase64, fromHex } from './base64.ts';

type Decode = (text: string) => unknown;

/** A number where it is exact, else a bigint. */
function integer(text: string): number | bigint {
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : BigInt(text);
}

/** Whole milliseconds since 1970 UTC; below a millisecond is cut. */
function timestamp(text: string): number {
  if (text === 'infinity') return Number.POSITIVE_INFINITY;
  if (text === '-infinity') return Number.NEGATIVE_INFINITY;
  const [, day = '', time = '', fraction = '', zone = ''] =
    /^([\d-]+)[ T]([\d:]+)(?:\.(\d+))?\s*(Z|[+-][\d:]+)?/.exec(text) ?? [];
  const offset = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone;
  const year = day.length > 10 ? `+00${day}`.slice(0, 1) + day.padStart(12, '0') : day;
  return Date.parse(`${year}T${time}${offset || 'Z'}`) + Number(fraction.padEnd(3, '0').slice(0, 3) || 0);
}

const numbers = (text: string): number[] => JSON.parse(text) as number[];

/** `{1:0.5,8:2}`, from 1, with or without a dimension behind it. */
const sparse =
  (type: 'f32' | 'u8'): Decode =>
  (text) => {
    const inner = text.slice(1, text.lastIndexOf('}'));
    const pairs = inner === '' ? [] : inner.split(',').map((one) => one.split(':').map(Number));
    return new SparseVector(
      type,
      pairs.map(([at = 1, value = 0]) => [at - 1, value]),
    );
  };

/** `{1,NULL,"a b"}`, of any depth. */
export function array(text: string, of: Decode): unknown[] {
  const [values] = arrayFrom(text, 0, of);
  return values;
}

function arrayFrom(text: string, start: number, of: Decode): [unknown[], number] {
  const values: unknown[] = [];
  let at = start + 1;
  while (text[at] !== '}') {
    if (text[at] === '{') {
      const [inner, end] = arrayFrom(text, at, of);
      values.push(inner);
      at = end;
    } else if (text[at] === '"') {
      let element = '';
      for (at++; text[at] !== '"'; at++) element += text[at] === '\\' ? text[++at] : text[at];
      values.push(of(element));
      at++;
    } else {
      const from = at;
      while (text[at] !== ',' && text[at] !== '}') at++;
      const element = text.slice(from, at);
      values.push(element === 'NULL' ? null : of(element));
    }
    if (text[at] === ',') at++;
  }
  return [values, at + 1];
}

const SPECIAL: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};
const float: Decode = (text) => SPECIAL[text] ?? Number(text);
/** A number of any size on the server. @throws InvalidArgumentError beyond what a number of JavaScript's holds. */
const numeric: Decode = (text) => {
  const value = SPECIAL[text] ?? Number(text);
  if (Number.isFinite(value) || Object.hasOwn(SPECIAL, text)) return value;
  throw new InvalidArgumentError('overflow: a number is out of range for a float', { sqlstate: '22003' });
};
const boolean: Decode = (text) => text === 't';
const bytes: Decode = (text) => fromHex(text.slice(2));
const same: Decode = (text) => text;
const json: Decode = (text) => untagged(JSON.parse(text));

const SCALARS: readonly (readonly [Decode, ...number[]])[] = [
  [boolean, 16],
  [bytes, 17],
  [integer, 20, 21, 23, 26],
  [float, 700, 701],
  [numeric, 1700],
  [timestamp, 1114, 1184],
  [json, 114, 3802],
  [numbers, 16000, 16002, 16006, 16008, 16010, 16012],
  [sparse('f32'), 16004, 16014],
  [sparse('u8'), 16016],
  [numbers, 16018, 16020, 16022, 16024, 16026],
];
const ARRAYS: readonly (readonly [Decode, ...number[]])[] = [
  [boolean, 1000],
  [bytes, 1001],
  [integer, 1005, 1007, 1016],
  [same, 1009, 1015, 2951],
  [float, 1021, 1022],
  [numeric, 1231],
  [timestamp, 1115, 1185],
  [json, 199, 3807],
];

/** By OID; what is not here is text. */
export const DECODERS: ReadonlyMap<number, Decode> = new Map([
  ...SCALARS.flatMap(([decode, ...oids]) => oids.map((oid) => [oid, decode] as const)),
  ...ARRAYS.flatMap(([decode, ...oids]) =>
    oids.map((oid) => [oid, (text: string) => array(text, decode)] as const),
  ),
]);

const TAG = /^\$(\$*)([a-z]\w*)$/;

/** JSON's values with the tagged ones as what they stand for, at any depth. */
function untagged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untagged);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const [first] = entries;
  if (entries.length === 1 && first !== undefined) {
    const [, more, word = ''] = TAG.exec(first[0]) ?? [];
    if (more === '' && Object.hasOwn(TAGS, word)) return TAGS[word]?.(first[1]);
  }
  return Object.fromEntries(entries.map(([name, one]) => [unescaped(name), untagged(one)]));
}

/** A member's name as it was given: one `$` less where it would be a tag. */
function unescaped(name: string): string {
  const [, more = '', word = ''] = TAG.exec(name) ?? [];
  return more !== '' && Object.hasOwn(TAGS, word) ? name.slice(1) : name;
}

const ELEMENTS: Readonly<Record<string, (view: DataView, at: number) => number>> = {
  f32: (view, at) => view.getFloat32(at * 4, true),
  f16: (view, at) => half(view.getUint16(at * 2, true)),
  f8: (view, at) => e4m3(view.getUint8(at)),
  u8: (view, at) => view.getUint8(at),
  i8: (view, at) => view.getInt8(at),
  binary: (view, at) => view.getUint8(at),
};
const WIDTHS: Readonly<Record<string, number>> = { f32: 4, f16: 2 };

function half(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

function e4m3(bits: number): number {
  const [sign, exponent, fraction] = [bits & 0x80 ? -1 : 1, (bits >> 3) & 15, bits & 7];
  if (exponent === 15 && fraction === 7) return Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -9 : sign * (1 + fraction / 8) * 2 ** (exponent - 7);
}

/** A vector's numbers, as a list or as base64 of its elements. */
function elements(type: string, given: unknown): number[] {
  if (typeof given !== 'string') return (given as unknown[]).map(Number);
  const raw = fromBase64(given);
  const view = new DataView(raw.buffer);
  const read = ELEMENTS[type];
  const count = raw.length / (WIDTHS[type] ?? 1);
  return Array.from({ length: count }, (_, at) => read?.(view, at) ?? 0);
}

interface Packed {
  readonly dimension: number;
  readonly data: string;
}

function matrixRows(type: MatrixType, given: unknown): number[][] {
  if (Array.isArray(given)) return new Matrix(type, given as number[][]).rows.map((row) => [...row]);
  const { dimension, data } = given as Packed;
  const all = elements(type, data);
  return Array.from({ length: all.length / dimension }, (_, row) =>
    all.slice(row * dimension, (row + 1) * dimension),
  );
}

function sparseOf(type: 'f32' | 'u8', given: unknown): SparseVector {
  const { indices, values } = given as { readonly indices: number[]; readonly values: number[] };
  return new SparseVector(
    type,
    indices.map((at, index) => [at, values[index] ?? 0] as const).sort(([a], [b]) => a - b),
  );
}

const floatOf = (given: unknown): number => float(String(given)) as number;

const TAGS: Readonly<Record<string, (given: unknown) => unknown>> = {
  int: (given) => integer(String(given)),
  float: floatOf,
  bytes: (given) => fromBase64(String(given)),
  timestamp: (given) => (typeof given === 'number' ? Math.floor(given) : timestamp(String(given))),
  text_list: (given) => given,
  int_list: (given) => (given as unknown[]).map((one) => integer(String(one))),
  float_list: (given) => (given as unknown[]).map(floatOf),
  ...Object.fromEntries(
    ['f32', 'f16', 'f8', 'u8', 'i8', 'binary'].map((type) => [
      `${type}_vector`,
      (given: unknown) => elements(type, given),
    ]),
  ),
  ...Object.fromEntries(
    (['f32', 'f16', 'f8', 'u8', 'i8'] as const).map((type) => [
      `${type}_matrix`,
      (given: unknown) => matrixRows(type, given),
    ]),
  ),
  f32_sparse_vector: (given) => sparseOf('f32', given),
  u8_sparse_vector: (given) => sparseOf('u8', given),
};
