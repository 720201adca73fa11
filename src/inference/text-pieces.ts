/**
 * Cuts a text as a tokenizer might, for models whose own is elsewhere: words in pieces about as long as tokens are in
 * their script, all else sign by sign. The passages that `windows.ts` makes of them are about as long as those of
 * models that run here, which every model takes, and end at sentences where they can.
 */
import type { TimeSlice } from '../time-slice.ts';
import { cutWindows } from './windows.ts';

/** Letters of a word (Latin, digits, other alphabets), or one sign, as which scripts without blanks count. */
const PIECE = /([a-z\u00c0-\u024f\u1e00-\u1eff\p{M}]{1,6}|\p{Nd}{1,3}|[\u0370-\u08ff]{1,3})|\S/giu;
/** In front of a piece that goes on with the word before it. */
const CONTINUES = '##';
/** Pieces between two looks at the clock. */
const PIECES_PER_LOOK = 1024;

/** @returns UTF-16 start and end of each passage; none where the text has nothing but blanks. */
export async function passagesOf(text: string, slice: TimeSlice): Promise<Uint32Array> {
  const tokens: string[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  let wordEnd = -1;
  for (const { 0: piece, 1: letters, index } of text.matchAll(PIECE)) {
    const end = index + piece.length;
    tokens.push(letters !== undefined && index === wordEnd ? CONTINUES + piece : piece);
    starts.push(index);
    ends.push(end);
    if (letters !== undefined) wordEnd = end;
    if (tokens.length % PIECES_PER_LOOK === 0) await slice.yieldToOthers();
  }
  const cuts = cutWindows(tokens, (token) => token.startsWith(CONTINUES));
  const spans = new Uint32Array(2 * (cuts.length - 1));
  for (let i = 0; i + 1 < cuts.length; i++) {
    spans[2 * i] = starts[cuts[i] as number] as number;
    spans[2 * i + 1] = ends[(cuts[i + 1] as number) - 1] as number;
  }
  return spans;
}
