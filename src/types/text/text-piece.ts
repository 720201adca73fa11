/** Something that a text must contain, for indexes to look for; `anyCase`: in upper or lower case. */
export interface TextPiece {
  readonly text: string;
  readonly anyCase: boolean;
}
