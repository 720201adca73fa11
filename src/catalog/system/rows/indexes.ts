/** pg_index, pg_indexes and the statistics of indexes. */
import { OID } from '../../../types/oids.ts';
import { findTypeByOid } from '../../../types/registry.ts';
import { indexDefinition } from '../../definitions.ts';
import { namespaceName } from '../../lookup.ts';
import { type Catalog, type Index, indexShape, type Relation } from '../../model.ts';
import { DEFAULT_COLLATION_OID } from '../../oids.ts';
import type { NamedRow, RowSources, SystemContext } from '../context.ts';
import { operatorClassOid } from '../operator-classes.ts';
import { vectorDatum } from '../columns/tables.ts';

export const INDEX_ROWS: RowSources = {
  pg_index: pgIndex,
  pg_indexes: pgIndexes,
  pg_stat_all_indexes: indexStatistics,
  pg_stat_user_indexes: indexStatistics,
};

function* pgIndex({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    for (const index of relation.indexes) {
      yield indexRow(relation, index);
    }
  }
}

function indexRow(relation: Relation, index: Index): NamedRow {
  const { elements, included, where } = indexShape(relation, index);
  const types = elements.map(({ type }) => type);
  const expressions = elements.flatMap(({ expression }) => expression ?? []);
  const collations = types.map((oid) => (findTypeByOid(oid)?.category === 'S' ? DEFAULT_COLLATION_OID : 0));
  const orders = elements.map(({ descending, nullsFirst }) => Number(descending) + 2 * Number(nullsFirst));
  return {
    indexrelid: index.oid,
    indrelid: relation.oid,
    indnatts: elements.length + included.length,
    indnkeyatts: elements.length,
    indisunique: index.unique,
    indnullsnotdistinct: index.equalNulls !== undefined,
    indisprimary: index.primary,
    indimmediate: !index.deferrable,
    indisvalid: index.standby === undefined,
    indisready: true,
    indislive: true,
    indkey: vectorDatum(OID.int2, [...elements.map(({ attribute }) => attribute), ...included]),
    indcollation: vectorDatum(OID.oid, collations),
    indclass: vectorDatum(
      OID.oid,
      elements.map((element) => operatorClassOid(relation, index, element)),
    ),
    indoption: vectorDatum(OID.int2, orders),
    indexprs: expressions.length === 0 ? null : expressions.join(', '),
    indpred: where,
  };
}

function schemaOf(catalog: Catalog, relation: Relation): string {
  return namespaceName(catalog, relation.namespace) ?? '';
}

function* pgIndexes({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    for (const index of relation.indexes) {
      yield {
        schemaname: schemaOf(catalog, relation),
        tablename: relation.name,
        indexname: index.name,
        indexdef: indexDefinition(catalog, relation, index),
      };
    }
  }
}

function* indexStatistics({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of catalog.relations.values()) {
    for (const index of relation.indexes) {
      yield {
        relid: relation.oid,
        indexrelid: index.oid,
        schemaname: schemaOf(catalog, relation),
        relname: relation.name,
        indexrelname: index.name,
      };
    }
  }
}
