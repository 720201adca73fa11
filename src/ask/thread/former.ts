/** Parts of a question as they stand in it: its topic, its measure, names, words like those of another question. */
import { namesIn } from '../question.ts';
import { allOf, type Phrased, phrased, textOf, withoutStretches } from '../question/phrased.ts';
import type { Tag } from '../../language/questions/asking/question-pack.ts';
import { conceptsIn } from '../vocabulary.ts';

/** True when one of the tags has a word there. */
export const isAt = ({ tokens, grammar }: Phrased, place: number, tags: readonly Tag[]): boolean =>
  grammar !== null && tags.some((tag) => grammar.at(tag, tokens, place) > 0);

/** Something that is measured: a line of accounts, an amount, a term of a domain. */
export const namesAmount = (of: Phrased): boolean =>
  (of.grammar?.has('amount', of.tokens) ?? false) || conceptsIn(of.text).length > 0;

const ASKS = ['what', 'how much', 'how'] as const;
const VERBS = ['be', 'do', 'have'] as const;

/** Number of tokens of the words that ask at its begin. */
function askedTokens(of: Phrased): number {
  const { tokens, grammar } = of;
  if (grammar === null) return 0;
  const length = (tags: readonly Tag[], at: number): number =>
    Math.max(...tags.map((tag) => grammar.at(tag, tokens, at)));
  const from = /^[¿¡]$/.test(tokens[0]?.word ?? '') ? 1 : 0;
  const asked = length(ASKS, from);
  const verb = from + asked + length(VERBS, from + asked);
  return asked === 0 ? 0 : verb + grammar.at('article', tokens, verb);
}

const isEndMark = (word = ''): boolean => /^[?!.…，。？！,]$/u.test(word);

/** The question without what asks. */
export function topicOf(former: Phrased): string {
  const { tokens } = former;
  const from = askedTokens(former);
  let to = tokens.length;
  while (to > from && isEndMark(tokens[to - 1]?.word)) to--;
  if (from > 0) return textOf(former, { from, to });
  const rest = withoutStretches(former, allOf(former.grammar?.forms.asking ?? [], tokens));
  return rest.replace(/[\s?!.…，。？！]+$/u, '').trim();
}

/** Longer ones are sentences. */
const MEASURE_CHARACTERS_MAX = 60;
const MEASURE_CHARACTERS_MIN = 2;
const AFTER_MEASURE = ['of', 'in', 'at time', 'be'] as const;

/** Subject of the question: a measure by its name, else what stands after "what was the". */
export function measureOf(former: Phrased): string | null {
  let longest: string | null = null;
  for (const { said } of conceptsIn(former.text)) if (said.length > (longest?.length ?? 0)) longest = said;
  if (longest !== null) return withGrade(former, longest);
  const { tokens, text } = former;
  let from = askedTokens(former);
  if (from === 0) return null;
  const isName = (i: number): boolean => /^\p{Lu}/u.test(text.slice(tokens[i]?.start));
  while (isName(from) || tokens[from]?.word === "'s" || isAt(former, from, ['article'])) from++;
  let to = from + 1;
  while (to < tokens.length && !isEndMark(tokens[to]?.word) && !isAt(former, to, AFTER_MEASURE)) to++;
  const measure = textOf(former, { from, to });
  const isLong = measure.length > MEASURE_CHARACTERS_MAX;
  return measure.length < MEASURE_CHARACTERS_MIN || isLong ? null : measure;
}

/** "total revenue" is one measure, as "net sales" is. */
function withGrade(former: Phrased, measure: string): string {
  const start = former.text.indexOf(measure);
  const measured = former.tokens.findIndex((token) => token.start >= start);
  let from = measured;
  while (from > 0 && isAt(former, from - 1, ['grade'])) from--;
  return from < measured ? former.text.slice(former.tokens[from]?.start, start) + measure : measure;
}

/** Units and marks of periods that look like names. */
const MARK = /^(?:Q[1-4]|FY\s?\d*|I|US\$?|USD)$/iu;

/**
 * Names of somebody or something, as they stand: with capitals, or such as name documents.
 * @param of the text, with the pack that it is read by.
 */
export function namesOf(of: Phrased, namesDocuments: (text: string) => boolean): readonly string[] {
  const { text, grammar } = of;
  const capital = namesIn(text).filter((name) => {
    if (MARK.test(name) || conceptsIn(name).length > 0) return false;
    const read = phrased(name, of);
    if (isAt(read, 0, ['amount']) || (grammar?.at('month', read.tokens, 0) ?? 0) > 0) return false;
    return grammar?.hasCapitalNouns !== true || namesDocuments(name);
  });
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

/** Words that begin or join what is named are no part of a name. */
const BOUNDS = [
  'of',
  'in',
  'to',
  'and',
  'article',
  'than',
  'at time',
  'what',
  'how',
  'how much',
  ...VERBS,
] as const;

/** Named in the former question by the same last words: `master's degree recipients`, of `doctoral degree recipients`. */
export function alikeIn(former: Phrased, words: string): string | null {
  const wanted = words.split(' ');
  const parts = [...former.text.matchAll(/[^\s?!,;]+/gu)];
  const isBound = (word = ''): boolean => {
    const read = phrased(word, former);
    return read.tokens.length === 1 && isAt(read, 0, BOUNDS);
  };
  for (let count = wanted.length - 1; count > 0; count--) {
    const tail = wanted.slice(-count).join(' ').toLowerCase();
    for (let end = parts.length; end >= count; end--) {
      const own = parts.slice(end - count, end);
      if (own.map(([word]) => word.toLowerCase()).join(' ') !== tail) continue;
      let first = end - count;
      while (first > 0 && end - first < wanted.length && !isBound(parts[first - 1]?.[0])) first--;
      const [from, to] = [parts[first], parts[end - 1]];
      if (first === end - count || from === undefined || to === undefined) continue;
      return former.text.slice(from.index, to.index + to[0].length);
    }
  }
  return null;
}
