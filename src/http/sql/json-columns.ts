/**
 * Column values as JSON. What JSON has a kind for is of that kind: booleans, numbers that a double holds, texts, documents,
 * arrays, vectors; everything else is its text as PostgreSQL writes it, in a string, and is taken back as such.
 */
import { QuickCache } from '../../bounded-cache.ts';
import type { ByteWriter } from '../../types/column/byte-writer.ts';
import type { TextVector, Vector } from '../../types/column/vector.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import { TEXT_CODEC } from '../../types/text/text.ts';
import type { FormatSettings, SqlType } from '../../types/type.ts';
import { DENSE_VECTOR_TYPES } from '../../types/vector/dense-vector.ts';
import { MATRIX_TYPES } from '../../types/vector/matrix.ts';

/** Writes row `row` of `vector`, whose kind is the type's. */
export type JsonColumn = (vector: Vector, row: number, out: ByteWriter) => void;

/** Writes a value that is not null. */
export type WriteDatum = (value: Datum, out: ByteWriter) => void;

const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;
const OPEN = 0x5b;
const CLOSE = 0x5d;

const DOCUMENTS: ReadonlySet<number> = new Set([OID.json, OID.jsonb]);
/** Their text is JSON: `[1,2.5]`. */
const VECTORS: ReadonlySet<number> = new Set([...DENSE_VECTOR_TYPES, ...MATRIX_TYPES].map(({ oid }) => oid));
/** Their text is a JSON number, but for NaN and the infinities. */
const NUMBERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.float4, OID.float8, OID.oid]);
const IS_NUMBER = /^-?\d/;

/** The writer of one result column. */
export function jsonColumn(type: SqlType, settings: FormatSettings): JsonColumn {
  const write = quickColumn(type, settings) ?? general(jsonDatum(type, settings));
  return (vector, row, out) => {
    if (vector.nulls !== null && vector.nulls[row] === 1) out.writeAscii('null');
    else write(vector, row, out);
  };
}

const general =
  (write: WriteDatum): JsonColumn =>
  (vector, row, out) =>
    write(vector.get(row), out);

/** Columns of many rows: without a string in between. */
function quickColumn(type: SqlType, settings: FormatSettings): JsonColumn | null {
  if (DOCUMENTS.has(type.oid)) return writeDocument;
  if (type.format === TEXT_CODEC.format) return writeText;
  switch (type.oid) {
    case OID.int2:
    case OID.int4:
      return (vector, row, out) => out.writeDecimal(Number(vector.get(row)));
    case OID.int8:
      return writeBigint;
    case OID.float8:
      return settings.extraFloatDigits > 0 ? quickFloat(jsonDatum(type, settings)) : null;
    case OID.date:
      return repeated(type, settings);
    default:
      return null;
  }
}

/** The writer of values outside of a column. */
export function jsonDatum(type: SqlType, settings: FormatSettings): WriteDatum {
  const { elementOid } = type;
  if (elementOid !== undefined) return arrayWriter(jsonDatum(typeByOid(elementOid), settings));
  if (type.oid === OID.bool) return (value, out) => out.writeAscii(value === true ? 'true' : 'false');
  const format = (value: Datum): string => type.format(value, settings);
  if (DOCUMENTS.has(type.oid)) return (value, out) => out.writeUtf8(onOneLine(format(value)));
  if (VECTORS.has(type.oid)) return (value, out) => out.writeAscii(format(value));
  if (!NUMBERS.has(type.oid)) return (value, out) => out.writeUtf8(JSON.stringify(format(value)));
  return (value, out) => {
    const text = format(value);
    out.writeAscii(IS_NUMBER.test(text) ? text : JSON.stringify(text));
  };
}

const arrayWriter =
  (write: WriteDatum): WriteDatum =>
  (value, out) => {
    const array = value as ArrayDatum;
    if (array.dimensions.length === 0) out.writeAscii('[]');
    else writeElements(array, write, { start: 0, end: array.elements.length }, out);
  };

/** Writes elements `start..end - 1` of an array that is not empty, with the brackets around them. */
export function writeElements(
  { dimensions, elements }: ArrayDatum,
  write: WriteDatum,
  { start, end }: { readonly start: number; readonly end: number },
  out: ByteWriter,
): void {
  const sizes = dimensions.map((_, depth) =>
    dimensions.slice(depth).reduce((product, { length }) => product * length, 1),
  );
  for (let i = start; i < end; i++) {
    if (i > 0) out.writeByte(COMMA);
    for (const size of sizes) if (i % size === 0) out.writeByte(OPEN);
    const element = elements[i] as Datum;
    if (element === null) out.writeAscii('null');
    else write(element, out);
    for (const size of sizes) if ((i + 1) % size === 0) out.writeByte(CLOSE);
  }
}

/** Bytes that stand otherwise in a JSON string. */
const ESCAPES: readonly (string | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  const text = byte < 0x80 ? String.fromCharCode(byte) : 'x';
  const quoted = JSON.stringify(text).slice(1, -1);
  return quoted === text ? undefined : quoted;
});
const IS_PLAIN = Uint8Array.from(ESCAPES, (quoted) => (quoted === undefined ? 1 : 0));

const writeText: JsonColumn = (vector, row, out) => {
  const { bytes, offsets } = (vector as TextVector).utf8();
  const end = offsets[row + 1] as number;
  let from = offsets[row] as number;
  out.writeByte(QUOTE);
  for (let at = from; at < end; at++) {
    const byte = bytes[at] as number;
    if (IS_PLAIN[byte] === 1) continue;
    out.writeBytes(bytes, from, at);
    out.writeAscii(ESCAPES[byte] as string);
    from = at + 1;
  }
  out.writeBytes(bytes, from, end);
  out.writeByte(QUOTE);
};

/** Between its values json may have line ends, within them none. */
const writeDocument: JsonColumn = (vector, row, out) => {
  const { bytes, offsets } = (vector as TextVector).utf8();
  const end = offsets[row + 1] as number;
  let from = offsets[row] as number;
  for (let at = from; at < end; at++) {
    if ((bytes[at] as number) >= SPACE) continue;
    out.writeBytes(bytes, from, at);
    out.writeByte(SPACE);
    from = at + 1;
  }
  out.writeBytes(bytes, from, end);
};

const onOneLine = (json: string): string => json.replaceAll(/[\t\n\r]/g, ' ');

const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** A string: clients read JSON's numbers as doubles. */
const writeBigint: JsonColumn = (vector, row, out) => {
  const value = vector.get(row) as bigint;
  out.writeByte(QUOTE);
  if (value <= SAFE_MAX && value >= -SAFE_MAX) out.writeDecimal(Number(value));
  else out.writeAscii(String(value));
  out.writeByte(QUOTE);
};

const FRACTION = 10_000;
const DECIMAL_MAX = 1e15;

/** Up to four places behind the point without a string in between, as the wire writes them. */
function quickFloat(write: WriteDatum): JsonColumn {
  return (vector, row, out) => {
    const value = vector.get(row) as number;
    const units = Math.round(value * FRACTION);
    const isShort = units / FRACTION === value && Math.abs(units) < DECIMAL_MAX && !Object.is(value, -0);
    if (isShort) out.writeDecimal4(units);
    else write(value, out);
  };
}

const REPEATED_KEPT_MAX = 4_096;

/** Results repeat dates. */
function repeated(type: SqlType, settings: FormatSettings): JsonColumn {
  const known = new QuickCache<number, string>(REPEATED_KEPT_MAX);
  return (vector, row, out) => {
    const value = vector.get(row) as number;
    out.writeAscii(known.get(value) ?? known.set(value, JSON.stringify(type.format(value, settings))));
  };
}
