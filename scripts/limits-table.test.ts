/** The page of limits says what the server goes by, and knows every limit there is. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { LIMITS_TABLE_PATH, limitsTable, undecidedLimits } from './limits-table.ts';

it('docs/limits.md is up to date (node scripts/limits-table.ts writes it)', () => {
  expect(readFileSync(LIMITS_TABLE_PATH, 'utf8')).toBe(limitsTable());
});

it('decides of each limit of src/limits.ts whether the page shows it', () => {
  expect(undecidedLimits()).toEqual([]);
});
