/**
 * Outlines of texts: what is left of a statement when its literals are taken out, with the kind of each in its place. A
 * literal is told by its looks, so a text in which one might begin within something else has none.
 */

/** `i`, `l`, `n`: a number that is an int4, an int8 or a numeric whatever its sign is; `s`: a string. */
export type LiteralKind = 'i' | 'l' | 'n' | 's';

export interface Outline {
  readonly shape: string;
  /** As they are written. */
  readonly literals: readonly string[];
  /** Where each begins in the text, from 0. */
  readonly starts: readonly number[];
  readonly kinds: readonly LiteralKind[];
}

const TEXT_UNITS_MAX = 8_000;
const LITERALS_COUNT_MAX = 64;
/** Escapes, `$1`, dollar quotes, comments; pairs of surrogates, which positions count as one. */
const UNCLEAR = /[\0\\$\ud800-\udfff]|--|\/\*/;
/** Strings, quoted names, which are passed over, and numbers without an exponent. */
const PIECES = /'(?:[^']|'')*'|"[^"]*"|(?<![\w.\u0080-\uffff])(?:\d+(?:\.\d*)?|\.\d+)(?![\w.\u0080-\uffff])/g;
/** Before a string: it is `E'…'`, `B'…'`, `U&'…'`. */
const PREFIX = /[\w&\u0080-\uffff]/;
/** Read by the clock of the transaction that its statement begins. */
const CLOCK = /^'\s*(?:now|today|tomorrow|yesterday|allballs)\b/i;
const INT4_MAX = 2n ** 31n - 1n;
const INT8_MAX = 2n ** 63n - 1n;
/** With more digits a number might be more than a float8 holds. */
const NUMBER_UNITS_MAX = 100;

const QUOTE = "'".charCodeAt(0);
const DOUBLE_QUOTE = '"'.charCodeAt(0);

/** Null where no literal can be told by its looks, or there is none. */
export function outlineOf(text: string): Outline | null {
  if (text.length > TEXT_UNITS_MAX || UNCLEAR.test(text)) return null;
  const literals: string[] = [];
  const starts: number[] = [];
  const kinds: LiteralKind[] = [];
  let shape = '';
  let end = 0;
  PIECES.lastIndex = 0;
  for (let found = PIECES.exec(text); found !== null; found = PIECES.exec(text)) {
    const [piece] = found;
    const kind = kindOf(piece, text[found.index - 1]);
    if (kind === null) continue;
    shape += `${text.slice(end, found.index)}\0${kind}`;
    end = found.index + piece.length;
    literals.push(piece);
    starts.push(found.index);
    kinds.push(kind);
  }
  if (literals.length === 0 || literals.length > LITERALS_COUNT_MAX) return null;
  return { shape: shape + text.slice(end), literals, starts, kinds };
}

/** Null: it stays where it is. @param before the character before it. */
function kindOf(piece: string, before: string | undefined): LiteralKind | null {
  const first = piece.charCodeAt(0);
  if (first === DOUBLE_QUOTE) return null;
  if (first === QUOTE) {
    const isOther = (before !== undefined && PREFIX.test(before)) || CLOCK.test(piece);
    return isOther ? null : 's';
  }
  if (piece.includes('.')) return piece.length > NUMBER_UNITS_MAX ? null : 'n';
  return piece.length < 10 ? 'i' : kindOfLong(piece);
}

function kindOfLong(digits: string): LiteralKind | null {
  if (digits.length > NUMBER_UNITS_MAX) return null;
  const number = BigInt(digits);
  // What comes next is one type as it is and another one below zero.
  if (number === INT4_MAX + 1n || number === INT8_MAX + 1n) return null;
  return number <= INT4_MAX ? 'i' : number <= INT8_MAX ? 'l' : 'n';
}

/** A literal's text, as its type reads it. */
export function readable(literal: string, kind: LiteralKind, isNegative: boolean): string {
  if (kind !== 's') return isNegative ? `-${literal}` : literal;
  const inner = literal.slice(1, -1);
  return inner.includes("'") ? inner.replaceAll("''", "'") : inner;
}
