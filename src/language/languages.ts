/**
 * Analysis by language: the values of a keyword index's `language` option. `simple` folds
 * words and nothing else, and is right for `cjk`, whose scripts are cut into pairs in every language.
 */
import { SqlError } from '../errors.ts';
import { STEMMERS, type Stemmer } from './stemmers.ts';
import { STOP_WORDS } from './stop-words.ts';

export interface Language {
  readonly stem: Stemmer;
  readonly stopWords: ReadonlySet<string>;
  /** Affixes that are cut off a word: an elided article before the apostrophe, a possessive after it. */
  readonly elision: RegExp | null;
  /** English stems alike with and without accents; others stem by them, so they fold afterwards. */
  readonly foldFirst: boolean;
}

const ELISIONS: Readonly<Record<string, RegExp>> = {
  english: /'s?$/,
  french: /^(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu|quoiqu|aujourd)'/,
  italian: /^(?:[cdlmstv]|un|gl|agl|dagl|degl|negl|sugl|all|dall|dell|nell|sull|coll|pell|quell|quest)'/,
};

const LANGUAGES: ReadonlyMap<string, Language> = new Map([
  ...Object.entries(STEMMERS).map(([name, stem]): [string, Language] => [
    name,
    {
      stem,
      stopWords: new Set(STOP_WORDS[name]),
      elision: ELISIONS[name] ?? null,
      foldFirst: name === 'english',
    },
  ]),
  ['simple', { stem: (word) => word, stopWords: new Set<string>(), elision: null, foldFirst: true }],
  ['cjk', { stem: (word) => word, stopWords: new Set<string>(), elision: null, foldFirst: true }],
]);

/** Names that the `language` option takes, in alphabetical order; `auto` is whichever a text is in. */
export const LANGUAGE_NAMES: readonly string[] = [...LANGUAGES.keys(), 'auto'].sort();

/** Those of a language by its name; undefined: there is no such language. */
export const stopWordsOf = (language: string): ReadonlySet<string> | undefined =>
  LANGUAGES.get(language.toLowerCase())?.stopWords;

/** @throws SqlError 22023 listing the languages there are. */
export function languageByName(name: string): Language {
  const language = LANGUAGES.get(name.toLowerCase());
  if (language) return language;
  throw new SqlError('invalid_parameter_value', `unknown language "${name}"`, {
    hint: `Languages are ${LANGUAGE_NAMES.join(', ')}.`,
  });
}
