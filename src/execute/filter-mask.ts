/**
 * Rows of a part that pass a scan's filter, as bits. One thing to know: what a snapshot shows of a part never
 * changes, so that the bits of a filter on columns alone are kept, and a prepared statement that comes again
 * with the same parameters looks at no row.
 */
import type { Part } from '../engine/engine.ts';
import { functionById } from '../functions/registry.ts';
import type { Expression } from '../plan/expression.ts';
import type { Scan } from '../plan/plan.ts';
import { visitExpression } from '../plan/walk.ts';
import type { Datum } from '../types/datum.ts';
import { scanPart } from './scan.ts';
import type { ScanSource } from './scan-rows.ts';

export interface FilterMask {
  /** One bit a row (bit r & 31 of word r >> 5). */
  readonly bits: Uint32Array;
  readonly count: number;
}

/** Sets of parameters kept for one filter of one part, the oldest go first. */
const MASKS_MAX = 16;
/** A part of fewer rows is read as quickly. */
const PART_ROWS_MIN = 4_096;

/** By part, then by the filter, which lives as long as its plan, then by the parameters it reads. */
const kept = new WeakMap<Part, WeakMap<Expression, Map<string, FilterMask>>>();

/** @param source of a scan with a filter. */
export async function filterMask(source: ScanSource, part: Part): Promise<FilterMask> {
  const { plan, run } = source;
  const key = part.rowCount < PART_ROWS_MIN ? null : keyOf(plan, run.context.parameters);
  if (key === null || plan.filter === null) return readMask(source, part);
  const filters = kept.get(part) ?? new WeakMap<Expression, Map<string, FilterMask>>();
  kept.set(part, filters);
  const masks = filters.get(plan.filter) ?? new Map<string, FilterMask>();
  filters.set(plan.filter, masks);
  const mask = masks.get(key) ?? (await readMask(source, part));
  masks.delete(key);
  masks.set(key, mask);
  for (const oldest of masks.keys()) {
    if (masks.size <= MASKS_MAX) break;
    masks.delete(oldest);
  }
  return mask;
}

async function readMask(source: ScanSource, part: Part): Promise<FilterMask> {
  const bits = new Uint32Array((part.rowCount + 31) >> 5);
  let count = 0;
  for await (const { rows } of scanPart(source, part)) {
    count += rows.length;
    for (const row of rows) bits[row >> 5] = (bits[row >> 5] as number) | (1 << (row & 31));
  }
  return { bits, count };
}

/** The values of the parameters that the filter reads; null when it reads more than those and columns. */
function keyOf({ filter, columns }: Scan, parameters: readonly Datum[]): string | null {
  const values: string[] = [];
  let fixed = true;
  if (filter === null) return null;
  visitExpression(filter, (part) => {
    if (part.kind === 'subquery' || part.kind === 'outer' || part.kind === 'cast') fixed = false;
    else if (part.kind === 'column') fixed &&= part.index < columns.length;
    else if (part.kind === 'call') fixed &&= isFixed(part.function);
    else if (part.kind === 'parameter') {
      const value = parameters[part.index] ?? null;
      if (value === null || SIMPLE.has(typeof value)) values.push(`${typeof value} ${value}`);
      else fixed = false;
    }
  });
  return fixed ? JSON.stringify(values) : null;
}

const SIMPLE: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);

/** Whether the function gives the same for the same arguments, whoever asks and when. */
function isFixed(id: string): boolean {
  const { volatility = 'immutable', ...callable } = functionById(id);
  return volatility === 'immutable' && callable.evaluateIn === undefined;
}
