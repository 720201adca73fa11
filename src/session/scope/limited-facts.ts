/**
 * The catalog and the facts of the engine as system relations show them to a key of limited scope: of what it does not
 * reach there is no name, no size and no statistic. What counts rows of all partitions together is left out.
 */
import type { SystemFacts } from '../../catalog/system/context.ts';
import type { Catalog } from '../../catalog/model.ts';
import type { KeyScope } from '../sign-in/key-scope.ts';
import { reachesRelation } from './key-limits.ts';

const LIMITED = new WeakMap<KeyScope, WeakMap<Catalog, Catalog>>();

/** The same object for the same catalog and scope. */
export function limitedCatalog(catalog: Catalog, scope: KeyScope): Catalog {
  let known = LIMITED.get(scope);
  if (known === undefined) {
    known = new WeakMap();
    LIMITED.set(scope, known);
  }
  let made = known.get(catalog);
  if (made === undefined) {
    made = makeLimited(catalog, scope);
    known.set(catalog, made);
  }
  return made;
}

function makeLimited(catalog: Catalog, scope: KeyScope): Catalog {
  const reached = [...catalog.relations].filter(([, relation]) => reachesRelation(scope, catalog, relation));
  const relations = new Map(reached);
  const used = new Set(reached.map(([, { namespace }]) => namespace));
  const namespaces = catalog.namespaces.filter(({ oid, dataset }) => dataset === undefined || used.has(oid));
  const parts = reached.flatMap(([, { indexes, constraints, policies = [] }]) => [
    ...indexes,
    ...constraints,
    ...policies,
  ]);
  const shown = new Set([...relations.keys(), ...used, ...parts.map(({ oid }) => oid)]);
  const comments = catalog.comments.filter(({ oid }) => shown.has(oid));
  // Bodies of functions name what they read.
  return { ...catalog, relations, namespaces, comments, functions: new Map() };
}

/** The last of the writes that are known. */
const lastOf = (sizes: readonly { readonly changedMs: number | null }[]): number | null =>
  sizes.reduce<number | null>((last, { changedMs }) => Math.max(last ?? 0, changedMs ?? 0) || null, null);

/** @param processId of the session itself, the only one that it sees. */
export function limitedFacts(facts: SystemFacts, { partitions }: KeyScope, processId: number): SystemFacts {
  const isReached = (partition: string | null): boolean =>
    partitions === null || (partition !== null && partitions.includes(partition));
  const partitionsOf = (relation: number) => facts.partitions(relation).filter(isReached);
  const size: SystemFacts['size'] = (relation, partition) => {
    if (partitions === null || partition !== undefined) return facts.size(relation, partition);
    const sizes = partitionsOf(relation).map((one) => facts.size(relation, one));
    return {
      rows: sizes.reduce((sum, { rows }) => sum + (rows ?? 0), 0),
      bytes: sizes.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
      changedMs: lastOf(sizes),
    };
  };
  return {
    ...facts,
    size,
    partitions: partitionsOf,
    lsn: (relation, partition) => (isReached(partition) ? facts.lsn(relation, partition) : '0'),
    statistics: (relation) =>
      partitions === null ? facts.statistics(relation) : { rows: size(relation).rows, analysis: null },
    segments: (relation) => [...facts.segments(relation)].filter(({ partition }) => isReached(partition)),
    sessions: () => [...facts.sessions()].filter((session) => session.processId === processId),
    locks: () => [...facts.locks()].filter((lock) => lock.processId === processId),
    indexBuilds: () => [],
    caches: () => [],
  };
}
