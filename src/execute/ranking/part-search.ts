/** One part of a ranked scan: the rows that pass its filter, and the best of them by an arm. */
import { present } from '../../assert.ts';
import type { Candidates, Part } from '../../engine/engine.ts';
import type { ArmStatistics } from '../../physical/explain/node-statistics.ts';
import { type Task, wait } from '../../task.ts';
import { countBits } from '../../types/column/bitset.ts';
import { filterMask } from '../scan/filter-mask.ts';
import type { ScanSource } from '../scan/scan-rows.ts';

/** Rows of a part that pass the filter. */
export interface EligibleRows {
  /** Null: all that are visible. */
  readonly mask: Uint32Array | null;
  readonly eligible: number;
}

export function* eligibleRows(source: ScanSource, part: Part): Task<EligibleRows> {
  if (source.plan.filter === null) {
    return { mask: null, eligible: countBits(part.visible, part.rowCount) };
  }
  const { bits: mask, count: eligible } = yield* filterMask(source, part);
  const node = source.run.context.statistics?.get(source.plan);
  if (node !== undefined) {
    node.filtered ??= { rows: 0, passed: 0 };
    node.filtered.rows += countBits(part.visible, part.rowCount);
    node.filtered.passed += eligible;
  }
  return { mask, eligible };
}

/** The best `count` rows of a part by an arm that has a query, and those that tie with the last. */
export function* searchArm(
  source: ScanSource,
  index: number,
  { part, mask, count }: { readonly part: Part; readonly mask: Uint32Array | null; readonly count: number },
): Task<Candidates> {
  const { now, signal, statistics } = source.run.context;
  const began = statistics === null ? 0 : now();
  const searched = present(source.arms[index], 'arm').search(part, count, mask, signal);
  const found = searched instanceof Promise ? yield* wait(searched) : searched;
  if (statistics !== null) recordSearch(source, index, found, now() - began);
  return found;
}

function recordSearch({ plan, run }: ScanSource, index: number, found: Candidates, ms: number): void {
  const node = run.context.statistics?.get(plan);
  if (node === undefined) return;
  while (node.arms.length <= index) {
    node.arms.push({ strategies: new Set(), candidates: 0, compared: 0, rescored: 0, ms: 0 });
  }
  const arm = node.arms[index] as ArmStatistics;
  arm.strategies.add(found.strategy);
  arm.candidates += found.rows.length;
  arm.compared += found.compared ?? 0;
  arm.rescored += found.rescored ?? 0;
  arm.ms += ms;
}
