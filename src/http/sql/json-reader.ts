/**
 * JSON of requests. A large text is read in turns, so that others are answered meanwhile: JSON.parse of 8 MiB of small numbers
 * takes 70 ms, and 4 s where a number beyond a double makes it ask for each. Such numbers stay as they are written.
 * Source: RFC 8259.
 */
import { SqlError } from '../../errors.ts';
import { takeTurn } from '../../time-slice.ts';

/** Read at once, by JSON.parse: part of a millisecond, or a few where it asks for each number. */
const AT_ONCE_CHARACTERS_MAX = 128 * 1024;
const AT_ONCE_EXACT_CHARACTERS_MAX = 8 * 1024;
/** Read between two turns of the event loop: about a millisecond. */
const CHARACTERS_PER_TURN = 16 * 1024;

/** A number that a double may not hold, or some text. */
const HAS_LONG_NUMBER = /[\d.]{16}|\de\+?\d{3}/i;

/** A number as the client wrote it. */
export class ExactNumber {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.source);
  }
}

/** A short text. @throws SqlError 22032. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text, HAS_LONG_NUMBER.test(text) ? withExactNumbers : undefined);
  } catch (error) {
    if (error instanceof RangeError) throw error;
    throw notJson(error instanceof Error ? error.message : String(error));
  }
}

function stringOf(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch (error) {
    throw notJson(error instanceof Error ? error.message : String(error));
  }
}

/** A text of any length. @throws SqlError 22032. */
export async function readJsonText(text: string): Promise<unknown> {
  const isShort = text.length <= AT_ONCE_CHARACTERS_MAX;
  if (isShort && (text.length <= AT_ONCE_EXACT_CHARACTERS_MAX || !HAS_LONG_NUMBER.test(text))) {
    return parseJson(text);
  }
  const reader = new JsonReader(text);
  while (!reader.step(CHARACTERS_PER_TURN)) await takeTurn();
  return reader.value;
}

function withExactNumbers(this: unknown, _: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  return typeof value === 'number' && source !== undefined ? numberOf(source) : value;
}

/** `JSON.rawJSON` is written again as it was, and its text read. */
function numberOf(source: string): number | ExactNumber {
  const value = Number(source);
  const isExact = String(value) === source || !HAS_LONG_NUMBER.test(source);
  return isExact ? value : new ExactNumber(source);
}

const notJson = (why: string): SqlError =>
  new SqlError('invalid_json_text', `the request is not JSON: ${why}`);

const tooDeep = (): SqlError =>
  new SqlError('statement_too_complex', 'the request nests too deep', {
    detail: `Values may be in ${DEPTH_MAX} others.`,
  });

const SPACES = ' \t\n\r';
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /true|false|null/y;
const WORDS: Readonly<Record<string, boolean | null>> = { true: true, false: false, null: null };
/** Values in each other: no statement takes more. */
const DEPTH_MAX = 10_000;

type Fields = Record<string, unknown>;

/** A list or an object that has begun. */
interface Open {
  readonly list: unknown[] | null;
  readonly object: Fields | null;
  key: string;
}

/** Tokens that may come next. */
type Wanted = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end' | 'nothing';

class JsonReader {
  readonly #text: string;
  readonly #open: Open[] = [];
  #at = 0;
  /** Where a string has begun; null: in none. */
  #string: number | null = null;
  #wanted: Wanted = 'value';
  value: unknown = null;

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads on, for about so many characters. @returns true at the end. @throws SqlError 22032. */
  step(characters: number): boolean {
    const end = this.#at + characters;
    while (this.#at < end && this.#at < this.#text.length) {
      const first = this.#text[this.#at] as string;
      if (this.#string !== null) this.#readString(this.#string);
      else if (SPACES.includes(first)) this.#at++;
      else this.#token(first);
    }
    if (this.#at < this.#text.length) return false;
    if (this.#wanted === 'nothing') return true;
    throw notJson('it ends too early');
  }

  #token(first: string): void {
    switch (this.#wanted) {
      case 'value or end':
        if (first === ']') this.#close();
        else this.#value(first);
        break;
      case 'value':
        this.#value(first);
        break;
      case 'key or end':
        if (first === '}') this.#close();
        else this.#key(first);
        break;
      case 'key':
        this.#key(first);
        break;
      case 'colon':
        if (first !== ':') throw this.#unexpected();
        this.#at++;
        this.#wanted = 'value';
        break;
      case 'comma or end':
        this.#separator(first);
        break;
      case 'nothing':
        throw this.#unexpected();
    }
  }

  #value(first: string): void {
    if (first === '[') this.#begin({ list: [], object: null, key: '' }, 'value or end');
    else if (first === '{') this.#begin({ list: null, object: {}, key: '' }, 'key or end');
    else if (first === '"') this.#string = this.#at++;
    else if (first >= 'a') this.#give(this.#word());
    else this.#give(this.#number());
  }

  #begin(open: Open, wanted: Wanted): void {
    if (this.#open.length === DEPTH_MAX) throw tooDeep();
    this.#open.push(open);
    this.#at++;
    this.#wanted = wanted;
  }

  #key(first: string): void {
    if (first !== '"') throw this.#unexpected();
    this.#wanted = 'key';
    this.#string = this.#at++;
  }

  #separator(first: string): void {
    const isList = (this.#open.at(-1) as Open).list !== null;
    if (first === (isList ? ']' : '}')) {
      this.#close();
      return;
    }
    if (first !== ',') throw this.#unexpected();
    this.#at++;
    this.#wanted = isList ? 'value' : 'key';
  }

  #close(): void {
    const { list, object } = this.#open.pop() as Open;
    this.#at++;
    this.#give(list ?? object);
  }

  #give(value: unknown): void {
    const open = this.#open.at(-1);
    this.#wanted = open === undefined ? 'nothing' : 'comma or end';
    if (open === undefined) this.value = value;
    else if (open.list !== null) open.list.push(value);
    else set(open.object as Fields, open.key, value);
  }

  #word(): boolean | null {
    const word = this.#match(WORD);
    if (word === '') throw this.#unexpected();
    return WORDS[word] as boolean | null;
  }

  #number(): number | ExactNumber {
    const source = this.#match(NUMBER);
    if (source === '') throw this.#unexpected();
    return numberOf(source);
  }

  /** Up to its next quote, which may not be its end. */
  #readString(start: number): void {
    const quote = this.#text.indexOf('"', this.#at);
    if (quote < 0) throw notJson('a string has no end');
    this.#at = quote + 1;
    if (this.#isEscaped(quote)) return;
    this.#string = null;
    const text = stringOf(this.#text.slice(start, quote + 1));
    if (this.#wanted !== 'key') {
      this.#give(text);
      return;
    }
    (this.#open.at(-1) as Open).key = text;
    this.#wanted = 'colon';
  }

  /** By an odd number of backslashes. */
  #isEscaped(quote: number): boolean {
    let at = quote;
    while (this.#text[at - 1] === '\\') at--;
    return (quote - at) % 2 === 1;
  }

  /** Passes over it. @returns its text, perhaps empty. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#text)?.[0] ?? '';
    this.#at += text.length;
    return text;
  }

  #unexpected(): SqlError {
    const found = String.fromCodePoint(this.#text.codePointAt(this.#at) ?? 0);
    return notJson(`unexpected ${JSON.stringify(found)} at position ${this.#at}`);
  }
}

/** As JSON.parse has it: the last of a name counts, and none is special. */
function set(object: Fields, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
}
