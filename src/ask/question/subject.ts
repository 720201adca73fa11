/** Subjects of a question without their periods and whose they are, as answers show them and tables are asked for them. */
import { type Phrased, phrased, phrasedAs, withoutStretches } from './phrased.ts';
import type { Stretch } from './forms.ts';

/** A subject without years and what belongs to them. @param pack that it is read by, null for none. */
export const labelOf = (subject: string, pack: string | null): string => labelIn(phrasedAs(subject, pack));

function labelIn(whole: Phrased): string {
  const bare = withoutStretches(whole, periodsIn(whole))
    .replace(/^[^(]*\)|\([^)]*$|[\s,;]+$/g, (part) => part.replace(/[(),;]/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
  return withoutEnds(phrased(bare, whole));
}

/** Years with their prepositions and words of a year: `in the fiscal years 2018 and 2019`. */
function periodsIn(whole: Phrased): readonly Stretch[] {
  const { tokens } = whole;
  const found: Stretch[] = [];
  for (let i = 0; i < tokens.length; i++) {
    if (tokens[i]?.kind !== 'year') continue;
    const from = periodStart(whole, i, found.at(-1)?.to ?? 0);
    found.push({ from, to: periodEnd(whole, i) });
  }
  return found;
}

function periodStart({ tokens, grammar }: Phrased, year: number, least: number): number {
  if (grammar === null) return year;
  let from = year;
  const isMonth = (i: number): boolean => grammar.at('month', tokens, i) === 1;
  // `December 31`, `31. Dezember`, `31 de diciembre`
  const isDay = (i: number): boolean =>
    tokens[i]?.kind === 'number' &&
    /^\d{1,2}$/.test(tokens[i]?.word ?? '') &&
    (isMonth(i - 1) || isMonth(i + 1) || isMonth(i + 2));
  const isWords = (start: number, count: number): boolean =>
    start >= least && PERIOD_TAGS.some((tag) => grammar.at(tag, tokens, start) === count);
  const isInside = (i: number): boolean => isDay(i) || (/^[,.]$/.test(tokens[i]?.word ?? '') && isDay(i - 1));
  for (let before = -1; before !== from; ) {
    before = from;
    from -=
      LENGTHS.find((count) => isWords(from - count, count)) ?? Number(from > least && isInside(from - 1));
  }
  for (const length of [2, 1]) {
    const at = from - length;
    if (at >= least && grammar.at('at time', tokens, at) === length) return at;
  }
  // An article or a month without its preposition belongs to what follows: `the 2022 revenue`.
  while (from < year && grammar.at('article', tokens, from) > 0) from++;
  return from;
}

/** Tags of the words between a preposition and its year, and how many words one has: `the end of` 2019. */
const PERIOD_TAGS = ['year', 'month', 'article'] as const;
const LENGTHS = [3, 2, 1] as const;

/** A range's last year, and words of a year behind it. */
function periodEnd({ tokens, grammar }: Phrased, year: number): number {
  let to = year + 1;
  if (/^[-–—]$/.test(tokens[to]?.word ?? '') && /^\d+$/.test(tokens[to + 1]?.word ?? '')) to += 2;
  for (;;) {
    const words = isUnspaced(tokens[to]?.word) ? (grammar?.at('year', tokens, to) ?? 0) : 0;
    const isPart = tokens[to]?.kind === 'number' && /^[月日]$/u.test(tokens[to + 1]?.word ?? '');
    if (words === 0 && !isPart) return to;
    to += isPart ? 2 : words;
  }
}

const isUnspaced = (word = ''): boolean => /^\p{Script=Han}/u.test(word);

/** Without articles, prepositions and joining words at its ends, nor the words that ask. */
function withoutEnds(bare: Phrased): string {
  const { tokens, grammar, text } = bare;
  if (grammar === null) return text;
  let [from, to] = [0, tokens.length];
  const isMark = (i: number): boolean => /^[,;:、，¿¡]$/.test(tokens[i]?.word ?? '');
  const endLength = (end: number): number =>
    isMark(end - 1) ? 1 : (LENGTHS.find((count) => grammar.at('no end', tokens, end - count) === count) ?? 0);
  while (to > from && endLength(to) > 0) to -= endLength(to);
  while (from < to && isMark(from)) from++;
  const asked = grammar.at('what', tokens, from) || grammar.at('how much', tokens, from);
  const verb = asked === 0 ? 0 : grammar.at('be', tokens, from + asked);
  if (verb > 0) from += asked + verb;
  const isLead = (i: number): boolean =>
    grammar.at('article', tokens, i) === 1 ||
    grammar.at('in', tokens, i) === 1 ||
    grammar.at('of', tokens, i) === 1;
  while (from < to - 1 && isLead(from)) from++;
  return text.slice(tokens[from]?.start, tokens[to - 1]?.end);
}

/** Whose it is, a company's name as a rule: rows are not called by it, unless they are. */
export const withoutOwner = (subject: string, isKnown: (owner: string) => boolean): string =>
  subject.replace(/^(\S+)['’]s\s+/, (whole, owner: string) => (isKnown(owner) ? whole : ''));
