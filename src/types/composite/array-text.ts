/**
 * Text form of arrays: `{a,"b c",NULL}`, nested braces for more dimensions, `[0:1]={…}` for lower bounds
 * other than 1. Source: array_in and array_out of PostgreSQL 18 (arrayfuncs.c), with its messages.
 */
import { SqlError } from '../../errors.ts';
import type { ArrayDatum, Datum } from '../datum.ts';

const DIMENSIONS_COUNT_MAX = 6;
const BOUNDS = /^\s*((?:\[\s*[+-]?\d+\s*(?::\s*[+-]?\d+\s*)?\]\s*)+)=/;
const BOUND = /\[\s*([+-]?\d+)\s*(?::\s*([+-]?\d+)\s*)?\]/g;
const NEEDS_QUOTES = /[{},"\\ \t\n\v\f\r]/;
const SPACE = ' \t\n\v\f\r';

type Dimension = ArrayDatum['dimensions'][number];

export function formatArray(array: ArrayDatum, format: (item: Datum) => string): string {
  if (array.elements.length === 0) return '{}';
  let next = 0;
  const write = (depth: number): string => {
    if (depth === array.dimensions.length) return formatElement(array.elements[next++] as Datum, format);
    const { length } = array.dimensions[depth] as Dimension;
    const parts: string[] = [];
    for (let i = 0; i < length; i++) parts.push(write(depth + 1));
    return `{${parts.join(',')}}`;
  };
  const shifted = array.dimensions.some(({ lowerBound }) => lowerBound !== 1);
  const bounds = array.dimensions.map(
    ({ length, lowerBound }) => `[${lowerBound}:${lowerBound + length - 1}]`,
  );
  return shifted ? `${bounds.join('')}=${write(0)}` : write(0);
}

function formatElement(item: Datum, format: (item: Datum) => string): string {
  if (item === null) return 'NULL';
  const text = format(item);
  if (text !== '' && text.toLowerCase() !== 'null' && !NEEDS_QUOTES.test(text)) return text;
  return `"${text.replace(/["\\]/g, '\\$&')}"`;
}

/** @throws SqlError 22P02 `malformed array literal: "…"`. @param parse reads one element's text. */
export function parseArray(text: string, elementType: number, parse: (item: string) => Datum): ArrayDatum {
  const bounds = BOUNDS.exec(text);
  const declared = bounds === null ? null : declaredDimensions(text, bounds[1] as string);
  const reader = new ArrayReader(text, bounds === null ? 0 : bounds[0].length, parse);
  const { lengths, elements } = reader.read();
  if (declared !== null && !sameShape(declared, lengths)) {
    throw malformed(text, 'Specified array dimensions do not match array contents.');
  }
  const dimensions = declared ?? lengths.map((length) => ({ length, lowerBound: 1 }));
  return {
    datum: 'array',
    elementType,
    dimensions: elements.length === 0 ? [] : dimensions,
    elements,
  };
}

function sameShape(declared: readonly Dimension[], lengths: readonly number[]): boolean {
  return declared.length === lengths.length && declared.every(({ length }, i) => length === lengths[i]);
}

function malformed(text: string, detail: string): SqlError {
  return new SqlError('invalid_text_representation', `malformed array literal: "${text}"`, { detail });
}

function declaredDimensions(text: string, bounds: string): Dimension[] {
  return [...bounds.matchAll(BOUND)].map(([, first, second]) => {
    const lowerBound = second === undefined ? 1 : Number(first);
    const upper = Number(second ?? first);
    if (upper < lowerBound - (second === undefined ? 1 : 0)) {
      throw new SqlError('array_subscript_error', 'upper bound cannot be less than lower bound');
    }
    if (Math.abs(upper) > 2147483646 || Math.abs(lowerBound) > 2147483647) {
      throw malformed(text, 'Array bound is out of integer range.');
    }
    return { length: upper - lowerBound + 1, lowerBound };
  });
}

/** Reads nested braces; every sub-array of a level must have the length of the first. */
class ArrayReader {
  readonly #text: string;
  readonly #parse: (item: string) => Datum;
  readonly #elements: Datum[] = [];
  readonly #lengths: number[] = [];
  /** Depth at which elements are; -1 until the first one is met. */
  #depth = -1;
  #at: number;

  constructor(text: string, start: number, parse: (item: string) => Datum) {
    this.#text = text;
    this.#at = start;
    this.#parse = parse;
  }

  read(): { lengths: readonly number[]; elements: readonly Datum[] } {
    this.#skipSpace();
    if (this.#text[this.#at] !== '{') {
      const shaped = this.#at > 0 && this.#text.trimStart().startsWith('[');
      throw malformed(
        this.#text,
        shaped
          ? 'Array contents must start with "{".'
          : 'Array value must start with "{" or dimension information.',
      );
    }
    this.#readLevel(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw malformed(this.#text, 'Junk after closing right brace.');
    return { lengths: this.#lengths, elements: this.#elements };
  }

  #readLevel(depth: number): void {
    if (depth >= DIMENSIONS_COUNT_MAX) {
      throw new SqlError(
        'program_limit_exceeded',
        `number of array dimensions exceeds the maximum allowed (${DIMENSIONS_COUNT_MAX})`,
      );
    }
    this.#at++;
    let count = 0;
    this.#skipSpace();
    if (this.#peek() === '}') this.#at++;
    else count = this.#readItems(depth);
    this.#recordLength(depth, count);
  }

  #readItems(depth: number): number {
    for (let count = 1; ; count++) {
      this.#skipSpace();
      if (this.#peek() === '{') this.#readNested(depth + 1);
      else this.#readElement(depth + 1);
      this.#skipSpace();
      const delimiter = this.#peek();
      this.#at++;
      if (delimiter === '}') return count;
      if (delimiter !== ',') throw malformed(this.#text, `Unexpected "${delimiter}" character.`);
    }
  }

  #readNested(depth: number): void {
    if (this.#depth >= 0 && depth >= this.#depth) this.#failRagged();
    this.#readLevel(depth);
  }

  #recordLength(depth: number, count: number): void {
    const known = this.#lengths[depth];
    if (known === undefined) this.#lengths[depth] = count;
    else if (known !== count) this.#failRagged();
  }

  #failRagged(): never {
    throw malformed(this.#text, 'Multidimensional arrays must have sub-arrays with matching dimensions.');
  }

  #readElement(depth: number): void {
    if (this.#depth < 0) this.#depth = depth;
    else if (this.#depth !== depth) this.#failRagged();
    this.#elements.push(this.#readItem());
  }

  #readItem(): Datum {
    let item = '';
    let quoted = false;
    let keep = 0;
    for (;;) {
      const char = this.#peek();
      if (char === ',' || char === '}') break;
      this.#at++;
      if (char === '{') throw malformed(this.#text, 'Unexpected "{" character.');
      if (char === '"') {
        if (quoted || item.trim() !== '') throw malformed(this.#text, 'Incorrectly quoted array element.');
        quoted = true;
        item = this.#readQuoted();
        keep = item.length;
      } else if (char === '\\') {
        item += this.#peek();
        this.#at++;
        keep = item.length;
      } else if (quoted && !SPACE.includes(char)) {
        throw malformed(this.#text, 'Incorrectly quoted array element.');
      } else {
        item += char;
        if (!SPACE.includes(char)) keep = item.length;
      }
    }
    const text = item.slice(0, keep);
    if (quoted) return this.#parse(text);
    if (text === '') throw malformed(this.#text, `Unexpected "${this.#peek()}" character.`);
    return /^null$/i.test(text) ? null : this.#parse(text);
  }

  #readQuoted(): string {
    let item = '';
    for (;;) {
      const char = this.#peek();
      this.#at++;
      if (char === '"') return item;
      if (char === '\\') {
        item += this.#peek();
        this.#at++;
      } else item += char;
    }
  }

  /** The next character. @throws SqlError at the end of the text. */
  #peek(): string {
    const char = this.#text[this.#at];
    if (char === undefined) throw malformed(this.#text, 'Unexpected end of input.');
    return char;
  }

  #skipSpace(): void {
    while (this.#at < this.#text.length && SPACE.includes(this.#text[this.#at] as string)) this.#at++;
  }
}
