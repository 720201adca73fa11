/**
 * Cells of a document that has none in its relations yet, from its chunks' text (`[row_1] [Column]=value; …`): the
 * text is a grid again, and is described as ingestion describes tables.
 */
import { knownLanguage } from '../../language/detect-language.ts';
import { Evidence } from '../../language/numbers/separators.ts';
import { describeTable, evidenceIn } from '../../tables/describe.ts';
import type { Grid, GridCell } from '../../tables/table.ts';
import { type ChunkCells, columnKey, type PlacedCell } from './row.ts';

const LINE = /^\[row_\d+\] (.*)$/gm;
const CELL = /\[([^\]\n]*)\]=/g;
const UNNAMED = /^column_\d+$/;
const LINE_ABOVE_CHARACTERS_MAX = 200;
/** Enough to tell a language. */
const SAMPLE_CHARACTERS = 2_000;
/** One text has one table, as far as it shows, and no other text has a part of it. */
const TABLE = '';

interface TextTable {
  readonly grid: Grid;
  /** Places of the grid's cells, in their order; null for names of columns. */
  readonly places: readonly ({ readonly start: number; readonly end: number } | null)[];
}

/** @param heading of the chunk. @param others texts of the same document: they tell how it writes numbers. */
export function cellsOfText(text: string, heading: string | null, others: readonly string[]): ChunkCells {
  const table = tableIn(text, heading);
  if (table === null) return { cells: [], tables: new Map() };
  const evidence = new Evidence();
  for (const other of others) {
    const found = other === text ? table : tableIn(other, null);
    if (found !== null) evidence.addAll(evidenceIn(found.grid));
  }
  const sample = others
    .join(' ')
    .slice(0, SAMPLE_CHARACTERS)
    .replace(/\[\w+_\d+\]|\d[\d.,]*/g, ' ');
  const described = describeTable(table.grid, { evidence, language: () => knownLanguage(sample) });
  const places = new Map(
    table.grid.cells.map((cell, i) => [columnKey(cell.row, cell.column), table.places[i]]),
  );
  const names = {
    scope: described.scope,
    rows: new Map(described.rows.map(({ index, path }) => [index, path])),
    columns: new Map(described.columns.map(({ band, index, path }) => [columnKey(band, index), path])),
  };
  const cells = described.cells.flatMap((cell): readonly PlacedCell[] => {
    const place = places.get(columnKey(cell.row, cell.column)) ?? null;
    if (place === null) return [];
    const { row, column, columnEnd, band, isHeader, text: written, number, doubt, measure, period } = cell;
    return [
      {
        ...{ table: TABLE, row, column, columnEnd, band, isHeader, text: written, number, doubt },
        ...{ unit: measure.unit, power: measure.power, ...place },
        ...{ period: period?.text ?? null, year: period?.year ?? null },
      },
    ];
  });
  return { cells, tables: new Map([[TABLE, names]]) };
}

/** `[Column]=value` with its place. */
interface WrittenCell {
  readonly key: string;
  readonly name: string;
  readonly value: string;
  readonly start: number;
  readonly end: number;
}

function tableIn(text: string, heading: string | null): TextTable | null {
  const lines = [...text.matchAll(LINE)];
  if (lines.length === 0) return null;
  const rows = lines.map((line) => {
    const content = line[1] ?? '';
    return writtenCells(content, line.index + line[0].length - content.length);
  });
  const columns = columnOrder(rows);
  const names = new Map(rows.flat().map(({ key, name }) => [key, name]));
  const header = columns.flatMap((key, column): readonly GridCell[] => {
    const name = names.get(key) ?? '';
    return UNNAMED.test(name) || name === '' ? [] : [atCell(0, column, name)];
  });
  const places: TextTable['places'][number][] = header.map(() => null);
  const cells = rows.flatMap((row, i) => {
    const filled = row.filter(({ value }) => value !== '');
    const placed = filled.map((cell) => ({ cell, column: columns.indexOf(cell.key) }));
    placed.sort((a, b) => a.column - b.column);
    places.push(...placed.map(({ cell: { start, end } }) => ({ start, end })));
    return placed.map(({ cell, column }) => atCell(i + 1, column, cell.value));
  });
  const above = text
    .slice(0, lines[0]?.index)
    .split('\n')
    .filter((line) => line !== '' && line.length <= LINE_ABOVE_CHARACTERS_MAX);
  const grid: Grid = {
    rowCount: rows.length + 1,
    columnCount: columns.length,
    headerRowCount: 1,
    cells: [...header, ...cells],
    caption: null,
    unit: null,
    headings: [...(heading?.split(' > ') ?? []), ...above.map((line) => line.replace(/^## .* > |^## /, ''))],
  };
  return { grid, places };
}

const atCell = (row: number, column: number, text: string): GridCell => ({
  row,
  column,
  rowEnd: row,
  columnEnd: column,
  text: text.replace(/\s+/g, ' '),
});

/** Columns of one name are told apart by their order. */
function writtenCells(line: string, offset: number): readonly WrittenCell[] {
  const names = [...line.matchAll(CELL)];
  const counts = new Map<string, number>();
  return names.map((match, i) => {
    const name = match[1] ?? '';
    const count = counts.get(name) ?? 0;
    counts.set(name, count + 1);
    const from = match.index + match[0].length;
    const written = line.slice(from, names[i + 1]?.index).replace(/;\s*$/, '');
    const value = written.trim();
    const start = offset + from + written.indexOf(value);
    return { key: `${name}#${count}`, name, value, start, end: start + value.length };
  });
}

/** Rows leave empty cells out: a column that is new stands after the one that it follows in its row. */
function columnOrder(rows: readonly (readonly WrittenCell[])[]): readonly string[] {
  const numbered = rows.flat().every(({ name }) => UNNAMED.test(name));
  const order: string[] = [];
  for (const row of rows) {
    let at = 0;
    for (const { key } of row) {
      const known = order.indexOf(key);
      if (known >= 0) at = known + 1;
      else order.splice(at++, 0, key);
    }
  }
  const numberOf = (key: string): number => Number(/\d+/.exec(key)?.[0]);
  return numbered ? order.sort((a, b) => numberOf(a) - numberOf(b)) : order;
}
