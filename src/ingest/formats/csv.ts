/** CSV and TSV by csv-parse, as one table. */
import { parse } from 'csv-parse/sync';
import type { Document } from '../document.ts';
import { DocumentError } from '../document-error.ts';
import type { ParseRequest } from './format.ts';
import { guessedHeader, plainCell, tableOf } from './table.ts';
import { decodeText } from './text-encoding.ts';
import { unpagedDocument } from './unpaged.ts';

const DELIMITERS = [',', ';', '\t', '|'] as const;
/** Lines that tell the delimiter. */
const SAMPLE_LINES = 20;
const SAMPLE_CHARACTERS = 64 * 1024;

export async function parseCsv({ bytes }: ParseRequest): Promise<Document> {
  const text = decodeText(bytes);
  const rows = readRows(text, delimiterOf(text));
  const headerRowCount = guessedHeader(rows);
  const table = tableOf({
    rows: rows.map((row) => row.map(plainCell)),
    headerRowCount,
    caption: null,
    page: 0,
  });
  return unpagedDocument({ format: 'csv', blocks: table === null ? [] : [table] });
}

function readRows(text: string, delimiter: string): readonly (readonly string[])[] {
  try {
    return parse(text, {
      delimiter,
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      bom: true,
    }) as string[][];
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new DocumentError('damaged', `the table cannot be read: ${message}`);
  }
}

/** The one that cuts most lines into the same number of pieces, more than one. */
function delimiterOf(text: string): string {
  const lines = text.slice(0, SAMPLE_CHARACTERS).split(/\r?\n/).slice(0, SAMPLE_LINES).filter(Boolean);
  let best: string = DELIMITERS[0];
  let bestScore = 0;
  for (const delimiter of DELIMITERS) {
    const counts = lines.map((line) => line.split(delimiter).length);
    const usual = Math.max(...counts.filter((count) => count > 1), 0);
    const score = usual === 0 ? 0 : counts.filter((count) => count === usual).length * Math.min(usual, 8);
    if (score > bestScore) [best, bestScore] = [delimiter, score];
  }
  return best;
}
