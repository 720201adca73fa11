/**
 * How one element of a vector or matrix is read, rounded, written and shown: float32, float16, float8
 * (E4M3, OCP 8-bit floating point: largest 448, no infinities), unsigned and signed bytes.
 */
import { SqlError } from '../../errors.ts';
import { formatFloat4 } from '../number/float.ts';
import { invalidText } from '../type-errors.ts';

export type ElementKind = 'f32' | 'f16' | 'f8' | 'u8' | 'i8';

export interface ElementFormat {
  /** Bytes of one element in binary form. */
  readonly bytes: number;
  /** @param whole the text the element is part of, for the message. @throws SqlError 22P02, 22000, 22003. */
  parse(text: string, type: string, whole: string): number;
  /** The element for a number that was read already; NaN or infinite where `parse` decides. */
  quick(value: number): number;
  /** To the nearest value the format holds. @throws SqlError 22003. */
  round(value: number, type: string): number;
  read(view: DataView, at: number): number;
  write(view: DataView, at: number, value: number): void;
  format(value: number): string;
}

const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const NAMED = /^[+-]?(nan|inf|infinity)$/i;
const F8_MAX = 448;
const F8_NAN = 0x7f;

function outOfRange(text: string, type: string): SqlError {
  return new SqlError('numeric_value_out_of_range', `"${text}" is out of range for type ${type}`);
}

function parseNumber(text: string, type: string, whole: string): number {
  if (NUMBER.test(text)) return Number(text);
  const named = NAMED.exec(text)?.[1]?.toLowerCase();
  if (named === undefined) throw invalidText(type, whole);
  const what = named === 'nan' ? 'NaN' : 'infinite value';
  throw new SqlError('data_exception', `${what} not allowed in ${type}`);
}

type Codec = Pick<ElementFormat, 'bytes' | 'read' | 'write'> & {
  /** The nearest value, or ±Infinity beyond the range. */
  nearest(value: number): number;
};

function floatFormat({ nearest, ...codec }: Codec): ElementFormat {
  const round = (value: number, type: string, text = String(value)): number => {
    const result = nearest(value);
    if (!Number.isFinite(result)) throw outOfRange(text, type);
    return result;
  };
  return {
    ...codec,
    quick: nearest,
    parse: (text, type, whole) => round(parseNumber(text, type, whole), type, text),
    round,
    format: (value) => formatFloat4(value),
  };
}

function byteFormat(min: number, max: number, codec: Pick<ElementFormat, 'read' | 'write'>): ElementFormat {
  const check = (value: number, type: string, text = String(value)): number => {
    if (!Number.isInteger(value)) {
      throw new SqlError('invalid_text_representation', `invalid input syntax for type ${type}: "${text}"`, {
        detail: 'Elements must be whole numbers.',
      });
    }
    if (value < min || value > max) throw outOfRange(text, type);
    return value + 0;
  };
  return {
    ...codec,
    bytes: 1,
    quick: (value) => (Number.isInteger(value) && value >= min && value <= max ? value + 0 : Number.NaN),
    parse: (text, type, whole) => check(parseNumber(text, type, whole), type, text),
    round: (value, type) => check(Math.round(value), type),
    format: String,
  };
}

/** Value of an E4M3 byte: 4 exponent bits with bias 7, 3 bits of fraction. */
function readFloat8(byte: number): number {
  const sign = byte & 0x80 ? -1 : 1;
  const exponent = (byte >> 3) & 15;
  const fraction = byte & 7;
  if ((byte & 0x7f) === F8_NAN) return NaN;
  return sign * (exponent === 0 ? (fraction / 8) * 2 ** -6 : (1 + fraction / 8) * 2 ** (exponent - 7));
}

function nearestFloat8(value: number): number {
  const size = Math.abs(value);
  if (Number.isNaN(value) || size === 0) return value;
  const exponent = Math.max(Math.floor(Math.log2(size)), -6);
  const unit = 2 ** (exponent - 3);
  const steps = size / unit;
  const floor = Math.floor(steps);
  const up = steps - floor > 0.5 || (steps - floor === 0.5 && floor % 2 === 1);
  const rounded = (up ? floor + 1 : floor) * unit;
  return rounded > F8_MAX ? Math.sign(value) * Infinity : Math.sign(value) * rounded;
}

/** @param value one that `nearestFloat8` gives. */
function float8Byte(value: number): number {
  const sign = value < 0 || Object.is(value, -0) ? 0x80 : 0;
  const size = Math.abs(value);
  if (size < 2 ** -6) return sign | Math.round(size * 2 ** 9);
  const exponent = Math.floor(Math.log2(size));
  return sign | ((exponent + 7) << 3) | Math.round((size / 2 ** exponent - 1) * 8);
}

export const ELEMENT_FORMATS: Readonly<Record<ElementKind, ElementFormat>> = {
  f32: floatFormat({
    bytes: 4,
    nearest: Math.fround,
    read: (view, at) => view.getFloat32(at),
    write: (view, at, value) => view.setFloat32(at, value),
  }),
  f16: floatFormat({
    bytes: 2,
    nearest: Math.f16round,
    read: (view, at) => view.getFloat16(at),
    write: (view, at, value) => view.setFloat16(at, value),
  }),
  f8: floatFormat({
    bytes: 1,
    nearest: nearestFloat8,
    read: (view, at) => readFloat8(view.getUint8(at)),
    write: (view, at, value) => view.setUint8(at, float8Byte(value)),
  }),
  u8: byteFormat(0, 255, {
    read: (view, at) => view.getUint8(at),
    write: (view, at, value) => view.setUint8(at, value),
  }),
  i8: byteFormat(-128, 127, {
    read: (view, at) => view.getInt8(at),
    write: (view, at, value) => view.setInt8(at, value),
  }),
};
