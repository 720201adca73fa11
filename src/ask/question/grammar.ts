/** The packs of languages as forms that can be looked for, and which of them a question is read by. */
import {
  type AskedKind,
  ASKED_KINDS,
  type OperationForm,
  type QuestionPack,
  type Tag,
  type WholeWords,
} from '../../language/questions/asking/question-pack.ts';
import { QUESTION_PACKS } from '../../language/questions/asking/question-packs.ts';
import type { LanguagePack } from '../../language/questions/language-pack.ts';
import { PACKS } from '../../language/questions/packs.ts';
import { Form, Phrases } from './forms.ts';
import type { Token } from './tokens.ts';

/** Tags whose words stand in the pack of quantities and times. */
type SharedTag = 'month' | 'numeral' | 'scale' | 'currency';

export interface Grammar {
  readonly name: string;
  /** Words of a tag. */
  at(tag: Tag | SharedTag, tokens: readonly Token[], place: number): number;
  words(tag: Tag | SharedTag): readonly string[];
  has(tag: Tag | SharedTag, tokens: readonly Token[]): boolean;
  readonly whole: WholeWords;
  readonly hasCapitalNouns: boolean;
  readonly kinds: readonly (readonly [kind: AskedKind, forms: readonly Form[]])[];
  readonly operations: readonly { readonly op: OperationForm['op']; readonly form: Form }[];
  readonly forms: Readonly<Record<FormList, readonly Form[]>>;
}

const FORM_LISTS = [
  'causes',
  'definitions',
  'verdicts',
  'asking',
  'answerLeads',
  'answerClauses',
  'uncomputed',
  'ofYears',
  'ofRows',
  'compared',
  'pages',
] as const satisfies readonly (keyof QuestionPack)[];
type FormList = (typeof FORM_LISTS)[number];

function grammarOf(pack: QuestionPack): Grammar {
  const shared = PACKS.find(({ name }) => name === pack.name);
  const wordsOf = (tag: string): readonly string[] =>
    tag in pack.words
      ? pack.words[tag as Tag].split(/\|\s*/)
      : shared === undefined
        ? []
        : sharedWords(shared, tag);
  const phrases = new Map<string, Phrases>();
  const of = (tag: string): Phrases => {
    const made = phrases.get(tag) ?? new Phrases(wordsOf(tag));
    phrases.set(tag, made);
    return made;
  };
  const formsOf = (forms: readonly string[]): readonly Form[] => forms.map((form) => new Form(form, wordsOf));
  const lists = FORM_LISTS.map((list) => [list, formsOf(pack[list])] as const);
  return {
    name: pack.name,
    whole: pack.whole,
    hasCapitalNouns: pack.hasCapitalNouns === true,
    at: (tag, tokens, place) => of(tag).at(tokens, place),
    words: (tag) => wordsOf(tag),
    has: (tag, tokens) => of(tag).isIn(tokens),
    kinds: ASKED_KINDS.map((kind) => [kind, formsOf(pack.kinds[kind])] as const),
    operations: pack.operations.map(({ op, form }) => ({ op, form: new Form(form, wordsOf) })),
    forms: Object.fromEntries(lists) as Record<FormList, readonly Form[]>,
  };
}

function sharedWords({ months, numerals, scales, currencies }: LanguagePack, tag: string): readonly string[] {
  const words: Readonly<Record<string, readonly string[]>> = {
    month: months.flatMap((month) => month.split('|')),
    numeral: Object.keys(numerals),
    scale: Object.keys(scales),
    currency: Object.keys(currencies),
  };
  return words[tag] ?? [];
}

const GRAMMARS = new Map<string, Grammar>();

/** Made when a question is first in that language. */
export function grammarNamed(name: string): Grammar | null {
  const known = GRAMMARS.get(name);
  if (known !== undefined) return known;
  const pack = QUESTION_PACKS.find((one) => one.name === name);
  if (pack === undefined) return null;
  const made = grammarOf(pack);
  GRAMMARS.set(name, made);
  return made;
}

export const UNCERTAIN = 'english';
/** Words that tell a language, as every question has some. */
const TELLING = [
  'what',
  'why',
  'when',
  'how',
  'how much',
  'be',
  'do',
  'have',
  'article',
  'in',
  'of',
  'and',
] as const;
/** A language that was not detected is one only by so many words, and such a share of them. */
const TELLING_COUNT_MIN = 2;
const TELLING_SHARE_MIN = 0.25;
/** Tokens looked at. */
const LOOKED_AT_COUNT = 60;

/**
 * The language whose words most of a question's are; of those alike the detected one, else English.
 * @param detected null where that was not sure. @returns null where no pack is for it.
 */
export function grammarFor(tokens: readonly Token[], detected: string | null): Grammar | null {
  const begin = tokens.slice(0, LOOKED_AT_COUNT);
  const words = begin.filter(({ kind }) => kind === 'word').length;
  let best = detected === null ? UNCERTAIN : detected;
  let most = tellingIn(begin, grammarNamed(best));
  for (const { name } of QUESTION_PACKS) {
    const count = tellingIn(begin, grammarNamed(name));
    if (count <= most || count < TELLING_COUNT_MIN || count < TELLING_SHARE_MIN * words) continue;
    best = name;
    most = count;
  }
  return grammarNamed(best);
}

const tellingIn = (tokens: readonly Token[], grammar: Grammar | null): number =>
  grammar === null
    ? 0
    : tokens.filter((_, i) => TELLING.some((tag) => grammar.at(tag, tokens, i) > 0)).length;
