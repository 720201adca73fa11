/** Help while a query is typed: completions and corrections, from the words of a relation's own indexes. */
import type { Datum } from '../../types/datum.ts';
import type { FunctionContext, ScalarFunction, SetFunction } from '../function.ts';

const COMPLETIONS_COUNT = 10;

async function* suggest(
  { services }: FunctionContext,
  source: string,
  text: string,
  k: number,
): AsyncGenerator<readonly Datum[]> {
  for (const { text: found, count, kind, column } of await services.typedText.complete(source, { text, k })) {
    yield [found, BigInt(count), kind, column];
  }
}

export const TYPED_TEXT_SETS: readonly SetFunction[] = [
  {
    name: 'suggest',
    args: ['text', 'text', 'int4'],
    argNames: ['source', 'text', 'k'],
    defaults: [`'${COMPLETIONS_COUNT}'`],
    returns: 'record',
    columns: [
      { name: 'suggestion', type: 'text' },
      { name: 'count', type: 'int8' },
      { name: 'kind', type: 'text' },
      { name: 'column_name', type: 'text' },
    ],
    volatility: 'stable',
    effort: 0,
    summary:
      'Completes a text that is being typed by words and short values of a relation (films) or one of its columns ' +
      '(films.title), those of most rows first.',
    example: ["SELECT count(*) FROM suggest(NULL, 'runn')", '0'],
    rows: suggest,
  },
];

export const TYPED_TEXT_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'did_you_mean',
    args: ['text', 'text'],
    argNames: ['source', 'query'],
    returns: 'text',
    volatility: 'stable',
    summary:
      'The query with words that no row of the relation (films) or column (films.title) has replaced by the nearest ' +
      'that some have; NULL where there is nothing to replace.',
    example: ["SELECT did_you_mean(NULL, 'runing')", null],
    evaluateLater: ({ services }, source: string, query: string) => services.typedText.correct(source, query),
  },
];
