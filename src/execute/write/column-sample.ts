/**
 * The statistics of one column from a sample of its rows, as PostgreSQL's analyze.c makes them: most common
 * values, a histogram of the others, and the number of distinct values after Haas and Stokes ("Estimating the
 * Number of Classes in a Finite Population", JASA 1998; their estimator Duj1).
 */
import type { ColumnStatistics } from '../../catalog/column-statistics.ts';
import type { Datum } from '../../types/datum.ts';
import { typeByOid } from '../../types/registry.ts';
import type { SqlType } from '../../types/type.ts';
import type { Vector } from '../../types/column/vector.ts';

/** PostgreSQL's default_statistics_target. */
export const STATISTICS_TARGET = 100;
/** Longer values are neither counted nor compared. */
const WIDTH_MAX = 1_024;
/** How much more common than the average a value must be, when not all of them fit. */
const COMMON_FACTOR = 1.25;
/** A number of distinct values above this share of the rows is taken to grow with them. */
const GROWING_SHARE = 0.1;

const FIXED_WIDTHS = { bool: 1, int32: 4, int64: 8, float64: 8 } as const;

interface Counted {
  readonly value: Datum;
  count: number;
}

type Pause = () => Promise<void>;

/** Sorted between two turns. */
const RUN_COUNT = 2_048;

/** Runs are sorted one after the other: the last sort finds them and only merges. */
async function sortedInTurns<T>(
  values: readonly T[],
  compare: (a: T, b: T) => number,
  pause: Pause,
): Promise<readonly T[]> {
  const sorted: T[] = [];
  for (let start = 0; start < values.length; start += RUN_COUNT) {
    sorted.push(...values.slice(start, start + RUN_COUNT).sort(compare));
    await pause();
  }
  return sorted.sort(compare);
}

export class ColumnSample {
  readonly #oid: number;
  readonly #type: SqlType;
  /** By hash key. */
  readonly #values = new Map<unknown, Counted>();
  /** Values in the order of rows, for the correlation. */
  readonly #inOrder: Datum[] = [];
  #rows = 0;
  #nulls = 0;
  #wide = 0;
  #bytes = 0;

  constructor(oid: number) {
    this.#oid = oid;
    this.#type = typeByOid(oid);
  }

  add(vector: Vector): void {
    const { hashKey } = this.#type;
    const plain = vector.kind !== 'object';
    for (let row = 0; row < vector.length; row++) {
      const value = vector.get(row);
      this.#rows++;
      if (value === null) {
        this.#nulls++;
        continue;
      }
      const width = this.#widthOf(value);
      this.#bytes += width;
      if (width > WIDTH_MAX || (!plain && hashKey === undefined)) this.#wide++;
      else this.#count(hashKey === undefined ? value : hashKey(value), value);
    }
  }

  #widthOf(value: Datum): number {
    const { vector } = this.#type;
    if (vector in FIXED_WIDTHS) return FIXED_WIDTHS[vector as keyof typeof FIXED_WIDTHS];
    return typeof value === 'string' ? Buffer.byteLength(value) : this.#type.send(value).length;
  }

  #count(key: unknown, value: Datum): void {
    const known = this.#values.get(key);
    if (known === undefined) this.#values.set(key, { value, count: 1 });
    else known.count++;
    if (this.#type.compare !== undefined) this.#inOrder.push(value);
  }

  /**
   * @param total rows of the relation, of which the sample is a part.
   * @param pause gives others a turn: a sample is sorted twice.
   */
  async result(total: number, pause: Pause): Promise<ColumnStatistics> {
    const present = this.#rows - this.#nulls;
    const distinct = this.#distinct(total);
    const common = this.#common(distinct);
    const listed = new Set(common);
    const others = [...this.#values.values()].filter((counted) => !listed.has(counted));
    await pause();
    const bounds = await this.#bounds(others, pause);
    const correlation = await this.#correlation(pause);
    return {
      type: this.#oid,
      nullFraction: this.#rows === 0 ? 0 : this.#nulls / this.#rows,
      width: present === 0 ? 0 : Math.round(this.#bytes / present),
      distinct,
      common: common.map(({ value, count }) => ({ value, share: count / this.#rows })),
      bounds,
      correlation,
    };
  }

  #distinct(total: number): number {
    const sampled = this.#rows - this.#nulls;
    const seen = this.#values.size + this.#wide;
    if (sampled === 0) return 0;
    const once = [...this.#values.values()].filter(({ count }) => count === 1).length + this.#wide;
    if (once === sampled) return -(1 - this.#nulls / this.#rows);
    if (once === 0 || this.#rows >= total) return this.#rows >= total ? growing(seen, total) : seen;
    const population = total * (sampled / this.#rows);
    const estimate = (sampled * seen) / (sampled - once + (once * sampled) / population);
    return growing(Math.min(Math.max(estimate, seen), population), total);
  }

  /** All values where they fit and repeat; else those that are well more common than the average. */
  #common(distinct: number): Counted[] {
    const { compare } = this.#type;
    const { size } = this.#values;
    const repeated = [...this.#values.values()]
      .filter(({ count }) => count > 1)
      .sort((a, b) => b.count - a.count || (compare?.(a.value, b.value) ?? 0));
    const fits = size <= STATISTICS_TARGET && this.#wide === 0;
    if (distinct > 0 && fits && repeated.length === size) return repeated;
    const average = (this.#rows - this.#nulls) / Math.max(1, size);
    const least = Math.max(2, COMMON_FACTOR * average);
    return repeated.slice(0, STATISTICS_TARGET).filter(({ count }) => count >= least);
  }

  async #bounds(others: readonly Counted[], pause: Pause): Promise<Datum[]> {
    const { compare } = this.#type;
    if (compare === undefined || others.length < 2) return [];
    const sorted = await sortedInTurns(others, (a, b) => compare(a.value, b.value), pause);
    const values = sorted.flatMap(({ value, count }) => new Array<Datum>(count).fill(value));
    const count = Math.min(values.length, STATISTICS_TARGET + 1);
    return Array.from(
      { length: count },
      (_, i) => values[Math.floor((i * (values.length - 1)) / (count - 1))] as Datum,
    );
  }

  /** Pearson's, between a row's place and its value's rank. */
  async #correlation(pause: Pause): Promise<number | null> {
    const { compare } = this.#type;
    const values = this.#inOrder;
    if (compare === undefined || values.length < 2) return null;
    const byValue = (a: number, b: number): number =>
      compare(values[a] as Datum, values[b] as Datum) || a - b;
    const ranked = await sortedInTurns([...values.keys()], byValue, pause);
    const mean = (values.length - 1) / 2;
    let together = 0;
    let alone = 0;
    for (const [rank, place] of ranked.entries()) {
      together += (rank - mean) * (place - mean);
      alone += (rank - mean) ** 2;
    }
    return alone === 0 ? null : together / alone;
  }
}

const growing = (distinct: number, total: number): number =>
  distinct > GROWING_SHARE * total ? -Math.min(1, distinct / total) : Math.round(distinct);
