/** Passages read once for all steps: their sentences, and their table rows with cells. */
import type { Passage } from './passage.ts';
import { type Sentence, sentencesOf } from './sentences.ts';
import { type Row, rowsOf } from './table-rows.ts';
import type { Turns } from './turns.ts';

export interface ReadPassage {
  readonly passage: Passage;
  readonly sentences: readonly Sentence[];
  readonly rows: readonly Row[];
}

export async function readPassages(
  passages: readonly Passage[],
  turns: Turns,
): Promise<readonly ReadPassage[]> {
  const read: ReadPassage[] = [];
  for (const passage of passages) {
    const pause = turns.next();
    if (pause !== null) await pause;
    const { text } = passage;
    const rows = rowsOf(text);
    read.push({ passage, sentences: sentencesOf(text), rows: isContents(rows) ? [] : rows });
  }
  return read;
}

const CONTENTS_ROWS_MIN = 4;
/** Of the rows of a table of contents. */
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
