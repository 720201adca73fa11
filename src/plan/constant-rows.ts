/**
 * Long VALUES of plain constants by column, as they were written: a node a value takes a hundred times the
 * memory and the time. They cross threads as few strings, and are taken apart a piece at a time.
 */

export interface ConstantRows {
  readonly count: number;
  readonly columns: readonly ConstantColumn[];
}

export interface ConstantColumn {
  /** A string's where there is nothing but NULL; `mixed`: integers beside decimals. */
  readonly kind: 'integer' | 'decimal' | 'mixed' | 'string' | 'boolean';
  /** The integer whose type holds all of them; empty where they are no integers. */
  readonly widest: string;
  /** Characters of the longest text. */
  readonly longest: number;
  /** Pieces of `PIECE_ROWS` rows each. */
  readonly pieces: readonly ConstantPiece[];
}

export interface ConstantPiece {
  /** Without quotes, between NULs; empty for NULL. */
  readonly texts: string;
  /** Numbers of the rows in the piece that are NULL, between blanks. */
  readonly nulls: string;
  /** Positions in the statement, between blanks: they are read only when one is told. */
  readonly places: string;
}

export const PIECE_ROWS = 1_024;
/** No text has one. */
export const CONSTANT_SEPARATOR = '\0';

/** Null for NULL. */
export function pieceTexts({ texts, nulls }: ConstantPiece): (string | null)[] {
  const values: (string | null)[] = texts.split(CONSTANT_SEPARATOR);
  if (nulls !== '') for (const row of nulls.split(' ')) values[Number(row)] = null;
  return values;
}

export const pieceNumbers = (places: string): number[] => places.split(' ').map(Number);
