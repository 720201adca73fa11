/**
 * The best N rows among many, by sort keys and then primary key; or enough of the best for N of them to count when
 * only so many of a group do. Only keys and addresses are kept; the output columns of the rows that win are read at
 * the end.
 */
import { present } from '../../assert.ts';
import type { Part } from '../../engine/engine.ts';
import { BATCH_ROWS_MAX } from '../../limits.ts';
import type { RankedScan } from '../../physical/physical.ts';
import type { SortKey } from '../../plan/plan.ts';
import { type Task, wait } from '../../task.ts';
import { type Batch, Int32Vector, type Vector } from '../../types/column/vector.ts';
import { concatBatches } from '../batches.ts';
import { type Candidates, readCandidates } from './candidates.ts';
import { evaluateAll } from '../expression/evaluate.ts';
import { HeldRows } from '../held-rows.ts';
import { heldFor } from '../node-statistics.ts';
import { KeyNumbers } from '../rows/key-numbers.ts';
import { rowOrder, sortRows } from '../rows/order.ts';
import { numberOf } from './score-bounds.ts';
import type { ScanRows, ScanSource } from '../scan/scan-rows.ts';

/** Fewer gathered rows than this are not worth cutting back. */
const GATHERED_ROWS_MIN = 4 * BATCH_ROWS_MAX;

/** Rows are gathered, then put together. */
const COPIES = 2;

/** All rows gathered, and the best of them in order, no more than are wanted. */
interface Best {
  readonly all: Batch;
  readonly sorted: Uint32Array;
  /** There are as many as are wanted. */
  readonly enough: boolean;
}

/** A scan that is ranked. */
export interface RankedSource extends ScanSource {
  readonly plan: RankedScan;
}

export class BestRows implements Disposable {
  readonly #source: RankedSource;
  readonly #wanted: number;
  readonly #topK: NonNullable<RankedScan['topK']>;
  /** The sort keys, then the primary key. */
  readonly #order: readonly SortKey[];
  readonly #parts: Part[] = [];
  /** Columns: sort keys, primary key, what rows are grouped by, scores, part, row in the part. */
  #gathered: Batch[] = [];
  #count = 0;
  /** Rows kept at the last cut. */
  #kept = 0;
  #best: Best | null = null;
  readonly #held: HeldRows;

  constructor(source: RankedSource, wanted: number) {
    this.#source = source;
    this.#wanted = wanted;
    this.#held = heldFor(source.plan, source.run);
    this.#topK = present(source.plan.topK, 'topK');
    this.#order = [...this.#topK.keys, ...source.plan.key.order];
  }

  *add(rows: ScanRows): Task<void> {
    if (rows.length === 0) return;
    this.#best = null;
    const { key, request } = this.#source.plan;
    const { expressions, positions, scores } = request.gathered;
    const { keys } = this.#topK;
    const batch = yield* wait(rows.batch(positions));
    const values = yield* wait(evaluateAll(expressions, batch, this.#source.run));
    const primary = yield* wait(rows.part.readRows(key.attributes, rows.rows));
    const columns = [...values.slice(0, keys.length), ...primary, ...values.slice(keys.length)];
    for (const position of scores) columns.push(batch.columns[position] as Vector);
    columns.push(new Int32Vector(new Int32Array(rows.length).fill(this.#partNumber(rows.part))));
    columns.push(new Int32Vector(new Int32Array(rows.rows)));
    const gathered = { length: rows.length, columns };
    this.#held.add(gathered, COPIES);
    this.#gathered.push(gathered);
    this.#count += rows.length;
    if (this.#count >= Math.max(GATHERED_ROWS_MIN, 4 * this.#wanted, 2 * this.#kept)) yield* this.#cut();
  }

  #partNumber(part: Part): number {
    const known = this.#parts.indexOf(part);
    return known >= 0 ? known : this.#parts.push(part) - 1;
  }

  /** The first sort key of the last row wanted as a number; undefined when there are fewer rows. */
  *lastKey(): Task<number | null | undefined> {
    const { all, sorted, enough } = yield* this.#sorted();
    const last = sorted.at(-1);
    if (!enough || last === undefined) return undefined;
    return numberOf((all.columns[0] as Vector).get(last));
  }

  /** The rows, best first, with their first sort keys. */
  *ranked(): Task<readonly { readonly part: Part; readonly row: number; readonly key: number | null }[]> {
    const { all, sorted } = yield* this.#sorted();
    if (sorted.length === 0) return [];
    const { partOf, rows } = addresses(all);
    return Array.from(sorted, (place) => ({
      part: this.#parts[partOf[place] as number] as Part,
      row: rows[place] as number,
      key: numberOf((all.columns[0] as Vector).get(place)),
    }));
  }

  /** The rows, best first, with all output columns of the scan; up to BATCH_ROWS_MAX of them from `start` on. */
  *batch(start: number): Task<Batch> {
    const { all, sorted } = yield* this.#sorted();
    if (all.length === 0) return concatBatches(this.#source.plan.output, []);
    const { scores } = this.#source.plan.request.gathered;
    const first = all.columns.length - ADDRESS_COLUMNS - scores.length;
    const known = new Map<number, Vector>();
    for (const [i, position] of scores.entries()) known.set(position, all.columns[first + i] as Vector);
    const candidates = { parts: this.#parts, ...addresses(all), known };
    return yield* readCandidates(this.#source, candidates, sorted.slice(start, start + BATCH_ROWS_MAX));
  }

  /** Those that stay are kept in stored order, in which they are read. */
  *#cut(): Task<void> {
    const { all, sorted } = yield* this.#sorted();
    const kept = sorted.slice().sort();
    this.#gathered = [{ length: kept.length, columns: all.columns.map((column) => column.take(kept)) }];
    this.#count = kept.length;
    this.#kept = kept.length;
    this.#best = null;
    this.#held.clear();
    for (const batch of this.#gathered) this.#held.add(batch, COPIES);
  }

  *#sorted(): Task<Best> {
    this.#best ??= yield* this.#sort();
    return this.#best;
  }

  *#sort(): Task<Best> {
    const all = concatBatches([], this.#gathered);
    if (all.length === 0) return { all, sorted: new Uint32Array(0), enough: false };
    const columns = all.columns.slice(0, this.#order.length) as Vector[];
    const sorted = yield* sortRows(all.length, rowOrder(this.#order, columns), this.#source.run);
    const end = this.#topK.groups ? this.#endOfGroups(all, sorted) : this.#wanted;
    return { all, sorted: sorted.slice(0, end), enough: end <= sorted.length };
  }

  [Symbol.dispose](): void {
    this.#held[Symbol.dispose]();
  }

  /** How many rows it takes until as many as are wanted count; Infinity when there are not so many. */
  #endOfGroups(all: Batch, sorted: Uint32Array): number {
    const { by, most } = present(this.#topK.groups, 'groups');
    const columns = all.columns.slice(this.#order.length, this.#order.length + by.length);
    const types = by.map((expression) => expression.type);
    using held = new HeldRows(this.#source.run.context.account);
    const numbers = new KeyNumbers(types, true, held).insert(columns, all.length);
    const counts = new Uint32Array(all.length);
    let wanted = this.#wanted;
    for (const [place, row] of sorted.entries()) {
      const group = numbers[row] as number;
      const count = (counts[group] as number) + 1;
      counts[group] = count;
      if (count <= most) wanted--;
      if (wanted === 0) return place + 1;
    }
    return Number.POSITIVE_INFINITY;
  }
}

/** Columns of part and row, the last ones of what is gathered. */
const ADDRESS_COLUMNS = 2;

function addresses(all: Batch): Pick<Candidates, 'partOf' | 'rows'> {
  return {
    partOf: (all.columns.at(-ADDRESS_COLUMNS) as Int32Vector).values,
    rows: (all.columns.at(-1) as Int32Vector).values,
  };
}
