/** Parameters of the statements that datasets are made of. */
import { present } from '../../assert.ts';
import { arrayDatum } from '../../types/composite/array.ts';
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

export const integer = (value: number | null): Parameter => [OID.int4, value];

/** @param value what JSON can hold; null is SQL's NULL. */
export const json = (value: unknown): Parameter => [
  OID.jsonb,
  value === null ? null : formatJsonb(jsonOf(value)),
];
