/** Comparison that a question makes, told from its words: over years or over rows, for the most, the least, or beyond a bound. */
import { labelOf } from './operation.ts';

export interface Comparison {
  readonly of: 'years' | 'rows';
  /** In the question's words. */
  readonly subject: string;
  readonly wanted:
    | { readonly kind: 'most' | 'least'; readonly word: string }
    | {
        readonly kind: 'bound';
        readonly words: string;
        readonly isBeyond: (value: number, unit: string) => boolean;
      };
}

const MOST = 'highest|largest|greatest|biggest|most|maximum|higher|larger|greater|bigger';
const LEAST = 'lowest|smallest|least|minimum|lower|smaller|fewest';
const ABOVE = 'more than|greater than|higher than|larger than|above|over|exceed(?:ed|s|ing)?';
const BELOW = 'less than|lower than|smaller than|fewer than|below|under';

const SUPERLATIVE = new RegExp(`\\b(?:the )?(?:(?<most>${MOST})|(?<least>${LEAST}))\\b`, 'i');
const BOUND = new RegExp(
  `\\b(?:(?<above>${ABOVE})|(?<below>${BELOW}))\\s+(?<number>[-−$€£]*\\d[\\d,]*(?:\\.\\d+)?)\\s*(?<scale>thousand|million|billion)?s?`,
  'i',
);
const OF_YEARS = /\b(?:(?:which|what) (?:\w+ )?(?:years?|period)|how many (?:of the )?years)\b/i;
const OF_ROWS =
  /\b(?:which|what)(?: is the| are the)? (?!year|period|is\b|was\b|are\b|were\b|percent|amount|value)[\w\s&'-]{3,60}?\b(?:had|has|have|was|is|were|are|with|contribut\w+|accounts?|accounted|generat\w+|report\w+)\b/i;

const SCALES: Readonly<Record<string, number>> = { thousand: 1e3, million: 1e6, billion: 1e9 };

/** Longer questions are not compared: nobody could say what they compare, and patterns would take long over them. */
const CORE_CHARACTERS_MAX = 400;

export function comparisonIn(core: string): Comparison | null {
  if (core.length > CORE_CHARACTERS_MAX) return null;
  const text = core.replace(/[?.!\s]+$/, '').replace(/\s+/g, ' ');
  const isOfYears = OF_YEARS.test(text);
  const bound = isOfYears ? BOUND.exec(text) : null;
  if (bound?.groups !== undefined) {
    const { above, number = '', scale } = bound.groups;
    const subject = subjectOf(text.replace(bound[0], ' '));
    const limit = Number(number.replace('−', '-').replace(/[$€£,]/g, ''));
    const isBeyond = beyond(limit, above !== undefined, scale?.toLowerCase());
    return subject === ''
      ? null
      : { of: 'years', subject, wanted: { kind: 'bound', words: bound[0].trim(), isBeyond } };
  }
  const found = SUPERLATIVE.exec(text);
  if (found?.groups === undefined || (!isOfYears && !OF_ROWS.test(text))) return null;
  const { most, least = '' } = found.groups;
  const subject = subjectOf(text.replace(found[0], ' '));
  const word = (most ?? least).toLowerCase();
  return subject === ''
    ? null
    : {
        of: isOfYears ? 'years' : 'rows',
        subject,
        wanted: { kind: most === undefined ? 'least' : 'most', word },
      };
}

/** In the scale of the table where both say one, else as the numbers stand. */
function beyond(
  limit: number,
  isAbove: boolean,
  scale: string | undefined,
): (value: number, unit: string) => boolean {
  return (value, unit) => {
    const own = /thousand|million|billion/i.exec(unit)?.[0].toLowerCase();
    const factor = scale === undefined || own === undefined ? 1 : (SCALES[own] ?? 1) / (SCALES[scale] ?? 1);
    return isAbove ? value * factor > limit : value * factor < limit;
  };
}

const ASKED =
  /\b(?:in |for |during |of |from )?(?:which|what|how many)(?: of the)?(?: fiscal| financial)?(?: years?| period)?\b|\b(?:was|were|is|are|did|does|do|had|has|have|the company(?:['’]s)?|contributed|reported|recorded|that|to|in|of|at)\b|\bthe\b/gi;

const subjectOf = (text: string): string =>
  labelOf(text.replace(/^(?:for|in|from|between) [^,]*\d{4}[^,]*, /i, ''))
    .replace(ASKED, ' ')
    .replace(/\s+/g, ' ')
    .trim();
