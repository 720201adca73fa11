/** pg_trgm: functions and operators about how alike texts are, over `trigram-sets.ts`. */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import { OID } from '../../types/oids.ts';
import type { CallContext, Operator, ScalarFunction } from '../function.ts';
import { similarity, trigramSet, wordSimilarity } from './trigram-sets.ts';

type Measure = (a: string, b: string) => number;

const plain: Measure = similarity;
const word: Measure = (a, b) => wordSimilarity(a, b, false);
const strictWord: Measure = (a, b) => wordSimilarity(a, b, true);

const exchanged =
  (measure: Measure): Measure =>
  (a, b) =>
    measure(b, a);
const distance =
  (measure: Measure): Measure =>
  (a, b) =>
    Math.fround(1 - measure(a, b));

const byCharacter = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

const LIMIT = 'pg_trgm.similarity_threshold';
const limitOf = (context: CallContext, name: string): number => Number(context.setting(name));

interface Family {
  readonly function: string;
  readonly measure: Measure;
  readonly threshold: string;
  readonly what: string;
  /** Operator for being above the threshold; the same with the sides exchanged; 1 less it. */
  readonly is: readonly [operator: string, example: string];
  readonly isExchanged: readonly [operator: string, example: string];
  readonly distance: readonly [operator: string, example: string, result: string];
  readonly distanceExchanged: readonly [operator: string, example: string, result: string];
  readonly example: readonly [string, string];
}

const FAMILIES: readonly Family[] = [
  {
    function: 'similarity',
    measure: plain,
    threshold: LIMIT,
    what: 'How alike two texts are by their trigrams, 0 to 1.',
    is: ['%', "'words' % 'word'"],
    isExchanged: ['%', "'words' % 'word'"],
    distance: ['<->', "'words'::text <-> 'word'", '0.4285714'],
    distanceExchanged: ['<->', "'words'::text <-> 'word'", '0.4285714'],
    example: ["SELECT similarity('word', 'words')", '0.5714286'],
  },
  {
    function: 'word_similarity',
    measure: word,
    threshold: 'pg_trgm.word_similarity_threshold',
    what: 'How alike the first text and a part of the second one are at best, 0 to 1.',
    is: ['<%', "'word' <% 'two words'"],
    isExchanged: ['%>', "'two words' %> 'word'"],
    distance: ['<<->', "'word' <<-> 'two words'", '0.19999999'],
    distanceExchanged: ['<->>', "'two words' <->> 'word'", '0.19999999'],
    example: ["SELECT word_similarity('word', 'two words')", '0.8'],
  },
  {
    function: 'strict_word_similarity',
    measure: strictWord,
    threshold: 'pg_trgm.strict_word_similarity_threshold',
    what: 'How alike the first text and some whole words of the second one are at best, 0 to 1.',
    is: ['<<%', "'word' <<% 'two words'"],
    isExchanged: ['%>>', "'two words' %>> 'word'"],
    distance: ['<<<->', "'word' <<<-> 'two words'", '0.4285714'],
    distanceExchanged: ['<->>>', "'two words' <->>> 'word'", '0.4285714'],
    example: ["SELECT strict_word_similarity('word', 'two words')", '0.5714286'],
  },
];

/** Texts are cut and sorted. */
const EFFORT = 8;

const TEXTS = { left: 'text', right: 'text', effort: EFFORT } as const;

function operatorsOf({ function: name, measure, threshold, ...family }: Family): readonly Operator[] {
  const is = ([operator, example]: Family['is'], commutator: string, own: Measure): Operator => ({
    ...TEXTS,
    name: operator,
    returns: 'bool',
    commutator,
    volatility: 'stable',
    summary: `Whether ${name} of the texts is at least the setting ${threshold}.`,
    example: [`SELECT ${example}`, 't'],
    evaluateIn: (context, a: string, b: string) => own(a, b) >= limitOf(context, threshold),
  });
  const away = (
    [operator, example, result]: Family['distance'],
    commutator: string,
    own: Measure,
  ): Operator => ({
    ...TEXTS,
    name: operator,
    returns: 'float4',
    commutator,
    summary: `One less ${name} of the texts.`,
    example: [`SELECT ${example}`, result],
    evaluate: distance(own),
  });
  const [first] = family.is;
  const [second] = family.isExchanged;
  const [near] = family.distance;
  const [far] = family.distanceExchanged;
  const own = [is(family.is, second, measure), away(family.distance, far, measure)];
  if (first === second) return own;
  const other = exchanged(measure);
  return [...own, is(family.isExchanged, first, other), away(family.distanceExchanged, near, other)];
}

export const TRIGRAM_OPERATORS: readonly Operator[] = FAMILIES.flatMap(operatorsOf);

export const TRIGRAM_FUNCTIONS: readonly ScalarFunction[] = [
  ...FAMILIES.map(
    ({ function: name, measure, what, example }): ScalarFunction => ({
      name,
      args: ['text', 'text'],
      returns: 'float4',
      effort: EFFORT,
      summary: what,
      example,
      evaluate: measure,
    }),
  ),
  {
    name: 'show_trgm',
    args: ['text'],
    returns: '_text',
    effort: EFFORT,
    summary: 'The trigrams of a text.',
    example: ["SELECT show_trgm('word')", '{"  w"," wo",ord,"rd ",wor}'],
    evaluate: (text: string) => arrayDatum(OID.text, [...trigramSet(text)].sort(byCharacter)),
  },
  {
    name: 'show_limit',
    args: [],
    returns: 'float4',
    volatility: 'stable',
    summary: `The setting ${LIMIT}.`,
    example: ['SELECT show_limit()', '0.3'],
    evaluateIn: (context) => Math.fround(limitOf(context, LIMIT)),
  },
  {
    name: 'set_limit',
    args: ['float4'],
    returns: 'float4',
    volatility: 'volatile',
    effect: 'session',
    summary: `Sets ${LIMIT}, 0 to 1.`,
    example: ['SELECT set_limit(0.3)', '0.3'],
    evaluateIn: (context, limit: number) => {
      if (!(limit >= 0 && limit <= 1)) {
        throw new SqlError('invalid_parameter_value', `wrong limit, should be between 0 and 1: ${limit}`);
      }
      context.setSetting(LIMIT, String(Number(limit.toPrecision(7))), false);
      return limit;
    },
  },
];
