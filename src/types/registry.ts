/**
 * Every SQL type, one row each. Array types are generated: one for each row that has an `arrayOid`.
 * A new type is a file with its row, and a line in `ELEMENT_TYPES`. Types that users make are known by OID
 * only (`composite/enum.ts`); their names are the catalog's.
 */
import { present } from '../assert.ts';
import { arrayTypeOf } from './composite/array.ts';
import { BIT, VARBIT } from './text/bit-string.ts';
import { BOOLEAN } from './number/boolean.ts';
import { BYTEA } from './text/bytea.ts';
import { DATE, TIME, TIMESTAMP, TIMESTAMPTZ, TIMETZ } from './time/datetime.ts';
import { DENSE_VECTOR_TYPES } from './vector/dense-vector.ts';
import { userTypeByOid } from './composite/enum.ts';
import { DOUBLE, REAL } from './number/float.ts';
import { BIGINT, INTEGER, SMALLINT } from './number/integer.ts';
import { INTERVAL } from './time/interval.ts';
import { JSON_TYPE, JSONB } from './json/types.ts';
import { JSONPATH } from './json/path-text.ts';
import { BINARY_VECTOR, MATRIX_TYPES } from './vector/matrix.ts';
import { NUMERIC } from './number/numeric-type.ts';
import { OBJECT_IDENTIFIER_TYPES } from './number/object-identifier.ts';
import { OID } from './oids.ts';
import { anyArrayType, PLACEHOLDER_TYPES, recordType, VOID } from './pseudo-types.ts';
import { RANGE_TYPES } from './composite/range.ts';
import { SPARSE_VECTOR_TYPES } from './vector/sparse-vector.ts';
import { ACLITEM } from './acl-item.ts';
import { PG_LSN, PG_NODE_TREE, TID, vectorTypes } from './system-types.ts';
import { BPCHAR, CSTRING, NAME, REFCURSOR, SINGLE_CHAR, TEXT, UNKNOWN, VARCHAR } from './text/text.ts';
import { TSQUERY } from './text/text-search-query.ts';
import { TSVECTOR } from './text/text-search-vector.ts';
import type { SqlType, TypeRef } from './type.ts';
import { UUID } from './text/uuid.ts';

const OID_TYPE = present(
  OBJECT_IDENTIFIER_TYPES.find(({ oid }) => oid === OID.oid),
  'type oid',
);

const ELEMENT_TYPES: readonly SqlType[] = [
  BOOLEAN,
  SMALLINT,
  INTEGER,
  BIGINT,
  REAL,
  DOUBLE,
  TEXT,
  VARCHAR,
  BPCHAR,
  NAME,
  SINGLE_CHAR,
  UNKNOWN,
  CSTRING,
  REFCURSOR,
  BYTEA,
  UUID,
  NUMERIC,
  DATE,
  TIME,
  TIMETZ,
  TIMESTAMP,
  TIMESTAMPTZ,
  INTERVAL,
  JSON_TYPE,
  JSONB,
  JSONPATH,
  TSVECTOR,
  TSQUERY,
  ...OBJECT_IDENTIFIER_TYPES,
  TID,
  PG_LSN,
  PG_NODE_TREE,
  ACLITEM,
  ...vectorTypes(SMALLINT, OID_TYPE),
  ...DENSE_VECTOR_TYPES,
  ...SPARSE_VECTOR_TYPES,
  BINARY_VECTOR,
  ...MATRIX_TYPES,
  BIT,
  VARBIT,
  ...RANGE_TYPES,
  VOID,
  recordType((oid) => typeByOid(oid)),
  anyArrayType((element) => arrayOf(element)),
  ...PLACEHOLDER_TYPES,
];

const TYPES: readonly SqlType[] = [
  ...ELEMENT_TYPES,
  ...ELEMENT_TYPES.filter(({ arrayOid }) => arrayOid !== 0).map(arrayTypeOf),
];

const BY_OID: ReadonlyMap<number, SqlType> = new Map(TYPES.map((type) => [type.oid, type]));

/** typname first, so that a display name or alias never hides one (`char` is the one-byte type). */
const BY_NAME: ReadonlyMap<string, SqlType> = new Map([
  ...TYPES.flatMap((type) => (type.aliases ?? []).map((alias) => [alias, type] as const)),
  ...TYPES.map((type) => [type.displayName, type] as const),
  ...TYPES.map((type) => [type.name, type] as const),
]);

/** @returns undefined when no type has this OID. */
export function findTypeByOid(oid: number): SqlType | undefined {
  return BY_OID.get(oid) ?? userTypeByOid(oid);
}

/** @param oid of a type that is known to exist. */
export function typeByOid(oid: number): SqlType {
  return present(findTypeByOid(oid), `type ${oid}`);
}

/** By typname, display name or alias; lower case. `int4[]` and `_int4` are both found. */
export function findType(name: string): SqlType | undefined {
  const found = BY_NAME.get(name);
  if (found !== undefined || !name.endsWith('[]')) return found;
  const element = BY_NAME.get(name.slice(0, -2));
  return element === undefined ? undefined : BY_OID.get(element.arrayOid);
}

export function isBuiltIn(oid: number): boolean {
  return BY_OID.has(oid);
}

/** Those that are built in. */
export function allTypes(): readonly SqlType[] {
  return TYPES;
}

export function typeRef(oid: number, modifier = -1): TypeRef {
  return { oid, modifier };
}

/** The array type whose elements have type `oid`. */
export function arrayOf(oid: number): SqlType | undefined {
  const arrayOid = findTypeByOid(oid)?.arrayOid ?? 0;
  return arrayOid === 0 ? undefined : findTypeByOid(arrayOid);
}

/**
 * As SQL shows it: `character varying(40)`, `timestamp(3) without time zone`, `integer[]`;
 * `???` for an unknown OID, as PostgreSQL.
 */
export function formatType(ref: TypeRef): string {
  const type = findTypeByOid(ref.oid);
  if (type === undefined) return '???';
  if (type.elementOid !== undefined && type.category === 'A' && type.name.startsWith('_')) {
    return `${formatType({ oid: type.elementOid, modifier: ref.modifier })}[]`;
  }
  // A char without length is `bpchar`: `character` alone would read as character(1).
  if (type.name === 'bpchar' && ref.modifier < 0) return 'bpchar';
  if (type.name === 'bit' && ref.modifier < 0) return '"bit"';
  const shown = ref.modifier < 0 ? '' : (type.showModifier?.(ref.modifier) ?? '');
  const zone = / with(out)? time zone$/.exec(type.displayName);
  if (zone === null) return type.displayName + shown;
  return type.displayName.slice(0, zone.index) + shown + zone[0];
}
