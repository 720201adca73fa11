/**
 * Times as tables write them, in the packs' languages, in one form: `2023`, `2023-Q2`, `2023-H1`, `2023-06`,
 * `2023-06-30` for a day, `P3M/2023-06-30` for what ended on it (ISO 8601: a duration and its end).
 */
import { plainMarks } from '../language/numbers/number-marks.ts';
import type { LanguagePack } from '../language/questions/language-pack.ts';
import { PACKS } from '../language/questions/packs.ts';
import { wordsPattern, wordsSource } from '../language/questions/words.ts';

export interface Period {
  readonly text: string;
  /** The calendar year of its end; of a fiscal year the one that it is called by. */
  readonly year: number;
}

const CHARACTERS_MAX = 200;
const YEAR =
  /(?<![\d,'’]|\d\.)(?:FY|CY|GJ)?\s?(?<year>(?:19|20)\d{2})(?:\s?[/–-]\s?(?<next>\d{2}|(?:19|20)\d{2}))?(?![\d.,]\d|\d|%)/gu;
const SHORT_YEAR = /^(?:(?:FY|CY|GJ)\s?['’]?(?<short>\d{2})(?!\d)|F(?<alone>\d{2})(?=\s*(?:$|[\d\p{Sc}])))/iu;

const spellings = (month: string): readonly string[] => month.split('|');
const MONTH_NAMES = new Map(
  PACKS.flatMap(({ months }) =>
    months.flatMap((month, i) => spellings(month).map((name) => [name, i + 1] as const)),
  ),
);
const MONTH = wordsSource(MONTH_NAMES.keys());
const DAY_FIRST = new RegExp(
  `(?<!\\d)(?<day>\\d{1,2})(?:\\.|st|nd|rd|th|º|er|\\s+de)?\\s*(?<month>${MONTH})\\.?,?(?:\\s+de[l]?)?\\s*(?<year>(?:19|20)\\d{2})`,
  'iu',
);
const MONTH_FIRST = new RegExp(
  `(?<month>${MONTH})\\.?\\s*(?<day>\\d{1,2})(?:st|nd|rd|th)?,?\\s+(?<year>(?:19|20)\\d{2})`,
  'iu',
);
const MONTH_ONLY = new RegExp(`(?<month>${MONTH})\\.?,?\\s*(?:de\\s+)?(?<year>(?:19|20)\\d{2})(?!\\d)`, 'iu');
const ISO_DAY = /(?<!\d)(?<year>(?:19|20)\d{2})[-/.年](?<month>\d{1,2})[-/.月](?<day>\d{1,2})日?(?!\d)/u;
const CJK_MONTH = /(?<year>(?:19|20)\d{2})年(?<month>\d{1,2})月/u;
const POINTED_DAY = /(?<!\d)(?<a>\d{1,2})(?<mark>[./-])(?<b>\d{1,2})\k<mark>(?<year>(?:19|20)\d{2})(?!\d)/u;

const NUMERAL_WORDS = new Map(PACKS.flatMap(({ numerals }) => Object.entries(numerals)));
const COUNT = `(?<count>\\d{1,2}|${wordsSource(NUMERAL_WORDS.keys())})`;
const parts = (listed: (pack: LanguagePack) => readonly string[]): string =>
  wordsSource(PACKS.flatMap(listed));
const long = (words: string): RegExp => new RegExp(`${COUNT}[\\s-]*${words}`, 'iu');
const part = (words: string): RegExp =>
  new RegExp(
    `(?<![\\p{L}])${words}\\s?(?<after>[1-4])(?!\\d)|(?<!\\d)(?<digit>[1-4])(?:\\.|st|nd|rd|th|er|e|º|ª)?\\s?${words}|(?<word>${wordsSource(NUMERAL_WORDS.keys())})\\s*${words}|${words}\\s+(?<late>${wordsSource(NUMERAL_WORDS.keys())})`,
    'iu',
  );

const MONTHS_LONG = long(parts((pack) => pack.monthsLong));
const WEEKS_LONG = long(parts((pack) => pack.weeks));
const QUARTER = part(parts((pack) => pack.quarters));
const HALF = part(parts((pack) => pack.halves));
const QUARTERS = wordsPattern((pack) => pack.quarters);
const YEARS = wordsPattern((pack) => pack.years);
const ENDED = wordsPattern((pack) => pack.ended);
const CHANGES = wordsPattern((pack) => pack.changes);

/** Asked first, as it costs next to nothing. */
const MAY_BE = /(?:19|20)\d{2}|^\s*(?:(?:FY|CY|GJ)\s?['’]?\d{2}|F\d{2}(?=\s*(?:$|[\d\p{Sc}])))/iu;

/** Set wide: `2 0 1 8`. */
const SPACED_YEAR = /(?<!\d ?)([12]) ([09]) (\d) (\d)(?! ?[\d.,])/g;

/** Null for a text of no time, of several, or of a change from one to the other. */
export function periodIn(written: string): Period | null {
  if (written.length > CHARACTERS_MAX) return null;
  const text = plainMarks(written).replace(/\s+/g, ' ').replace(SPACED_YEAR, '$1$2$3$4');
  if (!MAY_BE.test(text) || CHANGES.test(text)) return null;
  const short = SHORT_YEAR.exec(text.trim());
  const years = yearsIn(text);
  if (years.length === 0 && short !== null) {
    const year = 2000 + Number(short.groups?.short ?? short.groups?.alone);
    return { text: String(year), year };
  }
  const [only] = years;
  if (only === undefined || new Set(years.map(({ year }) => year)).size > 1) return null;
  return ofOneYear(text, only);
}

interface FoundYear {
  readonly year: number;
  /** `2022/23`, as it is written; else the year. */
  readonly text: string;
}

/** `2021-2023`. */
const SEVERAL = 'several';

function yearsIn(text: string): readonly FoundYear[] {
  const pointed = POINTED_DAY.exec(text)?.groups?.year;
  if (pointed !== undefined) return [{ year: Number(pointed), text: pointed }];
  return [...text.matchAll(YEAR)].map(({ groups }) => {
    const year = Number(groups?.year);
    const next = groups?.next;
    if (next === undefined) return { year, text: String(year) };
    const end = next.length === 2 ? Math.floor(year / 100) * 100 + Number(next) : Number(next);
    if (end === year + 1 && next.length === 2) return { year: end, text: `${year}/${next}` };
    const isMonth = next.length === 2 && Number(next) >= 1 && Number(next) <= 12;
    return { year, text: isMonth ? `${year}-${next}` : end > year ? SEVERAL : String(year) };
  });
}

function ofOneYear(text: string, { year, text: written }: FoundYear): Period | null {
  if (written === SEVERAL) return null;
  const day = dayIn(text);
  if (day === 'unclear') return null;
  const end = day ?? String(year);
  const duration = durationIn(text);
  if (duration !== null) return { text: `${duration}/${end}`, year };
  const quarter = numberOf(QUARTER.exec(text));
  const isOfYear = YEARS.test(text);
  if (day !== null && (quarter === null || !isOfYear))
    return { text: `${endOf(text, isOfYear)}${day}`, year };
  if (quarter !== null) return { text: `${written}-Q${quarter}`, year };
  const half = numberOf(HALF.exec(text));
  if (half !== null && half <= 2) return { text: `${written}-H${half}`, year };
  const month = monthIn(text);
  return { text: month === null ? written : `${year}-${twoDigits(month)}`, year };
}

/** `Year ended`, `Quarter ended`: a day that ends more than itself. */
function endOf(text: string, isOfYear: boolean): string {
  if (!ENDED.test(text)) return '';
  return isOfYear ? 'P1Y/' : QUARTERS.test(text) ? 'P3M/' : '';
}

function durationIn(text: string): string | null {
  const months = numberOf(MONTHS_LONG.exec(text));
  if (months !== null) return months === 12 ? 'P1Y' : `P${months}M`;
  const weeks = numberOf(WEEKS_LONG.exec(text));
  return weeks === null ? null : `P${weeks}W`;
}

function numberOf(match: RegExpExecArray | null): number | null {
  if (match === null) return null;
  const { count, after, digit, word, late } = match.groups ?? {};
  const written = count ?? after ?? digit ?? word ?? late ?? '';
  return NUMERAL_WORDS.get(written.toLowerCase()) ?? (/^\d+$/.test(written) ? Number(written) : null);
}

/** `unclear` for a day that may be another: 03/04/2023. */
function dayIn(text: string): string | null | 'unclear' {
  const named = DAY_FIRST.exec(text) ?? MONTH_FIRST.exec(text);
  if (named !== null) {
    const { year = '', month = '', day = '' } = named.groups ?? {};
    return dayOf(Number(year), MONTH_NAMES.get(month.toLowerCase()) ?? 0, Number(day));
  }
  const iso = ISO_DAY.exec(text)?.groups;
  if (iso !== undefined) return dayOf(Number(iso.year), Number(iso.month), Number(iso.day));
  const pointed = POINTED_DAY.exec(text)?.groups;
  if (pointed === undefined) return null;
  const [a, b] = [Number(pointed.a), Number(pointed.b)];
  if (pointed.mark === '.' || a > 12 || a === b) return dayOf(Number(pointed.year), b, a) ?? 'unclear';
  return (b > 12 ? dayOf(Number(pointed.year), a, b) : null) ?? 'unclear';
}

/** All days that a text names, as `2023-06-30`, in their order. */
export function daysIn(text: string): readonly string[] {
  const named = [DAY_FIRST, MONTH_FIRST].flatMap((pattern) => [
    ...text.matchAll(new RegExp(pattern.source, 'giu')),
  ]);
  const found = named.map(({ index, groups: { year = '', month = '', day = '' } = {} }) => ({
    index,
    day: dayOf(Number(year), MONTH_NAMES.get(month.toLowerCase()) ?? 0, Number(day)),
  }));
  const iso = [...text.matchAll(new RegExp(ISO_DAY.source, 'gu'))].map(({ index, groups = {} }) => ({
    index,
    day: dayOf(Number(groups.year), Number(groups.month), Number(groups.day)),
  }));
  const days = [...found, ...iso].sort((a, b) => a.index - b.index).flatMap(({ day }) => day ?? []);
  return [...new Set(days)];
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

const dayOf = (year: number, month: number, day: number): string | null =>
  month < 1 || month > 12 || day < 1 || day > 31 ? null : `${year}-${twoDigits(month)}-${twoDigits(day)}`;

function monthIn(text: string): number | null {
  const cjk = CJK_MONTH.exec(text)?.groups;
  if (cjk !== undefined) return Number(cjk.month);
  const named = MONTH_ONLY.exec(text)?.groups;
  return named === undefined ? null : (MONTH_NAMES.get((named.month ?? '').toLowerCase()) ?? null);
}

/** True when a text names a part of a year, whose year stands elsewhere. */
export const isPartOfYear = (text: string): boolean => {
  const period = periodIn(`${text} 2000`);
  return period !== null && period.text !== '2000';
};

/** True when a text is a time and nothing else: a year as the name of a row. */
export function isPeriodOnly(written: string): boolean {
  if (periodIn(written) === null) return false;
  const rest = plainMarks(written)
    .replace(new RegExp(MONTH, 'giu'), '')
    .replace(FILLING, '')
    .replace(/\(\w\)|[\d\s.,/()'’年月日:–-]|(?:st|nd|rd|th)\b|[*†‡¹²³]/giu, '');
  return rest === '' || /^(?:FY|CY|GJ|Q|H|E|A|e|p)$/u.test(rest);
}

const FILLING = new RegExp(
  wordsSource(
    PACKS.flatMap((pack) => [
      ...pack.years,
      ...pack.quarters,
      ...pack.halves,
      ...pack.monthsLong,
      ...pack.weeks,
      ...pack.ended,
      ...Object.keys(pack.numerals),
    ]),
  ),
  'giu',
);
