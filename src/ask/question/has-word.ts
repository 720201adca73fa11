/** Words of the packs in texts of documents, of which there are too many to be read as questions are. */
import type { Tag } from '../../language/questions/asking/question-pack.ts';
import { wordsSource } from '../../language/questions/words.ts';
import { grammarNamed, UNCERTAIN } from './grammar.ts';

const PATTERNS = new Map<string, RegExp>();

/** True for a text that has a word of the tag. @param pack of its language; English where none is known. */
export function hasWord(text: string, tag: Tag, pack: string | null): boolean {
  const key = `${pack}\n${tag}`;
  const known = PATTERNS.get(key);
  if (known !== undefined) return known.test(text);
  const grammar = (pack === null ? null : grammarNamed(pack)) ?? grammarNamed(UNCERTAIN);
  // An elided word goes on with the next one.
  const words = grammar?.words(tag).map((word) => word.replace(/'$/, "'*")) ?? [];
  const pattern = new RegExp(wordsSource(words).replaceAll("'", "['’]"), 'iu');
  PATTERNS.set(key, pattern);
  return pattern.test(text);
}
