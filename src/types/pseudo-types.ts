/** record, void and the placeholders of polymorphic functions. No column has one of these types. */
import { SqlError } from '../errors.ts';
import { compareNullable } from './composite/array.ts';
import { ByteWriter } from './column/byte-writer.ts';
import type { ArrayDatum, Datum, RecordDatum } from './datum.ts';
import { ENUM_ORDER } from './composite/enum.ts';
import { OID } from './oids.ts';
import type { FormatSettings, SqlType } from './type.ts';
import { noEquality } from './type-errors.ts';

type FindType = (oid: number) => SqlType;

function placeholder(name: keyof typeof OID, displayName: string = name): SqlType {
  const refuse = (verb: string): SqlError =>
    new SqlError('feature_not_supported', `cannot ${verb} a value of type ${name}`);
  return {
    oid: OID[name],
    name,
    displayName,
    arrayOid: 0,
    category: 'P',
    typlen: 4,
    vector: 'object',
    pseudo: true,
    parse: () => {
      throw refuse('accept');
    },
    format: () => {
      throw refuse('display');
    },
    receive: () => {
      throw refuse('accept');
    },
    send: () => {
      throw refuse('display');
    },
  };
}

export const PLACEHOLDER_TYPES: readonly SqlType[] = [
  placeholder('any', '"any"'),
  placeholder('anyelement'),
  placeholder('anynonarray'),
  { ...placeholder('anyenum'), ...ENUM_ORDER },
  placeholder('anyrange'),
  placeholder('anycompatible'),
  placeholder('anycompatiblearray'),
  placeholder('trigger'),
  placeholder('internal'),
];

/** The result of functions that have none: an empty text. */
export const VOID: SqlType = {
  ...placeholder('void'),
  vector: 'text',
  parse: () => '',
  format: () => '',
  receive: () => '',
  send: () => new Uint8Array(0),
};

/** Columns of arrays of any type (pg_stats). @param arrayOf the array type of an element type. */
export function anyArrayType(arrayOf: (element: number) => SqlType | undefined): SqlType {
  const typeOf = (datum: Datum): SqlType => {
    const found = arrayOf((datum as ArrayDatum).elementType);
    if (found === undefined) throw new SqlError('undefined_object', 'the array has a type that is gone');
    return found;
  };
  return {
    ...placeholder('anyarray'),
    format: (datum, settings) => typeOf(datum).format(datum, settings),
    send: (datum) => typeOf(datum).send(datum),
  };
}

/** Row values. @param find the registry's look-up, for the fields' types. */
export function recordType(find: FindType): SqlType {
  const typeAt = (record: RecordDatum, i: number): SqlType => find(record.types[i] ?? OID.unknown);
  return {
    ...placeholder('record'),
    arrayOid: 2287,
    typlen: -1,
    parse: () => {
      throw new SqlError('feature_not_supported', 'input of anonymous composite types is not implemented');
    },
    format: (datum, settings) => {
      const record = datum as RecordDatum;
      const fields = record.fields.map((field, i) =>
        field === null ? '' : quoteField(typeAt(record, i).format(field, settings)),
      );
      return `(${fields.join(',')})`;
    },
    send: (datum, settings) => sendRecord(datum as RecordDatum, typeAt, settings),
    compare: (a, b) => compareRecords(a as RecordDatum, b as RecordDatum, typeAt),
    hashKey: (datum) => {
      const record = datum as RecordDatum;
      const keys = record.fields.map((field, i) => fieldKey(field, typeAt(record, i)));
      return keys.join('|');
    },
  };
}

function quoteField(text: string): string {
  if (text !== '' && !/[(),"\\ \t\n\v\f\r]/.test(text)) return text;
  return `"${text.replace(/["\\]/g, '$&$&')}"`;
}

/** @throws SqlError 42883 */
function fieldKey(field: Datum, type: SqlType): string {
  if (field === null) return '';
  if (type.hashKey === undefined) throw noEquality(type);
  const key = String(type.hashKey(field));
  return `${key.length}:${key}`;
}

function sendRecord(
  record: RecordDatum,
  typeAt: (record: RecordDatum, i: number) => SqlType,
  settings?: FormatSettings,
): Uint8Array {
  const out = new ByteWriter(64);
  out.writeInt32(record.fields.length);
  record.fields.forEach((field, i) => {
    const type = typeAt(record, i);
    out.writeInt32(type.oid);
    const bytes = field === null ? null : type.send(field, settings);
    out.writeInt32(bytes?.length ?? -1);
    if (bytes !== null) out.writeBytes(bytes);
  });
  return out.finish();
}

/** @throws SqlError 42804 for different column counts, 42883 for fields without order. */
function compareRecords(
  a: RecordDatum,
  b: RecordDatum,
  typeAt: (record: RecordDatum, i: number) => SqlType,
): number {
  if (a.fields.length !== b.fields.length) {
    throw new SqlError('datatype_mismatch', 'cannot compare record types with different numbers of columns');
  }
  for (let i = 0; i < a.fields.length; i++) {
    const type = typeAt(a, i);
    if (type.compare === undefined) {
      throw new SqlError(
        'undefined_function',
        `could not identify a comparison function for type ${type.displayName}`,
      );
    }
    const order = compareNullable(a.fields[i] as Datum, b.fields[i] as Datum, type.compare);
    if (order !== 0) return order;
  }
  return 0;
}
