/** A table of HTML; null for one that only arranges what stands in it. */
import type { Table } from '../../document.ts';
import { type GivenCell, guessedHeader, tableOf } from '../table.ts';
import { attribute, childrenOf, type Element, isElement, oneLine, textOf } from './html-tree.ts';

interface Row {
  readonly cells: readonly Element[];
  readonly isHead: boolean;
}

const GROUPS: ReadonlySet<string> = new Set(['thead', 'tbody', 'tfoot']);

export function htmlTable(element: Element): Table | null {
  if (holdsTable(element)) return null;
  const rows = rowsOf(element, false);
  if (rows.length < 2 || rows.every(({ cells }) => cells.length < 2)) return null;
  const caption = childrenOf(element).find((child) => child.nodeName === 'caption');
  return tableOf({
    rows: rows.map(({ cells }) => cells.map(givenCell)),
    headerRowCount: headerRowCount(rows) || headerOfPlainRows(rows),
    caption: caption === undefined ? null : oneLine(textOf(caption)),
    page: 0,
  });
}

function holdsTable(element: Element): boolean {
  const stack = [...childrenOf(element)];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    if (next.nodeName === 'table') return true;
    stack.push(...childrenOf(next));
  }
  return false;
}

function rowsOf(element: Element, isHead: boolean): readonly Row[] {
  return childrenOf(element)
    .filter(isElement)
    .flatMap((child): readonly Row[] => {
      if (GROUPS.has(child.tagName)) return rowsOf(child, child.tagName === 'thead');
      if (child.tagName !== 'tr') return [];
      const cells = childrenOf(child)
        .filter(isElement)
        .filter(({ tagName }) => tagName === 'td' || tagName === 'th');
      return [{ cells, isHead }];
    });
}

/** Rows of the head, or rows from the top that have nothing but headings. */
function headerRowCount(rows: readonly Row[]): number {
  const isHeader = ({ cells, isHead }: Row): boolean =>
    isHead || (cells.length > 0 && cells.every(({ tagName }) => tagName === 'th'));
  const first = rows.findIndex((row) => !isHeader(row));
  return first < 0 ? 1 : first;
}

/** Word names no header: a first row of names over three columns, or over numbers. */
function headerOfPlainRows(rows: readonly Row[]): number {
  const isNamed = rows.some(({ cells }) => cells.some(({ tagName }) => tagName === 'th'));
  if (isNamed || rows.length < 3) return 0;
  const texts = rows.map(({ cells }) => cells.map((cell) => oneLine(textOf(cell))));
  const [first = [], ...rest] = texts;
  const isOverNumbers = rest.every((row) => NUMERIC.test(row.at(-1) ?? ''));
  return first.length >= 3 || isOverNumbers ? guessedHeader(texts) : 0;
}

const NUMERIC = /^[^\p{L}]*\d[^\p{L}]*$/u;

function givenCell(element: Element): GivenCell {
  const span = (name: string): number =>
    Math.max(1, Number.parseInt(attribute(element, name) ?? '1', 10) || 1);
  return { text: textOf(element), rowSpan: span('rowspan'), columnSpan: span('colspan') };
}
