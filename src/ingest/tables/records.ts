/** Tables of a document as rows of their relations, columns of values that a statement takes as arrays. */
import type { Box } from '../document.ts';

export interface TableRecord {
  /** Place among the document's tables, from 1. */
  readonly ordinal: number;
  readonly heading: string | null;
  readonly caption: string | null;
  readonly unit: string | null;
  /** Decimal: `1000000`. */
  readonly scale: string | null;
  readonly currency: string | null;
  readonly period: string | null;
  readonly scope: string | null;
  readonly headerRows: number;
  readonly rowCount: number;
  readonly columnCount: number;
  readonly page: number | null;
  readonly box: Box | null;
}

/** One place a cell in each; rows and columns are 1-based. */
export interface CellColumns {
  readonly table: number[];
  readonly row: number[];
  readonly column: number[];
  readonly rowEnd: number[];
  readonly columnEnd: number[];
  readonly isHeader: boolean[];
  readonly text: string[];
  readonly number: (string | null)[];
  readonly unit: (string | null)[];
  readonly scale: (string | null)[];
  readonly period: (string | null)[];
  readonly year: (number | null)[];
  readonly doubt: (string | null)[];
  readonly page: (number | null)[];
  readonly box: (string | null)[];
  /** Ordinal of the chunk that shows it. */
  readonly chunk: (number | null)[];
  readonly chunkStart: (number | null)[];
  readonly chunkEnd: (number | null)[];
  readonly band: number[];
}

/** Names of rows and columns. */
export interface LineColumns {
  readonly table: number[];
  readonly isRow: boolean[];
  readonly line: number[];
  readonly band: number[];
  readonly path: string[];
}

export const noCells = (): CellColumns => ({
  table: [],
  row: [],
  column: [],
  rowEnd: [],
  columnEnd: [],
  isHeader: [],
  text: [],
  number: [],
  unit: [],
  scale: [],
  period: [],
  year: [],
  doubt: [],
  page: [],
  box: [],
  chunk: [],
  chunkStart: [],
  chunkEnd: [],
  band: [],
});

export const noLines = (): LineColumns => ({ table: [], isRow: [], line: [], band: [], path: [] });
