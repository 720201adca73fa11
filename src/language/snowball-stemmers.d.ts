/** The package has no types of its own. */
declare module 'snowball-stemmers' {
  /** @throws TypeError when there is no such algorithm. */
  export function newStemmer(language: string): { stem(word: string): string };
}
