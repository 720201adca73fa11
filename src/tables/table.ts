/**
 * A table as those see it who describe it: a grid of texts, whatever file it came from, and what is known around it.
 * Pure data; rows and columns are 0-based, ends inclusive.
 */
import type { Evidence } from '../language/numbers/separators.ts';
import type { LanguageOf } from '../language/questions/words.ts';
import type { Period } from './period-text.ts';

export interface GridCell {
  readonly row: number;
  readonly column: number;
  readonly rowEnd: number;
  readonly columnEnd: number;
  readonly text: string;
  /** The number itself as a decimal, where the file holds it; null where the file says that it is none (a date). */
  readonly value?: string | null;
}

export interface Grid {
  readonly rowCount: number;
  readonly columnCount: number;
  /** Rows that the file marks as names of columns, or its reader takes for such. */
  readonly headerRowCount: number;
  /** Cells with text, by row, then column. */
  readonly cells: readonly GridCell[];
  readonly caption: string | null;
  /** The line that says what its numbers are in. */
  readonly unit: string | null;
  /** Titles above it, the nearest last. */
  readonly headings: readonly string[];
}

/** The whole document's way with numbers. */
export interface Surrounding {
  readonly evidence: Evidence;
  readonly language: LanguageOf;
}

/** Unit and scale of a number. */
export interface Measure {
  /** `USD`, `%`, `shares`, `USD/share`, …; null where nothing tells. */
  readonly unit: string | null;
  /** One of it is ten to this power; null where nothing tells. */
  readonly power: number | null;
}

export interface DescribedCell extends GridCell {
  readonly isHeader: boolean;
  /** As a decimal; times ten to `power` it is the amount. Null for what is no number, or not for certain. */
  readonly number: string | null;
  /** Why a number has no value. */
  readonly doubt: string | null;
  readonly measure: Measure;
  readonly period: Period | null;
  /** Which header it is under: 0 for the one at the top. */
  readonly band: number;
}

/** Names of a row or a column, from the outermost; columns may have others further down. */
export interface Line {
  readonly index: number;
  readonly band: number;
  readonly path: readonly string[];
}

export interface DescribedTable {
  readonly headerRowCount: number;
  readonly measure: Measure;
  readonly currency: string | null;
  readonly period: Period | null;
  /** `consolidated`, `segment`, …: whose figures they are; null where nothing tells. */
  readonly scope: string | null;
  readonly cells: readonly DescribedCell[];
  readonly rows: readonly Line[];
  readonly columns: readonly Line[];
}
