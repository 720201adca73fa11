/** Memory and disk that a node took in EXPLAIN ANALYZE, in the words of PostgreSQL's show_sort_info and show_hashagg_info. */
import type { Plan } from '../../plan/plan.ts';
import type { ExplainJson, ExplainOptions } from './options.ts';

/** Lines of text, and the same as JSON. */
interface SpaceFacts {
  readonly details: readonly (readonly [string, string])[];
  readonly json: ExplainJson;
}

const inKilobytes = (bytes: number): number => Math.ceil(bytes / 1024);

export function spaceFacts(plan: Plan, { statistics }: ExplainOptions): SpaceFacts {
  const { spill, memoryBytes: heldBytes } = statistics?.get(plan) ?? {};
  if (spill === undefined) return heldFacts(heldBytes);
  const disk = inKilobytes(spill.diskBytes);
  if (spill.sort !== undefined) {
    return {
      details: [['Sort Method', `${spill.sort}  Disk: ${disk}kB`]],
      json: { 'Sort Method': spill.sort, 'Sort Space Used': disk, 'Sort Space Type': 'Disk' },
    };
  }
  const { batches = 0, memoryBytes = 0 } = spill;
  const memory = inKilobytes(memoryBytes);
  return {
    details: [['Batches', `${batches}  Memory Usage: ${memory}kB  Disk Usage: ${disk}kB`]],
    json: { Batches: batches, 'Peak Memory Usage': memory, 'Disk Usage': disk },
  };
}

/** Memory of rows that all stayed there. */
function heldFacts(bytes: number | undefined): SpaceFacts {
  if (bytes === undefined || bytes === 0) return { details: [], json: {} };
  const memory = inKilobytes(bytes);
  return { details: [['Memory Usage', `${memory}kB`]], json: { 'Peak Memory Usage': memory } };
}
