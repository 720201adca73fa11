/**
 * Keys that names are looked up by: letters and digits alone, in lower case, without accents, joining words and what
 * says the kind of company. "The Procter & Gamble Company" and "Procter and Gamble" have one key.
 */
import { SPACED_LETTER, UNSPACED_LETTER } from '../scripts.ts';
import { LEGAL_FORMS } from './legal-forms.ts';

/** A character of a script without spaces is a word. */
const WORD = new RegExp(`${UNSPACED_LETTER}|${SPACED_LETTER}+(?:[&'’.+-]${SPACED_LETTER}+)*`, 'gu');
const JOINING: ReadonlySet<string> = new Set(['and', 'und', 'et', 'e', 'y', 'en', 'i']);
const POSSESSIVE = /['’]s?$/u;
/** Before a name, written together with it: `d'Acme`. */
const ELIDED = /^\p{Ll}{1,5}['’](?=[\p{Lu}\p{N}])/u;
const RUN_WORDS_MAX = 7;
const RUNS_COUNT_MAX = 2_000;
export const KEY_CHARACTERS_MAX = 200;

const folded = (word: string): string =>
  word
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}&]/gu, '')
    .toLowerCase();

const isLegal = (word: string): boolean => LEGAL_FORMS.has(folded(word));

/** `Acme Inc.`, which is a company's name by that. */
export const endsInLegalForm = (name: string): boolean => isLegal(name.match(WORD)?.at(-1) ?? '');

/** Empty for a name without a letter or digit, or of legal forms alone. */
export function nameKey(name: string): string {
  const words = (name.match(WORD) ?? []).map((word) => word.replace(POSSESSIVE, ''));
  while (words.length > 1 && isLegal(words.at(-1) ?? '')) words.pop();
  if (words.length > 1 && /^the$/i.test(words[0] ?? '')) words.shift();
  if (words.length === 1 && isLegal(words[0] ?? '')) return '';
  return keyOf(words);
}

function keyOf(words: readonly string[]): string {
  const told = words.filter((word) => !JOINING.has(word.toLowerCase()));
  return (told.length === 0 ? words : told).map(folded).join('').slice(0, KEY_CHARACTERS_MAX);
}

export interface NameRun {
  readonly key: string;
  /** As the text has it, from `start` to `end`. */
  readonly said: string;
  readonly start: number;
  readonly end: number;
  /** Its first and last word, by their number. */
  readonly from: number;
  readonly to: number;
  readonly wordCount: number;
  /** Each of its words but joining ones begins with a capital, or is no letter. */
  readonly isCapital: boolean;
  /** It is written in capitals alone, two or more. */
  readonly isAbbreviation: boolean;
}

/** All runs of words in a text that may be names, each with its key. */
export function nameRuns(text: string): readonly NameRun[] {
  const words = [...text.matchAll(WORD)].map(({ 0: word, index }) => ({ word, index }));
  const runs: NameRun[] = [];
  for (let from = 0; from < words.length && runs.length < RUNS_COUNT_MAX; from++) {
    for (let to = from; to < Math.min(words.length, from + RUN_WORDS_MAX); to++) {
      const own = words.slice(from, to + 1);
      const [first, last] = [own[0], own.at(-1)];
      if (first === undefined || last === undefined) break;
      const elided = ELIDED.exec(first.word)?.[0].length ?? 0;
      const start = first.index + elided;
      const run = own.map(({ word }, i) => (i === 0 ? word.slice(elided) : word));
      const said = text.slice(start, last.index + last.word.length).replace(POSSESSIVE, '');
      const key = keyOf(run.map((word) => word.replace(POSSESSIVE, '')));
      if (key === '') continue;
      const told = run.filter((word) => !JOINING.has(word.toLowerCase()));
      runs.push({
        key,
        said,
        start,
        end: start + said.length,
        from,
        to,
        wordCount: told.length,
        isCapital: told.length > 0 && told.every((word) => !/^\p{Ll}/u.test(word)),
        isAbbreviation: /^[^\p{Ll}]*\p{Lu}[^\p{Ll}]*\p{Lu}[^\p{Ll}]*$/u.test(said) || isMixed(said),
      });
    }
  }
  return runs;
}

/** `BofA`, `PnG`: two capitals in a short word. */
const isMixed = (said: string): boolean =>
  /^\p{L}{2,6}$/u.test(said) && (said.match(/\p{Lu}/gu)?.length ?? 0) > 1;
