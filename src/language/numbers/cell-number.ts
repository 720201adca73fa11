/**
 * The number that a table's cell shows, with all that makes it that number: sign, brackets, percent, currency, words.
 * Two steps: what is written is taken apart once (`takeApart`), then read as its neighbours write (`cellValue`).
 */
import type { LanguageOf } from '../questions/words.ts';
import { plainMarks } from './number-marks.ts';
import { currencyAtEdge, endingOf, isNothing, type Unit } from './number-words.ts';
import { type Evidence, type Mark, type Shape, shapeOf } from './separators.ts';

export interface WrittenNumber {
  readonly kind: 'number';
  readonly shape: Exclude<Shape, { readonly kind: 'none' }>;
  readonly isNegative: boolean;
  readonly currency: string | null;
  /** `%`, `bp`, `x`, `years`, …; null where none is written. */
  readonly unit: Unit | null;
  /** Power of ten that one of it is worth; null where nothing says so. */
  readonly power: number | null;
}

export type WrittenCell =
  | WrittenNumber
  /** A dash, `n/a`. */
  | { readonly kind: 'nothing' }
  /** It has digits like a number's, but which one is not certain. */
  | { readonly kind: 'doubt'; readonly why: string }
  | { readonly kind: 'text' };

const TEXT: WrittenCell = { kind: 'text' };
const NOTHING: WrittenCell = { kind: 'nothing' };
/** Longer texts are sentences. */
const CHARACTERS_MAX = 160;
/** Marks of footnotes after a number. */
const FOOTNOTE =
  /(?<=[\d%)\]])\s?(?:[*†‡§#¹²³⁰⁴-⁹]+|[⁽₍][⁰-⁹]+[⁾₎]|\[\p{L}?\d{0,2}\]|\((?:[a-z]|\d)\)|(?<=[\d%)]\s)\p{Ll}\)|(?<=\d\s)\d\))(?:\s?[,*†‡])*$/iu;
const SIGN_FIRST = /^(?<sign>[+\u2212\u2012\u2013\u2014△-])\s?(?=[\d.,(]|\p{Sc}|\p{Lu})/u;
const SIGN_LAST = /(?<=\d)\s?[-\u2212\u2013]$/;

/** @param language of the document: what `billion` is worth depends on it. */
export function takeApart(written: string, language: LanguageOf): WrittenCell {
  if (written.length > CHARACTERS_MAX) return TEXT;
  const text = plainMarks(written)
    .replace(/[\u200e\u200f\u061c\u00ad\u200b]/g, '')
    .trim();
  if (text === '') return TEXT;
  if (isNothing(text)) return NOTHING;
  if (!/\d/.test(text)) return isEmptyAmount(text) ? NOTHING : TEXT;
  const peeled = new Peeling(text.replace(FOOTNOTE, '').trimEnd(), language);
  return peeled.result();
}

/** `$ –`: a currency or a unit beside a dash. */
function isEmptyAmount(text: string): boolean {
  const first = currencyAtEdge(text, 'first');
  const afterFirst = first === null ? text : text.slice(first.end).trim();
  const last = currencyAtEdge(afterFirst, 'last');
  const rest = (last === null ? afterFirst : afterFirst.slice(0, last.start)).replace(/[%\s)(]/g, '');
  return rest !== '' && rest !== text && isNothing(rest);
}

/** Takes off, from both ends, what stands around the digits. */
class Peeling {
  #text: string;
  readonly #language: LanguageOf;
  #signs = 0;
  #isNegative = false;
  #currency: string | null = null;
  #unit: Unit | null = null;
  #power: number | null = null;

  constructor(text: string, language: LanguageOf) {
    this.#text = text;
    this.#language = language;
  }

  result(): WrittenCell {
    while (this.#step());
    const text = this.#text;
    if (!/^[\d.,][\d.,'’ʼ`´\u2044\s\u066b\u066c]*$/.test(text)) return this.#rest(text);
    if (this.#signs > 1) return { kind: 'doubt', why: `"${text}" has several signs` };
    const shape = shapeOf(text);
    if (shape.kind === 'none') return TEXT;
    return {
      kind: 'number',
      shape,
      isNegative: this.#isNegative,
      currency: this.#currency,
      unit: this.#unit,
      power: this.#power,
    };
  }

  /** A bracket that closes in another cell is no sign for certain. */
  #rest(text: string): WrittenCell {
    const isOpen = /^\(\s?[\d.,\s]+$|^[\d.,\s]+\)$/.test(text);
    return isOpen ? { kind: 'doubt', why: `a bracket of "${text}" is missing` } : TEXT;
  }

  #step(): boolean {
    return this.#brackets() || this.#sign() || this.#money() || this.#ending();
  }

  #take(text: string): true {
    this.#text = text.trim();
    return true;
  }

  #negative(text: string): true {
    this.#signs++;
    this.#isNegative = true;
    return this.#take(text);
  }

  #brackets(): boolean {
    const text = this.#text;
    if (!text.startsWith('(') || !text.endsWith(')')) return false;
    const inner = text.slice(1, -1);
    return /[()]/.test(inner) ? false : this.#negative(inner);
  }

  #sign(): boolean {
    const first = SIGN_FIRST.exec(this.#text);
    if (first !== null) {
      const rest = this.#text.slice(first[0].length);
      if (first.groups?.sign !== '+') return this.#negative(rest);
      this.#signs++;
      return this.#take(rest);
    }
    const last = SIGN_LAST.exec(this.#text);
    return last !== null && this.#negative(this.#text.slice(0, last.index));
  }

  #money(): boolean {
    if (this.#currency !== null) return false;
    const first = currencyAtEdge(this.#text, 'first');
    const found = first ?? currencyAtEdge(this.#text, 'last');
    if (found === null) return false;
    const { currency, power, start, end } = found;
    this.#currency = currency;
    this.#power ??= power;
    return this.#take(first === null ? this.#text.slice(0, start) : this.#text.slice(end));
  }

  #ending(): boolean {
    const ending = endingOf(this.#text, this.#language, this.#currency !== null);
    if (ending === null || (ending.power !== null && this.#power !== null)) return false;
    if (ending.unit !== null && this.#unit !== null) return false;
    this.#power = ending.power ?? this.#power;
    this.#unit = ending.unit ?? this.#unit;
    return this.#take(this.#text.slice(0, ending.start));
  }
}

/** The evidence of how numbers are written around one. */
export interface Surroundings {
  readonly column: Evidence;
  readonly table: Evidence;
  readonly document: Evidence;
  /** Texts in the document's language set thousands apart by this; null where it is not known. */
  readonly groupMark: () => ',' | '.' | ' ' | null;
}

export type Value =
  | { readonly kind: 'value'; readonly decimal: string }
  | { readonly kind: 'doubt'; readonly why: string };

/** The number as a decimal: not multiplied by what one of it is worth. */
export function cellValue({ shape, isNegative }: WrittenNumber, around: Surroundings): Value {
  const read = readShape(shape, around);
  if (read === null) return { kind: 'doubt', why: doubtOf(shape) };
  return { kind: 'value', decimal: isNegative && /[1-9]/.test(read) ? `-${read}` : read };
}

function readShape(shape: WrittenNumber['shape'], around: Surroundings): string | null {
  switch (shape.kind) {
    case 'open': {
      const role = roleOf(shape.mark, around);
      if (role === null) return null;
      return role === 'groups' ? shape.whole + shape.rest : `${shape.whole}.${shape.rest}`;
    }
    case 'apart':
      return setsSpaces(around) ? shape.value : null;
    case 'plain':
      return shape.tells === 'decimals' && isForeign(shape.decimalMark, around) ? null : shape.value;
  }
}

/** Groups seen for certain, in the column or anywhere around it, show that the other mark is the decimals'. */
function isForeign(mark: Mark | null, { column, table, document }: Surroundings): boolean {
  if (mark === null) return false;
  const other: Mark = mark === '.' ? ',' : '.';
  const isOther = (evidence: Evidence): boolean => evidence.weight(other) === 2;
  if (column.isMixed) return true;
  return column.weight(mark) < 2 && (isOther(column) || isOther(table) || isOther(document));
}

/**
 * The role of a mark before three digits. That it sets decimals is believed only of a column that has others,
 * or where groups were seen: numbers of sections and dates look like decimals everywhere.
 */
function roleOf(
  mark: Mark,
  { column, table, document, groupMark }: Surroundings,
): 'groups' | 'decimals' | null {
  const other: Mark = mark === '.' ? ',' : '.';
  if (column.isMixed) return null;
  if (column.weight(other) > 0) return 'groups';
  if (column.weight(mark) > 0) return 'decimals';
  if (table.isMixed) return null;
  if (table.weight(other) > 0) return 'groups';
  if (table.weight(mark) === 2) return 'decimals';
  if (table.weight(mark) > 0) return null;
  if (document.weight(other) === 2) return 'groups';
  if (document.weight(mark) === 2) return 'decimals';
  return mark === ',' && !document.isMixed && groupMark() === ',' ? 'groups' : null;
}

const setsSpaces = ({ column, table, document, groupMark }: Surroundings): boolean =>
  column.hasSpaces || table.hasSpaces || document.hasSpaces || groupMark() === ' ';

function doubtOf(shape: WrittenNumber['shape']): string {
  if (shape.kind === 'open') {
    const { mark, whole, rest } = shape;
    return `"${whole}${mark}${rest}" may be ${whole}${rest} or ${whole}.${rest}`;
  }
  if (shape.kind === 'apart') return `"${shape.value}" may be one number or several`;
  return `${shape.value} is written with another decimal mark than what stands around it`;
}
