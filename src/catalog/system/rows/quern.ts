/**
 * Schema quern: partitions, indexes with their options, collections with their fields and size, datasets.
 */
import { UNIX_EPOCH_MS } from '../../../epoch.ts';
import { arrayDatum } from '../../../types/composite/array.ts';
import { formatJsonb, parseJson } from '../../../types/json/json.ts';
import { OID } from '../../../types/oids.ts';
import { activeDomains, namespaceName } from '../../lookup.ts';
import { columnByAttribute, indexedName, type Relation } from '../../model.ts';
import type { IndexSegmentFact, NamedRow, RowSources, SystemContext } from '../context.ts';
import { declaredFields, undeclaredFields } from './collection-fields.ts';
import { relationKind } from './relations.ts';

export const QUERN_ROWS: RowSources = {
  partitions,
  indexes,
  segments,
  index_segments: indexSegments,
  cache,
  api_keys: apiKeys,
  collections,
  datasets,
};

const stored = ({ catalog }: SystemContext): Relation[] =>
  [...catalog.relations.values()].filter((relation) => relationKind(relation) === 'r');

function namesOf({ catalog }: SystemContext, relation: Relation): NamedRow {
  return { schema: namespaceName(catalog, relation.namespace), relation: relation.name };
}

/** Null: the role may not know it. */
const countOf = (count: number | null): bigint | null => (count === null ? null : BigInt(Math.round(count)));

const microsOf = (unixMs: number | null): bigint | null =>
  unixMs === null ? null : BigInt(unixMs - UNIX_EPOCH_MS) * 1000n;

function* partitions(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    for (const partition of context.facts.partitions(relation.oid)) {
      const { rows, bytes } = context.facts.size(relation.oid, partition);
      const createdMs = context.facts.partitionCreatedMs(relation.oid, partition);
      yield {
        ...namesOf(context, relation),
        partition,
        lsn: context.facts.lsn(relation.oid, partition),
        row_count: countOf(rows),
        bytes: countOf(bytes),
        created_at: microsOf(createdMs),
      };
    }
  }
}

function* apiKeys({ facts }: SystemContext): Generator<NamedRow> {
  const list = (names: readonly string[] | null) => (names === null ? null : arrayDatum(OID.text, names));
  for (const { name, prefix, role, scope, ...key } of facts.apiKeys()) {
    yield {
      name,
      prefix,
      role,
      collections: list(scope.collections),
      partitions: list(scope.partitions),
      datasets: list(scope.datasets),
      read_only: scope.readOnly,
      outside: !scope.staysHere,
      addresses: list(scope.addresses),
      attributes: formatJsonb(parseJson(JSON.stringify(scope.attributes))),
      created_at: microsOf(key.createdMs),
      expires_at: microsOf(key.expiresMs),
      old_key_until: microsOf(key.oldUntilMs),
      last_used: key.lastUsed === null ? null : (Date.parse(key.lastUsed) - UNIX_EPOCH_MS) / DAY_MS,
    };
  }
}

const DAY_MS = 86_400_000;

function* indexes(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    const kept = [...context.facts.segments(relation.oid)].flatMap((segment) => segment.indexes);
    for (const index of relation.indexes) {
      const columns =
        index.path === undefined
          ? index.columns.map((attribute) => columnByAttribute(relation, attribute)?.name ?? '')
          : [indexedName(relation, index)];
      yield {
        ...namesOf(context, relation),
        index: index.name,
        kind: index.kind,
        columns: arrayDatum(OID.text, columns),
        options: jsonOf(index.options),
        is_unique: index.unique,
        is_primary: index.primary,
        is_valid: index.standby === undefined,
        ...builtOf(kept.filter((fact) => fact.index === index.oid)),
        ...(index.standby && { state: index.standby.state }),
      };
    }
  }
}

function* cache({ facts }: SystemContext): Generator<NamedRow> {
  for (const { kind, ...counts } of facts.caches()) {
    yield {
      kind,
      ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, BigInt(count)])),
    };
  }
}

/** An index's totals over all segments. */
function builtOf(kept: readonly IndexSegmentFact[]): NamedRow {
  const sum = (of: (fact: IndexSegmentFact) => number): bigint =>
    BigInt(kept.reduce((total, fact) => total + of(fact), 0));
  return {
    state: kept.some(({ state }) => state === 'building') ? 'building' : 'ready',
    segment_count: kept.filter(({ state }) => state === 'ready').length,
    graph_count: kept.filter(({ graph }) => graph !== null).length,
    bytes: sum(({ bytes }) => bytes),
    build_ms: sum(({ buildMs }) => buildMs ?? 0),
  };
}

function* segments(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    for (const fact of context.facts.segments(relation.oid)) {
      yield {
        ...namesOf(context, relation),
        partition: fact.partition,
        segment: fact.segment === null ? null : BigInt(fact.segment),
        state: fact.state,
        row_count: BigInt(fact.rows),
        deleted_count: BigInt(fact.deleted),
        bytes: BigInt(fact.bytes),
      };
    }
  }
}

function* indexSegments(context: SystemContext): Generator<NamedRow> {
  for (const relation of stored(context)) {
    const names = new Map(relation.indexes.map(({ oid, name }) => [oid, name]));
    for (const { partition, segment, indexes: kept } of context.facts.segments(relation.oid)) {
      for (const { index, kind, state, bytes, graph, buildMs } of kept) {
        yield {
          ...namesOf(context, relation),
          partition,
          segment: BigInt(segment ?? 0),
          index: names.get(index) ?? '',
          structure: kind,
          state,
          bytes: BigInt(bytes),
          has_graph: graph !== null,
          graph_entries: graph === null ? null : BigInt(graph.entries),
          m: graph?.m ?? null,
          ef_search: graph?.efSearch ?? null,
          build_ms: buildMs === null ? null : BigInt(buildMs),
        };
      }
    }
  }
}

/** Name of the one organisation and project that this server holds. */
const ONLY = 'default';

const jsonOf = (value: unknown): string => formatJsonb(parseJson(JSON.stringify(value)));

function* collections(context: SystemContext): Generator<NamedRow> {
  const { catalog, facts } = context;
  const datasets = new Set(catalog.namespaces.filter(({ dataset }) => dataset).map(({ oid }) => oid));
  for (const relation of stored(context)) {
    if (relation.kind !== 'collection' || datasets.has(relation.namespace)) continue;
    const { rows, bytes, changedMs } = context.facts.size(relation.oid);
    yield {
      schema: namespaceName(catalog, relation.namespace),
      name: relation.name,
      org_id: ONLY,
      project_id: ONLY,
      region: facts.region(),
      fields: jsonOf(declaredFields(relation)),
      undeclared: jsonOf(undeclaredFields(relation)),
      created_at: relation.createdMicros === undefined ? null : BigInt(relation.createdMicros),
      changed_at: microsOf(changedMs),
      row_count: countOf(rows),
      bytes: countOf(bytes),
      lsn: context.facts.lsn(relation.oid, null),
      partition_count: context.facts.partitions(relation.oid).length,
      outside: relation.staysHere !== true,
    };
  }
}

function* datasets({ catalog, facts }: SystemContext): Generator<NamedRow> {
  for (const { oid, name, dataset } of catalog.namespaces) {
    if (dataset === undefined) continue;
    const sizes = [...catalog.relations.values()]
      .filter(({ namespace }) => namespace === oid)
      .map((relation) => ({ relation: relation.name, ...facts.size(relation.oid) }));
    const rowsOf = (relation: string): bigint | null =>
      countOf(sizes.find((size) => size.relation === relation)?.rows ?? null);
    const bytes = sizes.map((size) => size.bytes);
    const isKnown = !bytes.includes(null);
    const changedMs = Math.max(...sizes.map((size) => size.changedMs ?? 0));
    yield {
      name,
      description: dataset.description,
      region: dataset.region,
      created_at: BigInt(dataset.createdMicros),
      document_count: rowsOf('documents'),
      chunk_count: rowsOf('chunks'),
      bytes: countOf(isKnown ? bytes.reduce<number>((sum, one) => sum + (one ?? 0), 0) : null),
      changed_at: microsOf(isKnown && changedMs > 0 ? changedMs : null),
      embedding_model: modelOf(catalog, oid),
      domains: arrayDatum(OID.text, activeDomains(dataset)),
      outside: dataset.staysHere !== true,
    };
  }
}

/** The model by which a dataset's passages are found now; another one may be on its way. */
function modelOf(catalog: SystemContext['catalog'], namespace: number): string | null {
  const chunks = [...catalog.relations.values()].find(
    (relation) => relation.namespace === namespace && relation.name === 'chunks',
  );
  const index = chunks?.indexes.find(({ kind, standby }) => kind === 'semantic' && standby === undefined);
  return index?.options.model ?? null;
}
