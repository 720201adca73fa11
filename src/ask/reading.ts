/** Passages read once for all steps: their sentences, and their table rows with cells. */
import { chunkRows } from './cells/chunk-rows.ts';
import type { Row } from './cells/row.ts';
import { CellsOfChunks } from './cells/stored-cells.ts';
import { cellsOfText } from './cells/text-cells.ts';
import { documentKey, type Passage } from './passage.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import type { Turns } from './turns.ts';

export interface ReadPassage {
  readonly passage: Passage;
  readonly sentences: readonly Sentence[];
  readonly rows: readonly Row[];
}

/** @param cells of the passages; those of a document that has none are read from its text. */
export async function readPassages(
  passages: readonly Passage[],
  turns: Turns,
  cells: CellsOfChunks = new CellsOfChunks(),
): Promise<readonly ReadPassage[]> {
  const read: ReadPassage[] = [];
  const texts = Map.groupBy(passages, documentKey);
  for (const passage of passages) {
    const pause = turns.next();
    if (pause !== null) await pause;
    const { text, heading } = passage;
    const beside = (texts.get(documentKey(passage)) ?? []).map((one) => one.text);
    const rows = chunkRows(text, cells.of(passage) ?? cellsOfText(text, heading, beside));
    const told = isContents(rows) ? [] : rows.filter((row) => !isHeader(row, text)).map(apart);
    read.push({ passage, sentences: sentencesOf(text), rows: told });
  }
  return read;
}

/** The second line of a header that was taken for a row: `[Percent who]=borrowed; [Average]=amount`. */
function isHeader({ start, labels, cells }: Row, text: string): boolean {
  const words = [...labels.slice(1), ...cells.map(({ value }) => value)].filter((one) => /\p{L}/u.test(one));
  return text.startsWith('[row_1]', start) && words.length >= 2 && words.every((one) => /^\p{Ll}/u.test(one));
}

/** A row's cells under a name that many share are told apart by nothing: the columns below it were not found. */
const SHARED_NAME_MIN = 3;

function apart(row: Row): Row {
  const counts = new Map<string, number>();
  for (const { column } of row.cells) counts.set(column, (counts.get(column) ?? 0) + 1);
  const isTold = ({ column }: Row['cells'][number]): boolean =>
    column === '' || (counts.get(column) ?? 0) < SHARED_NAME_MIN;
  return row.cells.every(isTold) ? row : { ...row, cells: row.cells.filter(isTold) };
}

const CONTENTS_ROWS_MIN = 4;
/** The least share of rows that look like contents in a table of contents. */
const CONTENTS_SHARE_MIN = 0.8;

/** Titles with the number of a page each, one after the other: it says where something stands, and nothing of it. */
function isContents(rows: readonly Row[]): boolean {
  if (rows.length < CONTENTS_ROWS_MIN) return false;
  let last = 0;
  let inOrder = 0;
  for (const { cells } of rows) {
    const page = Number(cells.at(-1)?.value);
    const isNext =
      cells.length === 1 && Number.isInteger(page) && page >= last && page <= last + PAGES_APART_MAX;
    if (!isNext) continue;
    inOrder++;
    last = page;
  }
  return inOrder >= CONTENTS_SHARE_MIN * rows.length;
}

const PAGES_APART_MAX = 100;
