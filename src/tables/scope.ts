/** Whose figures a table has, as the titles above it say: the whole company's, a segment's, its guarantors'. */
import { PACKS } from '../language/questions/packs.ts';
import { wordsPattern } from '../language/questions/words.ts';

const NAMES = [...new Set(PACKS.flatMap(({ scopes }) => Object.keys(scopes)))];
const PATTERNS = NAMES.map((name) => [name, wordsPattern(({ scopes }) => scopes[name] ?? [])] as const);

/** @param titles the nearest last. */
export function scopeIn(titles: readonly string[]): string | null {
  for (const title of titles.toReversed()) {
    const found = PATTERNS.find(([, pattern]) => pattern.test(title));
    if (found !== undefined) return found[0];
  }
  return null;
}

/** All that a text names. */
export const scopesIn = (text: string): readonly string[] =>
  PATTERNS.filter(([, pattern]) => pattern.test(text)).map(([name]) => name);
