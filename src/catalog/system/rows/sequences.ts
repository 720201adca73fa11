/** pg_sequence, pg_sequences and information_schema.sequences. */
import { PRIVILEGE } from '../../access/privileges.ts';
import { formatType } from '../../../types/registry.ts';
import { namespaceName } from '../../lookup.ts';
import type { Catalog, Relation } from '../../model.ts';
import { DATABASE_NAME } from '../../oids.ts';
import { boundsOf, definitionOf, ownerOf } from '../../sequences.ts';
import { ownerName } from './access.ts';
import type { NamedRow, SystemContext } from '../context.ts';
import { isSeen } from './seen.ts';

const sequencesOf = (catalog: Catalog): Relation[] =>
  [...catalog.relations.values()].filter(({ kind }) => kind === 'sequence');

export function* pgSequence({ catalog }: SystemContext): Generator<NamedRow> {
  for (const relation of sequencesOf(catalog)) {
    const { type, start, increment, min, max, cache, cycle } = definitionOf(relation);
    yield {
      seqrelid: relation.oid,
      seqtypid: type,
      seqstart: BigInt(start),
      seqincrement: BigInt(increment),
      seqmax: BigInt(max),
      seqmin: BigInt(min),
      seqcache: BigInt(cache),
      seqcycle: cycle,
    };
  }
}

export function* pgSequences({ catalog, functions }: SystemContext): Generator<NamedRow> {
  for (const relation of sequencesOf(catalog)) {
    const { type, start, increment, min, max, cache, cycle } = definitionOf(relation);
    const called = functions.services.sequences.isCalled(relation.oid);
    yield {
      schemaname: namespaceName(catalog, relation.namespace),
      sequencename: relation.name,
      sequenceowner: ownerName(catalog, { kind: 'sequence', oid: relation.oid }),
      data_type: type,
      start_value: BigInt(start),
      min_value: BigInt(min),
      max_value: BigInt(max),
      increment_by: BigInt(increment),
      cycle,
      cache_size: BigInt(cache),
      last_value: called ? functions.services.sequences.lastValue(relation.oid) : null,
    };
  }
}

/** Those of identity columns belong to them alone. */
export function* schemaSequences(context: SystemContext): Generator<NamedRow> {
  const { catalog } = context;
  const { select, update, usage } = PRIVILEGE;
  for (const relation of sequencesOf(catalog)) {
    if (!isSeen(context, 'sequence', relation.oid, select | update | usage)) continue;
    if ((ownerOf(catalog, relation)?.column.identity ?? null) !== null) continue;
    const { type, start, increment, min, max, cycle } = definitionOf(relation);
    yield {
      sequence_catalog: DATABASE_NAME,
      sequence_schema: namespaceName(catalog, relation.namespace),
      sequence_name: relation.name,
      data_type: formatType({ oid: type, modifier: -1 }),
      numeric_precision: (boundsOf(type)?.max ?? 0n).toString(2).length + 1,
      numeric_precision_radix: 2,
      numeric_scale: 0,
      start_value: start,
      minimum_value: min,
      maximum_value: max,
      increment,
      cycle_option: cycle ? 'YES' : 'NO',
    };
  }
}
