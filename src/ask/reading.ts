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
    read.push({ passage, sentences: sentencesOf(text), rows: rowsOf(text) });
  }
  return read;
}
