/**
 * Whom, when and what a clause of a question is about, with the places of these words: lists of names, years, things
 * that are joined by "and". Nothing is known of the world: names are those of documents, and words with capitals.
 */
import { planningCounts, planningSource } from '../../language/questions/planning/planning-packs.ts';
import { SPACED_LETTER, UNSPACED_LETTER } from '../../language/scripts.ts';
import { monthSource, wordsSource } from '../../language/questions/words.ts';
import { conceptsIn } from '../vocabulary.ts';
import { yearsIn } from '../question.ts';

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Several that stand in one list, or are compared over some words, which each of them keeps. */
export interface Listed extends Span {
  readonly items: readonly string[];
  readonly tail?: string;
}

export interface Scope {
  /** Two or more that are compared, or listed. */
  readonly entities: Listed | null;
  /** Two or more; `last three years` has the years that documents are of. */
  readonly years: (Span & { readonly items: readonly number[] }) | null;
  /** Two or more things that are asked for. */
  readonly things: Listed | null;
}

/** Names of documents in the datasets, and of whom they are. */
export interface KnownDocuments {
  /** Lower-case words of names, and of what metadata says in a few words. */
  readonly words: ReadonlySet<string>;
  /** Ascending. */
  readonly years: readonly number[];
}

const AND = planningSource(({ and }) => and);
/** Between two members of a list. */
const SEPARATOR = new RegExp(
  String.raw`^(?:['’]s)?\s*(?:[,;&+/]|${planningSource(({ and, or, against }) => [...and, ...or, ...against])}|\s)+(?:${planningSource(({ articles }) => articles)}\s+)?$`,
  'iu',
);
const COMPARES = new RegExp(
  planningSource(({ comparing }) => comparing),
  'iu',
);
const APART_WORDS = new RegExp(
  planningSource(({ apart }) => apart),
  'giu',
);

/** @param language of the question, as `detectLanguage` names it. */
export function scopeOf(clause: string, language: string, known: KnownDocuments): Scope {
  const years = yearList(clause, known);
  const entities = entityList(clause, language, known);
  const hidden = [years, entities].filter((span) => span !== null);
  return { entities, years, things: thingList(clause, language, hidden) };
}

/** All nouns have capitals there. */
const CAPITAL_NOUNS = 'german';

/** Names that documents have too, each once. */
export const knownNames = (clause: string, known: KnownDocuments): readonly string[] => [
  ...new Set(mentionsIn(clause, known).flatMap(({ text, isKnown }) => (isKnown ? [text] : []))),
];

interface Mention extends Span {
  readonly text: string;
  readonly isKnown: boolean;
}

const WORD = new RegExp(
  `${UNSPACED_LETTER}+|${SPACED_LETTER}(?:${SPACED_LETTER}|[.’'-])*${SPACED_LETTER}|${SPACED_LETTER}`,
  'gu',
);
/** Words with capitals that name nobody. */
const NO_NAME = new RegExp(
  `^(?:${planningSource(({ noNames }) => noNames)}|${monthSource()}|[qh][1-4])$`,
  'iu',
);

function entityList(clause: string, language: string, known: KnownDocuments): Listed | null {
  const mentions = mentionsIn(clause, known).filter(({ isKnown }) => isKnown || language !== CAPITAL_NOUNS);
  const lists: Mention[][] = [];
  for (const mention of mentions) {
    const last = lists.at(-1);
    const before = last?.at(-1);
    if (before !== undefined && SEPARATOR.test(clause.slice(before.end, mention.start))) last?.push(mention);
    else lists.push([mention]);
  }
  const fit = lists.filter(
    (list) =>
      new Set(list.map(({ text }) => text.toLowerCase())).size > 1 &&
      (list.some(({ isKnown }) => isKnown) || COMPARES.test(clause)),
  );
  const [longest] = fit.sort((a, b) => b.length - a.length);
  return longest === undefined ? comparedApart(clause, mentions) : listOf(longest);
}

/** `Acme's revenue compared to Globex's`: what stands between the first and the last belongs to each. */
function comparedApart(clause: string, mentions: readonly Mention[]): Listed | null {
  const known = mentions.filter(({ isKnown }) => isKnown);
  const list = listOf(known);
  if (!COMPARES.test(clause) || list.items.length !== 2 || known.length !== 2) return null;
  const [, ending = ''] = /^((?:['’]s)?)/.exec(clause.slice(list.end)) ?? [];
  const tail = clause.slice(known[0]?.end, known[1]?.start).replace(APART_WORDS, ' ');
  return { ...list, end: list.end + ending.length, tail: tail.replace(/\s+/g, ' ').trimEnd() };
}

function listOf(mentions: readonly Mention[]): Listed {
  const items = new Map(mentions.map(({ text }) => [text.toLowerCase(), text]));
  const [first, last] = [mentions[0], mentions.at(-1)];
  return { start: first?.start ?? 0, end: last?.end ?? 0, items: [...items.values()] };
}

/** Names with capitals, and words that documents are called by; neighbours are one name. */
function mentionsIn(clause: string, known: KnownDocuments): readonly Mention[] {
  const mentions: Mention[] = [];
  const hasCapitals = /\s\p{Lu}/u.test(clause);
  for (const match of clause.matchAll(WORD)) {
    const word = match[0].replace(/['’]s$/, '');
    if (NO_NAME.test(word) || /^(?:fy)?\d{4}$/i.test(word) || conceptsIn(word).length > 0) continue;
    const isKnown = known.words.has(word.toLowerCase()) && word.length > 1;
    const isCapital = /^\p{Lu}/u.test(word);
    if (!isCapital && !(isKnown && (!hasCapitals || /\d/.test(word)))) continue;
    const one = { start: match.index, end: match.index + word.length, text: word, isKnown };
    const before = mentions.at(-1);
    const gap = before === undefined ? '' : clause.slice(before.end, one.start);
    if (before === undefined || !/^\s(?:&\s)?$/.test(gap)) mentions.push(one);
    else {
      const text = clause.slice(before.start, one.end);
      mentions[mentions.length - 1] = { ...before, end: one.end, text, isKnown: before.isKnown || isKnown };
    }
  }
  return mentions;
}

const YEAR = String.raw`(?:FY\s?)?(?:19|20)\d{2}(?:\s?年)?`;
const RANGE = new RegExp(
  String.raw`\b(${planningSource(({ over }) => over)}\s+)?${YEAR}\s*(${planningSource(({ until }) => until)}|[\-–])\s*(?:${planningSource(({ articles }) => articles)}\s+)?${YEAR}\b`,
  'iu',
);
const PAIR = new RegExp(`^${AND}$`, 'iu');
const LIST = new RegExp(
  String.raw`\b${YEAR}(?:\s*(?:,\s*${AND}|,|${planningSource(({ and, or, against }) => [...and, ...or, ...against])})\s*${YEAR})+\b`,
  'iu',
);
const COUNTS = new Map(planningCounts());
const COUNTED = new RegExp(
  String.raw`(?:${planningSource(({ within }) => within)}\s+)*(?:${planningSource(({ last }) => last)}\s+)?(\b\d{1,2}|${wordsSource(COUNTS.keys())})\s+(?:${planningSource(({ fiscal }) => fiscal)}\s+)?${planningSource(({ years }) => years)}`,
  'iu',
);
const YEARS_MAX = 10;

function yearList(clause: string, { years }: KnownDocuments): Scope['years'] {
  const range = RANGE.exec(clause);
  if (range !== null) {
    const named = yearsIn(range[0]);
    const [first = 0, last = 0] = [named[0], named.at(-1)];
    const isPair = PAIR.test(range[2] ?? '') && range[1] === undefined;
    const all = isPair || last - first >= YEARS_MAX ? [first, last] : everyYear(first, last);
    if (last > first && !(isPair && LIST.exec(clause)?.[0] !== range[0]))
      return { start: range.index + (range[1] ?? '').length, end: range.index + range[0].length, items: all };
  }
  const list = LIST.exec(clause);
  if (list !== null)
    return {
      start: list.index,
      end: list.index + list[0].length,
      items: yearsIn(list[0]).slice(0, YEARS_MAX),
    };
  const counted = COUNTED.exec(clause);
  const word = counted?.[1]?.toLowerCase() ?? '';
  const count = COUNTS.get(word) ?? Number(word);
  if (counted === null || !(count > 1) || years.length < 2) return null;
  return {
    start: counted.index,
    end: counted.index + counted[0].length,
    items: years.slice(-Math.min(count, YEARS_MAX)),
  };
}

const everyYear = (first: number, last: number): readonly number[] =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i);

/** Things that are always said together. */
const ONE_THING = new RegExp(
  planningSource(({ oneThing }) => oneThing),
  'giu',
);
const JOINING = planningSource(({ and, asWellAs }) => [...and, ...asWellAs]);
const JOIN = new RegExp(String.raw`\s*(?:,\s*${AND}|,|${JOINING}|&)\s+`, 'giu');
const JOINS = new RegExp(`^${JOINING}$`, 'iu');
/** Where what is listed begins or ends. */
const EDGE = new RegExp(String.raw`^(?:${planningSource(({ edges }) => edges)}|\d{4})$`, 'iu');
const ARTICLE_FIRST = new RegExp(String.raw`^${planningSource(({ articles }) => articles)}\s+`, 'iu');

/** `the revenue and the net income` of a clause; what names whom and when is out of sight. */
function thingList(clause: string, language: string, hidden: readonly Span[]): Listed | null {
  let plain = clause.replace(ONE_THING, (whole) => whole.replace(/[ ,]/g, TOGETHER));
  for (const { start, end } of hidden)
    plain = plain.slice(0, start) + APART.repeat(end - start) + plain.slice(end);
  for (const [run, start] of runsOf(plain, language === CAPITAL_NOUNS)) {
    const items = run
      .split(JOIN)
      .map((item) => clean(item.replaceAll(TOGETHER, ' ')))
      .filter((item) => item !== '');
    const isEach = items.every((item) => isThing(item) && (language === CAPITAL_NOUNS || !isName(item)));
    if (items.length > 1 && isEach) return { start, end: start + run.length, items };
  }
  return null;
}

/** In the place of a letter: of words that stay together, of what is not seen. */
const TOGETHER = '\u0001';
const APART = '\u0002';

/** Stretches of words without an edge, with their places. */
function* runsOf(plain: string, nounsOnly: boolean): Generator<readonly [run: string, start: number]> {
  let start = -1;
  let end = 0;
  for (const match of plain.replaceAll(APART, ' ').matchAll(/\S+/g)) {
    const word = match[0].replace(/[?.!,;:]+$/, '');
    const isEdge = EDGE.test(word) || (nounsOnly && /^\p{Ll}/u.test(word) && !JOINS.test(word));
    const isApart = plain.slice(end, match.index).includes(APART);
    if (start >= 0 && (isEdge || isApart)) {
      yield [plain.slice(start, end), start];
      start = -1;
    }
    if (isEdge) continue;
    if (start < 0) start = match.index;
    end = match.index + match[0].replace(/[?.!;:]+$/, '').length;
  }
  if (start >= 0) yield [plain.slice(start, end), start];
}

const clean = (item: string): string =>
  item
    .replace(ARTICLE_FIRST, '')
    .replace(/['’]s$/, '')
    .replace(/\s+/g, ' ')
    .trim();

const THING_WORDS_MAX = 6;

const isThing = (item: string): boolean =>
  /\p{L}{3}/u.test(item) && item.split(/\s+/).length <= THING_WORDS_MAX;

const isName = (item: string): boolean => /^\p{Lu}\p{Ll}+$/u.test(item);
