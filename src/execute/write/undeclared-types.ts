/**
 * Types of undeclared columns: what a column becomes when documents differ, and how values are carried over.
 * Integers are kept as bigint, fractions as double precision; what does not fit together becomes jsonb.
 */
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { typeByOid } from '../../types/registry.ts';
import type { FormatSettings, TypeRef } from '../../types/type.ts';
import { type Vector, vectorOf } from '../../types/column/vector.ts';
import { kindOf } from '../expression/compiled.ts';
import { asKind } from '../expression/cast.ts';
import type { Run } from '../state.ts';

const INTEGERS: ReadonlySet<number> = new Set([OID.int2, OID.int4, OID.int8]);
const FLOATS: ReadonlySet<number> = new Set([OID.float4, OID.float8, OID.numeric]);
const TEXTS: ReadonlySet<number> = new Set([OID.text, OID.varchar, OID.bpchar, OID.name, OID.unknown]);

const plain = (oid: number): TypeRef => ({ oid, modifier: -1 });

/** The type that holds both what is there and what comes. */
export function widerType(known: TypeRef, seen: TypeRef): TypeRef {
  const isNumber = ({ oid }: TypeRef): boolean => INTEGERS.has(oid) || FLOATS.has(oid);
  if (known.oid === seen.oid) return known;
  if (TEXTS.has(known.oid) && TEXTS.has(seen.oid)) return plain(OID.text);
  if (INTEGERS.has(known.oid) && INTEGERS.has(seen.oid)) return plain(OID.int8);
  if (isNumber(known) && isNumber(seen)) return plain(OID.float8);
  return plain(OID.jsonb);
}

/** Values of one kept type as another. */
export function convertUndeclared(values: Vector, from: TypeRef, to: TypeRef, run: Run): Vector {
  if (from.oid === to.oid) return asKind(values, kindOf(to));
  const { settings } = run.context.functions;
  const convert = converter(from.oid, to.oid, settings);
  const converted = Array.from({ length: values.length }, (_, row) => {
    const value = values.get(row);
    return value === null ? null : convert(value);
  });
  return vectorOf(kindOf(to), converted);
}

function converter(from: number, to: number, settings: FormatSettings): (value: Datum) => Datum {
  if (to === OID.jsonb) return (value) => jsonText(value, from, settings);
  const source = typeByOid(from);
  const target = typeByOid(to);
  if (to === OID.int8 && INTEGERS.has(from)) return (value) => BigInt(value as number);
  if (to === OID.float8 && INTEGERS.has(from)) return (value) => Number(value);
  if (source.vector === target.vector && source.vector !== 'object') return (value) => value;
  return (value) => target.parse(source.format(value, settings), -1, settings);
}

/** A value as jsonb's text: numbers, booleans and arrays as such, everything else as a string. */
function jsonText(value: Datum, oid: number, settings: FormatSettings): string {
  if (value === null) return 'null';
  if (oid === OID.jsonb || oid === OID.json) return value as string;
  if (typeof value === 'object' && 'datum' in value && value.datum === 'array') {
    return jsonArray(value, settings);
  }
  const type = typeByOid(oid);
  const text = type.format(value, settings);
  if (oid === OID.bool) return text === 't' || text === 'true' ? 'true' : 'false';
  const isJsonNumber = type.category === 'N' && /^-?\d+(\.\d+)?([eE][-+]?\d+)?$/.test(text);
  if (isJsonNumber) return text;
  const isTime = oid === OID.timestamp || oid === OID.timestamptz;
  return JSON.stringify(isTime ? text.replace(' ', 'T') : text);
}

/** Row-major elements, nested as deep as the array has dimensions. */
function jsonArray(array: ArrayDatum, settings: FormatSettings): string {
  let parts = array.elements.map((element) => jsonText(element, array.elementType, settings));
  for (const { length } of array.dimensions.slice(1).reverse()) {
    const groups: string[] = [];
    for (let start = 0; start < parts.length; start += length) {
      groups.push(`[${parts.slice(start, start + length).join(', ')}]`);
    }
    parts = groups;
  }
  return `[${parts.join(', ')}]`;
}
