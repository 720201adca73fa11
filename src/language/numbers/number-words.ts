/** Words of numbers in any of the packs' languages: scales, units, currencies, what stands for no number. */
import { PACKS } from '../questions/packs.ts';
import { ANY_LANGUAGE, type LanguageOf, WordTable, wordsSource } from '../questions/words.ts';

/** A kind of things that a number counts. */
export type Unit = string;

const SCALES = new WordTable((pack) => pack.scales);
const COUNTS = new WordTable((pack) => pack.counts);
/** Units of time that are counted: they stand in names of periods. */
const TIMES: ReadonlySet<string> = new Set(['years', 'months', 'days', 'hours']);
export const isTimeUnit = (unit: string): boolean => TIMES.has(unit);
const CURRENCY_WORDS = new WordTable((pack) => pack.currencies);

/** ISO 4217; what several countries write alike stays as written. Source: the codes of most traded currencies. */
const CODES =
  'USD EUR GBP JPY CNY RMB CHF CAD AUD NZD HKD SGD TWD INR KRW BRL MXN ZAR RUB TRY SEK NOK DKK PLN CZK HUF RON ' +
  'ILS AED SAR QAR KWD EGP THB IDR MYR PHP VND ARS CLP COP PEN NGN KES PKR BDT';
const SIGNS: Readonly<Record<string, string>> = {
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₩': 'KRW',
  '₽': 'RUB',
  '₺': 'TRY',
  '฿': 'THB',
  '₫': 'VND',
  '₪': 'ILS',
  '₴': 'UAH',
  '₦': 'NGN',
  '₱': 'PHP',
  US$: 'USD',
  U$: 'USD',
  A$: 'AUD',
  AU$: 'AUD',
  C$: 'CAD',
  CA$: 'CAD',
  HK$: 'HKD',
  NT$: 'TWD',
  NZ$: 'NZD',
  S$: 'SGD',
  R$: 'BRL',
  MX$: 'MXN',
  RMB: 'CNY',
  FR: 'CHF',
  SFR: 'CHF',
};

/** Written together with a currency: `TEUR`, `k€`. */
const GLUED = new WordTable((pack) => pack.scalesBeforeCurrency);
const CODE = `(?:${CODES.replaceAll(' ', '|')}|S?Fr)(?!\\p{L})`;
const SIGN = '(?:US|U|AU?|CA?|HK|NT|NZ|S|R|MX)\\$|\\p{Sc}';
const CURRENCY_SOURCE =
  `(?:(?<=^|\\P{L})(?<glued>${GLUED.words.join('|')})\\s?(?:\\p{Sc}|${CODE})|` +
  `${SIGN}|(?<!\\p{L})${CODE}|${wordsSource(CURRENCY_WORDS.words)})\\.?`;

const CURRENCY_FIRST = new RegExp(`^${CURRENCY_SOURCE}`, 'iu');
const CURRENCY_LAST = new RegExp(`${CURRENCY_SOURCE}$`, 'iu');
const CURRENCY_ANYWHERE = new RegExp(CURRENCY_SOURCE, 'giu');

export interface Found {
  /** ISO 4217, or the sign as it is written where several currencies have it. */
  readonly currency: string;
  /** 3 for `TEUR`; null where it says no scale. */
  readonly power: number | null;
  readonly start: number;
  readonly end: number;
}

/** @param side where it touches the text's edge. */
export function currencyAtEdge(text: string, side: 'first' | 'last'): Found | null {
  const match = (side === 'first' ? CURRENCY_FIRST : CURRENCY_LAST).exec(text);
  return match === null ? null : foundAt(match);
}

export const currenciesIn = (text: string): readonly Found[] =>
  [...text.matchAll(CURRENCY_ANYWHERE)].map(foundAt);

function foundAt(match: RegExpExecArray | (RegExpMatchArray & { index: number })): Found {
  const [written] = match;
  const glued = match.groups?.glued;
  const alone = written.slice(glued?.length ?? 0).trim();
  const code = alone.toUpperCase().replace(/\.$/, '');
  return {
    currency: SIGNS[code] ?? CURRENCY_WORDS.get(alone, ANY_LANGUAGE) ?? code,
    power: glued === undefined ? null : (GLUED.get(glued, ANY_LANGUAGE) ?? null),
    start: match.index,
    end: match.index + written.length,
  };
}

const NOTHING = wordsSource(PACKS.flatMap(({ nothing }) => nothing));
const WHOLE_NOTHING = new RegExp(`^[([]?${NOTHING}\\.?[)\\]]?$`, 'iu');
const DASHES = /^[-\u2010-\u2015\u2212\u2500\u30fc\uff0d_.·…*†‡§]+$|^x$/i;

/** A dash, `n/a`, `nil`, a footnote's mark alone: a place for a number that has none. */
export const isNothing = (text: string): boolean => DASHES.test(text) || WHOLE_NOTHING.test(text);

const last = (words: readonly string[]): RegExp => new RegExp(`\\s*${wordsSource(words)}\\.?$`, 'iu');
const LAST = {
  percentagePoints: last(PACKS.flatMap((pack) => pack.percentagePoints)),
  basisPoints: last(PACKS.flatMap((pack) => pack.basisPoints)),
  percent: last(PACKS.flatMap((pack) => pack.percent)),
  scale: last(SCALES.words),
  count: last(COUNTS.words),
};

/** A unit that ends a text, and where it begins. */
export interface Ending {
  readonly start: number;
  readonly unit: Unit | null;
  /** One of it is worth ten to this power; null where the ending says nothing about it. */
  readonly power: number | null;
}

/**
 * The unit or scale at the end of a number's text; null where there is none.
 *
 * @param isMoney a currency stands with it, so that a single letter is a scale: `5 m` alone may be metres.
 */
export function endingOf(text: string, language: LanguageOf, isMoney: boolean): Ending | null {
  const at = (match: RegExpExecArray, unit: Unit | null, power: number | null): Ending => ({
    start: match.index,
    unit,
    power,
  });
  const share = /\s*(?<sign>[%‰])$/u.exec(text);
  if (share !== null) {
    const isPercent = share.groups?.sign === '%';
    return at(share, isPercent ? '%' : '‰', isPercent ? -2 : -3);
  }
  if (!/\p{L}\.?$/u.test(text)) return null;
  const points = LAST.percentagePoints.exec(text);
  if (points !== null) return at(points, 'pp', -2);
  const basis = LAST.basisPoints.exec(text);
  if (basis !== null) return at(basis, 'bp', -4);
  const percent = LAST.percent.exec(text);
  if (percent !== null) return at(percent, '%', -2);
  const scale = LAST.scale.exec(text);
  const power = scale === null ? undefined : SCALES.get(scale[0].trim(), language);
  const isLetter = /^\p{ASCII}$/u.test(scale?.[0].trim() ?? '');
  if (scale !== null && power !== undefined && (isMoney || !isLetter)) return at(scale, null, power);
  const count = LAST.count.exec(text);
  const unit = count === null ? undefined : COUNTS.get(count[0].trim(), language);
  if (count !== null && unit !== undefined) return at(count, unit, null);
  const times = /(?<=\d)\s?[x×]$/u.exec(text);
  return times === null ? null : at(times, 'x', null);
}

const SCALE_ANYWHERE = new RegExp(wordsSource(SCALES.words), 'giu');
const COUNT_ANYWHERE = new RegExp(wordsSource(COUNTS.words), 'iu');

export interface ScaleWord {
  readonly start: number;
  readonly end: number;
  readonly power: number;
  /** `m`, which is many things. */
  readonly isLetter: boolean;
}

/** Words that scale, wherever they stand. */
export const scaleWordsIn = (text: string, language: LanguageOf): readonly ScaleWord[] =>
  [...text.matchAll(SCALE_ANYWHERE)].flatMap(({ index, 0: word }) => {
    const power = SCALES.get(word, language);
    const isLetter = /^\p{ASCII}$/u.test(word);
    return power === undefined ? [] : [{ start: index, end: index + word.length, power, isLetter }];
  });

/** The things that a text says are counted: `shares`, `employees`; null where it does not. */
export function unitWordIn(text: string, language: LanguageOf): Unit | null {
  const [word = ''] = COUNT_ANYWHERE.exec(text) ?? [];
  return COUNTS.get(word, language) ?? null;
}
