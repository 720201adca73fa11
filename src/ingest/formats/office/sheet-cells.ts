/**
 * The cells of one sheet, read from its XML piece by piece: no tree is made of it, and what is kept of a cell are some
 * numbers and the bytes of its text (`cell-list.ts`).
 */
import { NumberColumn, TextColumn, ValueColumn } from '../../cell-list.ts';
import { DocumentError } from '../../document-error.ts';
import type { XmlReader } from './xml.ts';

const CELLS_COUNT_MAX = 2_000_000;
const COLUMNS_COUNT_MAX = 16_384;
const MERGES_COUNT_MAX = 200_000;

/** A cell as it is shown, and the number that it holds; null for a date, undefined where the file holds a text. */
export interface SheetCell {
  readonly text: string;
  readonly value?: string | null;
}

/** A cell as the file has it. @param style of its number format. */
export type CellValue = (of: {
  readonly type: string;
  readonly style: number;
  readonly value: string;
  /** The text that stands in it. */
  readonly inline: string;
}) => SheetCell;

/** How many cells a workbook may still have. */
export interface CellBudget {
  left: number;
}

export const cellBudget = (): CellBudget => ({ left: CELLS_COUNT_MAX });

/** Rows with text in their order, each its cells in theirs. */
export class SheetCells {
  readonly #numbers = new NumberColumn();
  /** First cell of each row. */
  readonly #starts = new NumberColumn();
  readonly #columns = new NumberColumn();
  readonly #texts = new TextColumn();
  readonly #values = new ValueColumn();
  /** Rows in order, where the file has them in another. */
  #order: Uint32Array | null = null;
  /** Spans of merged cells: rows and columns, by the place where each begins. */
  readonly merged = new Map<number, { readonly rows: number; readonly columns: number }>();

  get rowCount(): number {
    return this.#order?.length ?? this.#numbers.length;
  }

  /** 1-based, as the file counts. */
  numberOf(row: number): number {
    return this.#numbers.at(this.#place(row));
  }

  /** Its cells from one to before another. */
  rangeOf(row: number): readonly [start: number, end: number] {
    const place = this.#place(row);
    const end = place + 1 < this.#starts.length ? this.#starts.at(place + 1) : this.#columns.length;
    return [this.#starts.at(place), end];
  }

  columnOf(cell: number): number {
    return this.#columns.at(cell);
  }

  cell(cell: number): SheetCell {
    const text = this.#texts.at(cell);
    const value = this.#values.at(cell, () => text);
    return value === undefined ? { text } : { text, value };
  }

  spanAt(number: number, column: number): { readonly rows: number; readonly columns: number } {
    return this.merged.get(placeKey(number, column)) ?? ONE;
  }

  addRow(number: number, cells: ReadonlyMap<number, SheetCell>): void {
    if (cells.size === 0) return;
    this.#numbers.push(number);
    this.#starts.push(this.#columns.length);
    for (const [column, { text, value }] of [...cells].sort(([a], [b]) => a - b)) {
      this.#columns.push(column);
      this.#texts.push(text);
      this.#values.push(text, value);
    }
  }

  merge(reference: string): void {
    if (this.merged.size >= MERGES_COUNT_MAX) return;
    const [from = '', to = ''] = reference.split(':');
    const [row, column] = [rowOf(from), columnOf(from)];
    const [lastRow, lastColumn] = [rowOf(to), columnOf(to)];
    if (column === null || lastColumn === null || lastColumn < column || !(lastRow >= row)) return;
    this.merged.set(placeKey(row, column), { rows: lastRow - row + 1, columns: lastColumn - column + 1 });
  }

  /** Puts rows in order; of several with one number the last counts. */
  end(): void {
    const count = this.#numbers.length;
    let isOrdered = true;
    for (let row = 1; row < count; row++) isOrdered &&= this.#numbers.at(row) > this.#numbers.at(row - 1);
    if (isOrdered) return;
    const last = new Map<number, number>();
    for (let row = 0; row < count; row++) last.set(this.#numbers.at(row), row);
    this.#order = Uint32Array.from([...last].sort(([a], [b]) => a - b).map(([, row]) => row));
  }

  readonly #place = (row: number): number => this.#order?.[row] ?? row;
}

const ONE = { rows: 1, columns: 1 } as const;

const placeKey = (row: number, column: number): number => row * 2 * COLUMNS_COUNT_MAX + column;

const rowOf = (reference: string): number => Number(reference.replace(/^[A-Z]+/, ''));

/** `AB12` is column 27. */
function columnOf(reference: string | undefined): number | null {
  if (reference === undefined) return null;
  let column = 0;
  for (let at = 0; at < reference.length; at++) {
    const letter = reference.charCodeAt(at) - 64;
    if (letter < 1 || letter > 26) break;
    column = column * 26 + letter;
  }
  return column === 0 ? null : column - 1;
}

/** Hears of a sheet's tags. */
export class SheetReader implements XmlReader {
  readonly cells = new SheetCells();
  readonly #read: CellValue;
  readonly #budget: CellBudget;
  #number = 0;
  #row = new Map<number, SheetCell>();
  #column = -1;
  #type = 'n';
  #style = 0;
  #value = '';
  #inline = '';
  /** Readings beside Japanese. */
  #isReading = false;
  #into: 'value' | 'inline' | null = null;

  constructor(read: CellValue, budget: CellBudget) {
    this.#read = read;
    this.#budget = budget;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') {
      const number = Number(attributes.r);
      this.#number = Number.isSafeInteger(number) && number > 0 ? number : this.#number + 1;
      this.#row = new Map();
      this.#column = -1;
    } else if (name === 'c') this.#begin(attributes);
    else if (name === 'v') this.#into = 'value';
    else if (name === 't') this.#into = this.#isReading ? null : 'inline';
    else if (name === 'rPh') this.#isReading = true;
    else if (name === 'mergeCell') this.cells.merge(attributes.ref ?? '');
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#into = null;
    else if (name === 'rPh') this.#isReading = false;
    else if (name === 'c') this.#end();
    else if (name === 'row') this.cells.addRow(this.#number, this.#row);
    else if (name === 'worksheet') this.cells.end();
  }

  text(value: string): void {
    if (this.#into === 'value') this.#value += value;
    else if (this.#into === 'inline') this.#inline += value;
  }

  #begin({ r, t = 'n', s }: Readonly<Record<string, string>>): void {
    if (this.#budget.left-- <= 0) {
      throw new DocumentError('limit_exceeded', `the workbook has more than ${CELLS_COUNT_MAX} cells`);
    }
    this.#column = columnOf(r) ?? this.#column + 1;
    this.#type = t;
    this.#style = Number(s ?? 0);
    this.#value = '';
    this.#inline = '';
  }

  #end(): void {
    if (this.#column >= COLUMNS_COUNT_MAX) return;
    const cell = this.#read({
      type: this.#type,
      style: this.#style,
      value: this.#value,
      inline: this.#inline,
    });
    if (cell.text.trim() !== '') this.#row.set(this.#column, cell);
  }
}

/** Hears of a workbook's shared texts. */
export class SharedTexts implements XmlReader {
  readonly texts = new TextColumn();
  #text = '';
  #isReading = false;
  #isText = false;

  open(name: string): void {
    if (name === 'si') this.#text = '';
    else if (name === 'rPh') this.#isReading = true;
    else if (name === 't') this.#isText = !this.#isReading;
  }

  close(name: string): void {
    if (name === 'si') this.texts.push(this.#text);
    else if (name === 'rPh') this.#isReading = false;
    else if (name === 't') this.#isText = false;
  }

  text(value: string): void {
    if (this.#isText) this.#text += value;
  }
}
