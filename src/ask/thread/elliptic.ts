/**
 * A question that leaves out what the one before it said, made whole: "and in 2021?", "what about France?", "how did it
 * change?". What it says itself is kept, the rest is the former question's. A question that is whole stays as it is.
 */
import { namesIn, yearsIn } from '../question.ts';
import { conceptsIn } from '../vocabulary.ts';

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

const LEAD =
  /^(?:and|but|or|so|ok(?:ay)?|then|also|now|again|what about|how about|what of|(?:the )?same (?:for|in|question for)|und|oder|was ist mit|wie (?:ist|war) es (?:mit|in)|et|mais|qu['’]en est-il (?:de|du|des|en)|y|¿?\s?y|¿?\s?qué (?:hay|tal) (?:de|en)|¿?\s?e)(?=[\s,:])[\s,:]*/iu;
const TRAIL = /[\s,]*(?:\b(?:then|instead|too|as well|again|please)\b)?[\s?!.…]*$/iu;
const PREPOSITION =
  /^(?:in|for|of|at|on|from|by|with|during|within|im|in der|in den|für|von|bei|en|pour|de|du|des|para|del|para el)(?=\s)\s*/iu;
const ARTICLE = /^(?:the|a|an|der|die|das|le|la|les|el|los|las)\s+/iu;
/** Begins what is a sentence of its own. */
const ASKS =
  /^(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|if|list|give|show|name|tell|compare|explain|describe|calculate|compute|was|welche[rsmn]?|wer|wann|wo|warum|wie|hat|ist|sind|quel(?:le)?s?|qui|quand|où|pourquoi|comment|combien|qué|cuál(?:es)?|quién|cuándo|dónde|cómo|cuánt[oa]s?)\b/iu;
const WHY =
  /^(?:and |but )?(?:why|how so|how come|warum|pourquoi|por qué)(?: (?:is|was|did|does) (?:that|this|it))?$/iu;
/** Words that say of an amount that it is one. */
const MEASURE =
  /\b(?:amounts?|ratios?|rates?|percentages?|average|totals?|values?|costs?|prices?|expenses?|expenditures?|revenues?|sales|income|balances?|margins?|assets?|liabilit(?:y|ies)|debts?|equity|cash|profits?|loss(?:es)?|earnings|taxes|dividends?|shares?|employees|headcount|inventor(?:y|ies)|receivables?|payables?|goodwill|depreciation|interest|capex|ebitda|eps|number of \w+)\b/iu;
/** Verbs of what happens to an amount. */
const CHANGES =
  /\b(?:chang|grow|grew|increas|decreas|declin|develop|compar|rise|rose|fall|fell|drop|differ|driv|drove|caus|explain|higher|lower|evolv|trend|break)/iu;
const OWN = /\b(?:its|their|his|her|the (?:company|firm|group|business)['’]s)(?=\s)/iu;
const IT =
  /\b(?:it|they|them|he|she|the (?:company|firm|group))(?!['’]s\b)\b|\b(?:this|that)(?=\s*(?:\?|$|\s(?:is|was|were|did|does|change|compare|grow|differ|increase|decrease|develop)\b))/iu;
const SAME_PERIOD = /\b(?:(?:in|for|during) )?(?:that|the same|this) (?:year|period|quarter)\b/iu;
const MONTH =
  /^(?:January|February|March|April|May|June|July|August|September|October|November|December|Q[1-4]|FY\s?\d*|I|US\$?|USD)$/iu;
const YEARS = /(?<![\w.,])(?:(?:FY|fiscal(?: year)?)\s?)?(?:19|20)\d{2}(?![\w%]|[.,]\d)/giu;

/** The whole question; null where it is whole by itself, or nothing of it can be known. */
export function madeWhole(together: Together): string | null {
  const question = together.question.replace(/\s+/g, ' ').trim();
  if (question.length > ELLIPTIC_CHARACTERS_MAX || together.former.length > FORMER_CHARACTERS_MAX)
    return null;
  const plain = question.replace(TRAIL, '');
  if (WHY.test(plain)) return `Why ${topicOf(together.former)}?`;
  const lead = leadOf(plain);
  const rest = plain.slice(lead).trim();
  if (isFragment(rest, lead > 0, together)) return fromFragment(rest, together);
  return fromSentence(question, together);
}

function leadOf(text: string): number {
  let at = 0;
  for (let found = LEAD.exec(text); found !== null; found = LEAD.exec(text.slice(at))) at += found[0].length;
  return at;
}

/** A few words that are no sentence; one that names both whose and what it asks for is whole. */
function isFragment(rest: string, hasLead: boolean, { namesDocuments }: Together): boolean {
  if (rest === '' || ASKS.test(rest) || rest.split(' ').length > FRAGMENT_WORDS_MAX) return false;
  return hasLead || !(MEASURE.test(rest) && (namesDocuments(rest) || yearsIn(rest).length > 0));
}

function fromFragment(rest: string, together: Together): string {
  const years = yearsOf(rest);
  const words = rest.replace(YEARS, ' ').replace(/\s+/g, ' ').trim();
  const bare = withoutEnds(words);
  let whole = together.former;
  if (years.length > 0) whole = withYears(whole, years);
  if (bare !== '') whole = withWords(whole, bare, PREPOSITION.test(`${words} `), together);
  return whole;
}

/** Without prepositions, articles and joining words at its ends. */
function withoutEnds(words: string): string {
  let bare = words;
  for (let before = ''; before !== bare; ) {
    before = bare;
    bare = bare
      .replace(PREPOSITION, '')
      .replace(ARTICLE, '')
      .replace(/^(?:and|or|to|its|their|his|her)\b\s*/iu, '');
    bare = bare.replace(/(?:^|\s+)(?:and|or|to|in|of|for|from|at|on|during|the|years?)$/iu, '').trim();
  }
  return bare;
}

const yearsOf = (text: string): readonly string[] => [...text.matchAll(YEARS)].map(([year]) => year);

const digits = (year: string): number => Number(year.replace(/\D/g, '').slice(-4));

/** One year moves a period, as many as there are take their places, others are put to the end. */
function withYears(former: string, years: readonly string[]): string {
  const old = yearsOf(former);
  if (old.length === 0) return appended(former, `in ${years.join(' and ')}`);
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
    return all.map((one) => year.replace(/\d{4}$/, String(digits(one)))).join(' and ');
  });
}

/** Words that take the place of what is of their kind: a name, a measure, the same thing with another number. */
function withWords(former: string, words: string, isPlaced: boolean, together: Together): string {
  const numbered = /^(.+?)\s+(\S*\d\S*)$/u.exec(words);
  if (numbered !== null) {
    const [, head = ''] = numbered;
    const same = new RegExp(`\\b${escaped(head)}s?\\s+\\S*\\d[^\\s?.,;]*`, 'iu');
    if (same.test(former)) return former.replace(same, () => words);
  }
  const alike = alikeIn(former, words);
  if (alike !== null) return former.replace(alike, () => words);
  if (together.namesDocuments(words)) {
    const names = namesOf(former, together).filter((name) => together.namesDocuments(name));
    return names.length > 0 ? replacedLast(former, names, words) : appended(former, `for ${words}`);
  }
  const isMeasure = MEASURE.test(words) || conceptsIn(words).length > 0;
  if (isMeasure && !isPlaced) {
    const measure = measureOf(former);
    return measure === null ? appended(former, words) : replacedLast(former, [measure], words);
  }
  const names = namesOf(former, together).filter((name) => !together.namesDocuments(name));
  if (/^\p{Lu}/u.test(words) && names.length > 0) return replacedLast(former, names, words);
  return appended(former, `for ${words}`);
}

/** Words that begin or join what is named; no part of a name. */
const BOUNDS =
  /^(?:of|by|for|in|to|from|at|on|with|among|between|during|and|or|than|as|per|the|a|an|is|are|was|were|do|does|did|has|have|had|what|which|who|how|much|many)$/i;

/** Named in the former question by the same last words: `master's degree recipients`, of `doctoral degree recipients`. */
function alikeIn(former: string, words: string): string | null {
  const wanted = words.split(' ');
  const parts = [...former.matchAll(/[^\s?!,;]+/gu)];
  for (let count = wanted.length - 1; count > 0; count--) {
    const tail = wanted.slice(-count).join(' ').toLowerCase();
    for (let end = parts.length; end >= count; end--) {
      const own = parts.slice(end - count, end);
      if (own.map(([word]) => word.toLowerCase()).join(' ') !== tail) continue;
      let first = end - count;
      while (first > 0 && end - first < wanted.length && !BOUNDS.test(parts[first - 1]?.[0] ?? '')) first--;
      const [from, to] = [parts[first], parts[end - 1]];
      if (first === end - count || from === undefined || to === undefined) continue;
      return former.slice(from.index, to.index + to[0].length);
    }
  }
  return null;
}

function fromSentence(question: string, together: Together): string | null {
  const { former, namesDocuments } = together;
  if (namesDocuments(question)) return null;
  const whose = namesOf(former, together).filter((name) => namesDocuments(name));
  const entity = whose.at(-1) ?? namesOf(former, together).at(-1) ?? null;
  const refers = OWN.test(question) || IT.test(question) || SAME_PERIOD.test(question);
  const isAmount = MEASURE.test(question) || conceptsIn(question).length > 0;
  if (namesOf(question, together).length > 0) return null;
  if (!refers && (whose.length === 0 || !isAmount)) return null;
  const years = yearsOf(former);
  let whole = question.replace(SAME_PERIOD, years.length > 0 ? `in ${years.join(' and ')}` : '$&');
  const measure = measureOf(former);
  const isOfMeasure = CHANGES.test(question) && !MEASURE.test(question.replace(OWN, '')) && measure !== null;
  if (isOfMeasure) {
    whole = whole.replace(IT, () => (entity === null ? measure : `${measure} of ${entity}`));
  } else if (entity !== null) whole = whole.replace(IT, () => entity);
  if (entity !== null) whole = whole.replace(OWN, () => `${entity}'s`);
  if (entity !== null && !whole.includes(entity)) whole = appended(whole, `for ${entity}`);
  const wantsYears =
    yearsOf(whole).length === 0 && !/\bwhen\b|\bwhich years?\b|\bwhat years?\b/iu.test(whole);
  if (years.length > 0 && wantsYears) whole = appended(whole, `in ${years.join(' and ')}`);
  else if (isOfMeasure && yearsOf(whole).length === 1 && years.length === 1) whole = withBoth(whole, years);
  return whole === question ? null : whole;
}

/** "change from 2021", of what was said of 2022. */
function withBoth(whole: string, [year = '']: readonly string[]): string {
  const [own = ''] = yearsOf(whole);
  if (digits(own) === digits(year)) return whole;
  return appended(whole, digits(own) < digits(year) ? `to ${year}` : `from ${year}`);
}

/** The question without what asks. */
const topicOf = (former: string): string =>
  former
    .replace(
      /^(?:what|which|how (?:much|many)|how)\s+(?:(?:is|was|are|were|did|does|do)\s+)?(?:the\s+)?/iu,
      '',
    )
    .replace(TRAIL, '');

/** Subject of the question: a measure by its name, else what stands after "what was the". */
function measureOf(former: string): string | null {
  let longest: string | null = null;
  for (const { said } of conceptsIn(former)) if (said.length > (longest?.length ?? 0)) longest = said;
  if (longest !== null) return withGrade(former, longest);
  const [, after] =
    /^(?:what|which|how)\s+(?:is|was|were|are|did|does|much|many)\s+(?:the\s+)?(?:\p{Lu}[\p{L}\p{N}&.-]*(?:['’]s)?\s+)*(?:the\s+)?(.{3,60}?)(?=\s+(?:of|in|for|from|at|during|on|by|between|as|is|was|are|were)\b|\s*\?|$)/u.exec(
      former,
    ) ?? [];
  return after ?? null;
}

const GRADES = /(?:\b(?:total|overall|annual|net|gross|average|consolidated|quarterly)\s+)+$/iu;

/** "total revenue" is one measure, as "net sales" is. */
function withGrade(former: string, measure: string): string {
  const [grades = ''] = GRADES.exec(former.slice(0, former.indexOf(measure))) ?? [];
  return grades + measure;
}

/** Names of somebody or something, as they stand: with capitals, or such as name documents. */
function namesOf(text: string, { namesDocuments }: Together): readonly string[] {
  const capital = namesIn(text).filter((name) => !MONTH.test(name) && conceptsIn(name).length === 0);
  const words = [...text.matchAll(/[\p{L}\p{N}][\p{L}\p{N}&.-]*[\p{L}\p{N}]/gu)];
  const known = words.flatMap(({ 0: word, index }, i) => {
    const next = words[i + 1];
    const pair = next === undefined ? word : text.slice(index, next.index + next[0].length);
    const inside = capital.some((name) => name.includes(word));
    if (inside || word.length < 2) return [];
    if (namesDocuments(word)) return [word];
    return namesDocuments(pair) && !namesDocuments(next?.[0] ?? '') ? [pair] : [];
  });
  return [...capital, ...known].filter((name) => text.includes(name));
}

function replacedLast(text: string, names: readonly string[], words: string): string {
  const at = Math.max(...names.map((name) => text.lastIndexOf(name)));
  const name = names.find((one) => text.startsWith(one, at)) ?? '';
  return at < 0 ? appended(text, words) : text.slice(0, at) + words + text.slice(at + name.length);
}

const appended = (text: string, words: string): string => {
  const end = /[\s?!.]*$/u.exec(text)?.index ?? text.length;
  return `${text.slice(0, end)} ${words}${text.slice(end).trim()}`;
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
