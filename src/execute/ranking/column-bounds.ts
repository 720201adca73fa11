/** Bounds of a part's columns and scores, before any row is looked at. */
import { findIndex } from '../../catalog/model.ts';
import type { Part } from '../../engine/engine.ts';
import { type Arm, isExplained } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { ALWAYS_NULL, ANYTHING, type Interval, TRUTH, widened } from './interval.ts';
import type { ScanSource } from '../scan/scan-rows.ts';

/** A cosine is computed from rounded vectors. */
const COSINE: Interval = { low: -1 - 1e-6, high: 1 + 1e-6, nullable: true };
const DISTANCE: Interval = { low: 0, high: Number.POSITIVE_INFINITY, nullable: true };

/** @param positions of the scan's output: stored columns by their zones, arms by their kind. */
export function* columnBounds(
  source: ScanSource,
  positions: readonly number[],
  part: Part,
): Task<(position: number) => Interval> {
  const { columns, arms } = source.plan;
  const known = new Map<number, Interval>();
  for (const position of positions) {
    const attribute = columns[position];
    const arm = arms[position - columns.length];
    if (attribute !== undefined) known.set(position, yield* storedBounds(part, attribute));
    else if (arm !== undefined) known.set(position, armBounds(source, arm));
  }
  return (position) => known.get(position) ?? ANYTHING;
}

function* storedBounds(part: Part, attribute: number): Task<Interval> {
  const zones = (yield* wait(part.zones?.(attribute))) ?? null;
  if (zones === null) return ANYTHING;
  let { low, high } = ALWAYS_NULL;
  for (const value of zones.least) low = Math.min(low, value);
  for (const value of zones.greatest) high = Math.max(high, value);
  return widened({ low, high, nullable: true });
}

export function armBounds(source: ScanSource, arm: Arm): Interval {
  if (isExplained(arm)) return ANYTHING;
  switch (arm.kind) {
    case 'semantic':
      return COSINE;
    case 'vector':
      return vectorBounds(source, arm);
    case 'keyword':
      if (arm.output === 'matched') return { ...TRUTH, nullable: false };
      // A weight may be negative.
      return { ...DISTANCE, low: arm.weight === null ? 0 : ANYTHING.low, nullable: false };
    default:
      return ANYTHING;
  }
}

function vectorBounds({ run }: ScanSource, arm: Arm & { kind: 'vector' }): Interval {
  switch (arm.value) {
    case '<=>':
      return { low: -1e-6, high: 2 + 1e-6, nullable: true };
    case '<->':
    case '<+>':
    case '<~>':
    case '<%>':
      return DISTANCE;
    case '<#>':
      return ANYTHING;
    case 'metric': {
      const metric = findIndex(run.snapshot.catalog, arm.index)?.index.options.metric ?? 'cosine';
      if (metric === 'cosine') return COSINE;
      return metric === 'dot_product' || metric === 'maxsim' ? ANYTHING : DISTANCE;
    }
    default:
      return ANYTHING;
  }
}
