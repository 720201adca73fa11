/** `quern.recall_check`, with fewer arguments where the usual ones do. */
import type { Datum } from '../../types/datum.ts';
import type { ScalarFunction } from '../function.ts';

const ARGUMENTS = ['text', 'text', 'text', 'int4', 'int4'] as const;

export const RECALL_FUNCTIONS: readonly ScalarFunction[] = [2, 3, 4, 5].map((count) => ({
  name: 'quern.recall_check',
  args: ARGUMENTS.slice(0, count),
  returns: 'jsonb',
  volatility: 'volatile',
  effect: 'none',
  strict: false,
  summary:
    'Compares an index with exact search: relation, column, filter, k (10), stored values asked for (100). Times are of searches, without the embedding of texts.',
  example: [`SELECT quern.recall_check(${Array(count).fill('NULL').join(', ')})`, null],
  evaluateLater: async ({ services }, ...args: Datum[]) => {
    const [relation, column, filter = null, k, sample] = args;
    if (relation === null || column === null) return null;
    return services.session.checkRecall({
      relation: String(relation),
      column: String(column),
      filter: filter === null ? null : String(filter),
      k: Number(k ?? 10),
      sample: Number(sample ?? 100),
    });
  },
}));
