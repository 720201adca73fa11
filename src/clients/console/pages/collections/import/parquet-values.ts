/**
 * Values of Parquet as JSON, with every digit: the reader makes dates of milliseconds and doubles of decimals, so that times,
 * decimals and bytes are read here. Source: apache/parquet-format, LogicalTypes.md.
 */
import type { Json } from '../../../server/messages.ts';

const DAY_MS = 86_400_000;

/** `2024-01-02T03:04:05.678901Z`. */
function timeText(count: bigint, aSecond: bigint): string {
  const seconds = count / aSecond - (count % aSecond < 0n ? 1n : 0n);
  const rest = count - seconds * aSecond;
  const digits = String(aSecond).length - 1;
  const fraction = rest === 0n ? '' : `.${String(rest).padStart(digits, '0')}`;
  return new Date(Number(seconds) * 1000).toISOString().replace('.000Z', `${fraction}Z`);
}

export const PARSERS = {
  timestampFromMilliseconds: (count: bigint) => timeText(count, 1_000n),
  timestampFromMicroseconds: (count: bigint) => timeText(count, 1_000_000n),
  timestampFromNanoseconds: (count: bigint) => timeText(count, 1_000_000_000n),
  dateFromDays: (days: number) => new Date(days * DAY_MS).toISOString().slice(0, 10),
};

/** @param value as many digits behind the point as `scale` says. */
function decimalText(value: bigint, scale: number): string {
  const digits = String(value < 0n ? -value : value).padStart(scale + 1, '0');
  const point = digits.length - scale;
  const sign = value < 0n ? '-' : '';
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Two's complement, the highest byte first. */
function bigintOf(value: unknown): bigint {
  if (!(value instanceof Uint8Array)) return BigInt(value as number | bigint);
  const whole = value.reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
  return BigInt.asIntN(8 * value.length, whole);
}

type Convert = (value: unknown) => string;

/** An element of the schema, which is a tree in order: each before its children. */
interface Element {
  readonly name: string;
  readonly num_children?: number;
  readonly scale?: number;
  converted_type?: string;
  logical_type?: { readonly type: string; readonly unit?: string };
}

const TIME_UNITS: Readonly<Record<string, bigint>> = {
  MILLIS: 1_000n,
  MICROS: 1_000_000n,
  NANOS: 1_000_000_000n,
};

function converterOf(element: Element): Convert | null {
  const { logical_type: type, scale = 0 } = element;
  if (element.converted_type === 'DECIMAL') return (value) => decimalText(bigintOf(value), scale);
  const aSecond = type?.type === 'TIME' ? TIME_UNITS[type.unit ?? ''] : undefined;
  return aSecond === undefined ? null : (value) => timeText(bigintOf(value), aSecond).slice(11, -1);
}

/** Columns that are read here, by their names. The reader is told of plain numbers and bytes there: the schema is changed. */
export function takeColumns(schema: readonly Element[]): ReadonlyMap<string, Convert> {
  const converters = new Map<string, Convert>();
  for (let i = 1; i < schema.length; i += lengthOf(schema, i)) {
    const element = schema[i] as Element;
    const convert = (element.num_children ?? 0) > 0 ? null : converterOf(element);
    if (convert === null) continue;
    converters.set(element.name, convert);
    delete element.converted_type;
    delete element.logical_type;
  }
  return converters;
}

/** Elements of the tree that begins there, itself among them. */
function lengthOf(schema: readonly Element[], at: number): number {
  let length = 1;
  for (let child = 0; child < (schema[at]?.num_children ?? 0); child++)
    length += lengthOf(schema, at + length);
  return length;
}

const DECODER = new TextDecoder('utf-8', { fatal: true });

/** Texts that old writers did not call so; other bytes as SQL writes them. */
function bytesText(bytes: Uint8Array): string {
  try {
    const text = DECODER.decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // They are no text.
  }
  return `\\x${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/** Values that Parquet has and JSON has not, as text. */
export function jsonOf(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return bytesText(value);
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return [...(value as readonly unknown[])].map(jsonOf);
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, jsonOf(one)]));
  }
  return value as Json;
}
