/**
 * Types of undeclared columns: what a column becomes when documents differ, and how values are carried over.
 * Integers are kept as bigint, fractions as double precision; what does not fit together becomes jsonb, where
 * values that JSON has not are tagged.
 */
import type { Datum } from '../../types/datum.ts';
import { taggedText } from '../../types/json/tagged.ts';
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

/** @param to a type that holds them: what `widerType` gives. */
export function converter(from: number, to: number, settings: FormatSettings): (value: Datum) => Datum {
  if (to === OID.jsonb) return (value) => taggedText(value, from, settings);
  const source = typeByOid(from);
  const target = typeByOid(to);
  if (to === OID.int8 && INTEGERS.has(from)) return (value) => BigInt(value as number);
  if (to === OID.float8 && INTEGERS.has(from)) return (value) => Number(value);
  if (source.vector === target.vector && source.vector !== 'object') return (value) => value;
  return (value) => target.parse(source.format(value, settings), -1, settings);
}
