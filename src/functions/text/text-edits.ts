/**
 * Edits of texts. Positions and lengths count characters (code points), found by walking over the
 * text where it is plain UTF-16 as where it is not; nothing is made for each character of a long text.
 */
import { SqlError } from '../../errors.ts';
import { VALUE_BYTES_MAX } from '../../limits.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { characterCount } from '../../types/text/text.ts';
import { checkValueBytes } from '../../types/weight.ts';

const characters = (text: string): string[] => Array.from(text);
const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** Where the text goes on after `count` characters from `at` on. */
function after(text: string, at: number, count: number): number {
  let end = at;
  for (let passed = 0; passed < count && end < text.length; passed++) end += isPair(text, end) ? 2 : 1;
  return end;
}

/** Where the last `count` characters begin. */
function beforeEnd(text: string, count: number): number {
  let start = text.length;
  for (let passed = 0; passed < count && start > 0; passed++) {
    start -= start > 1 && isPair(text, start - 2) ? 2 : 1;
  }
  return start;
}

/** Characters from 1-based `from`, `count` of them (all when undefined); positions below 1 eat the count. */
export function substring(text: string, from: number, count?: number): string {
  if (count !== undefined && count < 0) {
    throw new SqlError('substring_error', 'negative substring length not allowed');
  }
  const end = count === undefined ? Number.POSITIVE_INFINITY : from + count - 1;
  const skipped = Math.max(from - 1, 0);
  if (end <= skipped) return '';
  const start = after(text, 0, skipped);
  return count === undefined ? text.slice(start) : text.slice(start, after(text, start, end - skipped));
}

export function position(text: string, part: string): number {
  const at = text.indexOf(part);
  return at === -1 ? 0 : characterCount(text.slice(0, at)) + 1;
}

export type Side = 'left' | 'right' | 'both';

export function trim(text: string, set: string, side: Side): string {
  const cut = new Set(characters(set));
  let [start, end] = [0, text.length];
  while (side !== 'right' && start < end) {
    const next = after(text, start, 1);
    if (!cut.has(text.slice(start, next))) break;
    start = next;
  }
  while (side !== 'left' && end > start) {
    const last = end - (end > start + 1 && isPair(text, end - 2) ? 2 : 1);
    if (!cut.has(text.slice(last, end))) break;
    end = last;
  }
  return text.slice(start, end);
}

export function trimBytes(bytes: Uint8Array, set: Uint8Array, side: Side): Uint8Array {
  const cut = new Set(set);
  let [start, end] = [0, bytes.length];
  if (side !== 'right') while (start < end && cut.has(bytes[start] as number)) start++;
  if (side !== 'left') while (end > start && cut.has(bytes[end - 1] as number)) end--;
  return bytes.slice(start, end);
}

export function pad(text: string, length: number, fill: string, left: boolean): string {
  const wanted = Math.max(length, 0);
  const missing = wanted - characterCount(text);
  if (missing <= 0) return text.slice(0, after(text, 0, wanted));
  if (fill === '') return text;
  checkSize(wanted);
  const size = characterCount(fill);
  const filler = fill.repeat(Math.floor(missing / size)) + fill.slice(0, after(fill, 0, missing % size));
  return left ? filler + text : text + filler;
}

function checkSize(size: number): void {
  if (size > VALUE_BYTES_MAX) throw new SqlError('program_limit_exceeded', 'requested length too large');
}

export function repeat(text: string, count: number): string {
  const times = Math.max(count, 0);
  checkSize(text.length * times);
  return text.repeat(times);
}

function countOf(text: string, part: string): number {
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

export function replace(text: string, from: string, to: string): string {
  if (from === '') return text;
  if (to.length > from.length) checkValueBytes(text.length + countOf(text, from) * (to.length - from.length));
  return text.replaceAll(from, () => to);
}

/** UTF-16 units as a text. */
const textOfUnits = (units: Uint16Array): string =>
  Buffer.from(units.buffer, units.byteOffset, units.byteLength).toString('utf16le');

export function reverse(text: string): string {
  const units = new Uint16Array(text.length);
  Buffer.from(units.buffer).write(text, 'utf16le');
  units.reverse();
  for (let i = 0; i + 1 < units.length; i++) {
    const [first, second] = [units[i] as number, units[i + 1] as number];
    if ((first & 0xfc00) !== 0xdc00 || (second & 0xfc00) !== 0xd800) continue;
    units[i++] = second;
    units[i] = first;
  }
  return textOfUnits(units);
}

/** Translations of each character that changes; null: it goes. */
function translations(from: string, to: string): ReadonlyMap<number, number | null> {
  const targets = characters(to);
  const map = new Map<number, number | null>();
  for (const [i, character] of characters(from).entries()) {
    const code = character.codePointAt(0) as number;
    if (!map.has(code)) map.set(code, targets[i]?.codePointAt(0) ?? null);
  }
  return map;
}

export function translate(text: string, from: string, to: string): string {
  const map = translations(from, to);
  const grows = map.values().some((code) => code !== null && code > 0xffff);
  const units = new Uint16Array(text.length * (grows ? 2 : 1));
  let size = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.codePointAt(i) as number;
    if (code > 0xffff) i++;
    const known = map.get(code);
    const target = known === undefined ? code : known;
    if (target === null) continue;
    if (target > 0xffff) {
      units[size++] = 0xd800 + ((target - 0x10000) >> 10);
      units[size++] = 0xdc00 + (target & 0x3ff);
    } else units[size++] = target;
  }
  return textOfUnits(units.subarray(0, size));
}

export function splitPart(text: string, delimiter: string, field: number): string {
  if (field === 0) throw new SqlError('invalid_parameter_value', 'field position must not be zero');
  if (delimiter === '') return field === 1 || field === -1 ? text : '';
  const wanted = field > 0 ? field - 1 : countOf(text, delimiter) + 1 + field;
  if (wanted < 0) return '';
  let start = 0;
  for (let passed = 0; passed < wanted; passed++) {
    const at = text.indexOf(delimiter, start);
    if (at < 0) return '';
    start = at + delimiter.length;
  }
  const end = text.indexOf(delimiter, start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

export function initcap(text: string): string {
  return text.toLowerCase().replace(/[\p{L}\p{N}]+/gu, (word) => {
    const rest = after(word, 0, 1);
    return word.slice(0, rest).toUpperCase() + word.slice(rest);
  });
}

export function leftPart(text: string, count: number): string {
  return text.slice(0, count < 0 ? beforeEnd(text, -count) : after(text, 0, count));
}

export function rightPart(text: string, count: number): string {
  return text.slice(count < 0 ? after(text, 0, -count) : beforeEnd(text, count));
}

/** At least. */
const ELEMENT_BYTES = 24;

export function stringToArray(text: string, delimiter: string | null, nullText: string | null): ArrayDatum {
  if (text === '') return arrayDatum(OID.text, []);
  const count = delimiter === null ? text.length : delimiter === '' ? 1 : countOf(text, delimiter) + 1;
  checkValueBytes(count * ELEMENT_BYTES);
  const parts = delimiter === null ? characters(text) : delimiter === '' ? [text] : text.split(delimiter);
  return arrayDatum(
    OID.text,
    parts.map((part) => (part === nullText ? null : part)),
  );
}
