/** Something that a text must contain, for indexes to look for; `anyCase`: in upper or lower case. */
export interface TextPiece {
  readonly text: string;
  readonly anyCase: boolean;
}

/** Trigrams of words as pg_trgm cuts them, in lower case with blanks around, of which a text has at least so many. */
export interface WordTrigrams {
  readonly trigrams: readonly string[];
  readonly least: number;
}

export type TextNeed = TextPiece | WordTrigrams;
