/**
 * Values of an undeclared column whose type has changed since they were written: whole numbers to double
 * precision, anything to jsonb. Parts keep what was written; reading converts. ALTER COLUMN TYPE writes all
 * rows anew, so values of any other type belong to versions that nobody sees: they are read as NULL.
 */
import type { Index } from '../../../catalog/model.ts';
import { textsAtPath } from '../../../types/json/path-column.ts';
import { taggedText } from '../../../types/json/tagged.ts';
import type { Datum } from '../../../types/datum.ts';
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
    texts.push(datum === null ? null : taggedText(datum, from, DEFAULT_SETTINGS));
  }
  return vectorOf('text', texts);
}

/** Values that an index is over: a column's, or the texts at its path of them. @param type of the vector. */
export function indexedValues({ path }: Index, vector: Vector, type: number): Vector {
  return path === undefined ? vector : textsAtPath(convertVector(vector, type, OID.jsonb), path);
}
