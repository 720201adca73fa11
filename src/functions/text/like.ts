/**
 * LIKE and ILIKE: the pattern is cut at each `%` into pieces that are looked for one after the other, leftmost
 * first, so a match takes at most text × pattern steps. Source: PostgreSQL 18, section 9.7.1.
 */
import { QuickCache } from '../../bounded-cache.ts';
import { SqlError } from '../../errors.ts';

const PATTERNS_MAX = 1_000;

/** Code points between two `%`; null is `_`. `literal` is their text when there is no `_`. */
interface Piece {
  readonly characters: readonly (string | null)[];
  readonly literal: string | null;
}

/** The whole text must match; `\` escapes the next character. */
class LikePattern {
  readonly #pieces: readonly Piece[];

  /** @throws SqlError 22025 */
  constructor(pattern: string) {
    this.#pieces = cut(pattern);
  }

  matches(text: string): boolean {
    const pieces = this.#pieces;
    const [first, last] = [pieces[0], pieces.at(-1)];
    if (first === undefined || last === undefined) return text === '';
    let at = matchAt(text, 0, first);
    if (pieces.length === 1 || at === -1) return at === text.length;
    for (const piece of pieces.slice(1, -1)) {
      at = find(text, at, piece);
      if (at === -1) return false;
    }
    const start = startOfLast(text, last.characters.length);
    return start >= at && matchAt(text, start, last) === text.length;
  }
}

function cut(pattern: string): Piece[] {
  const pieces: (string | null)[][] = [[]];
  const all = Array.from(pattern);
  for (let i = 0; i < all.length; i++) {
    const character = all[i] as string;
    if (character === '%') {
      pieces.push([]);
      continue;
    }
    const meant = character === '\\' ? all[++i] : character;
    if (meant === undefined) {
      throw new SqlError('invalid_escape_sequence', 'LIKE pattern must not end with escape character');
    }
    pieces.at(-1)?.push(character === '_' ? null : meant);
  }
  return pieces.map((characters) => {
    return { characters, literal: characters.includes(null) ? null : characters.join('') };
  });
}

/** The position after the piece, or -1. */
function matchAt(text: string, start: number, { characters, literal }: Piece): number {
  if (literal !== null) return text.startsWith(literal, start) ? start + literal.length : -1;
  let at = start;
  for (const character of characters) {
    const here = text.codePointAt(at);
    if (here === undefined) return -1;
    if (character !== null && !text.startsWith(character, at)) return -1;
    at += here > 0xffff ? 2 : 1;
  }
  return at;
}

/** The position after the leftmost piece from `start` on, or -1. */
function find(text: string, start: number, piece: Piece): number {
  if (piece.literal !== null) {
    const found = text.indexOf(piece.literal, start);
    return found === -1 ? -1 : found + piece.literal.length;
  }
  for (let at = start; at <= text.length; at += isPair(text, at) ? 2 : 1) {
    const end = matchAt(text, at, piece);
    if (end !== -1) return end;
  }
  return -1;
}

const isPair = (text: string, at: number): boolean => (text.codePointAt(at) ?? 0) > 0xffff;

/** Where the last `count` code points begin; -1 when there are fewer. */
function startOfLast(text: string, count: number): number {
  let at = text.length;
  for (let i = 0; i < count; i++) at -= at >= 2 && isPair(text, at - 2) ? 2 : 1;
  return at;
}

/** Patterns by text, so that a column of rows reads one pattern once. */
const PATTERNS = new QuickCache<string, LikePattern>(PATTERNS_MAX);

/** @throws SqlError 22025 */
export const like = (text: string, pattern: string): boolean =>
  (PATTERNS.get(pattern) ?? PATTERNS.set(pattern, new LikePattern(pattern))).matches(text);

/** In lower case on both sides, as PostgreSQL does. */
export const ilike = (text: string, pattern: string): boolean =>
  like(text.toLowerCase(), pattern.toLowerCase());
