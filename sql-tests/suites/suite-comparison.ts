/**
 * Compares a result with a suite's record. SQLite's scripts give a value a line and hash long
 * results; sqllogictest-rs gives a row a line, parted by white space; DuckDB's do either, parted by tabs.
 */
import { createHash } from 'node:crypto';
import type { SuiteRecord } from './suite-script.ts';

type Row = readonly (string | null)[];

/** Floats and averages are shown in more or fewer digits by each engine. */
const RELATIVE_ERROR_MAX = 1e-6;

const INTEGERS_OF_BOOLEANS = new Map([
  ['t', '1'],
  ['f', '0'],
]);

export function isExpected(record: SuiteRecord, rows: readonly Row[]): boolean {
  if (record.expected === null) return true;
  const hashed = /^(\d+) values hashing to ([0-9a-f]{32})$/.exec(record.expected[0] ?? '');
  if (record.file.startsWith('sqlite-slt')) return isSqliteResult(record, rows, hashed);
  const shown = rows.map((row) => row.map((value) => shownValue(value)));
  if (hashed !== null) return hashOf(ordered(shown, record.sort).flat()) === hashed[2];
  return isRowResult(record, shown);
}

/** Values that SQLite's scripts hash or list: by the type letters, sorted as the record says. */
function sqliteValues(record: SuiteRecord, rows: readonly Row[]): string[] {
  const shown = rows.map((row) => row.map((value, column) => sqliteValue(value, record.types[column])));
  const sort = record.sort === 'nosort' && !/\border\s+by\b/i.test(record.sql) ? 'rowsort' : record.sort;
  return ordered(shown, record.label === null ? record.sort : sort).flat();
}

function isSqliteResult(record: SuiteRecord, rows: readonly Row[], hashed: RegExpExecArray | null): boolean {
  const values = sqliteValues(record, rows);
  if (hashed !== null) return values.length === Number(hashed[1]) && hashOf(values) === hashed[2];
  return values.join('\n') === record.expected?.join('\n');
}

function sqliteValue(value: string | null, type: string | undefined): string {
  if (value === null) return 'NULL';
  if (type === 'I') return String(Math.trunc(Number(INTEGERS_OF_BOOLEANS.get(value) ?? value)) || 0);
  if (type === 'R') return Number(value).toFixed(3);
  return value === '' ? '(empty)' : value.replaceAll(/[^ -~]/g, '@');
}

function hashOf(values: readonly string[]): string {
  return createHash('md5')
    .update(values.map((value) => `${value}\n`).join(''))
    .digest('hex');
}

function isRowResult(record: SuiteRecord, rows: readonly (readonly string[])[]): boolean {
  const lines = record.expected ?? [];
  const columns = rows[0]?.length ?? 0;
  if (rows.length === 0) return lines.length === 0;
  const parted = lines.map((line) => (line.includes('\t') ? line.split('\t') : [line]));
  const candidates: string[][][] = [];
  if (parted.every((row) => row.length === columns)) candidates.push(parted);
  if (lines.length === rows.length) candidates.push(lines.map(words));
  if (columns > 1 && lines.length === rows.length * columns) candidates.push(inRows(lines, columns));
  return candidates.some((expected) => sameRows(record, expected, rows));
}

const words = (line: string): string[] => line.trim().split(/\s+/);

function inRows(values: readonly string[], columns: number): string[][] {
  return Array.from({ length: values.length / columns }, (_, row) =>
    values.slice(row * columns, (row + 1) * columns),
  );
}

/** Without ORDER BY no order is promised, so none is asked. */
function sameRows(
  record: SuiteRecord,
  expected: string[][],
  actual: readonly (readonly string[])[],
): boolean {
  const compare = (sort: SuiteRecord['sort']): boolean => {
    const left = ordered(expected, sort);
    const right = ordered(
      actual.map((row, i) => (expected[i]?.length === row.length ? row : row.flatMap(words))),
      sort,
    );
    return left.length === right.length && left.every((row, i) => sameRow(row, right[i] ?? []));
  };
  if (compare(record.sort)) return true;
  return record.sort === 'nosort' && !/\border\s+by\b/i.test(record.sql) && compare('rowsort');
}

const sameRow = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((value, i) => sameValue(value, right[i] as string));

function sameValue(expected: string, actual: string): boolean {
  if (expected === actual) return true;
  const pattern = /^<(!?)REGEX>:(.*)$/s.exec(expected);
  if (pattern !== null) return new RegExp(pattern[2] as string, 's').test(actual) === (pattern[1] === '');
  if (actual.trim() === expected.trim()) return true;
  if (isBoolean(expected) && isBoolean(actual)) return truth(expected) === truth(actual);
  return sameNumber(expected, actual);
}

const isBoolean = (text: string): boolean =>
  ['true', 'false', 't', 'f', '1', '0'].includes(text.toLowerCase());
const truth = (text: string): boolean => ['true', 't', '1'].includes(text.toLowerCase());

function sameNumber(expected: string, actual: string): boolean {
  if (expected.trim() === '' || actual.trim() === '' || !/[.e]/i.test(expected + actual)) return false;
  const [left, right] = [Number(expected), Number(actual)];
  return Math.abs(left - right) <= RELATIVE_ERROR_MAX * Math.max(1, Math.abs(left));
}

function shownValue(value: string | null): string {
  return value === null ? 'NULL' : value === '' ? '(empty)' : value;
}

/** Values compare byte by byte, as C's strcmp. */
function ordered(rows: readonly (readonly string[])[], sort: SuiteRecord['sort']): (readonly string[])[] {
  if (sort === 'nosort') return [...rows];
  if (sort === 'rowsort') return [...rows].sort(compareRows);
  return rows
    .flat()
    .sort(compareText)
    .map((value) => [value]);
}

function compareRows(left: readonly string[], right: readonly string[]): number {
  for (let i = 0; i < left.length; i++) {
    const order = compareText(left[i] as string, right[i] ?? '');
    if (order !== 0) return order;
  }
  return 0;
}

const compareText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
