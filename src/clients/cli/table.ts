/** Tables as text: columns side by side where they fit, else each row by itself. */
import { columnsOfOutput, jsonText, Lines, type OutputFormat, print, printJson, styled } from './terminal.ts';
import { cutTo, padded, paddedLeft, visible, visibleLines, widthOf, wrapped } from './text.ts';

export interface TableColumn {
  readonly name: string;
  /** Numbers stand right. */
  readonly isNumber?: boolean;
}

type Row = readonly (string | null)[];

export interface Table {
  readonly columns: readonly TableColumn[];
  readonly rows: readonly Row[];
  /** Text for null. */
  readonly nullText?: string;
}

/** `auto`: each row by itself where the table is wider than the terminal. */
export type Expanded = 'on' | 'off' | 'auto';

export function printTable(table: Table, expanded: Expanded = 'auto'): void {
  const lines = new Lines(print);
  const columns = columnsOfOutput();
  const shown = expanded === 'on' ? rowByRow(table, columns) : sideBySide(table, columns, expanded);
  for (const line of shown) lines.add(line);
  lines.end();
}

/** The lines; each row by itself where they would be too wide and that is allowed. */
function sideBySide(table: Table, columnsMax: number, expanded: Expanded): Iterable<string> {
  const { columns, rows } = table;
  const widths = columns.map(({ name }) => widthOf(visible(name)));
  for (const row of rows) {
    for (const [at, cell] of row.entries()) {
      widths[at] = Math.max(widths[at] ?? 0, widthOf(cellOf(table, cell)));
    }
  }
  const width = widths.reduce((sum, one) => sum + one + 3, -3);
  if (expanded === 'auto' && width > columnsMax && rows.length > 0) return rowByRow(table, columnsMax);
  return tableLines(table, widths);
}

const cellOf = ({ nullText = '' }: Table, cell: string | null): string =>
  cell === null ? nullText : visible(cell);

function* tableLines(table: Table, widths: readonly number[]): Generator<string> {
  const { columns, rows } = table;
  const names = columns.map(({ name }, at) => padded(visible(name), widths[at] ?? 0));
  yield styled('bold', names.join(' | ').trimEnd());
  yield widths.map((width) => '-'.repeat(width)).join('-+-');
  for (const row of rows) {
    const cells = row.map((cell, at) => {
      const pad = columns[at]?.isNumber === true ? paddedLeft : padded;
      return pad(cellOf(table, cell), widths[at] ?? 0);
    });
    yield cells.join(' | ').trimEnd();
  }
}

/** Room that a name leaves to its value, in columns; in a narrower terminal the value stands below it. */
const VALUE_COLUMNS_MIN = 16;
const INDENT = '  ';

function* rowByRow(table: Table, columnsMax: number): Generator<string> {
  const { columns, rows } = table;
  const widest = columns.reduce((most, { name }) => Math.max(most, widthOf(visible(name))), 0);
  const isNarrow = widest + VALUE_COLUMNS_MIN + 3 > columnsMax;
  for (const [number, row] of rows.entries()) {
    const rule = `-[ ${number + 1} ]`;
    yield cutTo(rule.padEnd(Math.min(columnsMax, widest + VALUE_COLUMNS_MIN), '-'), columnsMax);
    for (const [at, { name }] of columns.entries()) {
      const cell = row[at] ?? null;
      const texts = cell === null ? [cellOf(table, cell)] : visibleLines(cell);
      if (isNarrow) yield styled('bold', visible(name));
      const lead = (line: number): string =>
        isNarrow ? INDENT : `${padded(line === 0 ? visible(name) : '', widest)} | `;
      const room = columnsMax - widthOf(lead(0));
      const lines = texts.flatMap((text) => wrapped(text, room));
      for (const [line, text] of lines.entries()) yield `${lead(line)}${text}`.trimEnd();
    }
  }
}

/** `(1 file)`, `(2 files)`. */
export const countText = (count: number, what: string): string =>
  `(${count} ${what}${count === 1 ? '' : 's'})`;

/** Things by column, as a table or as JSON. */
export function printList(format: OutputFormat, things: readonly Readonly<Record<string, unknown>>[]): void {
  if (format === 'json') {
    printJson(things);
    return;
  }
  const names = Object.keys(things[0] ?? {});
  if (names.length === 0) {
    print('(none)');
    return;
  }
  printTable({
    columns: names.map((name) => ({ name, isNumber: typeof things[0]?.[name] === 'number' })),
    rows: things.map((one) => names.map((name) => cellText(one[name]))),
  });
}

export function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'object' ? jsonText(value) : String(value);
}
