/** LIKE, ILIKE, SIMILAR TO and regular expressions: operators and functions over `pattern.ts` and `similar.ts`. */
import { SqlError } from '../../errors.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import type { Operator, ScalarFunction, SetFunction } from '../function.ts';
import { ilike, like } from './like.ts';
import { SEARCH_FUNCTIONS } from './regexp-search.ts';
import { likeEscape, similarPattern, similarSubstring } from './similar.ts';
import { regularExpression } from './pattern.ts';

type Test = (text: string, pattern: string) => boolean;

const matches: Test = (text, pattern) => regularExpression(pattern).test(text);
const matchesAnyCase: Test = (text, pattern) => regularExpression(pattern, 'i').test(text);

const TESTS: readonly (readonly [string, string, string, string, Test])[] = [
  ['~~', '!~~', 'LIKE', "'abc' ~~ 'a%'", like],
  ['~~*', '!~~*', 'ILIKE', "'abc' ~~* 'A%'", ilike],
  ['~', '!~', 'a regular expression', "'thomas' ~ 't.*ma'", matches],
  ['~*', '!~*', 'a regular expression, in any case', "'thomas' ~* 'T.*ma'", matchesAnyCase],
];

/** `name` and `bpchar` need no rows: both become text implicitly. */
/** @throws SqlError 2201B, 22023. */
function plainPattern(pattern: string, flags: string): string {
  if (regularExpression(pattern, flags).refers) {
    throw new SqlError(
      'invalid_regular_expression',
      'a regular expression of clients has no back references',
      {
        hint: 'SQL typed by hand may: text ~ pattern.',
      },
    );
  }
  return flags === '' ? pattern : `(?${flags})${pattern}`;
}

export const MATCHING_OPERATORS: readonly Operator[] = TESTS.flatMap(
  ([name, negator, what, example, holds]) => {
    const common = { left: 'text', right: 'text', returns: 'bool' } as const;
    return [
      {
        ...common,
        name,
        negator,
        summary: `Whether the text matches ${what}.`,
        example: [`SELECT ${example}`, 't'],
        evaluate: holds,
      },
      {
        ...common,
        name: negator,
        negator: name,
        summary: `Whether the text does not match ${what}.`,
        example: [`SELECT ${example.replace(` ${name} `, ` ${negator} `)}`, 'f'],
        evaluate: (text: string, pattern: string) => !holds(text, pattern),
      },
    ] satisfies Operator[];
  },
);

const texts = (values: readonly Datum[]): ArrayDatum => arrayDatum(OID.text, values);

/** The groups of a match, or the whole match when there are none. */
function groupsOf(match: RegExpMatchArray): ArrayDatum {
  const groups = match.length > 1 ? match.slice(1) : [match[0]];
  return texts(groups.map((group) => group ?? null));
}

function firstMatch(text: string, pattern: string, flags = ''): ArrayDatum | null {
  if (flags.includes('g')) {
    throw new SqlError('invalid_parameter_value', 'regexp_match() does not support the "global" option', {
      hint: 'Use the regexp_matches function instead.',
    });
  }
  const match = regularExpression(pattern, flags).exec(text);
  return match === null ? null : groupsOf(match);
}

function* everyMatch(text: string, pattern: string, flags = ''): Generator<readonly Datum[]> {
  if (flags.includes('g')) {
    for (const match of regularExpression(pattern, flags).all(text)) yield [groupsOf(match)];
    return;
  }
  const match = firstMatch(text, pattern, flags);
  if (match !== null) yield [match];
}

function split(text: string, pattern: string, flags = ''): string[] {
  const parts: string[] = [];
  let start = 0;
  let before = 0;
  for (const match of regularExpression(pattern, flags).all(text)) {
    const end = match.index + match[0].length;
    // An empty match at the start, at the end or right after the last one splits nothing.
    const splits = match.index < text.length && end > before;
    before = end;
    if (!splits) continue;
    parts.push(text.slice(start, match.index));
    start = end;
  }
  return [...parts, text.slice(start)];
}

function firstPart(text: string, pattern: string): string | null {
  const match = regularExpression(pattern).exec(text);
  return match === null ? null : ((match.length > 1 ? match[1] : match[0]) ?? null);
}

function similarEscape(pattern: string | null, mark: string | null): string | null {
  return pattern === null || mark === null ? null : similarPattern(pattern, mark);
}

type Row = Omit<ScalarFunction, 'name' | 'args' | 'returns'>;
const row = (name: string, count: number, returns: string, rest: Row): ScalarFunction => ({
  name,
  args: new Array<string>(count).fill('text'),
  returns,
  ...rest,
});

/** Two arguments, or three with flags. */
const withFlags = (name: string, returns: string, rest: Row): ScalarFunction[] => [
  row(name, 2, returns, rest),
  row(name, 3, returns, rest),
];

export const MATCHING_FUNCTIONS: readonly ScalarFunction[] = [
  row('like_escape', 2, 'text', {
    summary: 'A LIKE pattern with its escape character put as a backslash.',
    example: ["SELECT like_escape('a#%b', '#')", 'a\\%b'],
    evaluate: likeEscape,
  }),
  row('similar_to_escape', 1, 'text', {
    summary: 'A SIMILAR TO pattern as a regular expression.',
    example: ["SELECT 'abc' ~ similar_to_escape('a%')", 't'],
    evaluate: (pattern: string) => similarPattern(pattern),
  }),
  row('similar_to_escape', 2, 'text', {
    strict: false,
    summary: 'A SIMILAR TO pattern with its own escape character as a regular expression.',
    example: ["SELECT 'a%' ~ similar_to_escape('a#%', '#')", 't'],
    evaluate: similarEscape,
  }),
  row('like', 2, 'bool', {
    summary: 'LIKE.',
    example: ["SELECT \"like\"('abc', 'a%')", 't'],
    evaluate: like,
  }),
  row('notlike', 2, 'bool', {
    summary: 'NOT LIKE.',
    example: ["SELECT notlike('abc', 'a%')", 'f'],
    evaluate: (text: string, pattern: string) => !like(text, pattern),
  }),
  row('substring', 2, 'text', {
    summary: 'What a regular expression matches, or its first group.',
    example: ["SELECT substring('Thomas' from '...$')", 'mas'],
    evaluate: firstPart,
  }),
  row('substring', 3, 'text', {
    summary: 'What a SIMILAR pattern has between two escaped quotes.',
    example: ["SELECT substring('foobar' SIMILAR '%#\"o_b#\"%' ESCAPE '#')", 'oob'],
    evaluate: (text: string, pattern: string, mark: string) =>
      firstPart(text, similarSubstring(pattern, mark)),
  }),
  ...withFlags('regexp_match', '_text', {
    summary: 'The groups of the first match.',
    example: ["SELECT regexp_match('foobarbequebaz', '(bar)(beque)')", '{bar,beque}'],
    evaluate: firstMatch,
  }),
  ...withFlags('regexp_like', 'bool', {
    summary: 'Whether a regular expression matches.',
    example: ["SELECT regexp_like('Hello World', 'world$', 'i')", 't'],
    evaluate: (text: string, pattern: string, flags = '') => {
      return regularExpression(pattern, flags).test(text);
    },
  }),
  {
    name: 'quern.pattern',
    args: ['text', 'text'],
    returns: 'text',
    defaults: ["''"],
    argNames: ['pattern', 'flags'],
    summary:
      'A regular expression with its flags, for `~`: what clients match by. A back reference is an error.',
    example: ["SELECT 'Hello' ~ quern.pattern('^h', 'i')", 't'],
    evaluate: plainPattern,
  },
  ...withFlags('regexp_split_to_array', '_text', {
    summary: 'The parts between the matches.',
    example: ["SELECT regexp_split_to_array('hello world', '\\s+')", '{hello,world}'],
    evaluate: (text: string, pattern: string, flags = '') => texts(split(text, pattern, flags)),
  }),
  ...SEARCH_FUNCTIONS,
];

const set = (
  name: string,
  count: number,
  returns: string,
  rest: Pick<SetFunction, 'summary' | 'example' | 'rows'>,
): SetFunction => ({
  name,
  args: new Array<string>(count).fill('text'),
  returns,
  ...rest,
});

export const MATCHING_SETS: readonly SetFunction[] = [2, 3].flatMap((count) => [
  set('regexp_matches', count, '_text', {
    summary: 'The groups of the first match, or with flag g of every match.',
    example: ["SELECT regexp_matches('foobarbequebaz', '(bar)(beque)')", '{bar,beque}'],
    rows: (_, text: string, pattern: string, flags?: string) => everyMatch(text, pattern, flags),
  }),
  set('regexp_split_to_table', count, 'text', {
    summary: 'The parts between the matches.',
    example: ["SELECT regexp_split_to_table('hello', '\\s+')", 'hello'],
    rows: (_, text: string, pattern: string, flags?: string) =>
      split(text, pattern, flags).map((part) => [part]),
  }),
]);
