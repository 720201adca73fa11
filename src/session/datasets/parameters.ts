/** Parameters of the statements that datasets are made of, and what their rows say. */
import { present } from '../../assert.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { Datum } from '../../types/datum.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import { OID } from '../../types/oids.ts';
import { arrayOf } from '../../types/registry.ts';
import type { Parameter } from '../server-session.ts';

const TEXT_ARRAY = present(arrayOf(OID.text), 'text[]').oid;

export const text = (value: string | null): Parameter => [OID.text, value];

export const texts = (values: readonly (string | null)[]): Parameter => [
  TEXT_ARRAY,
  arrayDatum(OID.text, values),
];

const INTEGER_ARRAY = present(arrayOf(OID.int4), 'integer[]').oid;

export const integers = (values: readonly (number | null)[]): Parameter => [
  INTEGER_ARRAY,
  arrayDatum(OID.int4, values),
];

export const integer = (value: number | null): Parameter => [OID.int4, value];

/** @param value what JSON can hold; null is SQL's NULL. */
export const json = (value: unknown): Parameter => [
  OID.jsonb,
  value === null ? null : formatJsonb(jsonOf(value)),
];

/** Pages of a passage; none where its format has none. */
export function pageNumbers(pages: Datum): readonly number[] {
  const isArray = typeof pages === 'object' && pages !== null && 'datum' in pages && pages.datum === 'array';
  return isArray ? pages.elements.map(Number) : [];
}

/** Texts of an array; none of NULL. */
export function arrayTexts(value: Datum | undefined): readonly string[] {
  const isArray = typeof value === 'object' && value !== null && 'datum' in value && value.datum === 'array';
  return isArray ? value.elements.flatMap((text) => (text === null ? [] : [String(text)])) : [];
}

export const uuid = (id: string | null): Parameter => [OID.uuid, id];
