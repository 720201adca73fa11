/** Workbooks: a sheet is a page; runs of rows with values are its tables, numbers as the sheet shows them (numfmt). */
import { format as formatNumber, isDateFormat } from 'numfmt';
import { plainDecimal } from '../../../language/numbers/decimal.ts';
import type { Block, Document, Page } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { type GivenCell, guessedHeader, tableOf } from '../table.ts';
import { heading, paragraph, unpagedDocument } from '../unpaged.ts';
import { Archive } from './archive.ts';
import { officeProperties } from './properties.ts';
import { relationships } from './relationships.ts';
import { descendants, element, elements, parseXml, type XmlElement, xmlText } from './xml.ts';

const WORKBOOK = 'xl/workbook.xml';
const PAGE_SIZE = { width: 612, height: 792, rotation: 0, isScan: false } as const;
const CELLS_COUNT_MAX = 2_000_000;
const COLUMNS_COUNT_MAX = 16_384;

interface Sheet {
  readonly name: string;
  readonly part: string;
}

/** Parts of the workbook that cells refer to. */
interface Book {
  readonly strings: readonly string[];
  /** Number formats by a cell's style. */
  readonly formats: readonly string[];
  readonly is1904: boolean;
}

export async function parseXlsx({ bytes, limits, onProgress }: ParseRequest): Promise<Document> {
  using archive = await Archive.open(bytes);
  const workbook = await archive.text(WORKBOOK);
  if (workbook === null) throw new DocumentError('damaged', 'the file is no workbook');
  const root = element(parseXml(workbook), 'workbook');
  const sheets = await sheetsOf(archive, root);
  if (sheets.length > limits.pagesMax) {
    throw new DocumentError('limit_exceeded', `the workbook has more than ${limits.pagesMax} sheets`);
  }
  const book: Book = {
    strings: await sharedStrings(archive),
    formats: await cellFormats(archive),
    is1904: ['1', 'true'].includes(element(root, 'workbookPr')?.attributes.date1904 ?? ''),
  };
  const pages: Page[] = [];
  const blocks: Block[] = [];
  for (const [i, { name, part }] of sheets.entries()) {
    const number = i + 1;
    pages.push({ number, label: name, ...PAGE_SIZE });
    const content = sheetBlocks(await archive.text(part), book, number);
    if (content.length > 0) blocks.push(heading(1, name, number), ...content);
    onProgress?.(number, sheets.length);
  }
  const metadata = await officeProperties(archive);
  return { ...unpagedDocument({ format: 'xlsx', title: metadata.title ?? null, blocks }), metadata, pages };
}

async function sheetsOf(archive: Archive, workbook: XmlElement | undefined): Promise<readonly Sheet[]> {
  const targets = new Map((await relationships(archive, WORKBOOK)).map(({ id, target }) => [id, target]));
  const list = element(workbook, 'sheets');
  return (list === undefined ? [] : elements(list, 'sheet')).flatMap(({ attributes }) => {
    const part = targets.get(attributes['r:id'] ?? '');
    const isShown = (attributes.state ?? 'visible') === 'visible';
    return part === undefined || !isShown ? [] : [{ name: attributes.name ?? '', part }];
  });
}

async function sharedStrings(archive: Archive): Promise<readonly string[]> {
  const text = await archive.text('xl/sharedStrings.xml');
  const table = text === null ? undefined : element(parseXml(text), 'sst');
  return (table === undefined ? [] : elements(table, 'si')).map(richText);
}

/** Runs of text, without the readings beside Japanese. */
const richText = (item: XmlElement): string =>
  xmlText(element(item, 't')) +
  elements(item, 'r')
    .map((run) => xmlText(element(run, 't')))
    .join('');

/** Formats that files name by number only. Source: ECMA-376, part 1, 18.8.30. */
const BUILT_IN: ReadonlyMap<number, string> = new Map([
  [1, '0'],
  [2, '0.00'],
  [3, '#,##0'],
  [4, '#,##0.00'],
  [9, '0%'],
  [10, '0.00%'],
  [11, '0.00E+00'],
  [12, '# ?/?'],
  [13, '# ??/??'],
  [14, 'yyyy-mm-dd'],
  [15, 'd-mmm-yy'],
  [16, 'd-mmm'],
  [17, 'mmm-yy'],
  [18, 'h:mm AM/PM'],
  [19, 'h:mm:ss AM/PM'],
  [20, 'h:mm'],
  [21, 'h:mm:ss'],
  [22, 'yyyy-mm-dd h:mm'],
  [37, '#,##0;(#,##0)'],
  [38, '#,##0;(#,##0)'],
  [39, '#,##0.00;(#,##0.00)'],
  [40, '#,##0.00;(#,##0.00)'],
  [45, 'mm:ss'],
  [46, '[h]:mm:ss'],
  [47, 'mm:ss.0'],
  [48, '##0.0E+0'],
  [49, '@'],
]);

async function cellFormats(archive: Archive): Promise<readonly string[]> {
  const text = await archive.text('xl/styles.xml');
  const styles = text === null ? undefined : element(parseXml(text), 'styleSheet');
  const own = element(styles, 'numFmts');
  const codes = new Map(BUILT_IN);
  for (const { attributes } of own === undefined ? [] : elements(own, 'numFmt')) {
    codes.set(Number(attributes.numFmtId), attributes.formatCode ?? 'General');
  }
  const list = element(styles, 'cellXfs');
  return (list === undefined ? [] : elements(list, 'xf')).map(
    ({ attributes }) => codes.get(Number(attributes.numFmtId ?? 0)) ?? 'General',
  );
}

/** A cell as it is shown, and the number that it holds; null for a date, undefined where the file holds a text. */
interface SheetCell {
  readonly text: string;
  readonly value?: string | null;
}

type Rows = Map<number, Map<number, SheetCell>>;

function sheetBlocks(text: string | null, book: Book, page: number): readonly Block[] {
  const sheet = text === null ? undefined : element(parseXml(text), 'worksheet');
  const data = element(sheet, 'sheetData');
  if (sheet === undefined || data === undefined) return [];
  const rows = readRows(data, book);
  const merged = [...descendants(sheet, 'mergeCell')].map(({ attributes }) => attributes.ref ?? '');
  return groups(rows).flatMap((group) =>
    sideBySide(group, rows).flatMap((part) =>
      groups(part).flatMap((own) => groupBlocks(own, part, { merged, page })),
    ),
  );
}

function readRows(data: XmlElement, book: Book): Rows {
  const rows: Rows = new Map();
  let cells = 0;
  let number = 0;
  for (const row of elements(data, 'row')) {
    number = Number(row.attributes.r ?? number + 1);
    const values = new Map<number, SheetCell>();
    let column = -1;
    for (const cell of elements(row, 'c')) {
      column = columnOf(cell.attributes.r) ?? column + 1;
      const value = cellValue(cell, book);
      if (value.text.trim() !== '' && column < COLUMNS_COUNT_MAX) values.set(column, value);
      if (++cells > CELLS_COUNT_MAX) {
        throw new DocumentError('limit_exceeded', `a sheet has more than ${CELLS_COUNT_MAX} cells`);
      }
    }
    if (values.size > 0) rows.set(number, values);
  }
  return rows;
}

/** `AB12` is column 27. */
function columnOf(reference: string | undefined): number | null {
  const letters = /^[A-Z]+/.exec(reference ?? '')?.[0];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function cellValue(cell: XmlElement, { strings, formats, is1904 }: Book): SheetCell {
  const { t: type = 'n', s: style } = cell.attributes;
  const value = xmlText(element(cell, 'v'));
  if (type === 's') return { text: strings[Number(value)] ?? '' };
  if (type === 'inlineStr') return { text: richText(element(cell, 'is') ?? cell) };
  if (type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE' };
  if (type !== 'n' || value === '' || Number.isNaN(Number(value))) return { text: value };
  const code = formats[Number(style ?? 0)] ?? 'General';
  const text = shownNumber(code, Number(value), is1904);
  if (isDateFormat(code)) return { text, value: null };
  // A format that leaves out thousands shows another number than the cell holds: what is shown is read.
  return SCALED.test(code) ? { text } : { text, value: plainDecimal(value) };
}

/** `#,##0,`: in thousands. */
const SCALED = /[0#?],+(?:[^0#?,]|$)/;

function shownNumber(code: string, value: number, is1904: boolean): string {
  try {
    return String(formatNumber(code, value, { dateSpanLarge: true, ...(is1904 && { leap1900: false }) }));
  } catch {
    return String(value);
  }
}

interface Group {
  readonly first: number;
  readonly last: number;
}

/** Rows without an empty one between. */
function groups(rows: Rows): readonly Group[] {
  const made: Group[] = [];
  for (const number of [...rows.keys()].sort((a, b) => a - b)) {
    const last = made.at(-1);
    if (last !== undefined && number === last.last + 1) made[made.length - 1] = { ...last, last: number };
    else made.push({ first: number, last: number });
  }
  return made;
}

/**
 * Tables beside each other: columns with an empty one between, which stand in other rows for the most part. An empty
 * column within one table only sets its columns apart.
 */
function sideBySide({ first, last }: Group, rows: Rows): readonly Rows[] {
  const own: Rows = new Map([...rows].filter(([number]) => number >= first && number <= last));
  const used = [...new Set([...own.values()].flatMap((values) => [...values.keys()]))].sort((a, b) => a - b);
  const parts: number[][] = [];
  for (const column of used) {
    const open = parts.at(-1);
    if (open !== undefined && open.at(-1) === column - 1) open.push(column);
    else parts.push([column]);
  }
  const cut = parts.map((columns) => withColumns(own, new Set(columns)));
  const isApart = cut.every((part, i) => {
    const others = cut.filter((_, j) => j !== i);
    return (parts[i]?.length ?? 0) >= COLUMNS_APART_MIN && others.every((other) => isBeside(part, other));
  });
  return cut.length > 1 && isApart ? cut : [own];
}

const COLUMNS_APART_MIN = 2;

function withColumns(rows: Rows, columns: ReadonlySet<number>): Rows {
  const cut: Rows = new Map();
  for (const [number, values] of rows) {
    const kept = new Map([...values].filter(([column]) => columns.has(column)));
    if (kept.size > 0) cut.set(number, kept);
  }
  return cut;
}

/** They begin in other rows, and share at most two of three. */
function isBeside(a: Rows, b: Rows): boolean {
  const common = [...a.keys()].filter((number) => b.has(number)).length;
  return Math.min(...a.keys()) !== Math.min(...b.keys()) && common <= (2 / 3) * Math.max(a.size, b.size);
}

interface Place {
  readonly merged: readonly string[];
  readonly page: number;
}

/** Single values above the others are titles; the rest is a table. */
function groupBlocks({ first, last }: Group, rows: Rows, { merged, page }: Place): readonly Block[] {
  const blocks: Block[] = [];
  let from = first;
  while (from <= last && rows.get(from)?.size === 1 && (rows.get(from + 1)?.size ?? 0) !== 1) {
    blocks.push(paragraph([...(rows.get(from)?.values() ?? [])].map(({ text }) => text).join(''), page));
    from++;
  }
  const columns = Array.from({ length: last - from + 1 }, (_, i) => [
    ...(rows.get(from + i)?.keys() ?? []),
  ]).flat();
  if (columns.length === 0) return blocks;
  const left = columns.reduce((least, column) => Math.min(least, column));
  const right = columns.reduce((most, column) => Math.max(most, column));
  const cells = Array.from({ length: last - from + 1 }, (_, i) =>
    givenRow(rows.get(from + i), { left, right, row: from + i, merged }),
  );
  const texts = cells.map((row) => row.map(({ text }) => text));
  const table = tableOf({ rows: cells, headerRowCount: guessedHeader(texts), caption: null, page });
  return table === null ? blocks : [...blocks, table];
}

interface RowPlace {
  readonly left: number;
  readonly right: number;
  readonly row: number;
  readonly merged: readonly string[];
}

function givenRow(
  values: ReadonlyMap<number, SheetCell> | undefined,
  { left, right, row, merged }: RowPlace,
): readonly GivenCell[] {
  const cells: GivenCell[] = [];
  for (let column = left; column <= right; column++) {
    const span = spanAt(merged, row, column);
    const cell = values?.get(column) ?? { text: '' };
    cells.push({ ...cell, rowSpan: 1, columnSpan: span > 1 ? Math.min(span, right - column + 1) : 1 });
    column += Math.max(0, Math.min(span, right - column + 1) - 1);
  }
  return cells;
}

/** How many columns the merged cell has that begins there; 1 for one that is not merged. */
function spanAt(merged: readonly string[], row: number, column: number): number {
  for (const reference of merged) {
    const [from = '', to = ''] = reference.split(':');
    if (columnOf(from) !== column || Number(from.replace(/^[A-Z]+/, '')) !== row) continue;
    return (columnOf(to) ?? column) - column + 1;
  }
  return 1;
}
