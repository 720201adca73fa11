/** Where cells of tables stand in chunks: three numbers a cell, as there may be millions. */
import type { Table } from '../document.ts';
import type { CellMark } from './table-rows.ts';

export interface CellPlace {
  /** Ordinal of the chunk. */
  readonly chunk: number;
  /** UTF-16 offsets into its text. */
  readonly start: number;
  readonly end: number;
}

interface Shown {
  readonly table: Table;
  readonly cells: readonly CellMark[];
}

export class CellPlaces {
  readonly #tables = new Map<Table, Uint32Array>();

  /** The first place counts: chunks repeat what names their rows. @param from offset of the piece that shows them. */
  add({ table, cells }: Shown, chunk: number, from: number): void {
    const places = this.#tables.get(table) ?? new Uint32Array(3 * table.cells.length);
    this.#tables.set(table, places);
    for (const { index, start, end } of cells) {
      if (places[3 * index] === 0) places.set([chunk, start + from, end + from], 3 * index);
    }
  }

  /** Null for a cell of a header, which chunks show as names. */
  at(table: Table, index: number): CellPlace | null {
    const places = this.#tables.get(table);
    const chunk = places?.[3 * index] ?? 0;
    if (places === undefined || chunk === 0) return null;
    return { chunk, start: places[3 * index + 1] as number, end: places[3 * index + 2] as number };
  }
}
