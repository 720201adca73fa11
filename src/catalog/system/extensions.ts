/** The extensions that are built in, and what belongs to each. */
import { OID } from '../../types/oids.ts';
import { allTypes, findTypeByOid } from '../../types/registry.ts';
import { type Catalog, indexShape, liveColumns } from '../model.ts';
import {
  CLASS_OID,
  generatedOid,
  isExtensionType,
  NAMESPACE_OID,
  QUERN_COMMENT,
  QUERN_EXTENSION_OID,
  TRIGRAM_COMMENT,
  TRIGRAM_EXTENSION_OID,
  VECTOR_COMMENT,
  VECTOR_EXTENSION_OID,
} from '../oids.ts';
import { FUNCTION_ENTRIES, placeOf } from './function-oids.ts';
import { OPERATOR_CLASSES } from './operator-classes.ts';
import { SYSTEM_TABLES } from './columns/tables.ts';

export interface Extension {
  readonly oid: number;
  readonly name: string;
  readonly version: string;
  readonly comment: string;
  readonly namespace: number;
  readonly members: readonly ObjectAddress[];
}

/** An object by the catalog it is listed in. */
export interface ObjectAddress {
  readonly classOid: number;
  readonly oid: number;
  /** Attribute number of a column. */
  readonly column?: number;
}

const PGVECTOR_TYPES: ReadonlySet<number> = new Set([OID.vector, OID.halfvec, OID.sparsevec]);

const isPgvectorType = (oid: number): boolean =>
  PGVECTOR_TYPES.has(oid) || PGVECTOR_TYPES.has(findTypeByOid(oid)?.elementOid ?? 0);

const extensionTypes = (ofPgvector: boolean): readonly ObjectAddress[] =>
  allTypes()
    .filter(({ oid }) => isExtensionType(oid) && isPgvectorType(oid) === ofPgvector)
    .map(({ oid }) => ({ classOid: CLASS_OID.pg_type, oid }));

const VECTOR_MEMBERS: readonly ObjectAddress[] = [
  ...extensionTypes(true),
  ...OPERATOR_CLASSES.filter(({ extension }) => extension).flatMap(({ oid, family }) => [
    { classOid: CLASS_OID.pg_opclass, oid },
    { classOid: CLASS_OID.pg_opfamily, oid: family },
  ]),
];

const QUERN_MEMBERS: readonly ObjectAddress[] = [
  ...extensionTypes(false),
  { classOid: CLASS_OID.pg_namespace, oid: NAMESPACE_OID.quern },
  ...SYSTEM_TABLES.filter(({ schema }) => schema === 'quern').map(({ oid }) => ({
    classOid: CLASS_OID.pg_class,
    oid,
  })),
  ...FUNCTION_ENTRIES.filter((entry) => placeOf(entry).schema === 'quern').map(({ oid }) => ({
    classOid: CLASS_OID.pg_proc,
    oid,
  })),
];

/**
 * pg_dump makes an extension again when its OID is above 16383, together with those who use its types; a dump
 * without vectors can be restored where there is no pgvector.
 */
function vectorExtensionOid(catalog: Catalog): number {
  for (const relation of catalog.relations.values()) {
    const byColumns = liveColumns(relation).some(({ type }) => isPgvectorType(type.oid));
    const byIndexes = relation.indexes.some((index) =>
      indexShape(relation, index).elements.some(({ type }) => isPgvectorType(type)),
    );
    if (byColumns || byIndexes) return generatedOid('extension vector');
  }
  return VECTOR_EXTENSION_OID;
}

/** A dump with an index by trigrams needs it; see `vectorExtensionOid`. */
function trigramExtensionOid(catalog: Catalog): number {
  for (const { indexes } of catalog.relations.values()) {
    if (indexes.some(({ kind }) => kind === 'ngram')) return generatedOid('extension pg_trgm');
  }
  return TRIGRAM_EXTENSION_OID;
}

/** Schemas of datasets, and what ingestion keeps: pg_dump leaves it out, as nobody but the server can write it. */
function datasetMembers(catalog: Catalog): readonly ObjectAddress[] {
  const schemas = catalog.namespaces.filter(({ dataset }) => dataset !== undefined);
  const held = new Set([NAMESPACE_OID.quern, ...schemas.map(({ oid }) => oid)]);
  const relations = [...catalog.relations.values()].filter(({ namespace }) => held.has(namespace));
  return [
    ...schemas.map(({ oid }) => ({ classOid: CLASS_OID.pg_namespace, oid })),
    ...relations.map(({ oid }) => ({ classOid: CLASS_OID.pg_class, oid })),
  ];
}

export function extensions(catalog: Catalog): readonly Extension[] {
  return [
    {
      oid: vectorExtensionOid(catalog),
      name: 'vector',
      version: '0.8.0',
      comment: VECTOR_COMMENT,
      namespace: NAMESPACE_OID.public,
      members: VECTOR_MEMBERS,
    },
    {
      oid: trigramExtensionOid(catalog),
      name: 'pg_trgm',
      version: '1.6',
      comment: TRIGRAM_COMMENT,
      namespace: NAMESPACE_OID.public,
      members: [],
    },
    {
      oid: QUERN_EXTENSION_OID,
      name: 'quern',
      version: '1.0',
      comment: QUERN_COMMENT,
      namespace: NAMESPACE_OID.quern,
      members: [...QUERN_MEMBERS, ...datasetMembers(catalog)],
    },
  ];
}
