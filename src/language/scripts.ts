/**
 * Scripts whose texts put no spaces between a name in Latin letters and the words beside it: `3M公司2018财年` is a name, a
 * word, a year and a word. Where words are cut by spaces alone, such a name is never found.
 */

/** Inside of a character class, for the flags u or v. */
const UNSPACED = [
  String.raw`\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}\p{scx=Bopomofo}`,
  String.raw`\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}`,
].join('');

/** A letter or digit of scripts with spaces, and one of those without. */
export const SPACED_LETTER = String.raw`(?:(?![${UNSPACED}])[\p{L}\p{N}])`;
export const UNSPACED_LETTER = String.raw`(?:(?=[${UNSPACED}])[\p{L}\p{N}\p{M}])`;

const IS_UNSPACED = new RegExp(UNSPACED_LETTER, 'u');

export const hasUnspaced = (text: string): boolean => IS_UNSPACED.test(text);
