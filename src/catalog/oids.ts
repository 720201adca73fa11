/**
 * Fixed OIDs of the catalog: PostgreSQL's own where it has the object. Part of the public contract, because
 * clients keep them: never change one. OIDs of functions, operators and casts are made of their registry id,
 * so that adding one moves no other.
 */

/** pg_class OIDs of the catalogs that pg_description and pg_depend name. */
export const CLASS_OID = {
  pg_type: 1247,
  pg_attribute: 1249,
  pg_proc: 1255,
  pg_class: 1259,
  pg_authid: 1260,
  pg_database: 1262,
  pg_am: 2601,
  pg_cast: 2605,
  pg_constraint: 2606,
  pg_index: 2610,
  pg_namespace: 2615,
  pg_operator: 2617,
  pg_extension: 3079,
} as const;

export const NAMESPACE_OID = {
  pg_catalog: 11,
  public: 2200,
  information_schema: 13_000,
  quern: 13_001,
} as const;

export const OWNER_ROLE_OID = 10;
export const DATABASE_OID = 5;
export const DATABASE_NAME = 'quern';
export const VECTOR_EXTENSION_OID = 13_010;
export const VECTOR_COMMENT = 'vector data type and ivfflat and hnsw access methods';
export const DEFAULT_TABLESPACE_OID = 1663;
export const GLOBAL_TABLESPACE_OID = 1664;
export const DEFAULT_COLLATION_OID = 100;
export const C_COLLATION_OID = 950;

/** pg_am: PostgreSQL's heap and btree, then ours by index kind and by the names USING takes. */
export const ACCESS_METHODS: readonly {
  readonly oid: number;
  readonly name: string;
  readonly type: 't' | 'i';
}[] = [
  { oid: 2, name: 'heap', type: 't' },
  { oid: 403, name: 'btree', type: 'i' },
  { oid: 405, name: 'hash', type: 'i' },
  { oid: 2742, name: 'gin', type: 'i' },
  { oid: 3580, name: 'brin', type: 'i' },
  { oid: 4000, name: 'spgist', type: 'i' },
  { oid: 13_020, name: 'keyword', type: 'i' },
  { oid: 13_021, name: 'semantic', type: 'i' },
  { oid: 13_022, name: 'vector', type: 'i' },
  { oid: 13_023, name: 'hnsw', type: 'i' },
  { oid: 13_024, name: 'ivfflat', type: 'i' },
  { oid: 13_025, name: 'multi_vector', type: 'i' },
  { oid: 13_026, name: 'ngram', type: 'i' },
];

export const HEAP_OID = 2;

export function accessMethodOid(name: string): number {
  return ACCESS_METHODS.find((method) => method.name === name)?.oid ?? 0;
}

const GENERATED_FROM = 0x4000_0000;

/** A stable OID for a registry row, between 2^30 and 2^31. @param id `function lower(text)`, say. */
export function generatedOid(id: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return GENERATED_FROM + ((hash >>> 0) % GENERATED_FROM);
}
