/**
 * Column values as the wire wants them: int32 length and bytes, or -1 for NULL. One encoder is made per
 * column and used for all its rows; integers, floats and text are written without a string in between.
 */
import { QuickCache } from '../../bounded-cache.ts';
import type { ByteWriter } from './byte-writer.ts';
import { digitCount } from './byte-writer.ts';
import { OID } from '../oids.ts';
import { TEXT_CODEC } from '../text/text.ts';
import type { FormatSettings, SqlType } from '../type.ts';
import type { TextVector, Vector } from './vector.ts';

export type ValueFormat = 'text' | 'binary';

/** Writes row `row` of `vector`, whose kind is the type's, to `out`. */
export type ColumnEncoder = (vector: Vector, row: number, out: ByteWriter) => void;

const NULL_LENGTH = -1;
const SAFE_MAX = BigInt(Number.MAX_SAFE_INTEGER);

/** The encoder of one result column. */
export function columnEncoder(type: SqlType, format: ValueFormat, settings: FormatSettings): ColumnEncoder {
  const general = generalEncoder(type, format, settings);
  const direct = format === 'text' ? textEncoder(type, settings, general) : binaryEncoder(type);
  const write = direct ?? general;
  return (vector, row, out) => {
    if (vector.nulls !== null && vector.nulls[row] === 1) out.writeInt32(NULL_LENGTH);
    else write(vector, row, out);
  };
}

function generalEncoder(type: SqlType, format: ValueFormat, settings: FormatSettings): ColumnEncoder {
  if (format === 'binary') {
    return (vector, row, out) => {
      const bytes = type.send(vector.get(row), settings);
      out.writeInt32(bytes.length);
      out.writeBytes(bytes);
    };
  }
  return (vector, row, out) => {
    const at = out.size;
    out.writeInt32(0);
    out.writeUtf8(type.format(vector.get(row), settings));
    out.patchInt32(at, out.size - at - 4);
  };
}

/** Only for types whose text is that of their codec: UTF-8 bytes, decimal numbers, dates, `t` and `f`. */
function textEncoder(type: SqlType, settings: FormatSettings, general: ColumnEncoder): ColumnEncoder | null {
  if (type.format === TEXT_CODEC.format) return writeTextBytes;
  switch (type.oid) {
    case OID.bool:
      return writeBooleanText;
    case OID.int2:
    case OID.int4:
      return writeInt32Text;
    case OID.int8:
      return writeInt64Text;
    case OID.float8:
      return settings.extraFloatDigits > 0 ? floatText(general) : null;
    case OID.date:
      return dateText(type, settings);
    default:
      return null;
  }
}

const FRACTION = 10_000;
/** Decimals of at most 15 digits stand for different doubles: one that reads back is the shortest. */
const DECIMAL_MAX = 1e15;

/** Up to four places behind the point without a string in between. */
function floatText(general: ColumnEncoder): ColumnEncoder {
  return (vector, row, out) => {
    const value = vector.get(row) as number;
    const units = Math.round(value * FRACTION);
    const short = units / FRACTION === value && Math.abs(units) < DECIMAL_MAX && !Object.is(value, -0);
    if (!short) return general(vector, row, out);
    const at = out.size;
    out.writeInt32(0);
    out.writeDecimal4(units);
    out.patchInt32(at, out.size - at - 4);
  };
}

const DATES_KEPT_MAX = 4_096;

/** Results repeat dates. */
function dateText(type: SqlType, settings: FormatSettings): ColumnEncoder {
  const known = new QuickCache<number, string>(DATES_KEPT_MAX);
  return (vector, row, out) => {
    const day = vector.get(row) as number;
    const text = known.get(day) ?? known.set(day, type.format(day, settings));
    out.writeInt32(text.length);
    out.writeAscii(text);
  };
}

function binaryEncoder(type: SqlType): ColumnEncoder | null {
  if (type.send === TEXT_CODEC.send) return writeTextBytes;
  switch (type.oid) {
    case OID.int4:
    case OID.date:
      return writeInt32Binary;
    case OID.int8:
    case OID.timestamp:
    case OID.timestamptz:
    case OID.time:
      return writeInt64Binary;
    case OID.float8:
      return writeFloat64Binary;
    default:
      return null;
  }
}

const writeTextBytes: ColumnEncoder = (vector, row, out) => {
  const { bytes, offsets } = (vector as TextVector).utf8();
  const start = offsets[row] as number;
  const end = offsets[row + 1] as number;
  out.writeInt32(end - start);
  out.writeBytes(bytes, start, end);
};

const writeBooleanText: ColumnEncoder = (vector, row, out) => {
  out.writeInt32(1);
  out.writeAscii(vector.get(row) === true ? 't' : 'f');
};

const writeInt32Text: ColumnEncoder = (vector, row, out) => {
  writeDecimal(vector.kind === 'int32' ? (vector.values[row] as number) : Number(vector.get(row)), out);
};

const writeInt64Text: ColumnEncoder = (vector, row, out) => {
  const value = vector.get(row) as bigint;
  if (value <= SAFE_MAX && value >= -SAFE_MAX) return writeDecimal(Number(value), out);
  const text = String(value);
  out.writeInt32(text.length);
  out.writeAscii(text);
};

function writeDecimal(value: number, out: ByteWriter): void {
  out.writeInt32(value < 0 ? 1 + digitCount(-value) : digitCount(value));
  out.writeDecimal(value);
}

const writeInt32Binary: ColumnEncoder = (vector, row, out) => {
  out.writeInt32(4);
  out.writeInt32(vector.get(row) as number);
};

const writeInt64Binary: ColumnEncoder = (vector, row, out) => {
  out.writeInt32(8);
  out.writeInt64(vector.get(row) as bigint);
};

const writeFloat64Binary: ColumnEncoder = (vector, row, out) => {
  out.writeInt32(8);
  out.writeFloat64(vector.get(row) as number);
};
