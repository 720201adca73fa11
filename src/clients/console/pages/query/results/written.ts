/** Rows of a result as CSV, JSON and Markdown, as they are copied and exported. */
import { isNumberType } from '../../../grid/cell-text.ts';
import type { Column, Json, Row } from '../../../server/messages.ts';

/** Names of columns for objects: one that comes again has a number behind it, so that no value is lost. */
export function columnKeys(columns: readonly Column[]): readonly string[] {
  const taken = new Set<string>();
  return columns.map(({ name }) => {
    let key = name;
    for (let i = 2; taken.has(key); i++) key = `${name}_${i}`;
    taken.add(key);
    return key;
  });
}

/** Numbers that come as texts because JavaScript would lose digits; JSON has room for them. */
const EXACT = /^(?:bigint|numeric)\b(?!.*\[\])/;

const isNumber = (value: Json): value is string => typeof value === 'string' && /^-?\d/.test(value);

/** An object a row, by the keys that it is made with. */
function jsonWriter(columns: readonly Column[]): (row: Row) => string {
  const fields = columnKeys(columns).map((key, i) => ({
    key: JSON.stringify(key),
    isExact: EXACT.test(columns[i]?.type ?? ''),
  }));
  return (row) => {
    const values = fields.map(({ key, isExact }, i) => {
      const value = row[i] ?? null;
      return `${key}:${isExact && isNumber(value) ? value : JSON.stringify(value)}`;
    });
    return `{${values.join(',')}}`;
  };
}

export function asJsonLines(columns: readonly Column[], rows: readonly Row[]): string {
  const write = jsonWriter(columns);
  return rows.map((row) => `${write(row)}\n`).join('');
}

export function asJson(columns: readonly Column[], rows: readonly Row[]): string {
  const write = jsonWriter(columns);
  return `[\n${rows.map((row) => `  ${write(row)}`).join(',\n')}\n]\n`;
}

const plain = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** As COPY has it: NULL is nothing, an empty text a pair of quotes. */
function csvCell(value: Json): string {
  if (value === null) return '';
  const text = plain(value);
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

export const csvHead = (columns: readonly Column[]): string => asCsvRow(columns.map(({ name }) => name));

const asCsvRow = (row: Row): string => `${row.map(csvCell).join(',')}\n`;

export const csvRows = (rows: readonly Row[]): string => rows.map(asCsvRow).join('');

export const asCsv = (columns: readonly Column[], rows: readonly Row[]): string =>
  csvHead(columns) + csvRows(rows);

/** Text of cells stays text where it is read as Markdown. */
const markdownCell = (value: Json): string =>
  value === null
    ? ''
    : plain(value)
        .replaceAll(/[\\`*_<>[\]#|]/g, '\\$&')
        .replaceAll(/\s*[\r\n]\s*/g, ' ');

export function asMarkdown(columns: readonly Column[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  const head = line(columns.map(({ name }) => markdownCell(name)));
  const rule = line(columns.map(({ type }) => (isNumberType(type) ? '---:' : '---')));
  return head + rule + rows.map((row) => line(columns.map((_, i) => markdownCell(row[i] ?? null)))).join('');
}
