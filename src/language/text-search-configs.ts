/**
 * PostgreSQL's text search configurations: `simple`, and one for each language with a Snowball stemmer.
 */
import { POSTGRES_STOP_WORDS } from './postgres-stop-words.ts';
import { STEMMERS } from './stemmers.ts';
import type { TokenKind } from './word-tokens.ts';

export interface TextSearchConfig {
  readonly oid: number;
  readonly name: string;
  /** A token to its lexeme; '' for a stop word. */
  readonly lexeme: (kind: TokenKind, text: string) => string;
}

/** PostgreSQL's OID of `simple`; those of the others differ between its versions, ours follow each other. */
const SIMPLE_OID = 3748;
const FIRST_OID = 13_000;
/** Words of ASCII letters are taken for English in these. */
const ASCII_IS_ENGLISH = new Set(['russian']);

const simple = (_: TokenKind, text: string): string => text.toLowerCase();

function snowball(language: string): TextSearchConfig['lexeme'] {
  const own = stemmed(language);
  const plain = ASCII_IS_ENGLISH.has(language) ? stemmed('english') : own;
  return (kind, text) => (kind === 'other' ? simple(kind, text) : kind === 'plain' ? plain(text) : own(text));
}

function stemmed(language: string): (text: string) => string {
  const stem = STEMMERS[language] ?? ((word: string) => word);
  const stopWords = POSTGRES_STOP_WORDS[language];
  return (text) => {
    const word = text.toLowerCase();
    return stopWords?.has(word) ? '' : stem(word);
  };
}

export const TEXT_SEARCH_CONFIGS: readonly TextSearchConfig[] = [
  { oid: SIMPLE_OID, name: 'simple', lexeme: simple },
  ...Object.keys(STEMMERS)
    .sort()
    .map((name, i) => ({ oid: FIRST_OID + i, name, lexeme: snowball(name) })),
];

/** By name, with or without its schema; undefined: there is none. */
export function textSearchConfig(name: string | number): TextSearchConfig | undefined {
  if (typeof name === 'number') return TEXT_SEARCH_CONFIGS.find(({ oid }) => oid === name);
  const bare = name.replace(/^pg_catalog\./, '').replaceAll('"', '');
  return TEXT_SEARCH_CONFIGS.find((config) => config.name === bare);
}
