/** English names of months, days, periods, currencies and languages: capitals that name nobody. Mostly from the Unicode CLDR. */

import { ENGLISH } from './questions/english.ts';

/** Abbreviations of periods. */
const PERIODS = ['fy', 'cy', 'ytd', 'yoy', 'qoq'];
/** Languages that people ask to be answered in. */
const LANGUAGES = [
  'en',
  'de',
  'fr',
  'es',
  'it',
  'pt',
  'nl',
  'zh',
  'ja',
  'ko',
  'ru',
  'ar',
  'hi',
  'pl',
  'tr',
  'sv',
];

function commonNames(): ReadonlySet<string> {
  const names = new Set<string>([...PERIODS, ...ENGLISH.months.flatMap((month) => month.split('|'))]);
  for (const style of ['long', 'short'] as const) {
    const day = new Intl.DateTimeFormat('en', { weekday: style, timeZone: 'UTC' });
    for (let i = 1; i <= 7; i++) names.add(day.format(Date.UTC(2024, 0, i)));
  }
  const languages = new Intl.DisplayNames('en', { type: 'language' });
  for (const code of LANGUAGES) names.add(languages.of(code) ?? code);
  return new Set([...names].map((name) => name.toLowerCase()));
}

const COMMON = commonNames();
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

export const isCommonName = (word: string): boolean => CURRENCIES.has(word) || COMMON.has(word.toLowerCase());
