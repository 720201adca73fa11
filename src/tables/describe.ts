/**
 * A table as rows and columns that say what they are: which cells are headers, what each number is, what it counts, of
 * which time. All from the table and what its document says about numbers; nothing is guessed that has two readings.
 */
import { type Surroundings, cellValue, type WrittenNumber } from '../language/numbers/cell-number.ts';
import { Evidence } from '../language/numbers/separators.ts';
import { PACKS } from '../language/questions/packs.ts';
import { ANY_LANGUAGE, wordsPattern } from '../language/questions/words.ts';
import { type ReadCell, readCell, unitBesideTime } from './cell-kinds.ts';
import { columnLines, isOfNotes, labelColumnCount, onlyUnit } from './columns.ts';
import { headerRowCount, type RowsOfCells } from './header-rows.ts';
import { type Marks, marksInColumn, measureOf, measureOfName } from './measures.ts';
import { isPartOfYear, type Period, periodIn } from './period-text.ts';
import { type TableRow, tableRows } from './rows.ts';
import { scopeIn } from './scope.ts';
import { markBySums } from './sums.ts';
import type { DescribedCell, DescribedTable, Grid, Line, Measure, Surrounding } from './table.ts';
import { isUnitOnly, unitLine, type UnitLine } from './units.ts';

const CHANGES = wordsPattern((pack) => pack.changes);

export function describeTable(grid: Grid, document: Surrounding): DescribedTable {
  return new Description(grid, document).result();
}

/** Evidence that a table gives about its document: how numbers are written there for certain. */
export function evidenceIn(grid: Grid): Evidence {
  const evidence = new Evidence();
  for (const cell of grid.cells) {
    if (cell.row < grid.headerRowCount || cell.column === 0 || cell.value !== undefined) continue;
    const { written } = readCell(cell, ANY_LANGUAGE);
    if (written.kind === 'number') evidence.add(written.shape);
  }
  return evidence;
}

class Description {
  readonly #grid: Grid;
  readonly #document: Surrounding;
  readonly #headerRows: number;
  readonly #labelColumns: number;
  readonly #rows: readonly TableRow[];
  readonly #columns: ReadonlyMap<string, Line>;
  readonly #unit: UnitLine | null;
  readonly #currency: string | null;
  readonly #period: Period | null;
  /** The table's own time is not that of a column beside columns of times. */
  readonly #hasColumnTimes: boolean;
  readonly #tableEvidence = new Evidence();
  readonly #columnEvidence = new Map<number, Evidence>();
  readonly #marks = new Map<ReadCell, Marks>();
  readonly #columnMeasures = new Map<string, Measure | null>();
  readonly #unitLines = new Map<string, UnitLine | null>();
  readonly #periods = new Map<string, Period | null>();

  constructor(grid: Grid, document: Surrounding) {
    this.#grid = grid;
    this.#document = document;
    const rows = rowsOf(grid, document);
    this.#headerRows = headerRowCount(grid, rows);
    this.#labelColumns = labelColumnCount(rows, this.#headerRows, grid.columnCount);
    this.#rows = tableRows({ rows, headerRows: this.#headerRows, labelColumns: this.#labelColumns });
    this.#columns = this.#headerLines();
    this.#unit = this.#unitOfTable();
    this.#readColumns();
    this.#currency = this.#unit?.currency ?? this.#commonCurrency();
    this.#period = this.#periodOfTable();
    this.#hasColumnTimes = [...this.#columns.values()].some(({ path }) => path.some(hasTimes));
  }

  result(): DescribedTable {
    const { caption, headings } = this.#grid;
    const titles = [...headings, ...(caption === null ? [] : [caption])];
    return {
      headerRowCount: this.#headerRows,
      measure: { unit: this.#unit?.unit ?? this.#currency, power: this.#unit?.power ?? null },
      currency: this.#currency,
      period: this.#period,
      scope: scopeIn(titles),
      cells: this.#rows.flatMap((row) => this.#cellsOf(row)),
      rows: this.#rows.flatMap(rowLine),
      columns: [...this.#columns.values()],
    };
  }

  #headerLines(): ReadonlyMap<string, Line> {
    const headers = Map.groupBy(
      this.#rows.filter(({ kind }) => kind === 'header'),
      ({ band }) => band,
    );
    const lines = [...headers].flatMap(([band, rows]) =>
      columnLines(
        rows.flatMap(({ cells }) => cells),
        band,
        this.#grid.columnCount,
      ),
    );
    return new Map(lines.map((line) => [keyOf(line.band, line.index), line]));
  }

  /** Its own line, a header's corner, its caption, a title in brackets above it: the first that says one. */
  #unitOfTable(): UnitLine | null {
    const { unit, caption, headings } = this.#grid;
    const { language } = this.#document;
    const corners = this.#rows
      .filter(({ kind }) => kind === 'header')
      .flatMap(({ cells }) =>
        cells.filter(
          ({ cell }) => (cell.column === 0 || cell.columnEnd > cell.column) && isUnitOnly(cell.text),
        ),
      );
    const alone = this.#rows.flatMap(({ kind, cells }) => (kind === 'header' ? (onlyUnit(cells) ?? []) : []));
    const asUnit = [unit, ...corners.map(({ cell }) => cell.text), ...alone].filter((text) => text !== null);
    for (const text of asUnit) {
      const line = unitLine(text, language, true);
      if (line !== null) return line;
    }
    for (const text of [caption, ...headings.toReversed()]) {
      const line = text === null ? null : unitLine(text, language, false);
      if (line !== null && line.power !== null) return line;
    }
    return null;
  }

  #readColumns(): void {
    const columns = new Map<number, { readonly row: TableRow; readonly one: ReadCell }[]>();
    for (const row of this.#rows) {
      if (row.kind !== 'values') continue;
      for (const one of row.cells) {
        if (one.cell.column < this.#labelColumns || one.written.kind !== 'number') continue;
        const known = columns.get(one.cell.column);
        if (known === undefined) columns.set(one.cell.column, [{ row, one }]);
        else known.push({ row, one });
      }
    }
    for (const [column, found] of columns) this.#readColumn(column, found);
  }

  #readColumn(column: number, found: readonly { readonly row: TableRow; readonly one: ReadCell }[]): void {
    const evidence = new Evidence();
    for (const { one } of found) evidence.add(numberIn(one).shape);
    const line = this.#columns.get(keyOf(0, column));
    const isNotes = line !== undefined && isOfNotes(line);
    if (!isNotes) this.#tableEvidence.addAll(evidence);
    const mark = evidence.weight('.') + evidence.weight(',') === 0 ? this.#markBySums(found) : null;
    if (mark !== null) evidence.decide(mark);
    this.#columnEvidence.set(column, evidence);
    for (const ofBand of Map.groupBy(found, ({ row }) => row.band).values()) {
      const marks = marksInColumn(ofBand.map(({ one }) => numberIn(one)));
      for (const [at, { one }] of ofBand.entries()) this.#marks.set(one, marks[at] as Marks);
    }
  }

  #markBySums(found: readonly { readonly row: TableRow; readonly one: ReadCell }[]): '.' | ',' | null {
    if (!found.some(({ one }) => numberIn(one).shape.kind === 'open')) return null;
    const byRow = new Map(found.map(({ row, one }) => [row, numberIn(one)]));
    return markBySums(
      this.#rows.map((row) => ({
        number: byRow.get(row) ?? null,
        isTotal: row.isTotal,
        isBreak: row.kind === 'section' || row.kind === 'header',
      })),
    );
  }

  /** The currency of its signs, where all have one. */
  #commonCurrency(): string | null {
    const currencies = new Set([...this.#marks.keys()].flatMap((one) => numberIn(one).currency ?? []));
    const [only = null] = currencies;
    return currencies.size === 1 ? only : null;
  }

  #periodOfTable(): Period | null {
    const { caption, headings, unit } = this.#grid;
    const texts = [unit, caption, headings.at(-1) ?? null];
    return (
      texts.map((text) => (text === null ? null : periodIn(text))).find((period) => period !== null) ?? null
    );
  }

  #cellsOf(row: TableRow): readonly DescribedCell[] {
    const said =
      row.kind === 'values' && row.cells.some((one) => this.#marks.has(one)) ? this.#saidOf(row) : null;
    return row.cells.map((one) => {
      const isHeader = row.kind === 'header';
      const base = { ...one.cell, isHeader, band: row.band };
      if (said === null || !this.#marks.has(one)) {
        const doubt = one.written.kind === 'doubt' && row.kind === 'values' ? one.written.why : null;
        return { ...base, number: null, doubt, measure: NO_MEASURE, period: null };
      }
      const value = cellValue(numberIn(one), this.#surroundings(one.cell.column));
      return {
        ...base,
        number: value.kind === 'value' ? value.decimal : null,
        doubt: value.kind === 'value' ? null : value.why,
        measure: this.#measureAt(row, one, said),
        period: this.#periodAt(row, one.cell.column, said.time),
      };
    });
  }

  #surroundings(column: number): Surroundings {
    return {
      column: this.#columnEvidence.get(column) ?? NO_EVIDENCE,
      table: this.#tableEvidence,
      document: this.#document.evidence,
      groupMark: () => GROUP_MARKS.get(this.#document.language() ?? '') ?? null,
    };
  }

  /** Everything that a row says of all its numbers. */
  #saidOf(row: TableRow): RowSays {
    const { labels, sections } = row;
    const unit = row.unit === null ? this.#unit : (this.#unitOf(row.unit) ?? this.#unit);
    return {
      unit: withCurrency(unit, this.#unit),
      measure: measureOfName([...labels, ...sections.slice(-1)].join(' '), unit, this.#document.language),
      time:
        [...labels, row.time ?? '', ...sections.toReversed()].find((text) => periodIn(text) !== null) ?? '',
    };
  }

  #unitOf(line: string): UnitLine | null {
    const known = this.#unitLines.get(line);
    if (known !== undefined) return known;
    const made = unitLine(line, this.#document.language, true);
    this.#unitLines.set(line, made);
    return made;
  }

  #measureAt(row: TableRow, one: ReadCell, { unit, measure }: RowSays): Measure {
    return measureOf({
      number: numberIn(one),
      row: measure,
      column: this.#columnMeasure(row.band, one.cell.column, unit),
      marks: this.#marks.get(one) as Marks,
      table: unit,
      currency: unit?.currency ?? this.#currency,
    });
  }

  #columnMeasure(band: number, column: number, table: UnitLine | null): Measure | null {
    const key = `${keyOf(band, column)} ${table?.unit} ${table?.power}`;
    const known = this.#columnMeasures.get(key);
    if (known !== undefined) return known;
    const path = this.#columns.get(keyOf(band, column))?.path ?? [];
    const unit = path.findLast((name) => unitBesideTime(name) !== null || isUnitOnly(name));
    const name = unit === undefined ? path.join(' ') : (unitBesideTime(unit) ?? unit);
    const measure = measureOfName(name, table, this.#document.language);
    this.#columnMeasures.set(key, measure);
    return measure;
  }

  readonly #nameOf = (key: string): string => this.#columns.get(key)?.path.join(' ') ?? '';

  /** The period of its column, together with what its row says where that is a time, else the table's. */
  #periodAt({ band }: TableRow, column: number, time: string): Period | null {
    const key = `${keyOf(band, column)} ${time}`;
    const known = this.#periods.get(key);
    if (known !== undefined) return known;
    const period = this.#periodOf(this.#nameOf(keyOf(band, column)), time);
    this.#periods.set(key, period);
    return period;
  }

  #periodOf(name: string, time: string): Period | null {
    if (CHANGES.test(name)) return null;
    const own = periodIn(name);
    if (own !== null || hasTimes(name)) return own;
    if (time !== '') return periodIn(`${name} ${time}`);
    return this.#hasColumnTimes || isPartOfYear(name) ? null : this.#period;
  }
}

interface RowSays {
  /** The unit of numbers from there on. */
  readonly unit: UnitLine | null;
  readonly measure: Measure | null;
  /** The nearest of its names that is a time; empty where none is. */
  readonly time: string;
}

/** Years that no single period came of. */
const hasTimes = (name: string): boolean => /(?:19|20)\d{2}/.test(name);

const NO_MEASURE: Measure = { unit: null, power: null };
const NO_EVIDENCE = new Evidence();
const GROUP_MARKS = new Map(PACKS.map(({ name, groupMark }) => [name, groupMark]));

const keyOf = (band: number, column: number): string => `${band} ${column}`;

function numberIn({ written }: ReadCell): WrittenNumber {
  if (written.kind !== 'number') throw new Error('a column of numbers has a cell of another kind');
  return written;
}

/** A scale that rows below a line are in: the table's money still counts. */
const withCurrency = (unit: UnitLine | null, table: UnitLine | null): UnitLine | null =>
  unit === null || unit.currency !== null || table === null || unit.unit !== null
    ? unit
    : { ...unit, unit: table.unit, currency: table.currency };

function rowsOf(grid: Grid, document: Surrounding): RowsOfCells {
  const rows = new Map<number, ReadCell[]>();
  for (const cell of grid.cells) {
    const one = readCell(cell, document.language);
    const known = rows.get(cell.row);
    if (known === undefined) rows.set(cell.row, [one]);
    else known.push(one);
  }
  return rows;
}

function rowLine({ index, band, kind, sections, labels }: TableRow): readonly Line[] {
  if (kind !== 'values') return [];
  const path = [...sections, ...labels];
  return path.length === 0 ? [] : [{ index, band, path }];
}
