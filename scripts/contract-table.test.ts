/** The page of what clients emit says what the contract's rows have. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { CONTRACT_TABLE_PATH, contractTable } from './contract-table.ts';

it('docs/clients-sql.md is up to date (node scripts/contract-table.ts writes it)', () => {
  expect(readFileSync(CONTRACT_TABLE_PATH, 'utf8')).toBe(contractTable());
});
