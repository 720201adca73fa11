/** Comparison that a question makes, told from its words: over years or over rows, for the most, the least, or beyond a bound. */
import { WordTable } from '../../language/questions/words.ts';
import { PACKS } from '../../language/questions/packs.ts';
import type { Stretch } from './forms.ts';
import type { Grammar } from './grammar.ts';
import { allOf, firstOf, type Phrased, phrased, textOf, withoutStretches } from './phrased.ts';
import { labelOf } from './subject.ts';

export interface Comparison {
  readonly of: 'years' | 'rows';
  /** In the question's words. */
  readonly subject: string;
  readonly wanted:
    | { readonly kind: 'most' | 'least'; readonly word: string }
    | {
        readonly kind: 'bound';
        readonly words: string;
        /** @param power of ten of the value's unit; null where nothing tells, and then it may not be known. */
        readonly isBeyond: (value: number, power: number | null) => boolean | null;
      };
}

/** Longer questions are not compared: nobody could say what they compare. */
const CORE_CHARACTERS_MAX = 400;

export function comparisonIn(core: Phrased): Comparison | null {
  if (core.text.length > CORE_CHARACTERS_MAX || core.grammar === null) return null;
  const whole = withoutMarks(core);
  const { tokens, grammar } = whole;
  if (grammar === null) return null;
  const isOfYears = firstOf(grammar.forms.ofYears, tokens) !== null;
  const bound = isOfYears ? boundIn(whole, grammar) : null;
  if (bound !== null) {
    const subject = subjectOf(whole, bound);
    return subject === '' ? null : { of: 'years', subject, wanted: bound.wanted };
  }
  const found = superlativeIn(whole, grammar);
  if (found === null || (!isOfYears && !isOfRows(whole, grammar))) return null;
  const subject = subjectOf(whole, found);
  const { kind, word } = found;
  return subject === '' ? null : { of: isOfYears ? 'years' : 'rows', subject, wanted: { kind, word } };
}

const withoutMarks = (core: Phrased): Phrased =>
  phrased(
    core.text
      .replace(/[?.!？。！\s]+$/u, '')
      .replace(/^[¿¡\s]+/, '')
      .replace(/\s+/g, ' '),
    core,
  );

/** Longer names of what is compared are sentences. */
const ROWS_TOKENS_MAX = 10;

const isOfRows = ({ tokens }: Phrased, { forms }: Grammar): boolean =>
  forms.ofRows.some((form) => {
    const { A: name } = form.find(tokens)?.slots ?? {};
    return name !== undefined && name.to - name.from <= ROWS_TOKENS_MAX;
  });

interface Superlative extends Stretch {
  readonly kind: 'most' | 'least';
  readonly word: string;
}

/** The first one, with the article before it. */
function superlativeIn(whole: Phrased, grammar: Grammar): Superlative | null {
  const { tokens } = whole;
  for (let i = 0; i < tokens.length; i++) {
    for (const kind of ['most', 'least'] as const) {
      const count = grammar.at(kind, tokens, i);
      if (count === 0) continue;
      // More than something else is none of the most.
      if (grammar.has('than', tokens.slice(i + count))) return null;
      const to = i + count;
      const from = grammar.at('article', tokens, i - 1) === 1 ? i - 1 : i;
      return { kind, word: textOf(whole, { from: i, to }).toLowerCase(), from, to };
    }
  }
  return null;
}

type Wanted = Comparison['wanted'];

function boundIn(whole: Phrased, grammar: Grammar): (Stretch & { readonly wanted: Wanted }) | null {
  const { tokens } = whole;
  for (let from = 0; from < tokens.length; from++) {
    const above = grammar.at('above', tokens, from);
    const lead = Math.max(above, grammar.at('below', tokens, from));
    if (lead === 0) continue;
    let at = from + lead;
    const signs = at;
    while (/^[-−$€£¥]$/.test(tokens[at]?.word ?? '')) at++;
    const digits = numberOf(tokens[at]?.word ?? '', grammar.name);
    if (digits === null) continue;
    const isMinus = tokens.slice(signs, at).some(({ word }) => /[-−]/.test(word));
    const scale = grammar.at('scale', tokens, at + 1);
    const last = at + 1 + scale;
    const power = scale === 0 ? null : powerOf(textOf(whole, { from: at + 1, to: last }), grammar.name);
    // An abbreviated scale ends in a dot.
    const next = scale > 0 && tokens[last]?.word === '.' ? last + 1 : last;
    const currency = grammar.at('currency', tokens, next);
    const to = currency === 0 ? last : next + currency;
    const isBeyond = beyond(isMinus ? -digits : digits, above > 0, power);
    return { from, to, wanted: { kind: 'bound', words: textOf(whole, { from, to }), isBeyond } };
  }
  return null;
}

/** As the language writes numbers; null where its marks could be either. */
function numberOf(written: string, language: string): number | null {
  const group = PACKS.find(({ name }) => name === language)?.groupMark ?? ',';
  const [grouped, decimal] = group === ',' ? [',', '.'] : ['.', ','];
  const [whole = '', part, ...others] = written.split(decimal);
  const isWhole = new RegExp(`^(?:\\d+|\\d{1,3}(?:\\${grouped}\\d{3})+)$`).test(whole);
  if (!isWhole || others.length > 0 || (part !== undefined && !/^\d+$/.test(part))) return null;
  return Number(`${whole.replaceAll(grouped, '')}.${part ?? '0'}`);
}

const POWERS = new WordTable((pack) => pack.scales);

const powerOf = (word: string, language: string): number | null => POWERS.get(word, () => language) ?? null;

type Bound = Extract<Wanted, { readonly kind: 'bound' }>['isBeyond'];

/** In one scale; as the numbers stand where the question says none. */
function beyond(limit: number, isAbove: boolean, power: number | null): Bound {
  return (value, own) => {
    if (power !== null && own === null) return null;
    const factor = power === null || own === null ? 1 : 10 ** (own - power);
    return isAbove ? value * factor > limit : value * factor < limit;
  };
}

/** `For the years 2018 to 2020, …`: its years are told apart. */
const INTRODUCED = /^[^,]*\d{4}[^,]*, /;

function subjectOf(whole: Phrased, found: Stretch): string {
  const rest = phrased(withoutStretches(whole, [found]), whole);
  const isIntroduced = rest.grammar !== null && rest.grammar.at('at time', rest.tokens, 0) > 0;
  const plain = isIntroduced ? rest.text.replace(INTRODUCED, '') : rest.text;
  const label = phrased(labelOf(plain, whole.grammar?.name ?? null), whole);
  return withoutStretches(label, allOf(whole.grammar?.forms.compared ?? [], label.tokens))
    .replace(/\s+/g, ' ')
    .trim();
}
