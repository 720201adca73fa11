/** Runs of a part's order (`ValueOrder`) in which all rows lie that meet a scan's conditions on its column. */
import type { ValueOrder } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { type ColumnTest, columnCondition } from '../../plan/column-condition.ts';
import type { Expression } from '../../plan/expression.ts';
import { type Task, wait } from '../../task.ts';
import { encodeText } from '../../types/column/bytes.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { compareKeys, type KeyBounds } from '../../types/column/key-bounds.ts';
import { type OrderKey, orderKey } from '../../types/column/order-key.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { Run } from '../state.ts';

const EVERYTHING: KeyBounds = { low: null, high: null, points: null, nulls: 'maybe' };
const NOTHING: KeyBounds = { low: null, high: null, points: [], nulls: 'never' };

/**
 * @param column its position in the scan's output.
 * @returns null where a value cannot be computed: the filter itself raises that, if any row comes to it.
 */
export function* keyBounds(filter: readonly Expression[], column: number, run: Run): Task<KeyBounds | null> {
  let bounds = EVERYTHING;
  for (const condition of filter) {
    const found = columnCondition(condition);
    if (found === null || found.column !== column) continue;
    try {
      bounds = both(bounds, yield* boundsOf(found.test, run));
    } catch (error) {
      if (error instanceof SqlError) return null;
      throw error;
    }
  }
  return bounds;
}

/** True when the conditions said nothing. */
export const isEverything = (bounds: KeyBounds): boolean => bounds === EVERYTHING;

function* boundsOf(test: ColumnTest, run: Run): Task<KeyBounds> {
  switch (test.kind) {
    case 'null':
      return { ...NOTHING, nulls: 'only' };
    case 'in': {
      const items: Datum[] = [];
      for (const item of test.items) items.push(yield* wait(evaluateConstant(item, run)));
      return pointsOf(items);
    }
    case 'any': {
      const array = (yield* wait(evaluateConstant(test.array, run))) as ArrayDatum | null;
      return pointsOf(array?.elements ?? []);
    }
    case 'like': {
      const pattern = yield* wait(evaluateConstant(test.pattern, run));
      return typeof pattern === 'string' ? prefixBounds(pattern) : NOTHING;
    }
    case 'compare': {
      const value = yield* wait(evaluateConstant(test.value, run));
      if (test.operator === '=') return pointsOf([value]);
      const key = value === null ? null : orderKey(value);
      if (key === null) return value === null ? NOTHING : EVERYTHING;
      const low = test.operator.startsWith('>') ? key : null;
      return { low, high: low === null ? key : null, points: null, nulls: 'never' };
    }
  }
}

function pointsOf(values: readonly Datum[]): KeyBounds {
  const keys: OrderKey[] = [];
  for (const value of values) {
    if (value === null) continue;
    const key = orderKey(value);
    if (key === null) return EVERYTHING;
    keys.push(key);
  }
  keys.sort(compareKeys);
  const points = keys.filter((key, i) => i === 0 || compareKeys(keys[i - 1] as OrderKey, key) !== 0);
  return { low: null, high: null, points, nulls: 'never' };
}

/** Bounds of texts that begin as the LIKE pattern does. */
function prefixBounds(pattern: string): KeyBounds {
  let prefix = '';
  for (let at = 0; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === '%' || character === '_') break;
    if (character === '\\') at++;
    prefix += pattern[at] ?? '';
  }
  if (prefix === '') return { ...EVERYTHING, nulls: 'never' };
  const low = encodeText(prefix);
  // No byte of UTF-8 is 255: all texts with the prefix are below this.
  const high = new Uint8Array(low.length + 1).fill(255);
  high.set(low);
  return { low, high, points: null, nulls: 'never' };
}

function both(a: KeyBounds, b: KeyBounds): KeyBounds {
  if (a === EVERYTHING) return b;
  if (b === EVERYTHING) return a;
  if (a.nulls === 'only' || b.nulls === 'only') return a.nulls === b.nulls ? a : NOTHING;
  const low = later(a.low, b.low, 1);
  const high = later(a.high, b.high, -1);
  const lists = [a.points, b.points].filter((points) => points !== null);
  const [points] = lists.sort((x, y) => x.length - y.length);
  const within = (key: OrderKey): boolean =>
    (low === null || compareKeys(key, low) >= 0) && (high === null || compareKeys(key, high) <= 0);
  return { low, high, points: points?.filter(within) ?? null, nulls: 'never' };
}

function later(a: OrderKey | null, b: OrderKey | null, sign: 1 | -1): OrderKey | null {
  if (a === null || b === null) return a ?? b;
  return sign * compareKeys(a, b) >= 0 ? a : b;
}

/** Places [start, end) of the order, ascending; the rows of a run are in no order of position. */
export type PlaceRun = readonly [start: number, end: number];

export function placeRuns(order: ValueOrder, { low, high, points, nulls }: KeyBounds): readonly PlaceRun[] {
  if (nulls === 'only') return [];
  if (points !== null) {
    return points
      .map((key): PlaceRun => [order.place(key, false), order.place(key, true)])
      .filter(([start, end]) => end > start);
  }
  const start = low === null ? 0 : order.place(low, false);
  const end = high === null ? order.rows.length : order.place(high, true);
  return end > start ? [[start, end]] : [];
}
