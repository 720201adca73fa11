/**
 * Promises of Quern's clients, call by call, with the SQL that one emits for it: `contract.json`. The page
 * docs/clients-sql.md is written from it (`node scripts/contract-table.ts`), and every row of it runs as a test
 * (UPDATE_GOLDEN=1 writes what the server answers; review it as a diff).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A call with its SQL, and what the server answers: values as its own text, or SQLSTATE and kind of an error. */
export interface ContractRow {
  readonly call: string;
  readonly sql: string;
  readonly parameters?: readonly unknown[];
  readonly rows?: readonly (readonly (string | null)[])[];
  readonly error?: readonly [sqlstate: string, kind: string];
  /** Why it does not work yet; it is not run then. */
  readonly pending?: string;
}

export interface ContractSection {
  readonly section: string;
  readonly note?: string;
  readonly rows: readonly ContractRow[];
}

export interface Contract {
  /** Statements that make what the rows are about. */
  readonly setup: readonly string[];
  readonly sections: readonly ContractSection[];
}

export const CONTRACT_PATH = join(import.meta.dirname, 'contract.json');

export const readContract = (): Contract => JSON.parse(readFileSync(CONTRACT_PATH, 'utf8')) as Contract;

/** A row a line, so that a change of one is a change of one line. */
export function writeContract({ setup, sections }: Contract): void {
  const lines = (list: readonly unknown[]): string => list.map((one) => JSON.stringify(one)).join(',\n');
  const parts = sections.map(({ rows, ...head }) => {
    return `${JSON.stringify(head).slice(0, -1)}, "rows": [\n${lines(rows)}\n]}`;
  });
  writeFileSync(CONTRACT_PATH, `{"setup": [\n${lines(setup)}\n], "sections": [\n${parts.join(',\n')}\n]}\n`);
}
