/** Tables of formats that have rows and cells as such. */
import { CellList } from '../cell-list.ts';
import type { Table } from '../document.ts';

export interface GivenCell {
  readonly text: string;
  readonly rowSpan: number;
  readonly columnSpan: number;
  /** As `Cell` has it. */
  readonly value?: string | null;
}

/** All of a table but its rows. */
interface About {
  readonly rowCount: number;
  readonly headerRowCount: number;
  readonly caption: string | null;
  /** 0 where there are no pages. */
  readonly page: number;
}

export interface GivenTable extends Omit<About, 'rowCount'> {
  readonly rows: readonly (readonly GivenCell[])[];
}

/** Spans beyond these are a mistake, or an attack: of a cell in one row the columns that a sheet has at most. */
const SPAN_MAX = 1_000;
const COLUMNS_MAX = 16_384;
/** A number whose line ends after the mark between its thousands. */
const BROKEN_NUMBER = /(\d[.,])[^\S\n]*\n\s*(?=\d{3}(?!\d))/g;
/** Between cells that are further apart there are so many tabs. */
const TABS_MAX = 64;

export const plainCell = (text: string): GivenCell => ({ text, rowSpan: 1, columnSpan: 1 });

/** Null for a table without text. Cells come one after the other, around those of rows above that reach down. */
export function tableOf({ rows, ...about }: GivenTable): Table | null {
  const maker = new TableMaker({ ...about, rowCount: rows.length });
  const taken = new Taken();
  for (const [row, given] of rows.entries()) {
    let column = 0;
    for (const cell of given) {
      column = taken.nextFree(row, column);
      const columnSpan = cell.rowSpan > 1 ? Math.min(cell.columnSpan, SPAN_MAX) : cell.columnSpan;
      const { rowEnd, columnEnd } = maker.cell(column, { ...cell, columnSpan });
      taken.take(row, rowEnd, column, columnEnd);
      column = columnEnd + 1;
    }
    maker.endRow();
  }
  return maker.table();
}

/** Makes a table cell by cell, in order. */
export class TableMaker {
  readonly #about: About;
  #lines: string[] = [];
  #text = '';
  readonly #cells = new CellList(({ start, end }) => this.#text.slice(start, end));
  /** Pieces of the row: texts put together piece by piece would keep the pieces. */
  #pieces: string[] = [];
  #lineLength = 0;
  /** Past the last cell of the row. */
  #next = 0;
  #length = 0;
  #columnCount = 0;

  constructor(about: About) {
    this.#about = about;
  }

  /** @returns its last row and column. */
  cell(column: number, { text, rowSpan, columnSpan, value }: GivenCell) {
    const row = this.#lines.length;
    const rowEnd = row + Math.min(rowSpan, SPAN_MAX, this.#about.rowCount - row) - 1;
    const columnEnd = Math.max(column, Math.min(column + columnSpan, COLUMNS_MAX) - 1);
    const cleaned = text.replace(BROKEN_NUMBER, '$1').replace(/\s+/g, ' ').trim();
    if (this.#next > 0) this.#piece('\t'.repeat(Math.min(1 + column - this.#next, TABS_MAX)));
    const start = this.#length + this.#lineLength;
    this.#piece(cleaned);
    if (cleaned !== '') {
      const place = { row, column, rowEnd, columnEnd, start, end: start + cleaned.length };
      this.#cells.push(value === undefined ? place : { ...place, value }, cleaned);
    }
    this.#next = columnEnd + 1;
    this.#columnCount = Math.max(this.#columnCount, this.#next);
    return { rowEnd, columnEnd };
  }

  endRow(): void {
    this.#lines.push(this.#pieces.join(''));
    this.#length += this.#lineLength + 1;
    this.#pieces = [];
    this.#lineLength = 0;
    this.#next = 0;
  }

  #piece(text: string): void {
    this.#pieces.push(text);
    this.#lineLength += text.length;
  }

  /** Null for a table without text. */
  table(): Table | null {
    if (this.#cells.length === 0) return null;
    const { caption, page, headerRowCount, rowCount } = this.#about;
    this.#text = this.#lines.join('\n');
    this.#lines = [];
    return {
      kind: 'table',
      text: this.#text,
      words: null,
      page,
      rowCount,
      columnCount: this.#columnCount,
      headerRowCount: Math.min(headerRowCount, rowCount - 1),
      cells: this.#cells,
      caption: caption === null || caption === '' ? null : { text: caption, words: null },
      unit: null,
      areas: [],
    };
  }
}

/** Places that cells of rows above reach down to. */
class Taken {
  readonly #until = new Map<number, number>();

  nextFree(row: number, from: number): number {
    let column = from;
    while ((this.#until.get(column) ?? -1) >= row) column++;
    return column;
  }

  take(row: number, rowEnd: number, column: number, columnEnd: number): void {
    if (rowEnd === row) return;
    for (let at = column; at <= columnEnd; at++) this.#until.set(at, rowEnd);
  }
}

const NUMBER = /^[-+(]?[$€£¥]?\s*[\d.,]+\s*%?\)?$/;

/** 1 where the first row reads like names: every cell has text, and none is a number. */
export function guessedHeader(rows: readonly (readonly string[])[]): number {
  const [first, ...rest] = rows;
  if (first === undefined || rest.length === 0) return 0;
  const names = first.filter((text) => text.trim() !== '');
  const reads = names.length > first.length / 2 && !names.some((text) => NUMBER.test(text.trim()));
  return reads ? 1 : 0;
}
