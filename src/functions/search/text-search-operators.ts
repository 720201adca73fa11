/**
 * Operators of tsvector and tsquery, and functions of tsquery (PostgreSQL 18, section 9.13).
 */
import { SqlError } from '../../errors.ts';
import {
  DISTANCE_MAX,
  formatTsQuery,
  nodesOf,
  parseTsQuery,
  type QueryNode,
  type TsQuery,
} from '../../types/text/text-search-query.ts';
import {
  formatTsVector,
  makeTsVector,
  parseTsVector,
  placeOf,
  POSITION_MAX,
  weightOf,
  withWeight,
} from '../../types/text/text-search-vector.ts';
import type { Operator, ScalarFunction } from '../function.ts';
import { finderIn, matches } from './text-search-match.ts';
import { plainToTsQuery, toTsVector, usualConfig } from './text-search-words.ts';

const matchTexts = (vector: string, query: string): boolean =>
  matches(parseTsQuery(query), finderIn(parseTsVector(vector)));

/** The second one's positions follow the first one's. */
function concatenated(left: string, right: string): string {
  const first = parseTsVector(left);
  const last = Math.max(0, ...first.flatMap(({ positions }) => positions.map(placeOf)));
  const second = parseTsVector(right).map(({ word, positions }) => ({
    word,
    positions: positions.map((position) =>
      withWeight(Math.min(placeOf(position) + last, POSITION_MAX), weightOf(position)),
    ),
  }));
  return formatTsVector(makeTsVector([...first, ...second]));
}

function combined(kind: 'and' | 'or', a: string, b: string): string {
  const [left, right] = [parseTsQuery(a), parseTsQuery(b)];
  if (left === null || right === null) return formatTsQuery(left ?? right);
  return formatTsQuery({ kind, left, right });
}

/** @throws SqlError 22023. */
function phraseOf(a: string, b: string, distance = 1): string {
  if (distance < 0 || distance > DISTANCE_MAX) {
    const range = `an integer value between zero and ${DISTANCE_MAX} inclusive`;
    throw new SqlError('invalid_parameter_value', `distance in phrase operator must be ${range}`);
  }
  const [left, right] = [parseTsQuery(a), parseTsQuery(b)];
  if (left === null || right === null) return formatTsQuery(left ?? right);
  return formatTsQuery({ kind: 'phrase', left, right, distance });
}

function negated(text: string): string {
  const operand = parseTsQuery(text);
  return operand === null ? '' : formatTsQuery({ kind: 'not', operand });
}

/** The part an index could look for: the query without its negations, `T` for what is always true. */
function indexable(node: QueryNode): TsQuery {
  if (node.kind === 'not' || node.kind === 'stop') return null;
  if (node.kind === 'word') return node;
  const [left, right] = [indexable(node.left), indexable(node.right)];
  if (left !== null && right !== null) return { ...node, left, right };
  return node.kind === 'or' ? null : (left ?? right);
}

const wordsOf = (text: string): ReadonlySet<string> =>
  new Set(nodesOf(parseTsQuery(text)).flatMap((node) => (node.kind === 'word' ? [node.word] : [])));

export const TEXT_SEARCH_QUERY_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'numnode',
    args: ['tsquery'],
    returns: 'int4',
    summary: 'The number of words and operators.',
    example: ["SELECT numnode('(fat & rat) | cat'::tsquery)", '5'],
    evaluate: (text: string) => nodesOf(parseTsQuery(text)).length,
  },
  {
    name: 'querytree',
    args: ['tsquery'],
    returns: 'text',
    summary: 'The part of a query that an index can look for; T when there is none.',
    example: ["SELECT querytree('foo & !bar'::tsquery)", "'foo'"],
    evaluate: (text: string) => {
      const query = parseTsQuery(text);
      if (query === null) return '';
      const found = indexable(query);
      return found === null ? 'T' : formatTsQuery(found);
    },
  },
  {
    name: 'tsquery_phrase',
    args: ['tsquery', 'tsquery'],
    returns: 'tsquery',
    summary: 'The second query right behind the first.',
    example: ["SELECT tsquery_phrase('fat'::tsquery, 'cat'::tsquery)", "'fat' <-> 'cat'"],
    evaluate: (a: string, b: string) => phraseOf(a, b),
  },
  {
    name: 'tsquery_phrase',
    args: ['tsquery', 'tsquery', 'int4'],
    returns: 'tsquery',
    summary: 'The second query so many places behind the first.',
    example: ["SELECT tsquery_phrase('fat'::tsquery, 'cat'::tsquery, 10)", "'fat' <10> 'cat'"],
    evaluate: phraseOf,
  },
];

const MATCH = { returns: 'bool', summary: 'Whether a text matches a query.' } as const;

export const TEXT_SEARCH_OPERATORS: readonly Operator[] = [
  ...['@@', '@@@'].flatMap((name): Operator[] => [
    {
      ...MATCH,
      name,
      left: 'tsvector',
      right: 'tsquery',
      commutator: name,
      example: [`SELECT 'fat:1 rat:2'::tsvector ${name} 'fat & rat'::tsquery`, 't'],
      evaluate: matchTexts,
    },
    {
      ...MATCH,
      name,
      left: 'tsquery',
      right: 'tsvector',
      commutator: name,
      example: [`SELECT 'fat & cat'::tsquery ${name} 'fat:1 rat:2'::tsvector`, 'f'],
      evaluate: (query: string, vector: string) => matchTexts(vector, query),
    },
  ]),
  {
    ...MATCH,
    name: '@@',
    left: 'text',
    right: 'tsquery',
    volatility: 'stable',
    example: ["SELECT 'fat rats'::text @@ to_tsquery('rat')", 't'],
    evaluateIn: (context, text: string, query: string) =>
      matchTexts(toTsVector(usualConfig(context), [text]), query),
  },
  {
    ...MATCH,
    name: '@@',
    left: 'text',
    right: 'text',
    volatility: 'stable',
    example: ["SELECT 'fat rats'::text @@ 'rat'::text", 't'],
    evaluateIn: (context, text: string, query: string) => {
      const config = usualConfig(context);
      return matchTexts(
        toTsVector(config, [text]),
        plainToTsQuery(context, config, { text: query, join: 'and' }),
      );
    },
  },
  {
    name: '||',
    left: 'tsvector',
    right: 'tsvector',
    returns: 'tsvector',
    summary: 'One vector behind the other.',
    example: ["SELECT 'a:1 b:2'::tsvector || 'c:1 b:2'::tsvector", "'a':1 'b':2,4 'c':3"],
    evaluate: concatenated,
  },
  {
    name: '&&',
    left: 'tsquery',
    right: 'tsquery',
    returns: 'tsquery',
    summary: 'Both queries.',
    example: ["SELECT 'fat | rat'::tsquery && 'cat'::tsquery", "( 'fat' | 'rat' ) & 'cat'"],
    evaluate: (a: string, b: string) => combined('and', a, b),
  },
  {
    name: '||',
    left: 'tsquery',
    right: 'tsquery',
    returns: 'tsquery',
    summary: 'Either query.',
    example: ["SELECT 'fat & rat'::tsquery || 'cat'::tsquery", "'fat' & 'rat' | 'cat'"],
    evaluate: (a: string, b: string) => combined('or', a, b),
  },
  {
    name: '!!',
    right: 'tsquery',
    returns: 'tsquery',
    summary: 'Not the query.',
    example: ["SELECT !! 'cat'::tsquery", "!'cat'"],
    evaluate: negated,
  },
  {
    name: '<->',
    left: 'tsquery',
    right: 'tsquery',
    returns: 'tsquery',
    summary: 'The second query right behind the first.',
    example: ["SELECT 'fat'::tsquery <-> 'rat'::tsquery", "'fat' <-> 'rat'"],
    evaluate: (a: string, b: string) => phraseOf(a, b),
  },
  {
    name: '@>',
    left: 'tsquery',
    right: 'tsquery',
    returns: 'bool',
    commutator: '<@',
    summary: 'Whether a query has all words of another.',
    example: ["SELECT 'cat & rat'::tsquery @> 'cat'::tsquery", 't'],
    evaluate: (a: string, b: string) => wordsOf(b).isSubsetOf(wordsOf(a)),
  },
  {
    name: '<@',
    left: 'tsquery',
    right: 'tsquery',
    returns: 'bool',
    commutator: '@>',
    summary: 'Whether all words of a query are in another.',
    example: ["SELECT 'cat'::tsquery <@ '!cat & rat'::tsquery", 't'],
    evaluate: (a: string, b: string) => wordsOf(a).isSubsetOf(wordsOf(b)),
  },
];
