/**
 * jsonb's canonical text of JSON, by V8's own reader where all numbers are written as JavaScript writes them: ten
 * times as quick as by way of exact numbers. All else, and what is wrong, is left to the reader in `json.ts`: also
 * what might be wrong within a member that a later one of the same name replaces, for V8 shows only the last.
 */
import { compareKeys, formatJsonb, JSON_DEPTH_MAX, parseJson } from './json.ts';

type Read = null | boolean | number | string | readonly Read[] | { readonly [key: string]: Read };

/**
 * Where there may be a number that JavaScript writes in another way (a fraction, an exponent, many digits), or an
 * escape of what no text may hold.
 */
const ODD = /\d[.eE]|\d{16}|-0|\\u(?:0000|[dD][89a-fA-F])/;

/** Thrown by `write` for what the other reader has to look at. */
class Refused extends Error {}

/** @throws SqlError 22P02, 22P05, 54001. */
export function canonicalJsonb(text: string): string {
  if (ODD.test(text) || mayBeTooDeep(text)) return formatJsonb(parseJson(text));
  try {
    return write(JSON.parse(text) as Read, 0);
  } catch (error) {
    const isTold = error instanceof Refused || error instanceof SyntaxError || error instanceof RangeError;
    if (!isTold) throw error;
    return formatJsonb(parseJson(text));
  }
}

/** In a text that is no JSON the answer may be wrong; V8 refuses that one. */
function mayBeTooDeep(text: string): boolean {
  if (text.length < 2 * JSON_DEPTH_MAX) return false;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '"') i = endOfText(text, i);
    else if (char === '[' || char === '{') depth++;
    else if (char === ']' || char === '}') depth--;
    if (depth > JSON_DEPTH_MAX) return true;
  }
  return false;
}

/** The place of the quotation mark that closes the text which opens at `start`. */
function endOfText(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, place: number): boolean {
  let slashes = 0;
  while (text[place - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}

function write(value: Read, depth: number): string {
  if (typeof value === 'string') return writeText(value);
  if (typeof value !== 'object' || value === null) return String(value);
  if (depth >= JSON_DEPTH_MAX) throw new Refused();
  if (Array.isArray(value)) return `[${value.map((item) => write(item, depth + 1)).join(', ')}]`;
  const members = Object.entries(value);
  if (members.length > 1) members.sort(([a], [b]) => compareKeys(a, b));
  return `{${members.map(([key, member]) => `${writeText(key)}: ${write(member, depth + 1)}`).join(', ')}}`;
}

function writeText(text: string): string {
  if (text.includes('\0') || !text.isWellFormed()) throw new Refused();
  return JSON.stringify(text);
}
