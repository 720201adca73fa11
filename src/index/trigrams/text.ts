/**
 * Trigrams of a text: every three bytes that follow each other in its folded UTF-8, as a number. Folding goes
 * character by character, so that a text contains whatever its fold is cut of wherever it stands. Words have blanks
 * around them, two before and one behind, as pg_trgm's: what a text has in common with another is found by them.
 */
import { encodeText } from '../../types/column/bytes.ts';
import type { TextPiece } from '../../types/text/text-piece.ts';

const ASCII = /^[\0-\x7f]*$/;

/** Lower case, and the long s with the other: regular expressions take them for one. */
function fold(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase();
  let folded = '';
  for (const character of text) folded += character === 'ſ' ? 's' : character.toLowerCase();
  return folded;
}

/** Calls back with each trigram of a text, again where it comes again. */
export function forEachTrigram(text: string, each: (trigram: number) => void): void {
  const bytes = encodeText(fold(text));
  for (let at = 2; at < bytes.length; at++) each(trigramAt(bytes, at));
}

const WORDS = /[\p{L}\p{N}]+/gu;
const BLANK = 32;

/** The same of a text that is indexed: also those of its words with blanks around. */
export function forEachIndexed(text: string, each: (trigram: number) => void): void {
  forEachTrigram(text, each);
  for (const [word] of text.matchAll(WORDS)) {
    const bytes = encodeText(fold(word));
    const last = bytes.length - 1;
    const first = bytes[0] as number;
    each((BLANK << 16) | (BLANK << 8) | first);
    each((BLANK << 16) | (first << 8) | (bytes[1] ?? BLANK));
    if (last > 0) each(((bytes[last - 1] as number) << 16) | ((bytes[last] as number) << 8) | BLANK);
  }
}

/** @param at its last byte. */
const trigramAt = (bytes: Uint8Array, at: number): number =>
  ((bytes[at - 2] as number) << 16) | ((bytes[at - 1] as number) << 8) | (bytes[at] as number);

/**
 * Trigrams that every text with the piece has, each once. In any case only those of ASCII count: letters beyond it
 * have other forms in other places.
 */
export function trigramsOf({ text, anyCase }: TextPiece): ReadonlySet<number> {
  const found = new Set<number>();
  forEachTrigram(text, (trigram) => {
    if (!anyCase || (trigram & 0x808080) === 0) found.add(trigram);
  });
  return found;
}
