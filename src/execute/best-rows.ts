/**
 * The best N rows among many, by sort keys and then primary key. Only keys and addresses are kept; the
 * output columns of the rows that win are read at the end.
 */
import { present } from '../assert.ts';
import type { Part } from '../engine/engine.ts';
import { BATCH_ROWS_MAX } from '../limits.ts';
import type { SortKey } from '../plan/plan.ts';
import { type Batch, Float64Vector, type Vector } from '../types/vector.ts';
import { concatBatches } from './batches.ts';
import { evaluateAll } from './evaluate.ts';
import { type RowOrder, rowOrder, sortRows } from './order.ts';
import { keyAttributes, keyOrder, positionsRead } from './scan.ts';
import { readRows, ScanRows, type ScanSource } from './scan-rows.ts';

/** Fewer gathered rows than this are not worth cutting back. */
const GATHERED_ROWS_MIN = 4 * BATCH_ROWS_MAX;

export class BestRows {
  readonly #source: ScanSource;
  readonly #wanted: number;
  readonly #keys: readonly SortKey[];
  readonly #order: readonly SortKey[];
  readonly #parts: Part[] = [];
  /** Columns: sort keys, primary key, part, row in the part. */
  #gathered: Batch[] = [];
  #count = 0;
  /** False as soon as rows were dropped: places are no longer those given by `add`. */
  #complete = true;

  constructor(source: ScanSource, wanted: number) {
    this.#source = source;
    this.#wanted = wanted;
    this.#keys = present(source.plan.topK, 'topK').keys;
    this.#order = [...this.#keys, ...keyOrder(source)];
  }

  /** Adds rows. @returns the number, for `anyTiesWith`, of the row at place `watched`. */
  async add(rows: ScanRows, watched = -1): Promise<number> {
    if (rows.length === 0) return -1;
    const expressions = this.#keys.map((key) => key.expression);
    const positions = expressions.flatMap((expression) => [...positionsRead(expression, this.#source)]);
    const batch = await rows.batch(new Set(positions));
    const keys = await evaluateAll(expressions, batch, this.#source.run);
    const primary = await readRows(rows.part, keyAttributes(this.#source), rows.rows);
    const part = this.#partNumber(rows.part);
    this.#gathered.push({
      length: rows.length,
      columns: [
        ...keys,
        ...primary,
        new Float64Vector(new Float64Array(rows.length).fill(part)),
        new Float64Vector(Float64Array.from(rows.rows)),
      ],
    });
    const number = this.#count + watched;
    this.#count += rows.length;
    if (watched < 0 && this.#count >= Math.max(GATHERED_ROWS_MIN, 4 * this.#wanted)) await this.#cut();
    return number;
  }

  #partNumber(part: Part): number {
    const known = this.#parts.indexOf(part);
    if (known >= 0) return known;
    this.#parts.push(part);
    return this.#parts.length - 1;
  }

  /** True when one of the watched rows is as good, by the first key, as the last row wanted. */
  async anyTiesWith(watched: readonly number[]): Promise<boolean> {
    if (watched.length === 0) return false;
    const { all, sorted } = await this.#sorted();
    const last = sorted[Math.min(this.#wanted, sorted.length) - 1];
    if (last === undefined || !this.#complete) return true;
    const byFirst: RowOrder = rowOrder(this.#keys.slice(0, 1), all.columns);
    return watched.some((row) => byFirst(last, row) >= 0);
  }

  /** The rows, best first, with all output columns of the scan. */
  async *batches(): AsyncGenerator<Batch> {
    if (this.#count === 0) return;
    const { all, sorted } = await this.#sorted();
    const parts = (all.columns.at(-2) as Float64Vector).values;
    const rows = (all.columns.at(-1) as Float64Vector).values;
    for (let start = 0; start < Math.min(this.#wanted, sorted.length); start += BATCH_ROWS_MAX) {
      const end = Math.min(start + BATCH_ROWS_MAX, this.#wanted, sorted.length);
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
    const kept = sorted.subarray(0, this.#wanted);
    this.#gathered = [{ length: kept.length, columns: all.columns.map((column) => column.take(kept)) }];
    this.#count = kept.length;
    this.#complete = false;
  }

  async #sorted(): Promise<{ all: Batch; sorted: Uint32Array }> {
    const all = concatBatches([], this.#gathered);
    const columns = all.columns.slice(0, this.#order.length) as Vector[];
    return { all, sorted: await sortRows(all.length, rowOrder(this.#order, columns), this.#source.run) };
  }
}
