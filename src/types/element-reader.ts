/**
 * Reads the elements of a vector's text in turn. One thing to know: a plain decimal of up to 15 digits is
 * its digits, an exact double, divided by a power of ten that is exact too, so that one division gives the
 * same double as reading the text does (Clinger, How to Read Floating Point Numbers Accurately, 1990).
 */
const EXACT_DIGITS_MAX = 15;
const POWERS_OF_TEN = Float64Array.from({ length: EXACT_DIGITS_MAX + 1 }, (_, power) => 10 ** power);
const ZERO = 48;
const POINT = 46;
const PLUS = 43;
const MINUS = 45;
const COMMA = 44;
const CLOSE = 93;
const TOKEN = /[ \t\n\v\f\r]*([^\s,[\]]+)/y;

export class ElementReader {
  /** Where the rest of the text begins. */
  at: number;
  readonly #text: string;
  /** Where the element read last begins. */
  #start: number;

  constructor(text: string, at: number) {
    this.#text = text;
    this.at = at;
    this.#start = at;
  }

  /** The next element; NaN, and nothing read, when it is no plain decimal. */
  decimal(): number {
    const text = this.#text;
    this.#start = this.at;
    let at = skipSpace(text, this.at);
    const sign = text.charCodeAt(at);
    if (sign === MINUS || sign === PLUS) at++;
    let digits = 0;
    let count = 0;
    let fraction = -1;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code >= ZERO && code <= ZERO + 9) {
        digits = digits * 10 + code - ZERO;
        count++;
      } else if (code === POINT && fraction < 0) fraction = count;
      else break;
    }
    if (count === 0 || count > EXACT_DIGITS_MAX) return Number.NaN;
    const end = text.charCodeAt(skipSpace(text, at));
    if (end !== COMMA && end !== CLOSE) return Number.NaN;
    this.at = at;
    const value = fraction < 0 ? digits : digits / (POWERS_OF_TEN[count - fraction] as number);
    return sign === MINUS ? -value : value;
  }

  /** The element that `decimal` was asked for, as text; null when there is none. */
  token(): string | null {
    TOKEN.lastIndex = this.#start;
    const token = TOKEN.exec(this.#text)?.[1];
    if (token === undefined) return null;
    this.at = TOKEN.lastIndex;
    return token;
  }

  /** What comes next but for blanks, read; undefined at the end. */
  separator(): string | undefined {
    const at = skipSpace(this.#text, this.at);
    this.at = at + 1;
    return this.#text[at];
  }
}

function skipSpace(text: string, from: number): number {
  let at = from;
  for (let code = text.charCodeAt(at); code === 32 || (code >= 9 && code <= 13); code = text.charCodeAt(at)) {
    at++;
  }
  return at;
}
