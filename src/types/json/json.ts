/**
 * JSON values with exact numbers, and jsonb's canonical text: object keys by length then bytes, the last of
 * equal keys kept, `": "` and `", "` between. Source: jsonb_util.c and json.c of PostgreSQL 18.
 */
import { SqlError } from '../../errors.ts';
import type { NumericDatum } from '../datum.ts';
import { compareNumeric, formatNumeric, numericKey, parseNumeric } from '../number/numeric.ts';
import { compareText } from '../text/text.ts';

export type JsonValue = null | boolean | string | NumericDatum | readonly JsonValue[] | JsonObject;

/** Members in the order of the text; of equal keys the last value, as jsonb. */
export type JsonObject = ReadonlyMap<string, JsonValue>;

/** Deeper text is refused rather than overflowing the stack. */
export const JSON_DEPTH_MAX = 2_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON's strings may not hold them
const TOKEN = /[ \t\n\r]*(?:([{}[\],:])|("(?:[^"\\\u0000-\u001f]|\\.)*")|([^\s{}[\],:"]+)|(.)|$)/suy;
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const CONTROL = /[\u0000-\u001f]/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const CONTEXT_CHARACTERS_MAX = 50;

export function isJsonObject(value: JsonValue): value is JsonObject {
  return value instanceof Map;
}

export function isJsonArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

export function isJsonNumber(value: JsonValue): value is NumericDatum {
  return typeof value === 'object' && value !== null && 'datum' in value;
}

/** @throws SqlError 22P02 with PostgreSQL's detail. */
export function parseJson(text: string): JsonValue {
  return new JsonReader(text).read();
}

type JsonToken = { kind: 'mark' | 'string' | 'word' | 'end'; text: string; end: number };

class JsonReader {
  readonly #text: string;
  #token: JsonToken = { kind: 'end', text: '', end: 0 };
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#advance();
  }

  read(): JsonValue {
    const value = this.#readValue();
    if (this.#token.kind !== 'end') throw this.#unexpected('Expected end of input');
    return value;
  }

  #advance(): void {
    TOKEN.lastIndex = this.#token.end;
    const match = TOKEN.exec(this.#text);
    const end = TOKEN.lastIndex;
    if (match === null) this.#token = { kind: 'end', text: '', end: this.#text.length };
    else if (match[1] !== undefined) this.#token = { kind: 'mark', text: match[1], end };
    else if (match[2] !== undefined) this.#token = { kind: 'string', text: match[2], end };
    else if (match[3] !== undefined) this.#token = { kind: 'word', text: match[3], end };
    else if (match[4] !== undefined) throw this.#badString(match[4], end);
    else this.#token = { kind: 'end', text: '', end };
  }

  /** A quote that no string begins with: cut off, or holding a control character. */
  #badString(first: string, end: number): SqlError {
    if (first !== '"') return this.#fail(`Token "${first}" is invalid.`, end);
    const rest = this.#text.slice(end);
    const control = CONTROL.exec(rest)?.[0];
    if (control === undefined) return this.#fail(`Token "${first}${rest}" is invalid.`, this.#text.length);
    const code = control.charCodeAt(0).toString(16).padStart(2, '0');
    return this.#fail(`Character with value 0x${code} must be escaped.`, end);
  }

  #readValue(): JsonValue {
    const { kind, text } = this.#token;
    if (kind === 'string') {
      this.#advance();
      return this.#unescape(text);
    }
    if (kind === 'word') return this.#readWord(text);
    if (text !== '{' && text !== '[') throw this.#unexpected('Expected JSON value');
    if (++this.#depth > JSON_DEPTH_MAX) {
      throw new SqlError('statement_too_complex', 'stack depth limit exceeded', {
        detail: `JSON is nested deeper than ${JSON_DEPTH_MAX} levels.`,
      });
    }
    const value = text === '{' ? this.#readObject() : this.#readArray();
    this.#depth--;
    return value;
  }

  #readWord(text: string): JsonValue {
    const token = this.#token;
    if (text === 'true' || text === 'false') {
      this.#advance();
      return text === 'true';
    }
    if (text === 'null') {
      this.#advance();
      return null;
    }
    if (!NUMBER.test(text)) throw this.#fail(`Token "${text}" is invalid.`, token.end);
    this.#advance();
    return parseNumeric(text);
  }

  #readObject(): JsonObject {
    const members = new Map<string, JsonValue>();
    this.#advance();
    if (this.#token.text === '}' && this.#token.kind === 'mark') {
      this.#advance();
      return members;
    }
    for (;;) {
      if (this.#token.kind !== 'string') {
        throw this.#unexpected(members.size === 0 ? 'Expected string or "}"' : 'Expected string');
      }
      const key = this.#unescape(this.#token.text);
      this.#advance();
      if (!this.#isMark(':')) throw this.#unexpected('Expected ":"');
      this.#advance();
      members.set(key, this.#readValue());
      if (this.#isMark(',')) this.#advance();
      else if (this.#isMark('}')) break;
      else throw this.#unexpected('Expected "," or "}"');
    }
    this.#advance();
    return members;
  }

  #readArray(): readonly JsonValue[] {
    const items: JsonValue[] = [];
    this.#advance();
    if (this.#isMark(']')) {
      this.#advance();
      return items;
    }
    for (;;) {
      items.push(this.#readValue());
      if (this.#isMark(',')) this.#advance();
      else if (this.#isMark(']')) break;
      else throw this.#unexpected('Expected "," or "]"');
    }
    this.#advance();
    return items;
  }

  #isMark(mark: string): boolean {
    return this.#token.kind === 'mark' && this.#token.text === mark;
  }

  #unescape(quoted: string): string {
    if (!quoted.includes('\\')) return quoted.slice(1, -1);
    if (/\\u0000/.test(quoted.replace(/\\\\/g, ''))) {
      throw new SqlError('untranslatable_character', 'unsupported Unicode escape sequence', {
        detail: '\\u0000 cannot be converted to text.',
        where: this.#where(this.#token.end),
      });
    }
    let value: string;
    try {
      value = JSON.parse(quoted) as string;
    } catch {
      const sequence = /\\(?:u[0-9a-fA-F]{0,3}(?![0-9a-fA-F])|[^"\\/bfnrtu])/.exec(quoted)?.[0] ?? '\\';
      const detail = sequence.startsWith('\\u')
        ? '"\\u" must be followed by four hexadecimal digits.'
        : `Escape sequence "${sequence}" is invalid.`;
      throw this.#fail(detail, this.#token.end);
    }
    if (!value.isWellFormed()) {
      throw this.#fail('Unicode low surrogate must follow a high surrogate.', this.#token.end);
    }
    return value;
  }

  #unexpected(expected: string): SqlError {
    const { kind, text, end } = this.#token;
    if (kind === 'end') return this.#fail('The input string ended unexpectedly.', end);
    if (kind === 'word' && !NUMBER.test(text) && !/^(?:true|false|null)$/.test(text)) {
      return this.#fail(`Token "${text}" is invalid.`, end);
    }
    return this.#fail(`${expected}, but found ${text.startsWith('"') ? text : `"${text}"`}.`, end);
  }

  #fail(detail: string, end: number): SqlError {
    return new SqlError('invalid_text_representation', 'invalid input syntax for type json', {
      detail,
      where: this.#where(end),
    });
  }

  /** The line up to the fault, as PostgreSQL's CONTEXT shows it. */
  #where(end: number): string {
    const before = this.#text.slice(0, end);
    const lineStart = before.lastIndexOf('\n') + 1;
    const line = before.slice(0, lineStart).split('\n').length;
    const shown = before.slice(lineStart);
    const cut = shown.length > CONTEXT_CHARACTERS_MAX ? `...${shown.slice(-CONTEXT_CHARACTERS_MAX)}` : shown;
    const more = /^[^\n]/.test(this.#text.slice(end)) ? '...' : '';
    return `JSON data, line ${line}: ${cut}${more}`;
  }
}

/** jsonb's order of keys: shorter UTF-8 first, then by bytes. */
export function compareKeys(a: string, b: string): number {
  return Buffer.byteLength(a) - Buffer.byteLength(b) || compareText(a, b);
}

/** Members in jsonb's order. */
export function sortedMembers(value: JsonObject): [string, JsonValue][] {
  return [...value].sort(([a], [b]) => compareKeys(a, b));
}

/** jsonb's canonical text. */
export function formatJsonb(value: JsonValue): string {
  return writeJson(value, formatNumeric);
}

function writeJson(value: JsonValue, writeNumber: (value: NumericDatum) => string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (isJsonArray(value)) return `[${value.map((item) => writeJson(item, writeNumber)).join(', ')}]`;
  if (isJsonNumber(value)) return writeNumber(value);
  const members = sortedMembers(value).map(
    ([key, member]) => `${JSON.stringify(key)}: ${writeJson(member, writeNumber)}`,
  );
  return `{${members.join(', ')}}`;
}

/** A JSON value of a JavaScript one (`JSON.parse` output and the like). */
export function jsonOf(value: unknown): JsonValue {
  return parseJson(JSON.stringify(value) ?? 'null');
}

/** Equal texts exactly for values that compare equal: 1 and 1.0 are one. */
export function jsonbKey(canonical: string): string {
  return /\d\.\d/.test(canonical) ? writeJson(parseJson(canonical), numericKey) : canonical;
}

function rank(value: JsonValue): number {
  if (value === null) return 0;
  if (typeof value === 'string') return 1;
  if (typeof value === 'boolean') return 3;
  if (isJsonArray(value)) return 4;
  return isJsonNumber(value) ? 2 : 5;
}

/** jsonb's order: null < string < number < boolean < array < object; containers by size first. */
export function compareJsonb(a: JsonValue, b: JsonValue): number {
  const isEmpty = (value: JsonValue): boolean => isJsonArray(value) && value.length === 0;
  // An empty array at the top sorts before everything: history that PostgreSQL keeps for its indexes.
  if (isEmpty(a) !== isEmpty(b)) return isEmpty(a) ? -1 : 1;
  return compareNested(a, b);
}

function compareNested(a: JsonValue, b: JsonValue): number {
  const order = rank(a) - rank(b);
  if (order !== 0 || a === null || b === null) return order;
  if (typeof a === 'string') return compareText(a, b as string);
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (isJsonArray(a)) return compareSequences(a, b as readonly JsonValue[]);
  if (isJsonNumber(a)) return compareNumeric(a, b as NumericDatum);
  if (a.size !== (b as JsonObject).size) return a.size - (b as JsonObject).size;
  return compareSequences(sortedMembers(a).flat(), sortedMembers(b as JsonObject).flat());
}

function compareSequences(a: readonly JsonValue[], b: readonly JsonValue[]): number {
  if (a.length !== b.length) return a.length - b.length;
  for (let i = 0; i < a.length; i++) {
    const order = compareNested(a[i] as JsonValue, b[i] as JsonValue);
    if (order !== 0) return order;
  }
  return 0;
}
