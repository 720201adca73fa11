/**
 * The text of a query message, addressed three ways: the grammar counts UTF-8 bytes, PostgreSQL's error
 * positions count characters (code points) from 1, JavaScript strings count UTF-16 units.
 */
import { firstNot } from '../../binary-search.ts';
import { SqlError } from '../../errors.ts';
import type { Grammar, Token } from './grammar.ts';

/** `-- …` and C-style comments, which the scanner reports as tokens. */
const COMMENTS: ReadonlySet<string> = new Set(['SQL_COMMENT', 'C_COMMENT']);

export class Source {
  readonly text: string;
  readonly #grammar: Grammar;
  readonly #origin: number;
  #tokens: readonly Token[] | null = null;
  /** Null for ASCII text, where all three counts are the same. */
  readonly #places: readonly Place[] | null;

  /** @param origin characters before the text that the user wrote; positions count from there. */
  constructor(text: string, grammar: Grammar, origin = 0) {
    this.text = text;
    this.#grammar = grammar;
    this.#origin = origin;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the ASCII range is meant
    this.#places = /[^\x00-\x7f]/.test(text) ? placesOf(text) : null;
  }

  /** 1-based character position of a byte offset; 0 when the grammar gives none. */
  position(byte: number | undefined): number {
    const offset = byte ?? 0;
    if (offset < 0) return 0;
    const character = this.#places === null ? offset : placeAt(this.text, this.#places, offset).character;
    return character + 1 - this.#origin;
  }

  /** UTF-16 index of a byte offset. */
  unit(byte: number): number {
    return this.#places === null ? byte : placeAt(this.text, this.#places, byte).unit;
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

  /**
   * Part between two byte offsets as a text of its own, behind other words; positions stay those of the whole.
   *
   * @param prefix ASCII, no longer than what stands before.
   */
  part(start: number, end: number, prefix: string): Source {
    const before = [...this.slice(0, start)].length - prefix.length;
    const text = `${' '.repeat(before)}${prefix}${this.slice(start, end)}`;
    return new Source(text, this.#grammar, this.#origin);
  }

  /** Position in `tokens()` of the first token that starts at or after a byte offset. */
  tokenAt(byte: number): number {
    const tokens = this.tokens();
    return firstNot(0, tokens.length, (at) => (tokens[at] as Token).start < byte);
  }
}

/** A place in the text, counted three ways from 0. */
interface Place {
  readonly byte: number;
  readonly character: number;
  readonly unit: number;
}

/** Characters between two marks: few enough to walk, many enough that marks cost little. */
const MARK_CHARACTERS = 64;

/** Marks along the text, one every MARK_CHARACTERS characters. */
function placesOf(text: string): readonly Place[] {
  const places: Place[] = [];
  let place: Place = { byte: 0, character: 0, unit: 0 };
  while (place.unit < text.length) {
    if (place.character % MARK_CHARACTERS === 0) places.push(place);
    place = next(text, place);
  }
  return places;
}

function next(text: string, { byte, character, unit }: Place): Place {
  const point = text.codePointAt(unit) as number;
  const size = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  return { byte: byte + size, character: character + 1, unit: unit + (size === 4 ? 2 : 1) };
}

/** The place of a byte offset; the end of the text for any beyond it. */
function placeAt(text: string, places: readonly Place[], byte: number): Place {
  const beyond = firstNot(0, places.length, (at) => (places[at] as Place).byte <= byte);
  let place = places[beyond - 1] ?? { byte: 0, character: 0, unit: 0 };
  while (place.byte < byte && place.unit < text.length) place = next(text, place);
  return place;
}
