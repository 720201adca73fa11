/**
 * Schema quern: partitions, indexes with their options, collections with their size.
 */
import { arrayDatum } from '../../types/array.ts';
import { formatJsonb, parseJson } from '../../types/json.ts';
import { OID } from '../../types/oids.ts';
import { namespaceName } from '../lookup.ts';
import { columnByAttribute, type Relation } from '../model.ts';
import type { NamedRow, RowSources, SystemContext } from './context.ts';
import { relationKind } from './rows-relations.ts';

export const QUERN_ROWS: RowSources = {
  partitions,
  indexes,
  collections,
};

const stored = ({ catalog }: SystemContext): Relation[] =>
  [...catalog.relations.values()].filter((relation) => relationKind(relation) === 'r');

function namesOf({ catalog }: SystemContext, relation: Relation): NamedRow {
  return { schema: namespaceName(catalog, relation.namespace), relation: relation.name };
}

function* partitions(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    for (const partition of context.facts.partitions(relation.oid)) {
      yield { ...namesOf(context, relation), partition, lsn: context.facts.lsn(relation.oid, partition) };
    }
  }
}

function* indexes(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    for (const index of relation.indexes) {
      const columns = index.columns.map((attribute) => columnByAttribute(relation, attribute)?.name ?? '');
      yield {
        ...namesOf(context, relation),
        index: index.name,
        kind: index.kind,
        columns: arrayDatum(OID.text, columns),
        options: formatJsonb(parseJson(JSON.stringify(index.options))),
        is_unique: index.unique,
        is_primary: index.primary,
        state: 'ready',
      };
    }
  }
}

function* collections(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    const { rows, bytes } = context.facts.statistics(relation.oid);
    yield {
      schema: namespaceName(context.catalog, relation.namespace),
      name: relation.name,
      kind: relation.kind,
      row_count: BigInt(Math.round(rows)),
      bytes: BigInt(Math.round(bytes)),
      lsn: context.facts.lsn(relation.oid, null),
      partition_count: context.facts.partitions(relation.oid).length,
    };
  }
}
