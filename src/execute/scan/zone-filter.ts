/** Runs of rows in which nothing can meet a scan's filter, by the least and greatest values of columns. */
import { type Task, wait } from '../../task.ts';
import type { Part, Zones } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import type { Expression } from '../../plan/expression.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { ScanSource } from './scan-rows.ts';
import type { Comparison } from '../../plan/column-comparison.ts';

/** One byte a zone: 1 where rows may meet the filter. */
export interface OpenZones {
  readonly rows: number;
  readonly open: Uint8Array;
}

/** @returns null where the part has no zones, or the filter says nothing of them. */
export function* openZones({ plan, run }: ScanSource, part: Part): Task<OpenZones | null> {
  let result: OpenZones | null = null;
  if (part.zones === undefined) return null;
  for (const { attribute, comparison, constant } of plan.zones) {
    const zones = yield* wait(part.zones(attribute));
    if (zones === null) continue;
    const value = yield* constantNumber(constant, run);
    if (value === null) continue;
    result ??= { rows: zones.rows, open: new Uint8Array(zones.least.length).fill(1) };
    close(result.open, zones, comparison, value);
  }
  return result;
}

/** Null for what is no number, and for what fails: the filter itself raises that, if any row comes to it. */
function* constantNumber(constant: Expression, run: ScanSource['run']): Task<number | null> {
  try {
    const value = yield* wait(evaluateConstant(constant, run));
    if (typeof value !== 'number' && typeof value !== 'bigint') return null;
    return Number.isNaN(Number(value)) ? null : Number(value);
  } catch (error) {
    if (error instanceof SqlError) return null;
    throw error;
  }
}

/** Values may be rounded, so a zone whose bound equals the constant stays open. */
function close(open: Uint8Array, { least, greatest }: Zones, comparison: Comparison, value: number): void {
  const below = comparison !== '>' && comparison !== '>=';
  const above = comparison !== '<' && comparison !== '<=';
  for (let zone = 0; zone < open.length; zone++) {
    if (below && (least[zone] as number) > value) open[zone] = 0;
    if (above && (greatest[zone] as number) < value) open[zone] = 0;
  }
}
