/** The page of errors says what the table of kinds has. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ERROR_TABLE_PATH, errorTable } from './error-table.ts';

it('docs/errors.md is up to date (node scripts/error-table.ts writes it)', () => {
  expect(readFileSync(ERROR_TABLE_PATH, 'utf8')).toBe(errorTable());
});
