/** Disk that a node took in EXPLAIN ANALYZE, in the words of PostgreSQL's show_sort_info and show_hashagg_info. */
import type { Plan } from '../../plan/plan.ts';
import type { ExplainJson, ExplainOptions } from './options.ts';

/** Lines of text, and the same as JSON. */
interface SpillFacts {
  readonly details: readonly (readonly [string, string])[];
  readonly json: ExplainJson;
}

const inKilobytes = (bytes: number): number => Math.ceil(bytes / 1024);

export function spillFacts(plan: Plan, { statistics }: ExplainOptions): SpillFacts {
  const spill = statistics?.get(plan)?.spill;
  if (spill === undefined) return { details: [], json: {} };
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
