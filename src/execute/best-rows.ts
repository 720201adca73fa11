/**
 * The best N rows among many, by sort keys and then primary key; or enough of the best for N of them to count when
 * only so many of a group do. Only keys and addresses are kept; the output columns of the rows that win are read at
 * the end.
 */
import { present } from '../assert.ts';
import type { Part } from '../engine/engine.ts';
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { Scan, SortKey } from '../plan/plan.ts';
import { type Batch, Float64Vector, type Vector } from '../types/vector.ts';
import { concatBatches } from './batches.ts';
import { evaluateAll } from './evaluate.ts';
import { KeyTable } from './key-table.ts';
import { rowOrder, sortRows } from './order.ts';
import { keyAttributes, keyOrder, positionsRead } from './scan.ts';
import { numberOf } from './score-bounds.ts';
import { ScanRows, type ScanSource } from './scan-rows.ts';

/** Fewer gathered rows than this are not worth cutting back. */
const GATHERED_ROWS_MIN = 4 * BATCH_ROWS_MAX;

export class BestRows {
  readonly #source: ScanSource;
  readonly #wanted: number;
  readonly #groups: NonNullable<Scan['topK']>['groups'];
  readonly #keys: readonly SortKey[];
  readonly #order: readonly SortKey[];
  readonly #parts: Part[] = [];
  /** Columns: sort keys, primary key, what rows are grouped by, part, row in the part. */
  #gathered: Batch[] = [];
  #count = 0;
  /** Rows kept at the last cut. */
  #kept = 0;

  constructor(source: ScanSource, wanted: number) {
    const { keys, groups } = present(source.plan.topK, 'topK');
    this.#source = source;
    this.#wanted = wanted;
    this.#groups = groups;
    this.#keys = keys;
    this.#order = [...this.#keys, ...keyOrder(source)];
  }

  async add(rows: ScanRows): Promise<void> {
    if (rows.length === 0) return;
    const ranked = this.#keys.map((key) => key.expression);
    const expressions = [...ranked, ...(this.#groups?.by ?? [])];
    const positions = expressions.flatMap((expression) => [...positionsRead(expression, this.#source)]);
    const batch = await rows.batch(new Set(positions));
    const values = await evaluateAll(expressions, batch, this.#source.run);
    const primary = await rows.part.readRows(keyAttributes(this.#source), rows.rows);
    const part = this.#partNumber(rows.part);
    this.#gathered.push({
      length: rows.length,
      columns: [
        ...values.slice(0, ranked.length),
        ...primary,
        ...values.slice(ranked.length),
        new Float64Vector(new Float64Array(rows.length).fill(part)),
        new Float64Vector(Float64Array.from(rows.rows)),
      ],
    });
    this.#count += rows.length;
    if (this.#count >= Math.max(GATHERED_ROWS_MIN, 4 * this.#wanted, 2 * this.#kept)) await this.#cut();
  }

  #partNumber(part: Part): number {
    const known = this.#parts.indexOf(part);
    if (known >= 0) return known;
    this.#parts.push(part);
    return this.#parts.length - 1;
  }

  /** The first sort key of the last row wanted as a number; undefined when there are fewer rows. */
  async lastKey(): Promise<number | null | undefined> {
    if (this.#count === 0) return undefined;
    const { all, sorted, enough } = await this.#sorted();
    const last = sorted.at(-1);
    if (!enough || last === undefined) return undefined;
    return numberOf((all.columns[0] as Vector).get(last));
  }

  /** The rows, best first, with their first sort keys. */
  async ranked(): Promise<
    readonly { readonly part: Part; readonly row: number; readonly key: number | null }[]
  > {
    if (this.#count === 0) return [];
    const { all, sorted } = await this.#sorted();
    const parts = (all.columns.at(-2) as Float64Vector).values;
    const rows = (all.columns.at(-1) as Float64Vector).values;
    return Array.from(sorted, (place) => ({
      part: this.#parts[parts[place] as number] as Part,
      row: rows[place] as number,
      key: numberOf((all.columns[0] as Vector).get(place)),
    }));
  }

  /** The rows, best first, with all output columns of the scan. */
  async *batches(): AsyncGenerator<Batch> {
    if (this.#count === 0) return;
    const { all, sorted } = await this.#sorted();
    const parts = (all.columns.at(-2) as Float64Vector).values;
    const rows = (all.columns.at(-1) as Float64Vector).values;
    for (let start = 0; start < sorted.length; start += BATCH_ROWS_MAX) {
      const end = Math.min(start + BATCH_ROWS_MAX, sorted.length);
      const addresses = Array.from(sorted.subarray(start, end), (place) => ({
        part: parts[place] as number,
        row: rows[place] as number,
      }));
      yield await this.#read(addresses);
    }
  }

  /** Reads part by part in row order, then puts the rows into the order asked for. */
  async #read(addresses: readonly { part: number; row: number }[]): Promise<Batch> {
    const places = Array.from(addresses.keys()).sort((a, b) => {
      const x = addresses[a] as { part: number; row: number };
      const y = addresses[b] as { part: number; row: number };
      return x.part - y.part || x.row - y.row;
    });
    const pieces: Batch[] = [];
    for (const [number, part] of this.#parts.entries()) {
      const rows = places.map((place) => addresses[place]).filter((address) => address?.part === number);
      if (rows.length === 0) continue;
      const positions = Uint32Array.from(rows, (address) => address?.row ?? 0);
      pieces.push(await new ScanRows(this.#source, part, positions).all());
    }
    const all = concatBatches(this.#source.plan.output, pieces);
    const target = new Uint32Array(places.length);
    for (const [at, place] of places.entries()) target[place] = at;
    return { length: all.length, columns: all.columns.map((column) => column.take(target)) };
  }

  async #cut(): Promise<void> {
    const { all, sorted } = await this.#sorted();
    this.#gathered = [{ length: sorted.length, columns: all.columns.map((column) => column.take(sorted)) }];
    this.#count = sorted.length;
    this.#kept = sorted.length;
  }

  /** The best rows in order, no more than are wanted. */
  async #sorted(): Promise<{ all: Batch; sorted: Uint32Array; enough: boolean }> {
    const all = concatBatches([], this.#gathered);
    const columns = all.columns.slice(0, this.#order.length) as Vector[];
    const sorted = await sortRows(all.length, rowOrder(this.#order, columns), this.#source.run);
    const end = this.#groups ? this.#endOfGroups(all, sorted) : this.#wanted;
    return { all, sorted: sorted.subarray(0, end), enough: end <= sorted.length };
  }

  /** How many rows it takes until as many as are wanted count; Infinity when there are not so many. */
  #endOfGroups(all: Batch, sorted: Uint32Array): number {
    const { by, most } = present(this.#groups, 'groups');
    const columns = all.columns.slice(this.#order.length, this.#order.length + by.length);
    const types = by.map((expression) => expression.type);
    const numbers = new KeyTable(types, true).insert(columns, all.length);
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
