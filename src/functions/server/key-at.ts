/** `quern.key_at`: where a share of a relation's rows begins. What it does is behind `services.ts`. */
import type { ScalarFunction } from '../function.ts';

export const KEY_AT_FUNCTIONS: readonly ScalarFunction[] = [
  {
    name: 'quern.key_at',
    args: ['text', 'float8'],
    returns: 'text',
    volatility: 'stable',
    effect: 'none',
    summary:
      'The first column of the primary key, as text, where that share (0 to 1) of the rows begins in their order: relation, share. NULL where there is no row, no key, or no order of it.',
    example: ['SELECT quern.key_at(NULL, 0.5)', null],
    evaluateLater: async ({ services }, relation: string, share: number) =>
      services.session.keyAt(relation, share),
  },
];
