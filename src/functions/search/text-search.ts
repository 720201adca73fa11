/**
 * PostgreSQL's full-text search: functions that make, change and rank tsvector and tsquery (PostgreSQL 18, section 9.13).
 */
import { SqlError } from '../../errors.ts';
import type { TextSearchConfig } from '../../language/text-search-configs.ts';
import { arrayDatum } from '../../types/composite/array.ts';
import type { ArrayDatum, Datum } from '../../types/datum.ts';
import { OID } from '../../types/oids.ts';
import { parseTsQuery, type TsQuery } from '../../types/text/text-search-query.ts';
import {
  formatTsVector,
  makeTsVector,
  parseTsVector,
  type TsVector,
  WEIGHTS,
  weightOf,
  withWeight,
} from '../../types/text/text-search-vector.ts';
import type { FunctionContext, ScalarFunction } from '../function.ts';
import { TEXT_SEARCH_QUERY_FUNCTIONS } from './text-search-operators.ts';
import { rank, rankByCovers, type RankOptions } from './text-search-rank.ts';
import {
  configOf,
  plainToTsQuery,
  toTsQuery,
  toTsVector,
  usualConfig,
  webToTsQuery,
} from './text-search-words.ts';

// ───────────────────────────── making them ─────────────────────────────

/** Strings among the values of a document, in its order. */
function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsOf);
}

const jsonTexts = (text: string): readonly string[] => stringsOf(JSON.parse(text));

/** Each character is looked at many times: words, their stems, their order. */
const STEMMING = 16;

type Make = (context: FunctionContext, config: TextSearchConfig, text: string) => Datum;

/** A function of a text, with the configuration before it or with the session's. */
function byConfig(
  row: Pick<ScalarFunction, 'name' | 'returns' | 'summary'> & { readonly from?: string },
  example: readonly [text: string, result: string],
  make: Make,
): ScalarFunction[] {
  const { from = 'text', ...common } = row;
  const call = (config: string): string => `SELECT ${row.name}(${config}${example[0]})`;
  return [
    {
      ...common,
      effort: STEMMING,
      args: [from],
      volatility: 'stable',
      example: [call(''), example[1]],
      evaluateIn: (context, text: string) => make(context, usualConfig(context), text),
    },
    {
      ...common,
      effort: STEMMING,
      args: ['regconfig', from],
      example: [call("'english', "), example[1]],
      evaluateIn: (context, config: number, text: string) => make(context, configOf(config), text),
    },
  ];
}

const MAKING: readonly ScalarFunction[] = [
  ...byConfig(
    { name: 'to_tsvector', returns: 'tsvector', summary: 'The lexemes of a text with their positions.' },
    ["'The fat rats'", "'fat':2 'rat':3"],
    (_, config, text) => toTsVector(config, [text]),
  ),
  ...['jsonb', 'json'].flatMap((from) =>
    byConfig(
      {
        name: 'to_tsvector',
        returns: 'tsvector',
        from,
        summary: 'The lexemes of the strings in a document.',
      },
      [`'{"a": "fat cats"}'::${from}`, "'cat':2 'fat':1"],
      (_, config, text) => toTsVector(config, jsonTexts(text)),
    ),
  ),
  ...byConfig(
    { name: 'to_tsquery', returns: 'tsquery', summary: 'A query with operators; its words become lexemes.' },
    ["'The & Fat & Rats'", "'fat' & 'rat'"],
    toTsQuery,
  ),
  ...byConfig(
    { name: 'plainto_tsquery', returns: 'tsquery', summary: 'A query for all words of a text.' },
    ["'The Fat Rats'", "'fat' & 'rat'"],
    (context, config, text) => plainToTsQuery(context, config, { text, join: 'and' }),
  ),
  ...byConfig(
    { name: 'phraseto_tsquery', returns: 'tsquery', summary: 'A query for the words of a text as a phrase.' },
    ["'The Cat and Rats'", "'cat' <2> 'rat'"],
    (context, config, text) => plainToTsQuery(context, config, { text, join: 'phrase' }),
  ),
  ...byConfig(
    {
      name: 'websearch_to_tsquery',
      returns: 'tsquery',
      summary: 'A query written as for a search engine: "quoted phrases", or, -not.',
    },
    [`'"fat rat" or cat -dog'`, "'fat' <-> 'rat' | 'cat' & !'dog'"],
    webToTsQuery,
  ),
  {
    name: 'get_current_ts_config',
    args: [],
    returns: 'regconfig',
    volatility: 'stable',
    summary: 'The text search configuration of the session.',
    example: ['SELECT get_current_ts_config()', 'english'],
    evaluateIn: (context) => usualConfig(context).oid,
  },
  {
    name: 'array_to_tsvector',
    args: ['_text'],
    returns: 'tsvector',
    summary: 'A vector of lexemes as they are, without positions.',
    example: ["SELECT array_to_tsvector('{fat,cat}'::text[])", "'cat' 'fat'"],
    evaluate: (array: ArrayDatum) =>
      formatTsVector(makeTsVector(textsOf(array).map((word) => ({ word, positions: [] })))),
  },
];

/** @throws SqlError 22004, 2200F. */
function textsOf(array: ArrayDatum): readonly string[] {
  return array.elements.map((element) => {
    if (element === null) {
      throw new SqlError('null_value_not_allowed', 'lexeme array may not contain nulls');
    }
    if (element === '') {
      throw new SqlError('zero_length_character_string', 'lexeme array may not contain empty strings');
    }
    return element as string;
  });
}

// ───────────────────────────── vectors ─────────────────────────────

/** @throws SqlError 22023. */
function weightNumber(letter: string): number {
  const weight = letter === '' ? -1 : WEIGHTS.indexOf(letter.toUpperCase());
  if (weight >= 0) return weight;
  throw new SqlError('invalid_parameter_value', `unrecognized weight: "${letter}"`);
}

function setWeight(text: string, letter: string, words?: ArrayDatum): string {
  const weight = weightNumber(letter);
  const only = words ? new Set(words.elements) : null;
  const vector = parseTsVector(text).map((lexeme) =>
    only === null || only.has(lexeme.word)
      ? { ...lexeme, positions: lexeme.positions.map((position) => withWeight(position, weight)) }
      : lexeme,
  );
  return formatTsVector(vector);
}

const edited =
  (edit: (vector: TsVector) => TsVector) =>
  (text: string): string =>
    formatTsVector(edit(parseTsVector(text)));

const VECTORS: readonly ScalarFunction[] = [
  {
    name: 'setweight',
    args: ['tsvector', 'char'],
    returns: 'tsvector',
    summary: 'The vector with one weight at every position.',
    example: ["SELECT setweight('fat:2,4 rat:5B'::tsvector, 'A')", "'fat':2A,4A 'rat':5A"],
    evaluate: setWeight,
  },
  {
    name: 'setweight',
    args: ['tsvector', 'char', '_text'],
    returns: 'tsvector',
    summary: 'The vector with one weight at the positions of some lexemes.',
    example: ["SELECT setweight('fat:2,4 rat:5B'::tsvector, 'A', '{rat}')", "'fat':2,4 'rat':5A"],
    evaluate: setWeight,
  },
  {
    name: 'strip',
    args: ['tsvector'],
    returns: 'tsvector',
    summary: 'The vector without positions.',
    example: ["SELECT strip('fat:2,4 rat:5A'::tsvector)", "'fat' 'rat'"],
    evaluate: edited((vector) => vector.map(({ word }) => ({ word, positions: [] }))),
  },
  {
    name: 'length',
    args: ['tsvector'],
    returns: 'int4',
    summary: 'The number of lexemes.',
    example: ["SELECT length('fat:2,4 rat:5A'::tsvector)", '2'],
    evaluate: (text: string) => parseTsVector(text).length,
  },
  {
    name: 'tsvector_to_array',
    args: ['tsvector'],
    returns: '_text',
    summary: 'The lexemes.',
    example: ["SELECT tsvector_to_array('fat:2,4 rat:5A'::tsvector)", '{fat,rat}'],
    evaluate: (text: string) =>
      arrayDatum(
        OID.text,
        parseTsVector(text).map(({ word }) => word),
      ),
  },
  {
    name: 'ts_delete',
    args: ['tsvector', 'text'],
    returns: 'tsvector',
    summary: 'The vector without a lexeme.',
    example: ["SELECT ts_delete('fat:2,4 rat:5A'::tsvector, 'fat')", "'rat':5A"],
    evaluate: (text: string, word: string) =>
      edited((vector) => vector.filter((lexeme) => lexeme.word !== word))(text),
  },
  {
    name: 'ts_delete',
    args: ['tsvector', '_text'],
    returns: 'tsvector',
    summary: 'The vector without some lexemes.',
    example: ["SELECT ts_delete('fat:2,4 rat:5A cat:1'::tsvector, ARRAY['fat','rat'])", "'cat':1"],
    evaluate: (text: string, words: ArrayDatum) =>
      edited((vector) => vector.filter(({ word }) => !words.elements.includes(word)))(text),
  },
  {
    name: 'ts_filter',
    args: ['tsvector', '_char'],
    returns: 'tsvector',
    summary: 'The positions that have one of the weights.',
    example: ["SELECT ts_filter('fat:2,4 cat:3b,7c rat:5A'::tsvector, '{a,b}')", "'cat':3B 'rat':5A"],
    evaluate: (text: string, letters: ArrayDatum) => {
      if (letters.elements.includes(null)) {
        throw new SqlError('null_value_not_allowed', 'weight array may not contain nulls');
      }
      const wanted = new Set(letters.elements.map((letter) => weightNumber(letter as string)));
      return edited((vector) =>
        vector
          .map(({ word, positions }) => ({
            word,
            positions: positions.filter((position) => wanted.has(weightOf(position))),
          }))
          .filter(({ positions }) => positions.length > 0),
      )(text);
    },
  },
];

// ───────────────────────────── ranking ─────────────────────────────

type Rank = (vector: TsVector, query: TsQuery, options: RankOptions) => number;

function ranking(
  name: string,
  summary: string,
  by: { readonly rank: Rank; readonly result: string },
): ScalarFunction[] {
  const evaluate = (weights: ArrayDatum | null, vector: string, query: string, norm: number): number => {
    const given = weights === null ? null : weights.elements.map((weight) => weight as number | null);
    return by.rank(parseTsVector(vector), parseTsQuery(query), { weights: given, norm });
  };
  const call = (before: string, after: string): readonly [string, string] => [
    `SELECT ${name}(${before}'fat:1 rat:2'::tsvector, 'fat & rat'::tsquery${after})`,
    by.result,
  ];
  const usual = "'{0.1,0.2,0.4,1}'::float4[], ";
  const common = { name, returns: 'float4', summary };
  return [
    {
      ...common,
      args: ['tsvector', 'tsquery'],
      example: call('', ''),
      evaluate: (vector: string, query: string) => evaluate(null, vector, query, 0),
    },
    {
      ...common,
      args: ['tsvector', 'tsquery', 'int4'],
      example: call('', ', 0'),
      evaluate: (vector: string, query: string, norm: number) => evaluate(null, vector, query, norm),
    },
    {
      ...common,
      args: ['_float4', 'tsvector', 'tsquery'],
      example: call(usual, ''),
      evaluate: (weights: ArrayDatum, vector: string, query: string) => evaluate(weights, vector, query, 0),
    },
    {
      ...common,
      args: ['_float4', 'tsvector', 'tsquery', 'int4'],
      example: call(usual, ', 0'),
      evaluate,
    },
  ];
}

export const TEXT_SEARCH_FUNCTIONS: readonly ScalarFunction[] = [
  ...MAKING,
  ...VECTORS,
  ...TEXT_SEARCH_QUERY_FUNCTIONS,
  ...ranking('ts_rank', 'How often the query’s words occur and how near each other.', {
    rank,
    result: '0.09910322',
  }),
  ...ranking('ts_rank_cd', 'How close together the query’s words stand (cover density).', {
    rank: rankByCovers,
    result: '0.1',
  }),
];
