/**
 * Names of months, days, periods, currencies, languages and places: capitals that name nobody whom a document could be
 * of. Mostly from the Unicode CLDR, in the language of the text and in English.
 */
import { codeOfLanguage } from './detect-language.ts';
import { nameKey } from './names/name-keys.ts';
import { ENGLISH } from './questions/english.ts';
import { PACKS } from './questions/packs.ts';

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

function commonNames(language: string): ReadonlySet<string> {
  const { months } = PACKS.find(({ name }) => name === language) ?? ENGLISH;
  const code = codeOfLanguage(language);
  const names = new Set<string>([...PERIODS, ...months.flatMap((month) => month.split('|'))]);
  for (const style of ['long', 'short'] as const) {
    const day = new Intl.DateTimeFormat(code, { weekday: style, timeZone: 'UTC' });
    for (let i = 1; i <= 7; i++) names.add(day.format(Date.UTC(2024, 0, i)));
  }
  const languages = new Intl.DisplayNames(code, { type: 'language' });
  for (const one of LANGUAGES) names.add(languages.of(one) ?? one);
  return new Set([...names].map((name) => name.toLowerCase()));
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));
const LETTERS = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
/** Parts of the world, by their UN M49 codes, and unions. */
const PARTS_OF_WORLD = [
  ...[
    '001',
    '002',
    '003',
    '005',
    '009',
    '011',
    '013',
    '014',
    '015',
    '017',
    '018',
    '019',
    '021',
    '029',
    '030',
  ],
  ...[
    '034',
    '035',
    '039',
    '053',
    '054',
    '057',
    '061',
    '142',
    '143',
    '145',
    '150',
    '151',
    '154',
    '155',
    '202',
  ],
  ...['419', 'EU', 'EZ', 'UN'],
];

/** Countries and parts of the world by their names and codes. */
function places(language: string): readonly string[] {
  const regions = new Intl.DisplayNames(codeOfLanguage(language), { type: 'region', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  const known = codes.flatMap((code) => {
    const name = regions.of(code);
    return name === undefined ? [] : [code, name];
  });
  return [...known, ...PARTS_OF_WORLD.flatMap((code) => regions.of(code) ?? []), 'USA'];
}

/** Makes it once a language. */
function onceEach<Made>(make: (language: string) => Made): (language: string) => Made {
  const made = new Map<string, Made>();
  return (language) => {
    const known = made.get(language) ?? make(language);
    made.set(language, known);
    return known;
  };
}

const ENGLISH_NAME = ENGLISH.name;
const commonNamesOf = onceEach(commonNames);
const placesOf = onceEach((language) => new Set(places(language).map(nameKey)));
const wordsOfPlaces = onceEach(
  (language) =>
    new Set(places(language).flatMap((name) => (name.match(/\p{Lu}[\p{L}\p{M}]+/gu) ?? []).map(nameKey))),
);

export const isCommonName = (word: string, language = ENGLISH_NAME): boolean =>
  CURRENCIES.has(word) ||
  commonNamesOf(ENGLISH_NAME).has(word.toLowerCase()) ||
  commonNamesOf(language).has(word.toLowerCase());

/** Countries and parts of the world, in English. */
const isPlace = (name: string): boolean => placesOf(ENGLISH_NAME).has(nameKey(name));

/** True for a run of words of which each stands in the name of a place: `Nord` and `Unis` too. */
export const isOfPlaces = (name: string, language: string): boolean =>
  isPlace(name) || name.split(/\s+/).every((word) => wordsOfPlaces(language).has(nameKey(word)));
