/**
 * Fixed OIDs of the catalog: PostgreSQL's own where it has the object. Part of the public contract, because
 * clients keep them: never change one. OIDs of functions, operators and casts are made of their registry id,
 * so that adding one moves no other.
 */
import { hashText } from '../text-hash.ts';

/** pg_class OIDs of the catalogs that pg_description and pg_depend name. */
export const CLASS_OID = {
  pg_type: 1247,
  pg_attribute: 1249,
  pg_proc: 1255,
  pg_class: 1259,
  pg_authid: 1260,
  pg_auth_members: 1261,
  pg_default_acl: 826,
  pg_database: 1262,
  pg_am: 2601,
  pg_cast: 2605,
  pg_constraint: 2606,
  pg_index: 2610,
  pg_namespace: 2615,
  pg_operator: 2617,
  pg_opclass: 2616,
  pg_opfamily: 2753,
  pg_attrdef: 2604,
  pg_rewrite: 2618,
  pg_extension: 3079,
  pg_policy: 3256,
  pg_language: 2612,
  pg_tablespace: 1213,
} as const;

export const NAMESPACE_OID = {
  pg_catalog: 11,
  public: 2200,
  information_schema: 13_000,
  quern: 13_001,
} as const;

export const OWNER_ROLE_OID = 10;
/** PostgreSQL's role that whoever owns the database is: it owns the schema public. */
export const DATABASE_OWNER_ROLE_OID = 6171;
/** Tools take databases below 16384 for templates. */
export const DATABASE_OID = 16_384;
export const DATABASE_NAME = 'quern';
export const VECTOR_EXTENSION_OID = 13_010;
/** Ours, with what PostgreSQL lacks: pg_dump makes nothing of an extension below 16384, nor of its members. */
export const QUERN_EXTENSION_OID = 13_011;
export const TRIGRAM_EXTENSION_OID = 13_012;
export const QUERN_COMMENT = 'hybrid retrieval: vectors, keywords and semantic search';
export const TRIGRAM_COMMENT = 'text similarity measurement and index searching based on trigrams';
export const VECTOR_COMMENT = 'vector data type and ivfflat and hnsw access methods';
export const DEFAULT_TABLESPACE_OID = 1663;
export const GLOBAL_TABLESPACE_OID = 1664;
export const DEFAULT_COLLATION_OID = 100;
export const C_COLLATION_OID = 950;

export const HEAP_OID = 2;

const GENERATED_FROM = 0x4000_0000;
/** An OID that belongs to a relation's column, in catalogs whose rows have none of their own. */
export const derivedOid = (relation: number, attribute: number): number =>
  0x3000_0000 + relation * 2048 + attribute;

/** A stable OID for a registry row, between 2^30 and 2^31. @param id `function lower(text)`, say. */
export function generatedOid(id: string): number {
  let hash = hashText(id);
  hash ^= hash >>> 15;
  hash = Math.imul(hash, 0x2c1b3c6d);
  hash ^= hash >>> 12;
  return GENERATED_FROM + ((hash >>> 0) % GENERATED_FROM);
}

const EXTENSION_TYPES_FROM = 16_000;

/** Types of ours and pgvector's stand in the schema public, as an extension's do. */
export const isExtensionType = (oid: number): boolean => oid >= EXTENSION_TYPES_FROM && oid < 16_384;
