/** Rows of a table from top to bottom: what names each, in which section it stands, which headers begin anew. */
import { wordsPattern } from '../language/questions/words.ts';
import { isQuantity, type ReadCell } from './cell-kinds.ts';
import { isHeaderWithin, type RowsOfCells } from './header-rows.ts';
import { isUnitOnly } from './units.ts';

export interface TableRow {
  readonly index: number;
  readonly cells: readonly ReadCell[];
  /** `header` names columns, `section` rows below, `unit` says what rows below are in. */
  readonly kind: 'header' | 'section' | 'unit' | 'time' | 'values';
  readonly labels: readonly string[];
  /** The outermost first. */
  readonly sections: readonly string[];
  /** A unit that a row above it said for what follows; null where none did. */
  readonly unit: string | null;
  /** A time that a row above it said. */
  readonly time: string | null;
  readonly isTotal: boolean;
  readonly band: number;
}

const TOTAL = new RegExp(`^\\s*${wordsPattern((pack) => pack.totals).source}`, 'iu');
const SECTIONS_DEPTH_MAX = 6;

export interface RowsRequest {
  readonly rows: RowsOfCells;
  readonly headerRows: number;
  readonly labelColumns: number;
}

export function tableRows({ rows, headerRows, labelColumns }: RowsRequest): readonly TableRow[] {
  const reader = new RowReader(labelColumns, labelsBelow(rows, labelColumns));
  return [...rows].map(([index, cells]) =>
    index < headerRows ? reader.header(index, cells, 0) : reader.row(index, cells),
  );
}

/** Labels that reach down over several rows, by these. */
function labelsBelow(rows: RowsOfCells, labelColumns: number): ReadonlyMap<number, readonly string[]> {
  const below = new Map<number, string[]>();
  for (const cells of rows.values()) {
    for (const { cell } of cells) {
      if (cell.column >= labelColumns || cell.rowEnd === cell.row) continue;
      for (let row = cell.row + 1; row <= cell.rowEnd; row++) {
        below.set(row, [...(below.get(row) ?? []), cell.text]);
      }
    }
  }
  return below;
}

class RowReader {
  readonly #labelColumns: number;
  readonly #labelsAbove: ReadonlyMap<number, readonly string[]>;
  #sections: string[] = [];
  /** Where the next section goes: beside the last one, or below where a total has closed it. */
  #depth = 0;
  #unit: string | null = null;
  #time: string | null = null;
  #band = 0;
  #isNewHeader = false;
  #hasValues = false;

  constructor(labelColumns: number, labelsAbove: ReadonlyMap<number, readonly string[]>) {
    this.#labelColumns = labelColumns;
    this.#labelsAbove = labelsAbove;
  }

  header(index: number, cells: readonly ReadCell[], band: number): TableRow {
    return this.#made(index, cells, { kind: 'header', labels: [], sections: [], isTotal: false, band });
  }

  row(index: number, cells: readonly ReadCell[]): TableRow {
    if (this.#hasValues && isHeaderWithin(cells)) return this.#headerWithin(index, cells);
    this.#isNewHeader = false;
    const own = cells.filter(({ cell }) => cell.column < Math.max(1, this.#labelColumns));
    const labels = [...(this.#labelsAbove.get(index) ?? []), ...own.map(({ cell }) => cell.text)];
    const isLabelOnly = own.length === cells.length && this.#labelColumns > 0;
    if (isLabelOnly) return this.#labelOnly(index, cells, labels);
    this.#hasValues ||= cells.some(isQuantity);
    const label = labels.join(' ');
    const isTotal = TOTAL.test(label);
    const row = this.#made(index, cells, { kind: 'values', labels, sections: [...this.#sections], isTotal });
    if (isTotal) this.#close(label);
    else this.#depth = Math.max(0, this.#sections.length - 1);
    return row;
  }

  #headerWithin(index: number, cells: readonly ReadCell[]): TableRow {
    if (!this.#isNewHeader) this.#band++;
    this.#isNewHeader = true;
    const unit = cells.find(({ cell }) => cell.column === 0 && isUnitOnly(cell.text));
    if (unit !== undefined) this.#unit = unit.cell.text;
    this.#time = null;
    return this.header(index, cells, this.#band);
  }

  #labelOnly(index: number, cells: readonly ReadCell[], labels: readonly string[]): TableRow {
    const label = labels.join(' ');
    const base = { labels, sections: [...this.#sections], isTotal: false };
    if (isUnitOnly(label)) {
      this.#unit = label;
      return this.#made(index, cells, { ...base, kind: 'unit' });
    }
    if (cells.some(({ isTime }) => isTime)) {
      this.#time = label;
      return this.#made(index, cells, { ...base, kind: 'time' });
    }
    this.#sections.length = Math.min(this.#depth, this.#sections.length, SECTIONS_DEPTH_MAX - 1);
    this.#sections.push(label.replace(/:$/, ''));
    this.#depth = this.#sections.length;
    return this.#made(index, cells, { ...base, kind: 'section' });
  }

  /** A total ends the section that it names, else the last one. */
  #close(label: string): void {
    const name = plainName(label);
    const named = this.#sections.findIndex((section) => name.endsWith(plainName(section)));
    const depth = named >= 0 ? named : this.#sections.length - 1;
    this.#sections.length = Math.max(0, depth);
    this.#depth = this.#sections.length;
  }

  #made(
    index: number,
    cells: readonly ReadCell[],
    own: Pick<TableRow, 'kind' | 'labels' | 'sections' | 'isTotal'> & { readonly band?: number },
  ): TableRow {
    return { index, cells, unit: this.#unit, time: this.#time, band: this.#band, ...own };
  }
}

const plainName = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
