/** The page of functions says what the registry has. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FUNCTION_TABLE_PATH, functionTable } from './function-table.ts';

it('docs/functions.md is up to date (node scripts/function-table.ts writes it)', () => {
  expect(readFileSync(FUNCTION_TABLE_PATH, 'utf8')).toBe(functionTable());
});
