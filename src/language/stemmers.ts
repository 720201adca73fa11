/**
 * Stemmers by language: Snowball's algorithms from `snowball-stemmers`, as PostgreSQL's dictionaries have
 * them; Greek, which that package lacks, from `@orama/stemmers`. The only file that imports either.
 */
import { stemmer as greek } from '@orama/stemmers/greek';
import { newStemmer } from 'snowball-stemmers';

/** A lower-case word to its stem. */
export type Stemmer = (word: string) => string;

const SNOWBALL = [
  'arabic',
  'armenian',
  'basque',
  'catalan',
  'danish',
  'dutch',
  'english',
  'finnish',
  'french',
  'german',
  'hungarian',
  'irish',
  'italian',
  'norwegian',
  'portuguese',
  'romanian',
  'russian',
  'spanish',
  'swedish',
  'tamil',
  'turkish',
] as const;

export const STEMMERS: Readonly<Record<string, Stemmer>> = {
  greek,
  ...Object.fromEntries(SNOWBALL.map((name) => [name, snowball(name)])),
};

/** Made when a word first comes. */
function snowball(name: string): Stemmer {
  let stemmer: { stem: Stemmer } | null = null;
  return (word) => {
    stemmer ??= newStemmer(name);
    return stemmer.stem(word);
  };
}
