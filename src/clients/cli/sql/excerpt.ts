/** The line that an error is about, with a caret below the place, as psql shows it. */
import { visible, widthOf } from '../text.ts';

/** Letters of a long line that are shown, most of them before the place. */
const SHOWN = 60;
const SHOWN_BEFORE = 40;

export interface Excerpt {
  /** Characters from 1 in the whole text. */
  readonly position: number | null;
  readonly excerpt: readonly string[];
}

/**
 * @param start where the statement stands in the script.
 * @param told  the server's: characters from 1 in the statement; absent: it names no place.
 */
export function excerptOf(script: string, text: string, start: number, told: string | undefined): Excerpt {
  const position = Number(told);
  if (told === undefined || !Number.isInteger(position) || position < 1)
    return { position: null, excerpt: [] };
  const at = start + lengthOf(text, position - 1);
  const lineStart = script.lastIndexOf('\n', at - 1) + 1;
  const lineEnd = script.indexOf('\n', at);
  const line = script.slice(lineStart, lineEnd < 0 ? script.length : lineEnd);
  const number = script.slice(0, lineStart).split('\n').length;
  const before = [...line.slice(0, at - lineStart)];
  const after = [...line.slice(at - lineStart)];
  const isLong = before.length + after.length > SHOWN;
  const cut = isLong ? Math.max(0, before.length - SHOWN_BEFORE) : 0;
  const head = `LINE ${number}: ${cut > 0 ? '...' : ''}${visible(before.slice(cut).join(''))}`;
  const room = isLong ? SHOWN - (before.length - cut) : after.length;
  const tail = `${visible(after.slice(0, room).join('')).trimEnd()}${room < after.length ? '...' : ''}`;
  return {
    position: [...script.slice(0, at)].length + 1,
    excerpt: [`${head}${tail}`, `${' '.repeat(widthOf(head))}^`],
  };
}

/** UTF-16 units of so many characters. */
function lengthOf(text: string, characters: number): number {
  let length = 0;
  for (const one of text) {
    if (characters-- <= 0) break;
    length += one.length;
  }
  return length;
}
