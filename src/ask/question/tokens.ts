/**
 * A text as words, numbers and marks with their places. An elided word keeps its apostrophe (`l'`), a possessive ending is
 * a word of its own (`'s`), a hyphen between letters is none, a character of a script without spaces is a word.
 */

export interface Token {
  readonly kind: 'word' | 'number' | 'year' | 'mark';
  /** In lower case, with straight apostrophes. */
  readonly word: string;
  /** Offsets in the text. */
  readonly start: number;
  readonly end: number;
}

/** Before an apostrophe, with the word that follows: `d'exploitation`, `dell'anno`; longer words before one are none. */
const ELISION = String.raw`(?<![\p{L}\p{M}\p{N}])\p{L}{1,5}['’](?=\p{L}{2})(?!(?:re|ve|ll)(?!\p{L}))`;
const UNSPACED = String.raw`[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]`;
const SPACED = String.raw`(?:(?!${UNSPACED})[\p{L}\p{M}\p{N}])`;
const PIECE = new RegExp(
  [
    `(?<letter>${UNSPACED})`,
    String.raw`(?<year>(?<![\p{L}\p{N}])(?:FY|CY|GJ)\s?['’]?(?:(?:19|20)\d{2}|\d{2})(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])F\d{2}(?=\s*(?:$|[?.,;:)])|\s+\p{L}{1,4}\s+F\d{2}\b))`,
    `(?<elided>${ELISION})`,
    String.raw`(?<word>(?:\p{L}\.){2,}|${SPACED}*?(?=\p{L})${SPACED}+(?:&\p{L}+)?)`,
    String.raw`(?<number>\d+(?:[.,]\d+)*)`,
    String.raw`['’](?<suffix>\p{L}+)`,
    String.raw`\S`,
  ].join('|'),
  'giu',
);
const YEAR = /^(?:19|20)\d{2}$/;
const HYPHENS = '-‐‑–—';

/** In their order. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (const match of text.matchAll(PIECE)) {
    const kind = kindOf(match, text);
    if (kind === null) continue;
    const word = match[0].toLowerCase().replace('’', "'");
    tokens.push({ kind, word, start: match.index, end: match.index + match[0].length });
  }
  return tokens;
}

/** Null for a hyphen between letters. */
function kindOf({ groups = {}, 0: piece, index }: RegExpExecArray, text: string): Token['kind'] | null {
  if (groups.year !== undefined) return 'year';
  if (groups.number !== undefined) return YEAR.test(piece) ? 'year' : 'number';
  const { letter, elided, word, suffix } = groups;
  if ([letter, elided, word, suffix].some((one) => one !== undefined)) return 'word';
  const isBetween = /\p{L}/u.test(text.charAt(index - 1)) && /\p{L}/u.test(text.charAt(index + 1));
  return HYPHENS.includes(piece) && isBetween ? null : 'mark';
}
