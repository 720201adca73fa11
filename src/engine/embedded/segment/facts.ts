/** Facts of a relation's runs for `quern.segments` and `quern.index_segments`. */
import type { Relation } from '../../../catalog/model.ts';
import type { IndexSegmentFact, SegmentFact } from '../../../catalog/system/context.ts';
import { countBits } from '../../../types/column/bitset.ts';
import type { Database } from '../database.ts';
import { Head } from '../head/head.ts';
import { Segment } from './segment.ts';
import { lacksStructure, storedStructure } from './manifest.ts';
import { structureSection } from './names.ts';
import { type Run, type StructurePlan, structurePlans } from '../head/source.ts';

export function* segmentFacts(database: Database, relation: number): Generator<SegmentFact> {
  const described = database.catalog.relations.get(relation);
  for (const { partition, newest } of database.slots(relation)) {
    if (!newest.exists || described === undefined) continue;
    for (const run of newest.runs) yield { partition, ...factOf(described, run) };
  }
}

function factOf(relation: Relation, { source, rowCount, visible }: Run): Omit<SegmentFact, 'partition'> {
  const plans = structurePlans(relation);
  return {
    segment: source instanceof Segment ? source.manifest.segment : null,
    state: source instanceof Head ? (source.frozen ? 'merging' : 'head') : 'segment',
    rows: rowCount,
    deleted: rowCount - countBits(visible, rowCount),
    bytes: source.bytes,
    indexes: source instanceof Segment ? plans.flatMap((plan) => indexFacts(source, plan)) : [],
  };
}

function indexFacts({ manifest }: Segment, plan: StructurePlan): IndexSegmentFact[] {
  const { index, kind, embedded } = plan;
  const stored = storedStructure(manifest, index.oid, kind);
  const names = { index: index.oid, kind };
  if (stored === undefined) {
    // Nothing to keep, or passages that the rows do not have.
    if (embedded || !lacksStructure(manifest, plan)) return [];
    return [{ ...names, state: 'building', bytes: 0, graph: null, buildMs: null }];
  }
  const prefix = structureSection(index.oid, kind, '');
  const sections = manifest.sections.filter(({ name }) => name.startsWith(prefix));
  const bytes = sections.reduce((sum, { size }) => sum + size, 0);
  return [{ ...names, state: 'ready', bytes, graph: stored.graph ?? null, buildMs: stored.buildMs ?? null }];
}
