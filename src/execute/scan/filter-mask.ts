/**
 * Rows of a part that pass a scan's filter, as bits. One thing to know: what a snapshot shows of a part never
 * changes, so that the bits of a filter on columns alone are kept, and a prepared statement that comes again
 * with the same parameters looks at no row.
 */
import { createHash } from 'node:crypto';
import { emptyBits, setBit } from '../../types/column/bitset.ts';
import { BoundedCache } from '../../bounded-cache.ts';
import type { Part, RowMask } from '../../engine/engine.ts';
import type { Expression } from '../../plan/expression.ts';
import type { Scan } from '../../physical/physical.ts';
import type { Task } from '../../task.ts';
import type { Datum } from '../../types/datum.ts';
import { scanPart } from './part-rows.ts';
import type { ScanSource } from './scan-rows.ts';

/** Sets of parameters kept for one filter of one part, the oldest go first. */
const MASKS_MAX = 16;
/** A part of fewer rows is read as quickly. */
const PART_ROWS_MIN = 4_096;

/** Hashing longer lists would take milliseconds. */
const LIST_MAX = 20_000;

/** Masks by the parameters that the filter reads. */
type Keys = BoundedCache<string, object>;

/**
 * Keys by part, then by the filter, which lives as long as its plan. The masks themselves lie in the memory budget
 * (`Part.masks`).
 */
const keysOf = new WeakMap<Part, WeakMap<Expression, Keys>>();

/** @param source of a scan with a filter. */
export function* filterMask(source: ScanSource, part: Part): Task<RowMask> {
  const { plan, run } = source;
  const key = part.rowCount < PART_ROWS_MIN ? null : keyOf(plan, run.context.parameters);
  if (key === null || plan.filter === null) return yield* readMask(source, part);
  const maskKey = keyIn(part, plan.filter, key);
  const known = part.masks.get(maskKey);
  if (known !== undefined) return known;
  const mask = yield* readMask(source, part);
  part.masks.set(maskKey, mask);
  return mask;
}

function keyIn(part: Part, filter: Expression, parameters: string): object {
  const filters = keysOf.get(part) ?? new WeakMap<Expression, Keys>();
  keysOf.set(part, filters);
  const keys: Keys = filters.get(filter) ?? new BoundedCache({ entriesMax: MASKS_MAX });
  filters.set(filter, keys);
  const key = keys.get(parameters) ?? {};
  keys.set(parameters, key);
  return key;
}

function* readMask(source: ScanSource, part: Part): Task<RowMask> {
  const bits = emptyBits(part.rowCount);
  let count = 0;
  yield* scanPart(source, part, null, ({ rows }) => {
    count += rows.length;
    for (const row of rows) setBit(bits, row);
  });
  return { bits, count };
}

/** The values of the parameters that decide which rows pass; null when more than they do. */
function keyOf({ maskParameters }: Scan, parameters: readonly Datum[]): string | null {
  const parts = maskParameters?.map((index) => keyOfValue(parameters[index] ?? null));
  return parts?.every((part) => part !== null) ? JSON.stringify(parts) : null;
}

/** Ids of documents that `search()` looks among, say: read once for all arms, and for all queries with that filter. */
function keyOfValue(value: Datum): string | null {
  if (value === null || SIMPLE.has(typeof value)) return `${typeof value} ${value}`;
  if (typeof value !== 'object' || !('datum' in value) || value.datum !== 'array') return null;
  const { elements, elementType, dimensions } = value;
  if (elements.length > LIST_MAX) return null;
  if (!elements.every((element) => element === null || SIMPLE.has(typeof element))) return null;
  const texts = elements.map((element) => (element === null ? null : String(element)));
  const text = JSON.stringify([elementType, dimensions, texts]);
  return `list ${createHash('sha256').update(text).digest('base64')}`;
}

const SIMPLE: ReadonlySet<string> = new Set(['string', 'number', 'bigint', 'boolean']);
