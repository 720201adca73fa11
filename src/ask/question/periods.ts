/** Years of a text, and parts of a year. */
import { wordsPattern, wordsSource } from '../../language/questions/words.ts';
import { PACKS } from '../../language/questions/packs.ts';

const YEAR = /(?<!\p{Sc}\s?)\b(?:FY\s?)?((?:19|20)\d{2})(?:\s?[-–]\s?((?:19|20)\d{2}|\d{2}))?\b/giu;
const SHORT_YEAR = /\b(?:FY|GJ)\s?['’]?(\d{2})\b/g;
/** `F19` at the end of a clause, or before another: not the aircraft, which goes on. */
const SHORTEST_YEAR = /\bF(\d{2})(?=\s*(?:$|[?.,;:)])|\s+\p{L}{1,4}\s+F\d{2}\b)/gu;
const YEAR_OF_QUARTER = /\b(?:FY|Q[1-4])?\s?((?:19|20)\d{2})(?:Q[1-4])\b/gi;
/** A longer range gives its first ones: nobody asks for each of more. */
const RANGE_YEARS_MAX = 10;

/** Ascending; `2017-2019` is three of them. */
export function yearsIn(text: string): readonly number[] {
  const years = new Set<number>();
  for (const [, first, last] of text.matchAll(YEAR)) {
    const from = Number(first);
    const to =
      last === undefined
        ? from
        : last.length === 2
          ? Math.floor(from / 100) * 100 + Number(last)
          : Number(last);
    for (let year = from; year <= to && year < from + RANGE_YEARS_MAX; year++) years.add(year);
  }
  for (const pattern of [SHORT_YEAR, SHORTEST_YEAR])
    for (const [, short] of text.matchAll(pattern)) years.add(2000 + Number(short));
  for (const [, year] of text.matchAll(YEAR_OF_QUARTER)) years.add(Number(year));
  return [...years].sort((a, b) => a - b);
}

/** Single letters are marks of a number (`Q2`), no words. */
const isWord = (word: string): boolean => word.length > 1;
const MONTHS_OF_YEAR = 12;
/** A year has fifty weeks and more. */
const WEEKS = '[1-3]?\\d';
const numerals = PACKS.flatMap((pack) => Object.entries(pack.numerals));
const wordsOf = (isFit: (value: number) => boolean): string =>
  wordsSource(numerals.flatMap(([word, value]) => (isFit(value) ? [word] : [])));
const MONTHS = `(?:(?<![\\d.,])(?:[2-9]|1[01])|${wordsOf((value) => value > 1 && value < MONTHS_OF_YEAR)})`;
const monthsLong = wordsSource(PACKS.flatMap((pack) => pack.monthsLong));
const weeks = wordsSource(PACKS.flatMap((pack) => pack.weeks));
/** One half may be of anything, the first one is of a year. */
const CARDINALS = /^(?:one|two)$/;
const HALF_ORDINALS = wordsSource(
  numerals.flatMap(([word, value]) => (value < 3 && !CARDINALS.test(word) ? [word] : [])),
);
const halves = wordsSource(PACKS.flatMap((pack) => pack.halves.filter(isWord)));
const PARTS: readonly RegExp[] = [
  new RegExp(`${MONTHS}[-\\s]*${monthsLong}`, 'iu'),
  new RegExp(`(?<![\\d.,])(?:${WEEKS}|${wordsOf((value) => value > 9 && value < 50)})[-\\s]*${weeks}`, 'iu'),
  wordsPattern((pack) => pack.quarters.filter(isWord)),
  wordsPattern((pack) => pack.halves.filter((word) => isWord(word) && word !== 'half')),
  new RegExp(`(?:\\b[12](?:st|nd)|${HALF_ORDINALS})[-\\s]${halves}`, 'iu'),
  /(?:\b|\d)Q[1-4]\b|\b[HST][1-4](?=[\s-]*(?:FY\s?)?(?:19|20)\d{2}\b)/i,
];

/** `Three Months Ended`, `13 weeks`, `Q2`, `1. Halbjahr`. */
export const isPartOfYear = (text: string): boolean =>
  /\p{L}/u.test(text) && PARTS.some((part) => part.test(text));

export interface PartOfYear {
  readonly unit: 'quarter' | 'half' | 'months';
  /** Which quarter or half, or how many months; null where it does not say. */
  readonly number: number | null;
}

const VALUES = new Map(numerals);
const ORDINAL = `(?<digit>[1-4])(?:\\.|st|nd|rd|th|er|e|º|ª)?\\s?|(?<word>${wordsSource(VALUES.keys())})[-\\s]*`;
const partPattern = (words: string): RegExp =>
  new RegExp(`(?:${ORDINAL})?${words}(?:\\s+(?<after>[1-4])(?!\\d))?`, 'giu');
const QUARTER = partPattern(wordsSource(PACKS.flatMap((pack) => pack.quarters.filter(isWord))));
const HALF = partPattern(wordsSource(PACKS.flatMap((pack) => pack.halves.filter(isWord))));
const MARKED = /\b(?<mark>[QH])(?<after>[1-4])(?!\d)|(?<=\d)(?<late>Q)(?<digit>[1-4])\b/gi;
const LONG = new RegExp(
  `(?:(?<digit>[1-9]|1[01])|(?<word>${wordsSource(VALUES.keys())}))[-\\s]*${monthsLong}`,
  'giu',
);

/** In the order of the text. */
export function partsIn(text: string): readonly PartOfYear[] {
  const found: { readonly at: number; readonly part: PartOfYear }[] = [];
  const add = (pattern: RegExp, unitOf: (match: RegExpExecArray) => PartOfYear['unit']): void => {
    for (const match of text.matchAll(pattern)) {
      const { digit, word, after } = match.groups ?? {};
      const number = Number(digit ?? after ?? VALUES.get((word ?? '').toLowerCase()) ?? 0);
      found.push({ at: match.index, part: { unit: unitOf(match), number: number === 0 ? null : number } });
    }
  };
  add(QUARTER, () => 'quarter');
  add(HALF, () => 'half');
  add(MARKED, ({ groups }) => (/^h$/i.test(groups?.mark ?? '') ? 'half' : 'quarter'));
  add(LONG, () => 'months');
  return found.sort((a, b) => a.at - b.at).map(({ part }) => part);
}
