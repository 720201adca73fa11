/** Rows that tie come by their primary keys, which are read of these rows and no others. */
import type { Task } from '../../task.ts';
import { rowOrder, sortRows } from '../rows/order.ts';
import type { ScanSource } from '../scan/scan-rows.ts';
import { type Addresses, readKeys } from './candidates.ts';

export interface ScoredRows extends Addresses {
  readonly rows: Uint32Array;
  readonly scores: Float64Array;
}

/** Places by scores; equal ones as they are. */
export function byScore(scores: Float64Array, descending: boolean): Uint32Array {
  const sign = descending ? -1 : 1;
  return placesOf(scores.length).sort(
    (a, b) => sign * ((scores[a] as number) - (scores[b] as number)) || a - b,
  );
}

/** All places as they are. */
export function placesOf(length: number): Uint32Array {
  const places = new Uint32Array(length);
  for (let place = 0; place < length; place++) places[place] = place;
  return places;
}

/**
 * The first places of an order.
 *
 * @param order places by their scores.
 */
export function* firstByKey(
  source: ScanSource,
  all: ScoredRows,
  { order, wanted }: { readonly order: Uint32Array; readonly wanted: number },
): Task<Uint32Array> {
  const { scores } = all;
  const groups: number[] = [];
  let group = 0;
  for (let at = 0; at < order.length; at++) {
    if (at > 0 && scores[order[at] as number] !== scores[order[at - 1] as number]) group = at;
    if (group >= wanted) break;
    groups.push(group);
  }
  const { attributes, order: keys } = source.plan.key;
  const first = order.subarray(0, wanted);
  if (attributes.length === 0 || groups.every((own, at) => own === at)) return first;
  const places = order.subarray(0, groups.length);
  const byKey = rowOrder(keys, yield* readKeys(source, all, places));
  const compare = (a: number, b: number): number =>
    (groups[a] as number) - (groups[b] as number) || byKey(a, b);
  const sorted = yield* sortRows(groups.length, compare, source.run);
  return sorted.subarray(0, wanted).map((at) => places[at] as number);
}
