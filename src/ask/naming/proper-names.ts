/**
 * Words of a question that name somebody or something by how they are written. In most languages capitals inside of a
 * sentence tell names; where all nouns have them, the words beside do; where a script has none, other letters in it are
 * names. Two capitals in a word tell a name anywhere.
 */
import { isCommonName } from '../../language/common-names.ts';
import { LEGAL_FORMS, LEGAL_WEAK } from '../../language/names/legal-forms.ts';
import { NAMING_WORDS, type NamingWords } from '../../language/names/naming-words.ts';
import { PACKS } from '../../language/questions/packs.ts';
import { hasUnspaced, SPACED_LETTER, UNSPACED_LETTER } from '../../language/scripts.ts';
import type { Question } from '../question.ts';
import { conceptsIn } from '../vocabulary.ts';

const QUESTION_CHARACTERS_MAX = 2_000;
/** Text before a word that is looked at: its last mark, or its last word. */
const BEFORE_CHARACTERS_MAX = 40;

const WORD = new RegExp(`${SPACED_LETTER}+(?:[&'’.-]${SPACED_LETTER}+)*|${UNSPACED_LETTER}+`, 'gu');
const POSSESSIVE = /['’]s?$/u;
/** Before a name, written together with it: `d'Acme`. */
const ELIDED = /^\p{Ll}{1,5}['’](?=\p{Lu})/u;
/** `Table 2`, `Appendix C`, `FY 2022`: a part or a period with its number. */
const NUMBERED = /^[\s#.№-]*(?:\p{N}|\p{Lu}(?![\p{L}\p{N}&'’]))/u;

type Asked = Pick<Question, 'core' | 'language' | 'vocabulary' | 'kind'>;

interface Word {
  /** Without what is elided before it, and the ending of an owner. */
  readonly name: string;
  readonly isOwner: boolean;
  /** Where the name begins. */
  readonly start: number;
  /** Where the word ends. */
  readonly end: number;
  readonly isFirst: boolean;
  /** A part or a period with its number follows. */
  readonly isNumbered: boolean;
}

/**
 * Runs of words, in their order. No words of calendars, currencies, languages or accounts, and none with digits, which
 * are forms, periods and numbers; none of a title, where all is capital; no legal forms.
 */
export function properNames({ core, language, vocabulary, kind }: Asked): readonly string[] {
  const asked = core.slice(0, QUESTION_CHARACTERS_MAX);
  const terms = vocabulary.rowsIn(asked);
  const words = wordsIn(asked);
  const isMixed = hasUnspaced(asked);
  const capital = words.slice(1).filter(({ name }) => /^\p{Lu}/u.test(name)).length;
  const small = words.filter(({ name }) => /^\p{Ll}/u.test(name)).length;
  if (capital > small + 1 && !isMixed) return [];
  const told = NAMING_WORDS.find((one) => one.language === language) ?? null;
  const runs: string[][] = [];
  let end = -1;
  for (const [i, word] of words.entries()) {
    const goesOn = end >= 0 && /^\s+(?:&\s+)?$/.test(asked.slice(end, word.start));
    if (goesOn && isLegalForm(word.name)) continue;
    const isTerm = terms.some(({ start, end: after }) => start <= word.start && word.start < after);
    const asks = { isOfAccounts: terms.length > 0, isOfNumber: kind === 'number' };
    const beside = { words, at: i, goesOn, isMixed, language, told, ...asks };
    if (isTerm || word.isNumbered || !isName(word, beside)) continue;
    if (goesOn) runs.at(-1)?.push(word.name);
    else if (isOfArticle(beside)) continue;
    else runs.push([nameOf(word, beside)]);
    end = word.isOwner ? -1 : word.end;
  }
  return [...new Set(runs.map((run) => run.join(' ')))];
}

function wordsIn(asked: string): readonly Word[] {
  return [...asked.matchAll(WORD)].map(({ 0: written, index }) => {
    const [elided = ''] = ELIDED.exec(written) ?? [];
    const bare = written.slice(elided.length);
    const name = bare.replace(POSSESSIVE, '');
    const start = index + elided.length;
    const end = index + written.length;
    const before = asked.slice(Math.max(0, index - BEFORE_CHARACTERS_MAX), index);
    const isFirst = elided === '' && (before === '' || /[.?!:;¿¡"“„«(]\s*$/u.test(before));
    return { name, isOwner: bare !== name, start, end, isFirst, isNumbered: NUMBERED.test(asked.slice(end)) };
  });
}

interface Beside {
  readonly words: readonly Word[];
  readonly at: number;
  /** The word before it is of a name. */
  readonly goesOn: boolean;
  /** The question is in a script without spaces. */
  readonly isMixed: boolean;
  readonly language: string;
  readonly told: NamingWords | null;
  readonly isOfAccounts: boolean;
  readonly isOfNumber: boolean;
}

function isName({ name, isOwner, isFirst }: Word, beside: Beside): boolean {
  const { language, told, isMixed, goesOn } = beside;
  if (name.length < 2 || /\p{N}/u.test(name) || !/\p{Lu}/u.test(name)) return false;
  if (/^[IVXL]+$/.test(name) || isCommonName(name, language) || conceptsIn(name).length > 0) return false;
  if (told?.nobody.includes(name.toLowerCase().replaceAll('.', '')) === true) return false;
  const begins = isFirst && !isOwner && !isMixed;
  if (capitalsIn(name) > 1) return !begins || capitalsIn(name) === name.replace(/\P{L}/gu, '').length;
  if (told === null || !/^\p{Lu}/u.test(name)) return false;
  if (told.capitalNouns !== undefined) return goesOn || isNamedBeside(told.capitalNouns, beside);
  return !begins;
}

/** True for a language in which capitals tell no names. */
export const hasCapitalNouns = (language: string): boolean =>
  NAMING_WORDS.some((one) => one.language === language && one.capitalNouns !== undefined);

type CapitalNouns = NonNullable<NamingWords['capitalNouns']>;

/** `Firma Acme`, `Acme AG`, `von Acme im Jahr 2022`, `war Acmes Umsatz`. */
function isNamedBeside(nouns: CapitalNouns, { words, at, ...asks }: Beside): boolean {
  const [before, word, after] = [words[at - 1], words[at], words[at + 1]];
  if (word === undefined) return false;
  const lead = before?.name ?? '';
  if (after !== undefined && isLegalForm(after.name)) return true;
  if (nouns.companies.includes(lead.toLowerCase())) return true;
  if (isGenitive(nouns, { before, word, after })) return true;
  if (nouns.endings.some((ending) => word.name.toLowerCase().endsWith(ending))) return false;
  const ends =
    after === undefined || /^(?:\p{N}|\p{Lu})/u.test(after.name) || nouns.after.includes(after.name);
  if (!ends) return false;
  if (asks.isOfNumber && nouns.beforeCounted.includes(lead)) return true;
  return asks.isOfAccounts && nouns.before.includes(lead);
}

interface Three {
  readonly before: Word | undefined;
  readonly word: Word;
  readonly after: Word | undefined;
}

/** True before something that is owned: `Acmes Umsatz`, where a common noun would have an article before it. */
function isGenitive({ beforeOwner }: CapitalNouns, { before, word, after }: Three): boolean {
  const isOwner = word.isOwner || /[^s]s$/u.test(word.name);
  const isOwned = after !== undefined && /^\p{Lu}/u.test(after.name) && after.start === word.end + 1;
  return isOwner && isOwned && before !== undefined && beforeOwner.includes(before.name);
}

/** Without the ending of an owner, where a language writes it without an apostrophe. */
function nameOf({ name, isOwner, ...rest }: Word, { told, words, at }: Beside): string {
  const nouns = told?.capitalNouns;
  if (nouns === undefined || isOwner) return name;
  const three = { before: words[at - 1], word: { name, isOwner, ...rest }, after: words[at + 1] };
  return isGenitive(nouns, three) ? name.replace(/s$/u, '') : name;
}

const capitalsIn = (word: string): number => word.match(/\p{Lu}/gu)?.length ?? 0;

export const hasTwoCapitals = (name: string): boolean =>
  name.split(/\s+/).some((word) => capitalsIn(word) > 1);

/** `AG`, `Inc.`; of those that are other words too, in capitals alone. */
function isLegalForm(word: string): boolean {
  const form = word.toLowerCase().replace(/[^\p{L}]/gu, '');
  if (!/^\p{Lu}/u.test(word) || !LEGAL_FORMS.has(form)) return false;
  return !LEGAL_WEAK.has(form) || word === word.toUpperCase();
}

/** An article stands before it, which names have none of: in most languages, but before a legal form. */
const isOfArticle = ({ words, at, told, language }: Beside): boolean =>
  told?.hasArticles !== true &&
  !isLegalForm(words[at + 1]?.name ?? '') &&
  isArticle(words[at - 1]?.name ?? '', language);

/** True for an article of the language; of one without words, none is. */
const isArticle = (word: string, language: string): boolean =>
  PACKS.some(({ name, articles }) => name === language && articles.includes(word.toLowerCase()));
