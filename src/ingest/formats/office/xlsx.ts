/** Workbooks: a sheet is a page; runs of rows with values are its tables, numbers as the sheet shows them (numfmt). */
import { format as formatNumber, isDateFormat } from 'numfmt';
import { plainDecimal } from '../../../language/numbers/decimal.ts';
import type { TextColumn } from '../../cell-list.ts';
import type { Block, Document, Page } from '../../document.ts';
import { DocumentError } from '../../document-error.ts';
import type { ParseRequest } from '../format.ts';
import { heading, unpagedDocument } from '../unpaged.ts';
import { Archive } from './archive.ts';
import { officeProperties } from './properties.ts';
import { relationships } from './relationships.ts';
import { type CellBudget, cellBudget, type CellValue, SharedTexts, SheetReader } from './sheet-cells.ts';
import { sheetTables } from './sheet-tables.ts';
import { element, elements, parseXml, readXml, type XmlElement } from './xml.ts';

const WORKBOOK = 'xl/workbook.xml';
const PAGE_SIZE = { width: 612, height: 792, rotation: 0, isScan: false } as const;

interface Sheet {
  readonly name: string;
  readonly part: string;
}

/** Parts of the workbook that cells refer to. */
interface Book {
  readonly strings: TextColumn;
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
  const read = cellValue(book);
  const budget = cellBudget();
  const pages: Page[] = [];
  const blocks: Block[] = [];
  for (const [i, { name, part }] of sheets.entries()) {
    const number = i + 1;
    pages.push({ number, label: name, ...PAGE_SIZE });
    const content = await sheetBlocks(archive, part, { read, budget, page: number });
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

async function sharedStrings(archive: Archive): Promise<TextColumn> {
  const reader = new SharedTexts();
  const part = 'xl/sharedStrings.xml';
  if (archive.has(part)) await readXml(archive.pieces(part), reader);
  return reader.texts;
}

async function sheetBlocks(archive: Archive, part: string, { read, budget, page }: SheetRequest) {
  if (!archive.has(part)) return [];
  const reader = new SheetReader(read, budget);
  await readXml(archive.pieces(part), reader);
  return sheetTables(reader.cells, page);
}

interface SheetRequest {
  readonly read: CellValue;
  readonly budget: CellBudget;
  readonly page: number;
}

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

function cellValue({ strings, formats, is1904 }: Book): CellValue {
  return ({ type, style, value, inline }) => {
    if (type === 's') return { text: value === '' ? '' : sharedText(strings, Number(value)) };
    if (type === 'inlineStr') return { text: inline };
    if (type === 'b') return { text: value === '1' ? 'TRUE' : 'FALSE' };
    if (type !== 'n' || value === '' || Number.isNaN(Number(value))) return { text: value };
    const code = formats[style] ?? 'General';
    const text = shownNumber(code, Number(value), is1904);
    if (isDateFormat(code)) return { text, value: null };
    // A format that leaves out thousands shows another number than the cell holds: what is shown is read.
    return SCALED.test(code) ? { text } : { text, value: plainDecimal(value) };
  };
}

const sharedText = (strings: TextColumn, index: number): string =>
  Number.isInteger(index) && index >= 0 && index < strings.length ? strings.at(index) : '';

/** `#,##0,`: in thousands. */
const SCALED = /[0#?],+(?:[^0#?,]|$)/;

function shownNumber(code: string, value: number, is1904: boolean): string {
  try {
    return String(formatNumber(code, value, { dateSpanLarge: true, ...(is1904 && { leap1900: false }) }));
  } catch {
    return String(value);
  }
}
