/** A chunk's cells as rows: each with its names, what its numbers are in, and where all of it stands in the text. */
import { ANY_LANGUAGE } from '../../language/questions/words.ts';
import { isUnitOnly, unitLine } from '../../tables/units.ts';
import { scopeIn } from '../../tables/scope.ts';
import {
  amountOf,
  type Cell,
  type ChunkCells,
  columnKey,
  type PlacedCell,
  type Row,
  type TableNames,
  unitWords,
} from './row.ts';

const LINE_CHARACTERS_MAX = 250;

/** In the order of the text. */
export function chunkRows(text: string, { cells, tables }: ChunkCells): readonly Row[] {
  const ofTables = Map.groupBy(cells, ({ table }) => table);
  const rows = [...ofTables].flatMap(([table, own]) => {
    const names = tables.get(table);
    return names === undefined ? [] : new TableRows(text, names, own).rows();
  });
  return rows.sort((a, b) => a.start - b.start);
}

class TableRows {
  readonly #text: string;
  readonly #names: TableNames;
  readonly #cells: readonly PlacedCell[];
  readonly #headers: readonly PlacedCell[];
  readonly #about: string;
  /** Lines around the table that say what it is in. */
  readonly #unitTexts: readonly string[];

  constructor(text: string, names: TableNames, cells: readonly PlacedCell[]) {
    this.#text = text;
    this.#names = names;
    this.#cells = cells;
    // A sign alone is no word that could be cited.
    this.#headers = cells.filter(({ isHeader, text: name }) => isHeader && /[\p{L}\p{N}]/u.test(name));
    const first = cells.reduce((least, { start }) => Math.min(least, start), text.length);
    this.#about = text.slice(0, Math.max(0, text.lastIndexOf('\n', first))).trim();
    this.#unitTexts = [
      ...this.#about.split('\n'),
      ...this.#headers.map((cell) => cell.text),
      ...unitsOf(cells),
    ];
  }

  rows(): readonly Row[] {
    const rows = Map.groupBy(this.#cells, ({ row }) => row);
    return [...rows].flatMap(([index, cells]) => this.#row(index, cells));
  }

  #row(index: number, cells: readonly PlacedCell[]): readonly Row[] {
    if (cells.some(({ isHeader }) => isHeader)) return [];
    const path = this.#names.rows.get(index) ?? [];
    if (path.length === 0 && cells.every(({ number, doubt }) => number === null && doubt === null)) return [];
    const { own, section } = labelsAmong(cells, path);
    const values = cells.filter((cell) => !own.includes(cell));
    const [first] = values;
    if (first === undefined) return [];
    const labels = own.map((cell) => cell.text);
    const start = this.#text.lastIndexOf('\n', Math.min(...cells.map((cell) => cell.start))) + 1;
    const measured = values.map(amountOf).find((amount) => amount !== null && !amount.isPercent);
    return [
      {
        table: first.table,
        index,
        label: labels.join(', '),
        labels,
        section: this.#stands(section),
        cells: values.map((cell) => this.#cell(cell, section)),
        about: this.#about,
        unit: measured == null ? '' : unitWords(measured, values.map((cell) => cell.text).join(' ')),
        unitText: measured == null ? '' : this.#unitText(measured.power),
        start,
        end: Math.max(...cells.map((cell) => cell.end)),
      },
    ];
  }

  /** A name that the text does not show cannot be cited. */
  #stands(section: string): string {
    return this.#text.includes(section) ? section : '';
  }

  #unitText(power: number | null): string {
    if (power === null || power <= 0) return '';
    const says = (line: string): boolean =>
      line.length <= LINE_CHARACTERS_MAX && unitLine(line, ANY_LANGUAGE, isUnitOnly(line))?.power === power;
    return (this.#unitTexts.find(says) ?? '').replace(/^[([（](.*)[)\]）]$/u, '$1');
  }

  #columnOf({ band, column }: PlacedCell): string {
    return this.#names.columns.get(columnKey(band, column))?.join(' ') ?? '';
  }

  #cell(cell: PlacedCell, section: string): Cell {
    const column = this.#columnOf(cell);
    const named = this.#text.startsWith(']=', cell.start - 2);
    const over = this.#headers.filter(
      ({ band, column, columnEnd }) =>
        band === cell.band && column <= cell.column && columnEnd >= cell.column,
    );
    return {
      at: cell.column,
      column,
      value: cell.text,
      start: named ? this.#text.lastIndexOf('[', cell.start) : cell.start,
      end: cell.end,
      amount: amountOf(cell),
      doubt: cell.doubt,
      headers: over.map((header) => ({ start: header.start, end: header.end })),
      year: cell.year,
      period: cell.period,
      scope: scopeIn([this.#names.scope ?? '', section, column]),
    };
  }
}

/** Rows within the table that say a unit. */
const unitsOf = (cells: readonly PlacedCell[]): readonly string[] =>
  cells.filter(({ number, text }) => number === null && isUnitOnly(text)).map(({ text }) => text);

interface Labels {
  readonly own: readonly PlacedCell[];
  /** The name right above them; empty where there is none. */
  readonly section: string;
}

/** The cells that name the row: the last of its path. */
function labelsAmong(cells: readonly PlacedCell[], path: readonly string[]): Labels {
  const whole = path.join(BETWEEN);
  for (let count = Math.min(path.length, cells.length); count > 0; count--) {
    const own = cells.slice(0, count);
    const name = own.map(({ text }) => text).join(BETWEEN);
    if (whole === name) return { own, section: '' };
    if (!whole.endsWith(BETWEEN + name)) continue;
    return {
      own,
      section:
        whole
          .slice(0, -name.length - BETWEEN.length)
          .split(BETWEEN)
          .at(-1) ?? '',
    };
  }
  return { own: [], section: path.at(-1) ?? '' };
}

/** As paths are stored. */
const BETWEEN = ' > ';
