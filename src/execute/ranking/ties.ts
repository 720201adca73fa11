/** Rows that tie come by their primary keys, which are read of these rows and no others. */
import type { Task } from '../../task.ts';
import { rowOrder, sortRows } from '../rows/order.ts';
import type { ScanSource } from '../scan/scan-rows.ts';
import type { Addresses } from './addresses.ts';
import { readKeys } from './candidates.ts';

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
  const first = order.slice(0, wanted);
  const { attributes, order: keys } = source.plan.key;
  const tied = attributes.length > 0 ? tiedPlaces(all.scores, order, wanted) : NO_TIES;
  if (tied.at.length === 0) return first;
  const places = Uint32Array.from(tied.at, (at) => order[at] as number);
  const byKey = rowOrder(keys, yield* readKeys(source, all, places));
  const compare = (a: number, b: number): number =>
    (tied.group[a] as number) - (tied.group[b] as number) || byKey(a, b);
  const sorted = yield* sortRows(places.length, compare, source.run);
  for (const [i, at] of tied.at.entries()) {
    if (at < first.length) first[at] = places[sorted[i] as number] as number;
  }
  return first;
}

/** Where in an order rows stand that tie with a neighbour, and the first place of those that tie with each. */
interface Ties {
  readonly at: readonly number[];
  readonly group: readonly number[];
}

const NO_TIES: Ties = { at: [], group: [] };

/** Ties that begin among the first `wanted`. */
function tiedPlaces(scores: Float64Array, order: Uint32Array, wanted: number): Ties {
  const at: number[] = [];
  const group: number[] = [];
  for (let from = 0, to = 1; from < Math.min(wanted, order.length); from = to++) {
    const score = scores[order[from] as number];
    while (to < order.length && scores[order[to] as number] === score) to++;
    if (to - from < 2) continue;
    for (let place = from; place < to; place++) {
      at.push(place);
      group.push(from);
    }
  }
  return { at, group };
}
