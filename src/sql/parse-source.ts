/**
 * The text of a query message, addressed three ways: the grammar counts UTF-8 bytes, PostgreSQL's error
 * positions count characters (code points) from 1, JavaScript strings count UTF-16 units.
 */
import { SqlError } from '../errors.ts';
import type { Grammar, Token } from './parse-grammar.ts';

/** `-- …` and C-style comments, which the scanner reports as tokens. */
const COMMENTS: ReadonlySet<string> = new Set(['SQL_COMMENT', 'C_COMMENT']);

export class Source {
  readonly text: string;
  readonly #grammar: Grammar;
  readonly #origin: number;
  #tokens: readonly Token[] | null = null;
  /** Byte offsets just after each character of more than one byte; null for ASCII text. */
  readonly #wide: WideCharacters | null;

  /** @param origin characters before the text that the user wrote; positions count from there. */
  constructor(text: string, grammar: Grammar, origin = 0) {
    this.text = text;
    this.#grammar = grammar;
    this.#origin = origin;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is meant
    this.#wide = /[^\x00-\x7f]/.test(text) ? wideCharacters(text) : null;
  }

  /** 1-based character position of a byte offset; 0 when the grammar gives none. */
  position(byte: number | undefined): number {
    const offset = byte ?? 0;
    if (offset < 0) return 0;
    const less = this.#wide === null ? 0 : deltaAt(this.#wide, this.#wide.characters, offset);
    return offset + 1 - less - this.#origin;
  }

  /** UTF-16 index of a byte offset. */
  unit(byte: number): number {
    return byte - (this.#wide === null ? 0 : deltaAt(this.#wide, this.#wide.units, byte));
  }

  /** The text between two byte offsets. */
  slice(start: number, end: number): string {
    return this.text.slice(this.unit(start), this.unit(end));
  }

  /** Tokens without comments. @throws SqlError 42601 when the lexer rejects the text. */
  tokens(): readonly Token[] {
    if (this.#tokens === null) {
      const tokens = this.#grammar.scan(this.text);
      if (tokens === null) throw new SqlError('syntax_error', 'syntax error');
      this.#tokens = tokens.filter((token) => !COMMENTS.has(token.tokenName));
    }
    return this.#tokens;
  }

  /** Position in `tokens()` of the first token that starts at or after a byte offset. */
  tokenAt(byte: number): number {
    const tokens = this.tokens();
    let low = 0;
    let high = tokens.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((tokens[middle] as Token).start < byte) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

interface WideCharacters {
  readonly ends: readonly number[];
  /** Bytes minus characters, and bytes minus UTF-16 units, up to and with each. */
  readonly characters: readonly number[];
  readonly units: readonly number[];
}

function wideCharacters(text: string): WideCharacters {
  const ends: number[] = [];
  const characters: number[] = [];
  const units: number[] = [];
  let byte = 0;
  let lessCharacters = 0;
  let lessUnits = 0;
  for (let i = 0; i < text.length; i++) {
    const point = text.codePointAt(i) as number;
    if (point < 0x80) {
      byte++;
      continue;
    }
    const size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (size === 4) i++;
    byte += size;
    lessCharacters += size - 1;
    lessUnits += size === 4 ? 2 : size - 1;
    ends.push(byte);
    characters.push(lessCharacters);
    units.push(lessUnits);
  }
  return { ends, characters, units };
}

function deltaAt(wide: WideCharacters, deltas: readonly number[], byte: number): number {
  let low = 0;
  let high = wide.ends.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((wide.ends[middle] as number) <= byte) low = middle + 1;
    else high = middle;
  }
  return low === 0 ? 0 : (deltas[low - 1] as number);
}
