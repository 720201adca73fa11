/** The calculation that a question asks for, told from its words: which, of what, over which years. */
import type { OperationForm, OperationKind } from '../../language/questions/asking/question-pack.ts';
import type { Match } from './forms.ts';
import { yearsIn } from './periods.ts';
import { firstOf, type Phrased, phrased, textOf, withoutStretches } from './phrased.ts';
import { labelOf } from './subject.ts';
import type { Token } from './tokens.ts';

export type { OperationKind };

export interface Operation {
  readonly kind: OperationKind;
  /** Operands in the question's words: one for all years, or one operand each. */
  readonly subjects: readonly string[];
  /** Ascending; empty where the question names none. */
  readonly years: readonly number[];
  /** The subjects without periods, as answers show them. */
  readonly label: string;
  /** How far two amounts of one measure are apart, whichever is more. */
  readonly isApart: boolean;
  /** By how much it became less. */
  readonly isFall: boolean;
}

/** Words between the subjects of one operation. */
const BETWEEN: Partial<Readonly<Record<OperationKind, string>>> = { ratio: ' to ', percentage: ' of ' };

/** Longer questions are not computed with: nobody could say what they compute. */
const CORE_CHARACTERS_MAX = 500;

/** Null where the question asks for nothing that is computed. */
export function operationIn(core: Phrased): Operation | null {
  if (core.text.length > CORE_CHARACTERS_MAX || core.grammar === null) return null;
  const whole = withoutAsides(core);
  const { tokens, grammar } = whole;
  if (grammar === null || firstOf(grammar.forms.uncomputed, tokens) !== null) return null;
  for (const { op, form } of grammar.operations) {
    const found = form.find(tokens);
    if (found === null) continue;
    // What else it says of the amounts is not understood: `excluding acquisitions`.
    if (op === 'none' || !isOfTime(whole, found.to, REST_TAGS)) return null;
    const made = settle(op, namedIn(found, whole), whole);
    if (made === null) continue;
    const labels = made.subjects.map((subject) => labelOf(subject, grammar.name));
    const said = tokensBeside(found, tokens);
    if (labels.every((label) => isThing(phrased(label, whole))))
      return {
        ...made,
        label: labels.join(BETWEEN[made.kind] ?? ' and '),
        isApart: made.kind === 'difference' && (made.subjects.length === 1 || found.slots.OF !== undefined),
        isFall: grammar.has('fall', said) && !grammar.has('rise', said),
      };
  }
  return null;
}

/** Those of a form that are in none of its slots. */
const tokensBeside = ({ from, to, slots }: Match, tokens: readonly Token[]): readonly Token[] =>
  tokens
    .slice(from, to)
    .filter((_, i) => Object.values(slots).every((slot) => i + from < slot.from || i + from >= slot.to));

/** More than a word of changing: `variation in percent of costs` is of the costs. */
const isThing = ({ tokens, grammar }: Phrased): boolean =>
  tokens.some((_, i) => grammar === null || grammar.at('change', tokens, i) === 0);

/** `increase/(decrease) in sales (in %)` is the increase in sales. */
function withoutAsides(core: Phrased): Phrased {
  const { tokens, grammar } = core;
  const asides = tokens.flatMap((_, i) => {
    const to = asideEnd(core, i);
    return to === null || grammar === null ? [] : [{ from: i, to }];
  });
  const text = withoutStretches(core, asides).replace(/[?.!？。！\s]+$/u, '');
  return text === core.text ? core : phrased(text.replace(/\s+/g, ' ').replace(/^[¿¡\s]+/, ''), core);
}

function asideEnd({ tokens, grammar }: Phrased, from: number): number | null {
  const word = (i: number): string => tokens[i]?.word ?? '';
  const unit = unitEnd({ tokens, grammar }, from);
  if (unit !== null) return unit;
  const isOther = word(from) === '/';
  const isIn = word(from) === ',';
  if (!isOther && !isIn && word(from) !== '(') return null;
  const at = from + (isOther && word(from + 1) === '(' ? 2 : 1);
  const inside = isOther
    ? (grammar?.at('change', tokens, at) ?? 0)
    : percentEnd({ tokens, grammar }, at, isIn);
  if (inside === 0) return null;
  const end = at + inside;
  if (isIn) return word(end) === ',' ? end + 1 : null;
  if (word(end) === ')') return end + 1;
  return isOther && at === from + 1 ? end : null;
}

/** `in millions of euros`, at the end or in brackets: nothing of it names a line. */
function unitEnd({ tokens, grammar }: Pick<Phrased, 'tokens' | 'grammar'>, from: number): number | null {
  const isOpen = tokens[from]?.word === '(';
  let at = isOpen ? from + 1 : from;
  const lead = grammar?.at('in', tokens, at) ?? 0;
  if (grammar === null || lead === 0) return null;
  at += lead;
  const units = at;
  for (;;) {
    const length = Math.max(
      grammar.at('scale', tokens, at),
      grammar.at('currency', tokens, at),
      at > units ? grammar.at('of', tokens, at) : 0,
    );
    if (length === 0) break;
    at += length;
  }
  const isEnd = tokens.slice(at).every(({ kind }) => kind === 'mark');
  if (at === units) return null;
  return isOpen ? (tokens[at]?.word === ')' ? at + 1 : null) : isEnd ? at : null;
}

/** Number of tokens of `in percent` or, where that is enough, `%`. */
function percentEnd(
  { tokens, grammar }: Pick<Phrased, 'tokens' | 'grammar'>,
  at: number,
  isLead: boolean,
): number {
  const lead = grammar?.at('in', tokens, at) ?? 0;
  const percent = grammar?.at('percent', tokens, at + lead) ?? 0;
  return percent === 0 || (isLead && lead === 0) ? 0 : lead + percent;
}

type Settled = Pick<Operation, 'kind' | 'subjects' | 'years'>;

interface Named {
  readonly subjects: readonly Phrased[];
  /** The part that both subjects share. */
  readonly of: string;
}

function namedIn({ slots }: Match, whole: Phrased): Named {
  const { A: a, B: b, OF: of } = slots;
  const subjects = [a, b].flatMap((slot) =>
    slot === undefined ? [] : [phrased(textOf(whole, slot), whole)],
  );
  return { subjects, of: of === undefined ? '' : textOf(whole, of) };
}

/** Which of the readings of one form it is; null: another form may fit. */
function settle(op: Exclude<OperationForm['op'], 'none'>, named: Named, whole: Phrased): Settled | null {
  if (op !== 'average of year') return settled(op, named, whole);
  const years = yearsIn(whole.text);
  const [year, ...others] = years;
  const subjects = named.subjects.map(({ text }) => text);
  return year === undefined || others.length > 0
    ? null
    : { kind: 'average', subjects, years: [year - 1, year] };
}

function settled(kind: OperationKind, { subjects: read, of }: Named, whole: Phrased): Settled | null {
  const years = yearsIn(whole.text);
  const subjects = read.map(({ text }) => text);
  const [first, second] = read;
  const arePeriods = (first !== undefined && isPeriod(first)) || (second !== undefined && isPeriod(second));
  if (kind === 'difference') {
    if (second !== undefined && !arePeriods)
      return { kind, subjects: subjects.map((subject) => `${subject} ${of}`.trim()), years };
    const ofYears = isFromUntil(whole) ? 'change' : 'difference';
    return years.length === 2 ? { kind: ofYears, subjects: [`${of} ${subjects.join(' ')}`], years } : null;
  }
  if (kind === 'sum' && second !== undefined) return arePeriods ? null : { kind, subjects, years };
  if (kind === 'average' || kind === 'sum') {
    const all = isRange(whole) ? everyYear(years) : years;
    return kind === 'sum' && all.length < 2 ? null : { kind, subjects, years: all };
  }
  const [only] = years;
  const isMove = kind === 'percentage change' || kind === 'change';
  // From then to when, it does not say.
  if (isMove && years.length === 1 && isSince(whole)) return null;
  if (isMove && years.length === 1 && only !== undefined) return { kind, subjects, years: [only - 1, only] };
  return { kind, subjects, years };
}

/** `from 2018 to 2019`: it says from which of them to which. */
function isFromUntil({ tokens, grammar }: Phrased): boolean {
  const [first = 0, second = 0] = tokens.flatMap(({ kind }, i) => (kind === 'year' ? [i] : []));
  const between = tokens.slice(first + 1, second);
  return grammar?.has('until', between) === true && !grammar.has('and', between);
}

/** Years with words of a period of several, or such words without. */
function isRange({ tokens: all, grammar }: Phrased): boolean {
  if (grammar === null) return false;
  if (grammar.has('span', all)) return true;
  // `tra il 2018 e il 2020`
  const tokens = all.filter(
    (_, i) => grammar.at('article', all, i) !== 1 || grammar.at('at time', all, i) > 0,
  );
  const lead = tokens.findIndex((_, i) => grammar.at('over time', tokens, i) > 0);
  return tokens.some(({ kind }, i) => {
    if (kind !== 'year') return false;
    const isYear = (place: number): boolean => tokens[place]?.kind === 'year';
    const until = grammar.at('until', tokens, i + 1);
    if (until > 0 && isYear(i + 1 + until)) return lead >= 0 && lead < i;
    const and = grammar.at('and', tokens, i + 1);
    return and > 0 && isYear(i + 1 + and) && grammar.at('between', tokens, i - 1) > 0;
  });
}

const isSince = ({ tokens, grammar }: Phrased): boolean =>
  tokens.some(({ kind }, i) => kind === 'year' && grammar !== null && grammar.at('since', tokens, i - 1) > 0);

function everyYear(years: readonly number[]): readonly number[] {
  const [first = 0] = years;
  const last = years.at(-1) ?? 0;
  return last - first > 8 ? years : Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Nothing but a year and words of time. */
const isPeriod = (whole: Phrased): boolean =>
  whole.tokens.some(({ kind }) => kind === 'year') && isOfTime(whole, 0, PERIOD_TAGS);

/** Nothing but such words from there on. */
function isOfTime(
  { tokens, grammar }: Phrased,
  from: number,
  tags: readonly (typeof REST_TAGS)[number][],
): boolean {
  const isWordOfTime = (i: number): boolean =>
    grammar !== null &&
    tags.some((tag) => [1, 2, 3].some((count) => grammar.at(tag, tokens, i - count + 1) >= count));
  return tokens.every(({ kind }, i) => i < from || kind !== 'word' || isWordOfTime(i));
}

const PERIOD_TAGS = [
  'at time',
  'over time',
  'in',
  'of',
  'article',
  'year',
  'period',
  'month',
  'numeral',
  'and',
  'until',
] as const;

/** After a form languages may ask still: `是多少`. */
const REST_TAGS = [...PERIOD_TAGS, 'be', 'how much', 'what'] as const;
