/**
 * Values of an undeclared column whose type has changed since they were written: whole numbers to double
 * precision, anything to jsonb. Parts keep what was written; reading converts. ALTER COLUMN TYPE writes all
 * rows anew, so values of any other type belong to versions that nobody sees: they are read as NULL.
 */
import type { Index } from '../../../catalog/model.ts';
import { textsAtPath } from '../../../types/json/path-column.ts';
import type { ArrayDatum, Datum } from '../../../types/datum.ts';
import { OID } from '../../../types/oids.ts';
import { typeByOid } from '../../../types/registry.ts';
import { DEFAULT_SETTINGS } from '../../../types/settings.ts';
import { constantVector, Float64Vector, type Vector, vectorOf } from '../../../types/column/vector.ts';

/** @returns `vector` itself when there is nothing to change. */
export function convertVector(vector: Vector, from: number, to: number): Vector {
  if (from === to || (to !== OID.jsonb && typeByOid(from).vector === typeByOid(to).vector)) return vector;
  if (to === OID.float8 && (vector.kind === 'int64' || vector.kind === 'int32')) {
    return new Float64Vector(
      Float64Array.from(vector.values as ArrayLike<number | bigint>, Number),
      vector.nulls,
    );
  }
  if (to !== OID.jsonb) return constantVector(typeByOid(to).vector, null, vector.length);
  const texts: Datum[] = [];
  for (let row = 0; row < vector.length; row++) {
    const datum = vector.get(row);
    texts.push(datum === null ? null : jsonText(datum, from));
  }
  return vectorOf('text', texts);
}

/** The value as PostgreSQL's to_jsonb gives it. */
function jsonText(datum: Datum, oid: number): string {
  if (datum === null) return 'null';
  if (oid === OID.jsonb || oid === OID.json) return datum as string;
  const type = typeByOid(oid);
  if (type.elementOid !== undefined && type.category === 'A') {
    return arrayText(datum as ArrayDatum, type.elementOid, 0, 0);
  }
  const text = type.format(datum, DEFAULT_SETTINGS);
  if (oid === OID.bool) return datum === true ? 'true' : 'false';
  if (type.category === 'N' && /^-?\d/.test(text)) return text;
  if (oid === OID.timestamptz || oid === OID.timestamp) {
    return JSON.stringify(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00'));
  }
  return JSON.stringify(text);
}

function arrayText(array: ArrayDatum, elementOid: number, level: number, start: number): string {
  if (array.dimensions.length === 0) return '[]';
  const length = array.dimensions[level]?.length ?? 0;
  const stride = array.dimensions.slice(level + 1).reduce((product, d) => product * d.length, 1);
  const items: string[] = [];
  for (let i = 0; i < length; i++) {
    const at = start + i * stride;
    items.push(
      level + 1 < array.dimensions.length
        ? arrayText(array, elementOid, level + 1, at)
        : jsonText(array.elements[at] ?? null, elementOid),
    );
  }
  return `[${items.join(', ')}]`;
}

/** What an index is over: a column's values, or the texts at its path of them. @param type of the vector. */
export function indexedValues({ path }: Index, vector: Vector, type: number): Vector {
  return path === undefined ? vector : textsAtPath(convertVector(vector, type, OID.jsonb), path);
}
