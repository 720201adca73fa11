/** Passages for a question, with the cells of the tables that they show. */
import type { Query } from '../../session/server-session.ts';
import type { Question } from '../question.ts';
import { type FoundPassages, passagesFor } from '../search.ts';
import { type CellsOfChunks, storedCells } from './stored-cells.ts';

export interface FoundWithCells extends FoundPassages {
  readonly cells: CellsOfChunks;
}

export async function foundFor(
  query: Query,
  question: Question,
  request: Parameters<typeof passagesFor>[2],
): Promise<FoundWithCells> {
  const found = await passagesFor(query, question, request);
  return { ...found, cells: await storedCells(query, found.passages) };
}
