/**
 * "Did you mean": words that no document has, replaced by the nearest one that some have; of several as near, that of
 * the most documents. Everything else of the text stays as it was typed.
 */
import { takeTurn } from '../../../time-slice.ts';
import type { TypedColumn } from '../../typed-text.ts';
import { nearWordsLater } from '../fuzzy.ts';
import { analyserOf, rowsWithWord, type SeenWords, seenWords } from './seen.ts';

/** Words looked up at most: each takes up to a few milliseconds. */
const CORRECTED_MAX = 32;
/** Near words whose documents are counted. */
const COUNTED_MAX = 50;

interface TypedWord {
  readonly written: string;
  readonly start: number;
  readonly end: number;
}

export async function correctText(
  columns: readonly TypedColumn[],
  text: string,
  signal: AbortSignal,
): Promise<string | null> {
  const seen = columns.map((column) => seenWords(column));
  const parts = seen.flat();
  const unknown = unknownWords(columns, seen, text).slice(0, CORRECTED_MAX);
  let corrected = text;
  // From the end on, so that places before stay.
  for (const { written, start, end } of unknown.toSorted((a, b) => b.start - a.start)) {
    const nearest = await nearestWord(parts, written, () => takeTurn(signal));
    if (nearest !== null) corrected = corrected.slice(0, start) + nearest + corrected.slice(end);
  }
  return corrected === text ? null : corrected;
}

/** Words that no column knows, as they are or by their stem, and that are stop words in none. */
function unknownWords(
  columns: readonly TypedColumn[],
  seen: readonly (readonly SeenWords[])[],
  text: string,
): readonly TypedWord[] {
  const unknown = new Map<number, TypedWord>();
  const known = new Set<number>();
  for (const [i, column] of columns.entries()) {
    const parts = seen[i] ?? [];
    if (column.options.options.type === 'exact') continue;
    for (const { term, written, start, end } of analyserOf(column, parts).read(text)) {
      const isKnown =
        written === '' || term === '' || rowsWithWord(parts, written) > 0 || hasTerm(parts, term);
      if (isKnown) known.add(start);
      else unknown.set(start, { written, start, end });
    }
  }
  return [...unknown.values()].filter(({ start }) => !known.has(start));
}

const hasTerm = (parts: readonly SeenWords[], term: string): boolean =>
  parts.some(({ structure, visible, limit }) => structure.countOf(term, visible, limit) > 0);

async function nearestWord(
  parts: readonly SeenWords[],
  written: string,
  turn: () => Promise<void>,
): Promise<string | null> {
  const indexes = parts.map(({ structure }) => structure.index);
  const near = await nearWordsLater(indexes, { word: written, distance: -1 }, turn);
  let best: { word: string; edits: number; rows: number } | null = null;
  for (const { word, edits } of near.slice(0, COUNTED_MAX)) {
    if (best !== null && edits > best.edits) break;
    const rows = rowsWithWord(parts, word);
    if (rows > (best?.rows ?? 0)) best = { word, edits, rows };
  }
  return best?.word ?? null;
}
