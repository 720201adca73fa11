/** Passages for a question, with all that reading them takes: `ask()` and each question of research read the same. */
import type { Query } from '../../session/server-session.ts';
import { type Similar, similarTo } from '../evidence/across.ts';
import type { Question } from '../question.ts';
import { type FoundPassages, passagesFor } from '../search.ts';
import { type CellsOfChunks, storedCells } from './stored-cells.ts';

export interface FoundWithCells extends FoundPassages {
  /** Cells of the tables that they show. */
  readonly cells: CellsOfChunks;
  /** Runs statements of the transaction in which they were found. */
  readonly similar: Similar;
}

export async function foundFor(
  query: Query,
  question: Question,
  request: Parameters<typeof passagesFor>[2],
): Promise<FoundWithCells> {
  const found = await passagesFor(query, question, request);
  return { ...found, cells: await storedCells(query, found.passages), similar: similarTo(question, query) };
}
