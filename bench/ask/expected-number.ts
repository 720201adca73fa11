/** Finder of an expected number in a text: it reads apart from the product's own readers, and more loosely. */

export interface ExpectedNumber {
  readonly value: number;
  readonly unit: string;
}

const NUMBER = /(?<![\p{L}\d])(?:\d{1,3}(?:[,\u00a0 ]\d{3})+|\d+)(?:\.\d+)?(?!\d)/gu;
/** Powers of ten by which an amount may be written otherwise. */
const POWERS = [0, 3, -3, 6, -6, 9, -9];

/** Numbers of a text as they are written, signs aside. */
const numbersIn = (text: string): readonly string[] =>
  [...text.matchAll(NUMBER)].map(([written]) => written.replace(/[,\u00a0 ]/g, ''));

/** True when one is the expected number, rounded to the digits that it shows; amounts of money in any scale. */
export function holdsNumber(text: string, { value, unit }: ExpectedNumber): boolean {
  const powers = /%|percent|ratio|times|year|days/i.test(unit) ? [0] : POWERS;
  return numbersIn(text).some((written) => powers.some((power) => isAlike(written, Math.abs(value), power)));
}

function isAlike(written: string, value: number, power: number): boolean {
  const shown = Number(written) * 10 ** power;
  if (shown === 0) return value === 0;
  const places = written.split('.')[1]?.length ?? 0;
  // Fewer than two digits that count say too little to be the number.
  const digits = written.replace(/^0+|\.|0+$/g, '').length;
  if (digits < 2 && shown !== value) return false;
  return Math.abs(shown - value) <= 0.5 * 10 ** (power - places) * 1.000_001;
}

/** The first number of an answer in words that is no year. */
export function firstNumberOf(answer: string): ExpectedNumber | null {
  const found = numbersIn(answer.replace(/\b(?:FY|Q[1-4])\s?\d+/gi, ' ')).find(
    (written) => !/^(?:19|20)\d\d$/.test(written),
  );
  if (found === undefined) return null;
  const isShare = new RegExp(`${found.replace('.', '\\.')}\\s*(?:%|percent)`).test(answer.replace(/,/g, ''));
  return { value: Number(found), unit: isShare ? '%' : '' };
}
