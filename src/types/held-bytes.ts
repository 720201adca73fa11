/** Memory of values and vectors, roughly: rather too much than too little. */
import type { Datum } from './datum.ts';
import type { Vector } from './column/vector.ts';

/** A datum with what it refers to, roughly. */
const OBJECT_BYTES = 64;
/** A string beside its characters. */
const STRING_BYTES = 32;
/** A place in an array. */
const PLACE_BYTES = 8;
/** Elements of a longer one that are looked at. */
const MEASURED_COUNT = 64;

export function vectorBytes(column: Vector): number {
  switch (column.kind) {
    case 'bool':
    case 'int32':
    case 'int64':
    case 'float64':
      return column.values.byteLength;
    case 'text':
      return STRING_BYTES * column.length + column.weight;
    case 'object':
      return column.isDecimal ? 8 * column.length : objectBytes(column.values);
  }
}

function objectBytes(values: readonly Datum[]): number {
  let bytes = 0;
  for (const value of values) bytes += datumBytes(value);
  return bytes;
}

/** An array's size is told by its length and some of its elements, so that asking is cheap. */
export function datumBytes(datum: Datum): number {
  if (typeof datum === 'string') return STRING_BYTES + datum.length;
  if (typeof datum !== 'object' || datum === null) return 16;
  if (ArrayBuffer.isView(datum)) return OBJECT_BYTES + datum.byteLength;
  switch (datum.datum) {
    case 'array':
      return OBJECT_BYTES + listBytes(datum.elements);
    case 'record':
      return OBJECT_BYTES + listBytes(datum.fields);
    case 'matrix':
    case 'sparse':
      return OBJECT_BYTES + 2 * datum.values.byteLength;
    default:
      return 2 * OBJECT_BYTES;
  }
}

function listBytes(values: readonly Datum[]): number {
  const step = Math.max(1, Math.floor(values.length / MEASURED_COUNT));
  let [bytes, count] = [0, 0];
  for (let i = 0; i < values.length; i += step) {
    bytes += datumBytes(values[i] as Datum);
    count++;
  }
  return count === 0 ? 0 : values.length * (PLACE_BYTES + bytes / count);
}
