/** Rows that may contain what the filter's conditions on a text column want, by an ngram index (`Scan.access`). */
import type { Part } from '../../engine/engine.ts';
import { SqlError } from '../../errors.ts';
import { likePieces, regexpPieces } from '../../functions/text/literal-pieces.ts';
import type { Expression } from '../../plan/expression.ts';
import type { TextAccess } from '../../plan/plan.ts';
import { type TextCondition, textCondition } from '../../plan/text-condition.ts';
import { hasBit } from '../../types/column/bitset.ts';
import type { TextPiece } from '../../types/text/text-piece.ts';
import { evaluateConstant } from '../expression/evaluate.ts';
import type { ScanSource } from './scan-rows.ts';

/** The share of the rows; with more candidates every row is looked at. */
const CANDIDATES_SHARE_MAX = 1 / 4;

/** Ascending visible positions of all rows that can pass; null where looking at every row is as good. */
export async function rowsWithText(
  source: ScanSource,
  { access, part, filter }: { access: TextAccess; part: Part; filter: readonly Expression[] },
): Promise<Uint32Array | null> {
  if (part.containing === undefined) return null;
  const pieces = await piecesOf(source, access, filter);
  const rows = pieces.length === 0 ? null : part.containing(access.index, pieces);
  if (rows === null || rows.length > CANDIDATES_SHARE_MAX * part.rowCount) return null;
  const { visible } = part;
  return visible === null ? rows : rows.filter((row) => hasBit(visible, row));
}

async function piecesOf(
  { plan, run }: ScanSource,
  { attribute }: TextAccess,
  filter: readonly Expression[],
): Promise<readonly TextPiece[]> {
  const pieces: TextPiece[] = [];
  for (const condition of filter) {
    const found = textCondition(condition);
    if (found === null || plan.columns[found.column] !== attribute) continue;
    try {
      const wanted = await evaluateConstant(found.wanted, run);
      if (typeof wanted !== 'string') continue;
      for (const text of textsOf(found, wanted)) pieces.push({ text, anyCase: found.anyCase });
    } catch (error) {
      // The filter itself raises it, if any row comes to it.
      if (!(error instanceof SqlError)) throw error;
    }
  }
  return pieces;
}

function textsOf({ form }: TextCondition, wanted: string): readonly string[] {
  switch (form) {
    case 'like':
      return likePieces(wanted);
    case 'regexp':
      return regexpPieces(wanted);
    case 'text':
      return [wanted];
  }
}
