/** The calculation that a question asks for, told from its words: which, of what, over which years. */
import { yearsIn } from '../question.ts';

export type OperationKind =
  | 'percentage change'
  | 'change'
  | 'difference'
  | 'ratio'
  | 'percentage'
  | 'average'
  | 'sum';

export interface Operation {
  readonly kind: OperationKind;
  /** Operands in the question's words: one for all years, or one operand each. */
  readonly subjects: readonly string[];
  /** Ascending; empty where the question names none. */
  readonly years: readonly number[];
  /** The subjects without periods, as answers show them. */
  readonly label: string;
}

interface Pattern {
  readonly kind: OperationKind;
  readonly pattern: RegExp;
  /**
   * Names of groups in the order of operands: over, then under; minuend, then subtrahend. What they share is group
   * `of`, where the pattern has one.
   */
  readonly groups: readonly ('a' | 'b')[];
}

/** Questions for reasons, and for each of several values, are none for a calculation. */
const NOT_COMPUTED =
  /^\s*(?:why|how (?:is|are|was|were|does|do|did))\b|\brespectively\b|\bdriven by\b|\brespective\b|\bdefined as\b|\b365\b|\baverage\b.*\bratio\b/i;

/** The first that fits; those of two subjects come before those of one. */
const PATTERNS: readonly Pattern[] = [
  { kind: 'ratio', pattern: /\bratio of (?<a>.+?) to (?<b>.+)/i, groups: ['a', 'b'] },
  {
    kind: 'ratio',
    pattern: /(?:\b(?:is|was|are|were|the)|['’]s|\d{4}) (?<a>[^,]+?)[- ]to[- ](?<b>[^,]+?) ratio\b(?<of>.*)/i,
    groups: ['a', 'b'],
  },
  { kind: 'ratio', pattern: /(?<a>.+?) as a ratio of (?<b>.+)/i, groups: ['a', 'b'] },
  { kind: 'ratio', pattern: /(?<a>.+?) divided by (?<b>.+)/i, groups: ['a', 'b'] },
  {
    kind: 'percentage',
    pattern: /(?<a>.+?) as an? (?:percentage|percent|proportion|share|%) (?:of|over|to) (?<b>.+)/i,
    groups: ['a', 'b'],
  },
  {
    kind: 'percentage',
    pattern:
      /\b(?:percentage|percent|proportion|share|%) (?:constitution |contribution |composition |distribution )?of (?<a>.+?) (?:among|over|out of|against|in relation to|to|in|within|as part of) (?<b>(?:the )?(?:total|overall|all|net|gross|sum|company).+)/i,
    groups: ['a', 'b'],
  },
  {
    kind: 'percentage',
    pattern:
      /\bpercentage (?:constitution|contribution|composition) of (?<a>.+?) (?:among|in|to|of|within) (?<b>.+)/i,
    groups: ['a', 'b'],
  },
  {
    kind: 'percentage',
    pattern:
      /\bwhat (?:percentage|percent|proportion|share|%) of (?<b>.+?) (?:is|are|was|were|does|did|do|comes? from|came from|(?:is|was|are|were) (?:made up|comprised|due|attributable)) (?:by |of |from |to )?(?<a>.+)/i,
    groups: ['a', 'b'],
  },
  {
    kind: 'percentage change',
    pattern:
      /\b(?:percent(?:age)?|%|relative|yoy|year[- ]over[- ]year|year[- ]on[- ]year) (?:change|increase|decrease|growth|decline|reduction|rise|drop)s? (?:in|of|for)? ?(?<a>.+)/i,
    groups: ['a'],
  },
  { kind: 'percentage change', pattern: /\bgrowth rate (?:in|of|for) (?<a>.+)/i, groups: ['a'] },
  {
    kind: 'percentage change',
    pattern:
      /\b(?:by )?what (?:percentage|percent) did (?<a>.+?) (?:change|increase|decrease|grow|decline|fall|rise|drop)\b(?<b>.*)/i,
    groups: ['a'],
  },
  {
    kind: 'difference',
    pattern: /\bdifference (?:in|of) (?<of>.+?) between (?<a>.+?) and (?<b>.+)/i,
    groups: ['a', 'b'],
  },
  { kind: 'difference', pattern: /\bdifference between (?<a>.+?) and (?<b>.+)/i, groups: ['a', 'b'] },
  {
    kind: 'change',
    pattern:
      /\b(?:change|increase|decrease|growth|decline|difference|reduction|movement)s? (?:in|of|for|between)? ?(?<a>.+)/i,
    groups: ['a'],
  },
  {
    kind: 'sum',
    pattern: /\b(?:sum|total) of (?:the )?(?<a>[^,]+?) and (?<b>.+)/i,
    groups: ['a', 'b'],
  },
  { kind: 'average', pattern: /\baverage (?:annual |yearly |of )?(?:the )?(?<a>.+)/i, groups: ['a'] },
  {
    kind: 'sum',
    pattern: /\b(?:sum|total|combined|aggregate)(?: amount| value| number)?(?: of)? (?:the )?(?<a>.+)/i,
    groups: ['a'],
  },
];

/** Words between the subjects of one operation. */
const BETWEEN: Partial<Readonly<Record<OperationKind, string>>> = { ratio: ' to ', percentage: ' of ' };

/** Longer questions are not computed with: nobody could say what they compute, and patterns would take long over them. */
const CORE_CHARACTERS_MAX = 500;

/** Null where the question asks for nothing that is computed. */
export function operationIn(core: string): Operation | null {
  if (core.length > CORE_CHARACTERS_MAX) return null;
  const text = core
    .replace(/[?.!\s]+$/, '')
    .replace(/\s*\/\s*\(?(?:decrease|increase|loss)\)?/gi, '')
    .replace(/\((?:%|in (?:percent|percentage|%))\)|, in (?:percent|percentage),/gi, ' ')
    .replace(/\s+/g, ' ');
  if (NOT_COMPUTED.test(text)) return null;
  for (const { kind, pattern, groups } of PATTERNS) {
    const found = pattern.exec(text)?.groups;
    if (found === undefined) continue;
    const made = settle(
      kind,
      { subjects: groups.map((group) => found[group] ?? ''), of: found.of ?? '' },
      text,
    );
    if (made !== null)
      return { ...made, label: made.subjects.map(labelOf).join(BETWEEN[made.kind] ?? ' and ') };
  }
  return null;
}

type Settled = Omit<Operation, 'label'>;

interface Named {
  readonly subjects: readonly string[];
  /** The part that both subjects share. */
  readonly of: string;
}

/** Which of the readings of one pattern it is; null: another pattern may fit. */
function settle(kind: OperationKind, { subjects, of }: Named, text: string): Settled | null {
  const years = yearsIn(text);
  const [first = '', second] = subjects;
  if (kind === 'difference') {
    if (second !== undefined && !isPeriod(first) && !isPeriod(second)) {
      return { kind, subjects: subjects.map((subject) => `${subject} ${of}`), years };
    }
    return years.length === 2 ? { kind: 'change', subjects: [`${of} ${subjects.join(' ')}`], years } : null;
  }
  if (kind === 'average' && /weighted[- ]average/i.test(text)) return null;
  if (kind === 'sum' && second !== undefined)
    return isPeriod(first) || isPeriod(second) ? null : { kind, subjects, years };
  if (kind === 'average' || kind === 'sum') {
    const all = isRange(text) ? everyYear(years) : years;
    return kind === 'sum' && all.length < 2 ? null : { kind, subjects, years: all };
  }
  if (kind === 'percentage change' && years.length === 1) {
    return { kind, subjects, years: [(years[0] as number) - 1, ...years] };
  }
  if (kind === 'change' && years.length === 1)
    return { kind, subjects, years: [(years[0] as number) - 1, ...years] };
  return { kind, subjects, years };
}

const isRange = (text: string): boolean =>
  /\b(?:from|between|period|over)\b.*\d{4}\s*(?:to|-|–|through|until)\s*(?:FY)?\d{4}|\bfrom\b.*\d{4} (?:and|to)|\d-year|\byears? period/i.test(
    text,
  );

function everyYear(years: readonly number[]): readonly number[] {
  const [first = 0] = years;
  const last = years.at(-1) ?? 0;
  return last - first > 8 ? years : Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Nothing but a year and words of time. */
const isPeriod = (text: string): boolean =>
  /\d{4}/.test(text) &&
  text
    .replace(
      /\b(?:the|in|at|of|for|fiscal|years?|ended|ending|FY|\d{1,2},?|as|december|january|june|september|march|\d{4}|and|to)\b/gi,
      '',
    )
    .trim() === '';

/** A subject without years and what belongs to them. */
export const labelOf = (subject: string): string =>
  subject
    .replace(
      /\b(?:from|between|in|for|during|at|as of|over|to|and|by|since)\s+(?:the\s+)?(?:(?:fiscal|financial|calendar)\s+)?(?:years?\s+)?(?:ended\s+)?(?:(?:January|February|March|April|May|June|July|August|September|October|November|December)\s+\d{1,2},?\s+)?(?:FY\s?)?(?:19|20)\d{2}(?:\s?[-–]\s?(?:19|20)?\d{2})?\b/gi,
      ' ',
    )
    .replace(/\b(?:FY\s?)?(?:19|20)\d{2}\b/g, ' ')
    .replace(/\b(?:years?|respectively|fiscal)\s*$/i, ' ')
    .replace(/^[^(]*\)|\([^)]*$|[\s,;]+$/g, (part) => part.replace(/[(),;]/g, ' '))
    .replace(/^\s*(?:the|in|of|for)\s+/i, '')
    .replace(
      /(?:[\s,]+(?:from|of|in|between|at|to|for|the|and|as|both|altogether|compared|(?:the )?end))+\s*$/i,
      '',
    )
    .replace(/^(?:what|which|how much)\s+(?:is|was|are|were)\s+/i, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Whose it is, a company's name as a rule: rows are not called by it, unless they are. */
export const withoutOwner = (subject: string, isKnown: (owner: string) => boolean): string =>
  subject.replace(/^(\S+)['’]s\s+/, (whole, owner: string) => (isKnown(owner) ? whole : ''));
