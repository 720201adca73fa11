/** Text form of ranges: `[1,5)`, `("a b",)`, `empty`. Source: range_parse and range_deparse of rangetypes.c. */
import { SqlError } from '../../errors.ts';

/** The bounds as texts of the subtype; null where there is none. */
export interface RangeText {
  readonly lower: string | null;
  readonly upper: string | null;
  readonly lowerInclusive: boolean;
  readonly upperInclusive: boolean;
}

const SPACE = '[ \\t\\n\\v\\f\\r]*';
const EMPTY = new RegExp(`^${SPACE}empty`, 'i');
const OPEN = new RegExp(`^${SPACE}([[(])`);
const REST = new RegExp(`^${SPACE}$`);

/** @throws SqlError 22P02 `malformed range literal: "…"`. */
export function parseRange(text: string): RangeText | 'empty' {
  const malformed = (detail: string): SqlError =>
    new SqlError('invalid_text_representation', `malformed range literal: "${text}"`, { detail });
  const empty = EMPTY.exec(text);
  if (empty !== null) {
    if (REST.test(text.slice(empty[0].length))) return 'empty';
    throw malformed('Junk after "empty" key word.');
  }
  const open = OPEN.exec(text);
  if (open === null) throw malformed('Missing left parenthesis or bracket.');
  const lower = readBound(text, open[0].length, malformed);
  if (text[lower.end] !== ',') throw malformed('Missing comma after lower bound.');
  const upper = readBound(text, lower.end + 1, malformed);
  const close = text[upper.end];
  if (close === ',') throw malformed('Too many commas.');
  if (!REST.test(text.slice(upper.end + 1))) throw malformed('Junk after right parenthesis or bracket.');
  return {
    lower: lower.value,
    upper: upper.value,
    lowerInclusive: open[1] === '[',
    upperInclusive: close === ']',
  };
}

/** Up to a comma or a closing bracket outside of quotes; nothing at all is no bound. */
function readBound(
  text: string,
  start: number,
  malformed: (detail: string) => SqlError,
): { readonly value: string | null; readonly end: number } {
  let value = '';
  let isQuoted = false;
  let at = start;
  for (;;) {
    const char = text[at];
    if (char === undefined) throw malformed('Unexpected end of input.');
    if (!isQuoted && (char === ',' || char === ')' || char === ']')) break;
    const next = text[at + 1];
    if (char === '\\' || (char === '"' && isQuoted && next === '"')) {
      if (next === undefined) throw malformed('Unexpected end of input.');
      value += next;
      at += 2;
      continue;
    }
    if (char === '"') isQuoted = !isQuoted;
    else value += char;
    at++;
  }
  return { value: at === start ? null : value, end: at };
}

export function rangeText({ lower, upper, lowerInclusive, upperInclusive }: RangeText): string {
  const [open, close] = [lowerInclusive ? '[' : '(', upperInclusive ? ']' : ')'];
  return `${open}${quoted(lower)},${quoted(upper)}${close}`;
}

function quoted(text: string | null): string {
  if (text === null) return '';
  if (text !== '' && !/["\\()[\], \t\n\v\f\r]/.test(text)) return text;
  return `"${text.replace(/["\\]/g, '$&$&')}"`;
}
