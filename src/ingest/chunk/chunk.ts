/**
 * A document cut into chunks: what is found, shown and cited. Cuts follow the structure; only what is too long by
 * itself is cut between sentences. A table's chunks are rows, each chunk with the names of the columns and of the
 * group that its first rows are of.
 */
import {
  type Block,
  type Document,
  type ImageSource,
  pagesBetween,
  type PlacedText,
  type Table,
} from '../document.ts';
import { linesOf, type Run } from './runs.ts';
import type { CellPlaces } from './cell-places.ts';
import { type CellMark, columnNames, isSum, tableRows } from './table-rows.ts';

/** A chunk's text without its heading has about so many characters: some 220 tokens of English. */
const CHUNK_CHARACTERS = 900;
/** Characters below which a chunk takes what follows. */
const CHUNK_CHARACTERS_MIN = 300;
/** A caption that is longer is no name, and is not repeated with every part of its table. */
const LEAD_CHARACTERS_MAX = 320;
/** Names of a table's columns that are repeated with each of its chunks. */
const NAMES_CHARACTERS_MAX = 20_000;
/** Characters of a heading that two of them may have when they are one. */
const HEADING_CHARACTERS_MAX = 120;
const CHUNKS_COUNT_MAX = 100_000;

export interface Chunk {
  readonly kind: 'chunk' | 'image';
  /** Titles above it, the highest first: `## A > B` is the first line of its text. */
  readonly headings: readonly string[];
  readonly text: string;
  /** Searched text, without headings: rows of tables name their columns only once. */
  readonly indexed: string;
  /** 1-based, ascending; empty where the format has none. */
  readonly pages: readonly number[];
  /** Where the lines of its text stand; an image's own place comes first. */
  readonly runs: readonly Run[];
  /** Stored picture of an image that the file holds as such. */
  readonly picture: ImageSource | null;
}

/** A piece that is never cut. */
interface Piece {
  readonly text: string;
  /** As it is searched, where that is not its text. */
  readonly indexed?: string;
  readonly pages: readonly number[];
  readonly runs: readonly Run[];
  /** Cells of a table that it shows. */
  readonly shown?: { readonly table: Table; readonly cells: readonly CellMark[] };
}

/** @param places takes where each cell of a table stands. */
export function chunksOf({ blocks }: Pick<Document, 'blocks'>, places?: CellPlaces): readonly Chunk[] {
  const chunks: Chunk[] = [];
  eachChunk({ blocks }, places, (chunk) => chunks.push(chunk));
  return chunks;
}

/** As `chunksOf`, one after the other: those of a sheet take hundreds of megabytes together. */
export function eachChunk(
  { blocks }: Pick<Document, 'blocks'>,
  places: CellPlaces | undefined,
  give: (chunk: Chunk) => void,
): void {
  const maker = new ChunkMaker(places, give);
  for (const block of blocks) maker.add(block);
  maker.finish();
}

class ChunkMaker {
  readonly #places: CellPlaces | undefined;
  readonly #give: (chunk: Chunk) => void;
  /** Chunks so far. */
  #count = 0;
  /** By level. */
  #headings: { readonly level: number; readonly text: string }[] = [];
  #pieces: Piece[] = [];
  #length = 0;
  #page = 0;
  /** True when a chunk has said the last heading. */
  #isTold = true;
  /** The file tells where its words stand. */
  #isPlaced = false;
  #isUnderHeading = false;

  constructor(places: CellPlaces | undefined, give: (chunk: Chunk) => void) {
    this.#places = places;
    this.#give = give;
  }

  add(block: Block): void {
    if (this.#count >= CHUNKS_COUNT_MAX) return;
    this.#turnPage(block);
    if (block.kind === 'heading') this.#heading(block.level, block.text);
    else if (block.kind === 'table') this.#table(block);
    else if (block.kind === 'image') this.#image(block);
    else for (const piece of piecesOf(block, markerOf(block))) this.#piece(piece);
    this.#isUnderHeading = block.kind === 'heading';
  }

  finish(): void {
    this.#flush();
    this.#tellTitle(0);
  }

  /** Slides and sheets stand by themselves; the pages of a text only cut it. */
  #turnPage({ page, words }: Block): void {
    this.#isPlaced = words !== null;
    const isNew = words === null && page !== this.#page;
    if (isNew) {
      this.#flush();
      this.#tellTitle(0);
      this.#headings = [];
    }
    this.#page = page;
  }

  /**
   * A title that nothing stands under is a chunk: the name of a slide with a drawing. In a PDF it is a line set large.
   * @param level of the heading that comes; one below another goes on with it.
   */
  #tellTitle(level: number): void {
    const last = this.#headings.at(-1);
    if (last === undefined || this.#isTold || this.#isPlaced || level > last.level) return;
    this.#push('chunk', [{ text: '', pages: this.#page > 0 ? [this.#page] : [], runs: [] }]);
  }

  /** In a PDF a heading right under one of its level goes on with it: `Balance sheet`, `At December 31`. */
  #heading(level: number, text: string): void {
    this.#flush();
    const last = this.#headings.at(-1);
    const both = `${last?.text} - ${text.trim()}`;
    const isUnderIts = this.#isPlaced && this.#isUnderHeading && last?.level === level;
    const goesOn = isUnderIts && both.length <= HEADING_CHARACTERS_MAX;
    if (!goesOn) this.#tellTitle(level);
    this.#isTold = false;
    const above = this.#headings.filter((known) => known.level < level);
    this.#headings = [...above, { level, text: goesOn ? both : text.trim() }];
  }

  #piece(piece: Piece): void {
    const { length } = indexedText(piece);
    if (this.#length > 0 && this.#length + length > CHUNK_CHARACTERS) this.#flush();
    this.#pieces.push(piece);
    this.#length += length + 1;
  }

  #table(table: Table): void {
    if (this.#length >= CHUNK_CHARACTERS_MIN) this.#flush();
    const about = [table.caption, table.unit]
      .filter((part) => part !== null)
      .map((part) => pieceOf(part, ''));
    const lead = about.filter((piece) => piece.text.length <= LEAD_CHARACTERS_MAX);
    for (const piece of about) this.#piece(piece);
    const names = columnNames(table);
    const all = names.filter((name) => name !== null).join(' ');
    // So many names are searched with the values that they are of.
    const isWide = all.length > NAMES_CHARACTERS_MAX;
    const header: Piece = { text: '', indexed: isWide ? '' : all, pages: [], runs: [] };
    this.#piece(header);
    let heading: Piece | null = null;
    for (const row of tableRows(table, names)) {
      const { text, values, start, end, runs, cells } = row;
      const pages = pagesBetween(table, start, end);
      const indexed = isWide ? text : values;
      const piece: Piece = { text, indexed, pages, runs, shown: { table, cells } };
      if (this.#length > 0 && this.#length + indexed.length > CHUNK_CHARACTERS) {
        this.#flush();
        this.#pieces = [...lead, header, ...(heading === null || row.isHeading ? [] : [heading])];
        this.#length = this.#pieces.reduce((sum, one) => sum + indexedText(one).length + 1, 0);
      }
      this.#piece(piece);
      if (row.isHeading) heading = values.length <= LEAD_CHARACTERS_MAX ? piece : null;
      else if (isSum(row)) heading = null;
    }
    this.#flush();
  }

  #image(image: Extract<Block, { kind: 'image' }>): void {
    const parts = [image.caption?.text ?? '', image.text].filter((text) => text.trim() !== '');
    this.#flush();
    const piece = {
      text: parts.join('\n') || 'Image',
      pages: image.page > 0 ? [image.page] : [],
      runs: image.area === null ? [] : [{ page: image.area.page, start: 0, end: 0, box: image.area.box }],
    };
    this.#push('image', [piece], image.source);
  }

  #flush(): void {
    if (this.#pieces.length > 0) this.#push('chunk', this.#pieces);
    this.#pieces = [];
    this.#length = 0;
  }

  #push(kind: Chunk['kind'], pieces: readonly Piece[], picture: ImageSource | null = null): void {
    this.#isTold = true;
    const headings = this.#headings.map(({ text }) => text);
    let text = headings.length === 0 ? '' : `## ${headings.join(' > ')}`;
    const runs: Run[] = [];
    for (const piece of pieces.filter((one) => one.text !== '')) {
      if (text !== '') text += '\n';
      const from = text.length;
      for (const run of piece.runs) runs.push({ ...run, start: run.start + from, end: run.end + from });
      if (piece.shown !== undefined) this.#places?.add(piece.shown, this.#count + 1, from);
      text += piece.text;
    }
    const pages = [...new Set(pieces.flatMap((piece) => piece.pages))].sort((a, b) => a - b);
    const indexed = pieces
      .map(indexedText)
      .filter((own) => own !== '')
      .join('\n');
    this.#count++;
    this.#give({ kind, headings, text, indexed, pages, runs, picture });
  }
}

const indexedText = ({ text, indexed }: Piece): string => indexed ?? text;

function markerOf(block: Block): string {
  if (block.kind === 'list_item') return `${'  '.repeat(block.level)}${block.marker || '-'} `;
  return block.kind === 'footnote' ? `${block.marker} ` : '';
}

function pieceOf(placed: PlacedText, marker: string): Piece {
  const runs = linesOf(placed, 0, placed.text.length);
  const pages = [...new Set(runs.map(({ page }) => page))];
  return { text: marker + placed.text, pages, runs: shifted(runs, marker.length) };
}

const shifted = (runs: readonly Run[], by: number): readonly Run[] =>
  by === 0 ? runs : runs.map((run) => ({ ...run, start: run.start + by, end: run.end + by }));

/** A block's text in pieces of a chunk's size at most. */
function piecesOf(block: Exclude<Block, Table>, marker: string): readonly Piece[] {
  const { text } = block;
  return cuts(text).flatMap(({ start, end }, i) => {
    if (text.slice(start, end).trim() === '') return [];
    const lead = i === 0 ? marker : '';
    const runs = linesOf(block, start, end);
    return [
      {
        text: lead + text.slice(start, end),
        pages: pagesBetween(block, start, end),
        runs: shifted(runs, lead.length),
      },
    ];
  });
}

const SENTENCE_END = /[.!?。！？…]["'”’)\]]*\s+|\n+/g;

/** Ranges of about equal length that end with sentences, with words where sentences are too long. */
function cuts(text: string): readonly { readonly start: number; readonly end: number }[] {
  const count = Math.ceil(text.length / CHUNK_CHARACTERS);
  if (count <= 1) return [{ start: 0, end: text.length }];
  const wanted = text.length / count;
  const ends = [...text.matchAll(SENTENCE_END)].map((match) => match.index + match[0].length);
  const ranges: { start: number; end: number }[] = [];
  let start = 0;
  while (start < text.length) {
    const most = start + CHUNK_CHARACTERS;
    if (most >= text.length) {
      ranges.push({ start, end: text.length });
      break;
    }
    const reachable = ends.filter((end) => end > start + wanted / 2 && end <= most);
    const end = reachable.at(-1) ?? wordEnd(text, start, most);
    ranges.push({ start, end });
    start = end;
  }
  return ranges;
}

function wordEnd(text: string, start: number, most: number): number {
  const space = text.lastIndexOf(' ', most);
  if (space > start) return space + 1;
  const splitsPair = /[\ud800-\udbff]/.test(text.charAt(most - 1));
  return splitsPair ? most - 1 : most;
}
