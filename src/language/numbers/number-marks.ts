/** Digits, signs and marks of written numbers, whatever the script, in one form. */

/** Signs that may be a minus, for a character class. */
export const MINUS = '[-\\u2212\\u2012\\u2013]';
/** Digits that every text may use beside its script's own. */
export const DIGITS = '[\\d\\uff10-\\uff19]';
/** Scripts that set no spaces between words. */
export const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';

const PLAIN = /^[\0-\u024f\u2000-\u20cf\u2122\u2200-\u22ff]*$/;
const WIDE_MARKS = /[\uff04\uff05\uff08\uff09\uff0b\uff0c\uff0d\uff0e]/g;
const MATHEMATICAL_ZERO = 0x1d7ce;
const values = new Map<string, string>();

/** `３`, `٣` and `३` as `3`, wide marks as plain ones; nothing else is changed but the length of rare digits. */
export function plainMarks(text: string): string {
  if (PLAIN.test(text)) return text;
  return text
    .replace(/\p{Nd}/gu, digitOf)
    .replace(WIDE_MARKS, wideAsPlain)
    .replaceAll('\u066a', '%');
}

export const wideAsPlain = (wide: string): string => String.fromCharCode(wide.charCodeAt(0) - 0xfee0);

function digitOf(digit: string): string {
  const known = values.get(digit);
  if (known !== undefined) return known;
  const value = String(digitValue(digit.codePointAt(0) as number));
  values.set(digit, value);
  return value;
}

/** A script's ten digits follow each other, and nothing that is a digit stands before its zero. */
function digitValue(code: number): number {
  if (code >= MATHEMATICAL_ZERO && code < MATHEMATICAL_ZERO + 50) return (code - MATHEMATICAL_ZERO) % 10;
  let value = 0;
  while (value < 9 && /\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value++;
  return value;
}
