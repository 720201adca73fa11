/** Statements that are kept by name for whoever saves them. What they do is behind `services.ts`. */
import type { ScalarFunction } from '../function.ts';

const WRITES = { volatility: 'volatile', effect: 'data' } as const;

export const SAVED_QUERY_FUNCTIONS: readonly ScalarFunction[] = [
  {
    ...WRITES,
    name: 'quern.save_query',
    args: ['text', 'text', 'jsonb', 'bool'],
    argNames: ['name', 'statement', 'params', 'replace'],
    defaults: ['null', "'true'"],
    returns: 'void',
    strict: false,
    summary: 'Keeps a statement by name, in quern.saved_queries, in the place of one of that name.',
    example: ['SELECT quern.save_query(NULL, NULL)', null],
    async evaluateLater({ services }, name, statement, params, replace) {
      if (name === null || statement === null) return null;
      await services.savedQueries.save({ name, statement, params }, replace !== false);
      return '';
    },
  },
  {
    ...WRITES,
    name: 'quern.rename_query',
    args: ['text', 'text'],
    argNames: ['name', 'new_name'],
    returns: 'bool',
    summary: 'Gives a saved query another name; false where there is none.',
    example: ['SELECT quern.rename_query(NULL, NULL)', null],
    evaluateLater: ({ services }, name, to) => services.savedQueries.rename(name, to),
  },
  {
    ...WRITES,
    name: 'quern.drop_query',
    args: ['text'],
    argNames: ['name'],
    returns: 'bool',
    summary: 'Forgets a saved query; false where there is none.',
    example: ['SELECT quern.drop_query(NULL)', null],
    evaluateLater: ({ services }, name) => services.savedQueries.drop(name),
  },
];
