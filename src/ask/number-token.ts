/**
 * A number as it is written, with all that makes it the number it is: sign, groups, decimals, percent sign, currency.
 * What touches it and could make it another (a letter, a superscript, a fraction's bar) is kept as written. What its
 * value is, `language/numbers` says; placing compares what is written.
 */
import { DIGITS, MINUS, UNSPACED, wideAsPlain } from '../language/numbers/number-marks.ts';
import { isGroupedByComma, isGroupedByPoints } from '../language/numbers/separators.ts';

export interface NumberToken {
  /** UTF-16 offsets, with sign, brackets, currency and percent sign. */
  readonly start: number;
  readonly end: number;
  /** Form that is compared: `1577`, `-1577`, `(1577` in brackets, `~1577` after a dash that may be a minus sign, `5%`. */
  readonly form: string;
  /** `$`, `€`, …; null where none is written. */
  readonly currency: string | null;
  /** In brackets and alone in a table's cell, where brackets are a minus sign. */
  readonly isAccounting: boolean;
}

/** Digits with what may stand between them; `/` and `:` make dates, fractions and times one word. */
const BODY = `${DIGITS}+(?:[.,/:\\u2044'’]${DIGITS}+|[\\u00a0\\u2009\\u202f]${DIGITS}{3}(?!${DIGITS}))*`;
/** Letters that touch the digits, and CJK words that scale them. */
const TAIL = `(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{No}_]|[万萬億亿兆千百])*`;
const NUMBER = new RegExp(
  `(?<open>\\(\\s?)?(?<sign>${MINUS}\\s?)?(?:(?:US)?(?<currency>\\p{Sc})\\s{0,3}(?<inner>\\(\\s?|${MINUS})?)?` +
    `(?<body>\\.${DIGITS}+|${BODY})(?<tail>${TAIL})(?<percent>\\s?[%‰])?(?<close>\\s?\\))?(?<late>\\s?[%‰])?`,
  'uy',
);
const FIRST = /^(?:[-(\d.\u2012\u2013\u2212\uff10-\uff19U]|\p{Sc})/u;

type Parts = Readonly<Record<string, string | undefined>>;

/** @returns the number that begins there, with its sign or currency; null where none does. */
export function numberAt(text: string, at: number, groups: boolean): NumberToken | null {
  if (!FIRST.test(text.charAt(at))) return null;
  NUMBER.lastIndex = at;
  const match = NUMBER.exec(text);
  const parts: Parts = match?.groups ?? {};
  const { body, currency, tail = '' } = parts;
  if (match === null || body === undefined) return null;
  const lead = leadOf(text, at, parts);
  if (lead === null) return null;
  const whole = match[0];
  const { close, late = '' } = parts;
  const isClosedElsewhere = close !== undefined && lead !== '(';
  const end = at + whole.length - (isClosedElsewhere ? close.length + late.length : 0);
  const share = (parts.percent ?? (isClosedElsewhere ? '' : late)).trim();
  return {
    start: at,
    end,
    form: `${lead}${digitsOf(body, tail, groups)}${tail.toLowerCase()}${share}`,
    currency: currency ?? null,
    isAccounting: lead === '(' && beginsCell(text, at) && /^\s*(?:;|\n|$)/.test(text.slice(end, end + 4)),
  };
}

/** Sign of a number; null where no number begins: brackets that do not close, a hyphen. */
function leadOf(text: string, at: number, { open, sign, inner, close }: Parts): string | null {
  const isBracket = open !== undefined || inner?.startsWith('(') === true;
  if (isBracket) return close === undefined || sign !== undefined ? null : '(';
  if (inner !== undefined) return '-';
  if (sign === undefined) return '';
  const before = text.slice(Math.max(0, at - 12), at);
  if (/[\p{L}\p{N}\p{M}_]$/u.test(before)) return null;
  if (sign.startsWith('\u2212') || beginsCell(text, at)) return '-';
  const isApart = sign.length > 1;
  if (isApart && /(?:^|\n)\s*$/.test(before)) return null; // The mark of a list's item.
  return isApart || /\d\s+$/.test(before) ? '~' : '-';
}

/** `[Column]=` stands before it. */
const beginsCell = (text: string, at: number): boolean => /\]=\s*$/.test(text.slice(Math.max(0, at - 8), at));

const GROUPED = /^(\d{1,3}(?:([,\u00a0\u2009\u202f'’])\d{3})(?:\2\d{3})*|\d+)?(?:\.(\d+))?$/;

/** Groups go, and decimals that are all zeros; what is no plain number stays as written, as does `1.000`. */
function digitsOf(body: string, tail: string, groups: boolean): string {
  const plain = body.replace(/[\uff10-\uff19]/g, wideAsPlain);
  const match = groups && tail === '' ? GROUPED.exec(plain) : null;
  if (match === null) return plain;
  const [, whole = '0', separator, decimals = ''] = match;
  if (separator !== undefined && whole.startsWith('0')) return plain;
  const integer = whole.replace(/\D/g, '');
  if (decimals === '' || (/^0+$/.test(decimals) && decimals.length !== 3)) return integer;
  return `${integer}.${decimals}`;
}

/**
 * True when commas and the like group thousands: not where the text has numbers of another shape, as `12,5` or
 * `1.234,56`, which may use the comma as a decimal mark.
 */
export function groupsByComma(text: string): boolean {
  for (const [run] of text.matchAll(/\d[\d.,]*\d/g)) {
    if (run.includes(',') && !isGroupedByComma(run)) return false;
    if (isGroupedByPoints(run)) return false;
  }
  return true;
}
