/**
 * A document's tables as records: each described with what its document says of numbers, each cell with its places. A
 * large one is described in pieces of whole rows (`table-pieces.ts`), and forgotten piece by piece.
 */
import { knownLanguage } from '../../language/detect-language.ts';
import { Evidence } from '../../language/numbers/separators.ts';
import { describeTable, evidenceIn } from '../../tables/describe.ts';
import type { DescribedCell, DescribedTable, Grid, Line } from '../../tables/table.ts';
import type { CellPlaces } from '../chunk/cell-places.ts';
import { type Block, type Box, cellText, type Document, firstWordAfter, type Table } from '../document.ts';
import { BatchWriter } from './table-batches.ts';
import { piecesOf, type TablePiece } from './table-pieces.ts';

/** Lines right above a table may say what it is in. */
const LINES_ABOVE_COUNT = 2;
const LINE_CHARACTERS_MAX = 200;
/** Enough to tell a language. */
const SAMPLE_CHARACTERS = 2_000;
/** `numeric` powers of ten. */
const scaleOf = (power: number | null): string | null =>
  power === null ? null : power >= 0 ? `1${'0'.repeat(power)}` : `0.${'0'.repeat(-power - 1)}1`;

interface FoundTable {
  readonly table: Table;
  readonly headings: readonly string[];
  readonly linesAbove: readonly string[];
}

/** Gives the records of all tables away, batch by batch. */
export function tableRecords(
  { blocks }: Pick<Document, 'blocks'>,
  places: CellPlaces,
  give: (batch: Uint8Array) => void,
): void {
  const found = tablesOf(blocks);
  const evidence = new Evidence();
  for (const one of found) {
    for (const piece of piecesOf(one.table)) evidence.addAll(evidenceIn(gridOf(one, piece)));
  }
  let known: string | null | undefined;
  const language = (): string | null => {
    known ??= knownLanguage(sampleOf(blocks));
    return known;
  };
  const writer = new BatchWriter(give);
  for (const [index, one] of found.entries()) {
    const recording = new Recording({ writer, ordinal: index + 1, places, ...one });
    for (const piece of piecesOf(one.table, () => recording.headerRowCount)) {
      recording.write(piece, describeTable(gridOf(one, piece), { evidence, language }));
    }
  }
  writer.end();
}

/** With the titles above each, as its page's text has them. */
function tablesOf(blocks: readonly Block[]): readonly FoundTable[] {
  const found: FoundTable[] = [];
  let headings: { readonly level: number; readonly text: string }[] = [];
  let linesAbove: string[] = [];
  let page = 0;
  for (const block of blocks) {
    if (block.words === null && block.page !== page) headings = [];
    page = block.page;
    if (block.kind === 'heading') {
      headings = [...headings.filter(({ level }) => level < block.level), block];
    }
    if (block.kind === 'table')
      found.push({ table: block, headings: headings.map(({ text }) => text), linesAbove });
    const isLine = block.kind === 'paragraph' && block.text.length <= LINE_CHARACTERS_MAX;
    linesAbove = isLine ? [...linesAbove, block.text].slice(-LINES_ABOVE_COUNT) : [];
  }
  return found;
}

const gridOf = ({ table, headings, linesAbove }: FoundTable, piece: TablePiece): Grid => ({
  rowCount: table.rowCount,
  columnCount: table.columnCount,
  headerRowCount: piece.headerRowCount,
  caption: table.caption?.text ?? null,
  unit: table.unit?.text ?? null,
  headings: [...headings, ...linesAbove],
  cells: piece.cells.map(({ cell }) => {
    const { row, column, rowEnd, columnEnd, value } = cell;
    const text = oneLine(cellText(table, cell));
    return { row, column, rowEnd, columnEnd, text, ...(value !== undefined && { value }) };
  }),
});

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Text before numbers: of paragraphs, else of tables. */
function sampleOf(blocks: readonly Block[]): string {
  let sample = '';
  for (const isTable of [false, true]) {
    for (const block of blocks) {
      if (sample.length >= SAMPLE_CHARACTERS) return sample;
      if ((block.kind === 'table') === isTable) sample += ` ${block.text.slice(0, SAMPLE_CHARACTERS)}`;
    }
  }
  return sample.replace(/\d[\d.,]*/g, '');
}

interface RecordingOf extends FoundTable {
  readonly writer: BatchWriter;
  readonly ordinal: number;
  readonly places: CellPlaces;
}

/** One table's way into the batches. */
class Recording {
  readonly #of: RecordingOf;
  /** Rows at the top that name columns; null before the first piece. */
  headerRowCount: number | null = null;
  /** Headers below the one at the top, of the pieces so far. */
  #bands = 0;

  constructor(of: RecordingOf) {
    this.#of = of;
  }

  write(piece: TablePiece, described: DescribedTable): void {
    const isFirst = this.headerRowCount === null;
    if (isFirst) this.#table(described);
    this.headerRowCount ??= described.headerRowCount;
    const headerRows = this.headerRowCount;
    const known = this.#bands;
    const bandOf = (band: number): number => {
      const own = band === 0 ? 0 : band + known;
      this.#bands = Math.max(this.#bands, own);
      return own;
    };
    for (const line of described.rows) this.#line({ ...line, band: bandOf(line.band) }, true);
    for (const line of described.columns) {
      if (isFirst || line.band > 0) this.#line({ ...line, band: bandOf(line.band) }, false);
    }
    const indexes = new Map(piece.cells.map(({ cell, index }) => [cellKey(cell), index]));
    for (const cell of described.cells) {
      if (!isFirst && cell.row < headerRows) continue;
      this.#cell({ ...cell, band: bandOf(cell.band) }, indexes.get(cellKey(cell)) as number);
    }
  }

  #table(described: DescribedTable): void {
    const { writer, ordinal, table, headings } = this.#of;
    const [area] = table.areas;
    writer.table({
      ordinal,
      heading: headings.length === 0 ? null : headings.join(' > '),
      caption: table.caption?.text ?? null,
      unit: described.measure.unit,
      scale: scaleOf(described.measure.power),
      currency: described.currency,
      period: described.period?.text ?? null,
      scope: described.scope,
      headerRows: described.headerRowCount,
      rowCount: table.rowCount,
      columnCount: table.columnCount,
      page: area?.page ?? (table.page || null),
      box: area === undefined ? null : rounded(area.box),
    });
  }

  #line({ index, band, path }: Line, isRow: boolean): void {
    const { writer, ordinal } = this.#of;
    const { lines } = writer;
    lines.table.push(ordinal);
    lines.isRow.push(isRow);
    lines.line.push(index + 1);
    lines.band.push(band);
    const text = path.join(' > ');
    lines.path.push(text);
    writer.filled(text.length);
  }

  #cell(cell: DescribedCell, index: number): void {
    const { writer, ordinal, table, places } = this.#of;
    const { cells } = writer;
    const place = places.at(table, index);
    const shown = wordsOf(table, index);
    const isNumber = cell.number !== null;
    cells.table.push(ordinal);
    cells.row.push(cell.row + 1);
    cells.column.push(cell.column + 1);
    cells.rowEnd.push(cell.rowEnd + 1);
    cells.columnEnd.push(cell.columnEnd + 1);
    cells.isHeader.push(cell.isHeader);
    cells.text.push(cell.text);
    cells.number.push(cell.number);
    cells.unit.push(isNumber ? cell.measure.unit : null);
    cells.scale.push(isNumber ? scaleOf(cell.measure.power) : null);
    cells.period.push(cell.period?.text ?? null);
    cells.year.push(cell.period?.year ?? null);
    cells.doubt.push(cell.doubt);
    cells.page.push(shown?.page ?? (table.page || null));
    cells.box.push(shown?.box === undefined ? null : `{${rounded(shown.box).join(',')}}`);
    cells.chunk.push(place?.chunk ?? null);
    cells.chunkStart.push(place?.start ?? null);
    cells.chunkEnd.push(place?.end ?? null);
    cells.band.push(cell.band);
    writer.filled(cell.text.length);
  }
}

const cellKey = ({ row, column }: { readonly row: number; readonly column: number }): number =>
  row * 65_536 + column;

const rounded = (box: Box): Box => box.map((value) => Math.round(10 * value) / 10) as unknown as Box;

/** Page and box of a cell's words, of the first page where they stand on two. */
function wordsOf(table: Table, index: number): { readonly page: number; readonly box: Box } | null {
  const { words } = table;
  const cell = table.cells.at(index);
  if (words === null || words.boxes === null || cell === undefined) return null;
  const first = firstWordAfter(words, cell.start);
  const page = words.pages[first];
  let box: [number, number, number, number] | null = null;
  for (let at = first; at < words.starts.length && (words.ends[at] as number) <= cell.end; at++) {
    if (words.pages[at] !== page) continue;
    const [left, top, right, bottom] = words.boxes.subarray(4 * at, 4 * at + 4) as unknown as Box;
    box =
      box === null
        ? [left, top, right, bottom]
        : [Math.min(box[0], left), Math.min(box[1], top), Math.max(box[2], right), Math.max(box[3], bottom)];
  }
  return box === null || page === undefined ? null : { page, box };
}
