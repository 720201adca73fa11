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
  const isDay = (i: number): boolean =>
    tokens[i]?.kind === 'number' &&
    /^\d{1,2}$/.test(tokens[i]?.word ?? '') &&
    grammar.at('month', tokens, i - 1) > 0;
  const isInside = (i: number): boolean =>
    i >= least &&
    (grammar.at('year', tokens, i) === 1 ||
      grammar.at('month', tokens, i) === 1 ||
      grammar.at('article', tokens, i) === 1 ||
      isDay(i) ||
      (tokens[i]?.word === ',' && isDay(i - 1)));
  while (isInside(from - 1)) from--;
  for (const length of [2, 1]) {
    const at = from - length;
    if (at >= least && grammar.at('at time', tokens, at) === length) return at;
  }
  // An article or a month without its preposition belongs to what follows: `the 2022 revenue`.
  while (from < year && grammar.at('article', tokens, from) > 0) from++;
  return from;
}

/** A range's last year, and words of a year behind it. */
function periodEnd({ tokens, grammar }: Phrased, year: number): number {
  let to = year + 1;
  if (/^[-–—]$/.test(tokens[to]?.word ?? '') && /^\d+$/.test(tokens[to + 1]?.word ?? '')) to += 2;
  while (grammar !== null && grammar.at('year', tokens, to) === 1 && isUnspaced(tokens[to]?.word)) to++;
  return to;
}

const isUnspaced = (word = ''): boolean => /^\p{Script=Han}/u.test(word);

/** Without articles, prepositions and joining words at its ends, nor the words that ask. */
function withoutEnds(bare: Phrased): string {
  const { tokens, grammar, text } = bare;
  if (grammar === null) return text;
  let [from, to] = [0, tokens.length];
  const isEnd = (i: number): boolean =>
    grammar.at('no end', tokens, i) === 1 || /^[,;、，]$/.test(tokens[i]?.word ?? '');
  while (to > from && isEnd(to - 1)) to--;
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
