/**
 * A question that leaves out what the one before it said, made whole: "and in 2021?", "what about France?", "how did it
 * change?". What it says itself is kept, the rest is the former question's. A question that is whole stays as it is.
 */
import type { Tag, WholeWords } from '../../language/questions/asking/question-pack.ts';
import { yearsIn } from '../question.ts';
import type { Stretch } from '../question/forms.ts';
import { firstOf, type Phrased, phrased, phrasedAs, textOf } from '../question/phrased.ts';
import { alikeIn, isAt, measureOf, namesAmount, namesOf, topicOf } from './former.ts';

/** Knowledge about both questions. */
export interface Together {
  readonly question: string;
  /** As it was understood. */
  readonly former: string;
  /** True when a text names documents. */
  namesDocuments(text: string): boolean;
}

/** Longer questions leave out nothing. */
const ELLIPTIC_CHARACTERS_MAX = 300;
/** Nobody could say what of a longer one is gone on with. */
const FORMER_CHARACTERS_MAX = 1_000;
const FRAGMENT_WORDS_MAX = 8;
/** Where no pack is for the language of both. */
const FALLBACK = 'english';

const VERBS = ['be', 'do', 'have'] as const;
/** Verbs before which "that" is a thing. */
const AFTER_THIS = ['be', 'do', 'changes'] as const;
/** Words that begin what is a sentence of its own. */
const ASKS = ['what', 'why', 'when', 'how', 'how much', 'be', 'do', 'have', 'may', 'if', 'ask for'] as const;
/** Such words stand anywhere in scripts without spaces. */
const ASKS_LATE = ['what', 'why', 'when', 'how much'] as const;
const UNSPACED = /\p{Script=Han}/u;
/** Letters that are about a word there. */
const UNSPACED_WORD = 2;
const YEARS = /(?<![\w.,])(?:FY\s?)?(?:19|20)\d{2}(?![\w%]|[.,]\d)/giu;

/** The whole question; null where it is whole by itself, or nothing of it can be known. */
export function madeWhole({ question: asked, former, namesDocuments }: Together): string | null {
  const question = asked.replace(/\s+/g, ' ').trim();
  if (question.length > ELLIPTIC_CHARACTERS_MAX || former.length > FORMER_CHARACTERS_MAX) return null;
  const both = phrased(`${former} ${question}`);
  const like = both.grammar === null ? phrasedAs('', FALLBACK) : both;
  const words = like.grammar?.whole;
  return words === undefined
    ? null
    : new Thread(phrased(former, like), words, namesDocuments).whole(question);
}

class Thread {
  readonly #former: Phrased;
  readonly #words: WholeWords;
  readonly #namesDocuments: (text: string) => boolean;

  constructor(former: Phrased, words: WholeWords, namesDocuments: (text: string) => boolean) {
    this.#former = former;
    this.#words = words;
    this.#namesDocuments = namesDocuments;
  }

  whole(question: string): string | null {
    const plain = this.#plain(question);
    const why = whyOf(plain);
    if (why !== null) return `${why.charAt(0).toUpperCase()}${why.slice(1)} ${topicOf(this.#former)}?`;
    const lead = leadOf(plain);
    const rest = phrased(textOf(plain, { from: lead, to: plain.tokens.length }), plain);
    return this.#isFragment(rest, lead > 0)
      ? this.#fromFragment(rest)
      : this.#fromSentence(this.#read(question));
  }

  #read(text: string): Phrased {
    return phrased(text, this.#former);
  }

  /** Read as the question before, or where it goes on in another language in that: "und in 2021?" */
  #plain(question: string): Phrased {
    const like = this.#read(question);
    const own = phrased(question);
    const other = leadOf(like) === 0 && leadOf(own) > 0 ? own : like;
    return phrased(withoutTrail(other), other);
  }

  /** A few words that are no sentence; one that names both whose and what it asks for is whole. */
  #isFragment(rest: Phrased, hasLead: boolean): boolean {
    if (rest.text === '' || isAt(rest, 0, ASKS) || wordsIn(rest.text) > FRAGMENT_WORDS_MAX) return false;
    if (UNSPACED.test(rest.text) && rest.tokens.some((_, i) => isAt(rest, i, ASKS_LATE))) return false;
    const isNamed = this.#namesDocuments(rest.text) || yearsIn(rest.text).length > 0;
    return hasLead || !(namesAmount(rest) && isNamed);
  }

  #fromFragment(rest: Phrased): string {
    const years = yearsOf(rest.text);
    const words = phrased(rest.text.replace(YEARS, ' ').replace(/\s+/g, ' ').trim(), rest);
    const bare = withoutEnds(words);
    let whole = this.#former.text;
    if (years.length > 0) whole = this.#withYears(whole, years);
    if (bare !== '') whole = this.#withWords(whole, bare, isAt(words, 0, ['before thing']));
    return whole;
  }

  /** One year moves a period, as many as there are take their places, others are put to the end. */
  #withYears(former: string, years: readonly string[]): string {
    const old = yearsOf(former);
    if (old.length === 0) return appended(former, filled(this.#words.at, this.#listed(years)));
    if (years.length === 1 && old.length > 1) {
      const move = digits(years[0] as string) - digits(old.at(-1) as string);
      return former.replace(YEARS, (year) => year.replace(/\d{4}$/, String(digits(year) + move)));
    }
    let at = 0;
    return former.replace(YEARS, (year) => {
      const next = years[at++];
      if (next === undefined) return year;
      const isLast = at === old.length;
      const all = isLast ? years.slice(at - 1) : [next];
      return this.#listed(all.map((one) => year.replace(/\d{4}$/, String(digits(one)))));
    });
  }

  #listed(texts: readonly string[]): string {
    return texts.reduce((one, other) => filled(this.#words.and, one, other));
  }

  /** Words that take the place of what is of their kind: a name, a measure, the same thing with another number. */
  #withWords(former: string, words: string, isPlaced: boolean): string {
    const numbered = /^(.+?)\s+(\S*\d\S*)$/u.exec(words);
    if (numbered !== null) {
      const [, head = ''] = numbered;
      const same = new RegExp(`\\b${escaped(head)}s?\\s+\\S*\\d[^\\s?.,;]*`, 'iu');
      if (same.test(former)) return former.replace(same, () => words);
    }
    const read = this.#read(former);
    const alike = alikeIn(read, words);
    if (alike !== null) return former.replace(alike, () => words);
    const about = filled(this.#words.about, words);
    const namesOfFormer = namesOf(read, this.#namesDocuments);
    if (this.#namesDocuments(words)) {
      const names = namesOfFormer.filter((name) => this.#namesDocuments(name));
      return names.length > 0 ? replacedLast(former, names, words) : appended(former, about);
    }
    if (namesAmount(this.#read(words)) && !isPlaced) {
      const measure = measureOf(read);
      return measure === null ? appended(former, words) : replacedLast(former, [measure], words);
    }
    const names = namesOfFormer.filter((name) => !this.#namesDocuments(name));
    if (/^\p{Lu}/u.test(words) && names.length > 0) return replacedLast(former, names, words);
    return appended(former, about);
  }

  #fromSentence(question: Phrased): string | null {
    if (this.#namesDocuments(question.text)) return null;
    const names = namesOf(this.#former, this.#namesDocuments);
    const whose = names.filter((name) => this.#namesDocuments(name));
    const entity = whose.at(-1) ?? names.at(-1) ?? null;
    const refers = [ownIn, itIn, periodIn].some((placed) => placed(question) !== null);
    if (namesOf(question, this.#namesDocuments).length > 0) return null;
    if (!refers && (whose.length === 0 || !namesAmount(question))) return null;
    const years = yearsOf(this.#former.text);
    const at = years.length > 0 ? filled(this.#words.at, this.#listed(years)) : null;
    let whole = this.#replaced(question.text, periodIn, at);
    const measure = measureOf(this.#former);
    const isOfMeasure =
      measure !== null &&
      (question.grammar?.has('changes', question.tokens) ?? false) &&
      !(question.grammar?.has('amount', question.tokens) ?? false);
    const measured = entity === null ? measure : filled(this.#words.of, measure ?? '', entity);
    whole = this.#replaced(whole, itIn, isOfMeasure ? measured : entity);
    whole = this.#replaced(whole, ownIn, entity === null ? null : filled(this.#words.whose, entity));
    if (entity !== null && !whole.includes(entity))
      whole = appended(whole, filled(this.#words.about, entity));
    const isWhen = firstOf(timeForms(question), this.#read(whole).tokens) !== null;
    if (at !== null && yearsOf(whole).length === 0 && !isWhen) whole = appended(whole, at);
    else if (isOfMeasure && yearsOf(whole).length === 1 && years.length === 1)
      whole = this.#withBoth(whole, years);
    return whole === question.text ? null : whole;
  }

  /** @param by null: it stays. */
  #replaced(text: string, placed: (of: Phrased) => Stretch | null, by: string | null): string {
    const of = this.#read(text);
    const place = placed(of);
    if (by === null || place === null) return text;
    const start = of.tokens[place.from]?.start ?? 0;
    const end = of.tokens[place.to - 1]?.end ?? 0;
    return (text.slice(0, start) + by + text.slice(end)).replace(/\s+/g, ' ');
  }

  /** "change from 2021", of what was said of 2022. */
  #withBoth(whole: string, [year = '']: readonly string[]): string {
    const [own = ''] = yearsOf(whole);
    if (digits(own) === digits(year)) return whole;
    const { until, from } = this.#words;
    return appended(whole, filled(digits(own) < digits(year) ? until : from, year));
  }
}

const wordsIn = (text: string): number =>
  UNSPACED.test(text) ? text.length / UNSPACED_WORD : text.split(' ').length;

const timeForms = ({ grammar }: Phrased) => grammar?.kinds.find(([kind]) => kind === 'time')?.[1] ?? [];

/** Without the marks and words of politeness at its end. */
function withoutTrail(of: Phrased): string {
  const { tokens, grammar } = of;
  const isMark = (i: number): boolean => /^[?!.…,，。？！]$/u.test(tokens[i]?.word ?? '');
  let to = tokens.length;
  while (to > 0 && isMark(to - 1)) to--;
  const last = [3, 2, 1].find((count) => grammar?.at('at last', tokens, to - count) === count) ?? 0;
  to -= last;
  while (to > 0 && isMark(to - 1)) to--;
  const from = tokens.findIndex(({ word }) => !/^[¿¡]$/.test(word));
  return textOf(of, { from: Math.max(0, from), to });
}

/** Number of the tokens that go on with the question before. */
function leadOf({ tokens, grammar }: Phrased): number {
  let at = 0;
  for (;;) {
    const words = grammar?.at('and what of', tokens, at) ?? 0;
    const isMark = at > 0 && /^[,:¿，：]$/u.test(tokens[at]?.word ?? '');
    if (words === 0 && !isMark) return at;
    at += isMark ? 1 : words;
  }
}

/** The word that asks for reasons where nothing else is asked: "and why is that?" */
function whyOf(of: Phrased): string | null {
  const { tokens, grammar } = of;
  if (grammar === null) return null;
  const longest = (tags: readonly Tag[], at: number): number =>
    Math.max(...tags.map((tag) => grammar.at(tag, tokens, at)));
  const from = leadOf(of);
  const why = grammar.at('why', tokens, from);
  const verb = longest(VERBS, from + why);
  const end = from + why + verb + longest(['this', 'it'], from + why + verb);
  return why > 0 && end === tokens.length ? textOf(of, { from, to: from + why }) : null;
}

const STARTS = ['before thing', 'article', 'and', 'to', 'own'] as const;
const ENDS = ['and', 'to', 'in', 'of', 'at time', 'article', 'year'] as const;

/** Without prepositions, articles and joining words at its ends. */
function withoutEnds(words: Phrased): string {
  const { tokens, grammar } = words;
  if (grammar === null) return words.text;
  let [from, to] = [0, tokens.length];
  const start = (): number =>
    Math.max(...STARTS.map((tag) => grammar.at(tag, tokens, from)).filter((count) => from + count < to), 0);
  while (start() > 0) from += start();
  while (to > from && ENDS.some((tag) => grammar.at(tag, tokens, to - 1) === 1)) to--;
  if (to === from + 1 && STARTS.some((tag) => grammar.at(tag, tokens, from) === 1)) return '';
  return textOf(words, { from, to });
}

const yearsOf = (text: string): readonly string[] => [...text.matchAll(YEARS)].map(([year]) => year);

const digits = (year: string): number => Number(year.replace(/\D/g, '').slice(-4));

function placeOf(of: Phrased, tag: Tag, isFit: (from: number, to: number) => boolean): Stretch | null {
  for (let from = 0; from < of.tokens.length; from++) {
    const count = of.grammar?.at(tag, of.tokens, from) ?? 0;
    if (count > 0 && isFit(from, from + count)) return { from, to: from + count };
  }
  return null;
}

const ownIn = (of: Phrased): Stretch | null =>
  placeOf(of, 'own', (_, to) => of.tokens[to] !== undefined && of.tokens[to].kind !== 'mark');

/** "that" is a thing at the end, and before a verb. */
function itIn(of: Phrased): Stretch | null {
  const isAlone = (to: number): boolean =>
    of.tokens[to] === undefined || of.tokens[to].kind === 'mark' || isAt(of, to, AFTER_THIS);
  return (
    placeOf(of, 'it', (_, to) => of.tokens[to]?.word !== "'s") ?? placeOf(of, 'this', (_, to) => isAlone(to))
  );
}

/** With its preposition. */
function periodIn(of: Phrased): Stretch | null {
  const place = placeOf(of, 'this period', () => true);
  if (place === null) return null;
  return isAt(of, place.from - 1, ['in']) ? { ...place, from: place.from - 1 } : place;
}

function replacedLast(text: string, names: readonly string[], words: string): string {
  const at = Math.max(...names.map((name) => text.lastIndexOf(name)));
  const name = names.find((one) => text.startsWith(one, at)) ?? '';
  return at < 0 ? appended(text, words) : text.slice(0, at) + words + text.slice(at + name.length);
}

const appended = (text: string, words: string): string => {
  const end = /[\s?!.？！。]*$/u.exec(text)?.index ?? text.length;
  return `${text.slice(0, end)} ${words}${text.slice(end).trim()}`;
};

const filled = (template: string, a: string, b = ''): string =>
  template.replace(/A|B/g, (slot) => (slot === 'A' ? a : b));

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
