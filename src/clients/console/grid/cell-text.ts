/** Values as a cell shows them: one line, as much of it as can be seen. */
import type { Json } from '../server/messages.ts';

/** More of a text is not in a cell: a column is at most so wide. */
const SHOWN_CHARACTERS_MAX = 300;
const SHOWN_ELEMENTS_MAX = 8;

/** A whole value as text: JSON with its lines, texts as they are. */
export const wholeText = (value: Json): string =>
  typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** Null for NULL. */
export function cellText(value: Json): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return oneLine(value);
  if (Array.isArray(value) && value.length > SHOWN_ELEMENTS_MAX) {
    const some = beginOf(value.slice(0, SHOWN_ELEMENTS_MAX)).slice(0, -1);
    return oneLine(`${some}, … ${value.length} in all]`);
  }
  return oneLine(beginOf(value));
}

/** JSON, of a large value no more than can be seen of it. */
function beginOf(value: Json, room = SHOWN_CHARACTERS_MAX + 1): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, room));
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  // Not by Object.entries: that takes all of them out first.
  for (const key in value) {
    if (text.length > room) return text;
    if (text.length > 1) text += ',';
    if (!isList) text += `${JSON.stringify(key)}:`;
    text += beginOf((value as Readonly<Record<string, Json>>)[key] ?? null, room - text.length);
  }
  return text + (isList ? ']' : '}');
}

function oneLine(text: string): string {
  const cut = text.length > SHOWN_CHARACTERS_MAX ? `${text.slice(0, SHOWN_CHARACTERS_MAX)}…` : text;
  return cut.replaceAll(/\r\n|\r|\n/g, ' ↵ ').replaceAll('\t', ' ⇥ ');
}

const NUMBERS = /^(?:smallint|integer|bigint|int[248]|real|double precision|float[48]|numeric|oid|money)\b/;

/** They stand at the right. */
export const isNumberType = (type: string): boolean => NUMBERS.test(type) && !type.endsWith('[]');

const CHARACTER_PX = 8;
const PADDING_PX = 22;
const WIDTH_PX = { min: 64, max: 380 };

/** As wide as its title and its first values need. */
export function fittingWidth(title: string, values: readonly Json[]): number {
  const longest = values.reduce<number>((most, value) => {
    const text = cellText(value) ?? '';
    return Math.max(most, text.length);
  }, title.length + 1);
  return Math.round(Math.min(WIDTH_PX.max, Math.max(WIDTH_PX.min, longest * CHARACTER_PX + PADDING_PX)));
}
