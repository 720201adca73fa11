/**
 * Common form of every format: a title, pages where there are any, and one flat list of blocks in reading order. Plain
 * data with typed arrays, so that a worker process can send it as it is.
 *
 * Places are in points (1/72 inch) of the page as it is shown: its rotation applied, origin top left, y downwards.
 */

/** Left, top, right, bottom. */
export type Box = readonly [number, number, number, number];

export interface Page {
  /** 1-based place in the file: what `doc_pages` and citations say. */
  readonly number: number;
  /** Printed number or name: `iv`, a slide's title, a sheet's name; null where the file tells none. */
  readonly label: string | null;
  readonly width: number;
  readonly height: number;
  /** Degrees clockwise by which the file turns the page; `width`, `height` and places have it applied. */
  readonly rotation: 0 | 90 | 180 | 270;
  /** There is something to see but nothing that can be read as text: it needs OCR. */
  readonly isScan: boolean;
}

/** Where the words of a text stand: columns of one table, a row a word, in the text's order. */
export interface Words {
  /** UTF-16 offsets into the text; `ends` is past the last unit. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** 1-based. */
  readonly pages: Uint32Array;
  /** Four numbers a word, a `Box`; null where the format has pages but no places on them. */
  readonly boxes: Float32Array | null;
}

export interface PlacedText {
  readonly text: string;
  /** Null where the format has no pages. A word broken over two lines is two rows. */
  readonly words: Words | null;
}

/** A part of a page. */
export interface Area {
  readonly page: number;
  readonly box: Box;
}

interface Common extends PlacedText {
  /** Page on which it begins, 0 where there are none; a block that goes on has the others in its words. */
  readonly page: number;
}

export interface Heading extends Common {
  readonly kind: 'heading';
  /** 1 is the highest. Levels may be skipped. */
  readonly level: number;
}

export interface Paragraph extends Common {
  readonly kind: 'paragraph';
}

export interface ListItem extends Common {
  readonly kind: 'list_item';
  /** 0 is the outermost. */
  readonly level: number;
  /** As written: `•`, `3.`, `(a)`. It is not in the text. */
  readonly marker: string;
}

export interface Code extends Common {
  readonly kind: 'code';
  /** As a fence or class names it; null where it does not. */
  readonly language: string | null;
}

export interface Footnote extends Common {
  readonly kind: 'footnote';
  /** As written: `1`, `*`. It is not in the text. */
  readonly marker: string;
}

/** One cell; 0-based, ends inclusive, so a merged cell has `rowEnd > row` or `columnEnd > column`. */
export interface Cell {
  readonly row: number;
  readonly column: number;
  readonly rowEnd: number;
  readonly columnEnd: number;
  /** Its range in the table's text: cells in the order of rows, tabs between columns, line feeds between rows. */
  readonly start: number;
  readonly end: number;
  /** The number itself, as a decimal, where the file holds it; null where it says that there is none: a date. */
  readonly value?: string | null;
}

/** Cells in order: an array, or what takes less memory (`cell-list.ts`). */
export type Cells = Pick<readonly Cell[], 'length' | 'at'> & Iterable<Cell>;

export interface Table extends Common {
  readonly kind: 'table';
  readonly rowCount: number;
  readonly columnCount: number;
  /** Rows at the top that name the columns. */
  readonly headerRowCount: number;
  /** Cells with text, by row, then column. */
  readonly cells: Cells;
  readonly caption: PlacedText | null;
  /** Unit of its numbers: `(in millions, except per share amounts)`. */
  readonly unit: PlacedText | null;
  /** Where it stands, one a page that it is on; empty without pages. */
  readonly areas: readonly Area[];
}

export interface Image extends Common {
  readonly kind: 'image';
  /** Its text is what can be read in it: labels of a chart, later OCR. */
  readonly caption: PlacedText | null;
  readonly area: Area | null;
  /**
   * The image as a file of its own where the format holds it as one (docx, pptx), of any size and kind; what the
   * dataset keeps of it is made of it (`image/kept-picture.ts`). Null where the page shows it: a citation draws its area.
   */
  readonly source: ImageSource | null;
}

export interface ImageSource {
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** Text that pages repeat at their edges. */
export interface Margin extends Common {
  readonly kind: 'header' | 'footer';
}

export type Block = Heading | Paragraph | ListItem | Code | Footnote | Table | Image;

export interface Document {
  /** Name of the registry's row. */
  readonly format: string;
  /** As the file's own properties or its first heading say. */
  readonly title: string | null;
  /** The file's own properties that are not empty: `author`, `subject`, `keywords`, `created`, … */
  readonly metadata: Readonly<Record<string, string>>;
  /** BCP 47, the most used first; empty where unknown. */
  readonly languages: readonly string[];
  /** In order; empty where the format has none. */
  readonly pages: readonly Page[];
  /** In reading order, margins left out. */
  readonly blocks: readonly Block[];
  /** Headers and footers, page by page. */
  readonly margins: readonly Margin[];
  /** Parts that could not be read, one sentence each; empty when all could. */
  readonly problems: readonly string[];
}

/** A table's cell as text. */
export function cellText(table: Table, cell: Cell): string {
  return table.text.slice(cell.start, cell.end);
}

/** Pages of a block's words between two offsets of its text, ascending, each once. */
export function pagesBetween(block: Common, start: number, end: number): number[] {
  const { words } = block;
  if (words === null) return block.page > 0 ? [block.page] : [];
  const pages = new Set<number>();
  for (let index = firstWordAfter(words, start); index < words.starts.length; index++) {
    if ((words.starts[index] as number) >= end) break;
    pages.add(words.pages[index] as number);
  }
  return [...pages].sort((a, b) => a - b);
}

/** Index of the first word that ends after an offset. */
export function firstWordAfter({ ends }: Words, offset: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] as number) > offset) high = middle;
    else low = middle + 1;
  }
  return low;
}
