/**
 * JSON as text of any SQL value, as to_json writes it: rows and arrays without spaces, json as it stands. Source:
 * json.c of PostgreSQL 18 (datum_to_json, composite_to_json, array_to_json).
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum, RecordDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings } from '../../types/type.ts';
import { isoJsonTime, isTimeOfJson } from './values.ts';

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** `\n ` after a comma where the form is pretty: only at the outermost level. */
export function writeJson(value: Datum, typeOid: number, settings: FormatSettings, pretty = false): string {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'object' && 'datum' in value) {
    if (value.datum === 'array') return writeArray(value, settings, pretty);
    if (value.datum === 'record') return writeRecord(value, settings, pretty);
  }
  if (typeOid === OID.json || typeOid === OID.jsonb) return value as string;
  if (isTimeOfJson(typeOid)) return JSON.stringify(isoJsonTime(value, typeOid, settings));
  const type = typeByOid(typeOid);
  const text = type.format(value, settings);
  return type.category === 'N' && NUMBER.test(text) ? text : JSON.stringify(text);
}

const comma = (pretty: boolean): string => (pretty ? ',\n ' : ',');

function writeRecord(record: RecordDatum, settings: FormatSettings, pretty: boolean): string {
  const members = record.fields.map((field, i) => {
    const name = JSON.stringify(record.names?.[i] ?? `f${i + 1}`);
    return `${name}:${writeJson(field, record.types[i] ?? OID.text, settings)}`;
  });
  return `{${members.join(comma(pretty))}}`;
}

function writeArray(array: ArrayDatum, settings: FormatSettings, pretty: boolean): string {
  const lengths = array.dimensions.map(({ length }) => length);
  const write = (elements: readonly Datum[], depth: number): string => {
    if (depth >= lengths.length - 1) {
      const items = elements.map((element) => writeJson(element, array.elementType, settings));
      return `[${items.join(comma(pretty && depth === 0))}]`;
    }
    const size = elements.length / (lengths[depth] ?? 1);
    const rows = Array.from({ length: lengths[depth] ?? 0 }, (_, i) => {
      return write(elements.slice(i * size, (i + 1) * size), depth + 1);
    });
    return `[${rows.join(comma(pretty && depth === 0))}]`;
  };
  return write(array.elements, 0);
}

/** @throws SqlError 22023: keys are scalars. */
export function checkKey(key: Datum, typeOid: number): void {
  const nests = typeof key === 'object' && key !== null && 'datum' in key && NESTS.has(key.datum);
  if (!nests && typeOid !== OID.json && typeOid !== OID.jsonb) return;
  const message = 'key value must be scalar, not array, composite, or json';
  throw new SqlError('invalid_parameter_value', message);
}

const NESTS: ReadonlySet<string> = new Set(['array', 'record']);

/** A key of an object: any scalar as a string. */
export function writeKey(key: Datum, typeOid: number, settings: FormatSettings): string {
  checkKey(key, typeOid);
  const text = writeJson(key, typeOid, settings);
  return text.startsWith('"') ? text : JSON.stringify(text);
}

/** `{"a" : 1, "b" : 2}` of json_build_object, `{ "a" : 1 }` of json_object_agg. */
export const writeMembers = (members: readonly (readonly [key: string, value: string])[]): string =>
  members.map(([key, value]) => `${key} : ${value}`).join(', ');
