/** A made case answered by the code that answers, over cells that the maker of cells makes, and judged. */
import { CellsOfChunks } from '../../src/ask/cells/stored-cells.ts';
import type { ChunkCells } from '../../src/ask/cells/row.ts';
import { factsOf } from '../../src/ask/facts.ts';
import type { Passage } from '../../src/ask/passage.ts';
import { Reader } from '../../src/ask/question.ts';
import { parseHtml } from '../../src/ingest/formats/markup/html.ts';
import { readFileOf } from '../fixtures/read-passages.ts';
import type { MadeCase } from './made-question.ts';

export type Outcome = 'right' | 'wrong' | 'not given' | 'rightly not given';

export interface Answered {
  readonly outcome: Outcome;
  readonly text: string | null;
  /** Said where it is not computed. */
  readonly why: string | null;
}

/** Cells as a fault would make them. */
export type Fault = (cells: ChunkCells) => ChunkCells;

const LIMITS = { pagesMax: 1, imagePixelsMax: 1 };
const signal = new AbortController().signal;
const reader = new Reader();

export async function answered(made: MadeCase, fault: Fault | null = null): Promise<Answered> {
  const cells = new CellsOfChunks();
  const passages: Passage[] = [];
  for (const { name, html } of made.files) {
    const bytes = new TextEncoder().encode(html);
    const document = await parseHtml({ bytes, name, limits: LIMITS });
    const file = readFileOf({ docId: name, docName: `${name.toLowerCase()}.html`, document }, cells);
    passages.push(...file.passages);
  }
  for (const passage of fault === null ? [] : passages) {
    const own = cells.of(passage);
    if (own !== undefined && fault !== null) cells.add(passage, fault(own));
  }
  const { facts, uncomputed: why } = await factsOf({
    ...{
      question: reader.read(made.question),
      passages,
      cells,
      reader,
      factsMax: 3,
      factsAPassage: 3,
      signal,
    },
  });
  const text = facts.find(({ isComputed }) => isComputed)?.text ?? null;
  return { outcome: judged(made, text), text, why };
}

function judged({ answer, isOpen }: MadeCase, text: string | null): Outcome {
  if (text === null) return answer === null || isOpen ? 'rightly not given' : 'not given';
  return answer !== null && isResult(text, answer) ? 'right' : 'wrong';
}

const RESULT = /= (?<sign>[−(]?)(?<digits>[\d,]+(?:\.\d+)?)/gu;
const YEAR = /\(computed\): (\d{4}):/;

/** As answers show numbers: two decimals, of percents maybe one; a year of the most or the least. */
function isResult(text: string, answer: number): boolean {
  const year = YEAR.exec(text)?.[1];
  if (year !== undefined) return Number(year) === answer;
  const found = [...text.matchAll(RESULT)][0]?.groups;
  if (found === undefined) return false;
  const size = Number((found.digits ?? '').replaceAll(',', ''));
  const rounding = text.includes(' %') ? 0.051 : 0.00501;
  return Math.abs((found.sign === '' ? size : -size) - answer) <= rounding + 1e-9 * Math.abs(answer);
}
