/**
 * Names in a text: its words, and neighbouring ones run together, so that "Best Buy, second quarter of
 * FY2024" and `BESTBUY_2024Q2.pdf` have names in common. Texts of both sides are read by the same rule.
 */
import { ENGLISH } from '../../../language/questions/english.ts';
import { SPACED_LETTER, UNSPACED_LETTER } from '../../../language/scripts.ts';

const WORD = new RegExp(`${SPACED_LETTER}+|${UNSPACED_LETTER}+`, 'gu');
/** `FY2023`, `2023Q1`, `FY2023Q1`: the year and its quarter are names of their own. */
const FISCAL = /^(?:fy|cy)?((?:19|20)\d\d)(q[1-4])?$/;
const POSSESSIVE = /['’]s?(?![\p{L}\p{N}])/gu;
/** Says only that a number is a year. */
const CALENDAR: ReadonlySet<string> = new Set(ENGLISH.years);
const NAMES_COUNT_MAX = 200;

/** @returns each once, in lower case. */
export function namesOf(text: string): readonly string[] {
  const words = wordsOf(text);
  const pairs = words.slice(1).map((word, i) => `${words[i]}${word}`);
  return [...new Set([...words, ...pairs])]
    .filter((name) => name.length > 1 && !CALENDAR.has(name))
    .slice(0, NAMES_COUNT_MAX);
}

function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase().replace(POSSESSIVE, '');
  return (plain.match(WORD) ?? []).flatMap((word) => {
    const fiscal = FISCAL.exec(word);
    return fiscal === null ? [word] : fiscal.slice(1).filter((part) => part !== undefined);
  });
}

/** A file's name without its ending, as words. */
export const stemOf = (fileName: string): string => fileName.replace(/\.[^.]+$/, '').replace(/[_-]+/g, ' ');

/** Names of a document: its file, its title, what its metadata say of it. */
export function namesOfDocument({
  name,
  title,
  metadata,
}: {
  readonly name: string;
  readonly title: string | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}): string {
  const values = Object.values(metadata)
    .flat()
    .filter((value) => typeof value === 'string' || typeof value === 'number');
  const texts = [stemOf(name), title ?? '', ...values.map(String)];
  return [...new Set(texts.flatMap(namesOf))].slice(0, NAMES_COUNT_MAX).join(' ');
}
