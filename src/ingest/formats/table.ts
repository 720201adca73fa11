/** Tables of formats that have rows and cells as such. */
import type { Cell, Table } from '../document.ts';

export interface GivenCell {
  readonly text: string;
  readonly rowSpan: number;
  readonly columnSpan: number;
  /** As `Cell` has it. */
  readonly value?: string | null;
}

export interface GivenTable {
  readonly rows: readonly (readonly GivenCell[])[];
  readonly headerRowCount: number;
  readonly caption: string | null;
  /** 0 where there are no pages. */
  readonly page: number;
}

/** Spans beyond these are a mistake, or an attack. */
const SPAN_MAX = 1_000;

export const plainCell = (text: string): GivenCell => ({ text, rowSpan: 1, columnSpan: 1 });

/** Null for a table without text. */
export function tableOf({ rows, headerRowCount, caption, page }: GivenTable): Table | null {
  const cells: Cell[] = [];
  const parts: string[] = [];
  const taken = new Taken();
  let length = 0;
  let columnCount = 0;
  for (const [row, given] of rows.entries()) {
    const texts: string[] = [];
    let column = 0;
    for (const { text, rowSpan, columnSpan, value } of given) {
      column = taken.nextFree(row, column);
      const rowEnd = row + Math.min(rowSpan, SPAN_MAX, rows.length - row) - 1;
      const columnEnd = column + Math.min(columnSpan, SPAN_MAX) - 1;
      taken.take(row, rowEnd, column, columnEnd);
      const cleaned = text.replace(/\s+/g, ' ').trim();
      const start = length + texts.reduce((sum, known) => sum + known.length + 1, 0);
      if (cleaned !== '') {
        const place = { row, column, rowEnd, columnEnd, start, end: start + cleaned.length };
        cells.push(value === undefined ? place : { ...place, value });
      }
      texts.push(cleaned);
      column = columnEnd + 1;
      columnCount = Math.max(columnCount, column);
    }
    const line = texts.join('\t');
    parts.push(line);
    length += line.length + 1;
  }
  if (cells.length === 0) return null;
  return {
    kind: 'table',
    text: parts.join('\n'),
    words: null,
    page,
    rowCount: rows.length,
    columnCount,
    headerRowCount: Math.min(headerRowCount, rows.length - 1),
    cells,
    caption: caption === null || caption === '' ? null : { text: caption, words: null },
    unit: null,
    areas: [],
  };
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
