/** The tables of WITH that a name in FROM may mean. */
import { SqlError } from '../../../errors.ts';
import type { QualifiedName } from '../../ast.ts';
import type { DraftColumn } from '../draft.ts';

/** Common tables in sight, innermost first. */
export interface CommonTables {
  readonly entries: Map<string, CommonTableEntry>;
  /** Names of the same WITH that are not bound yet: for the error's hint. */
  readonly later: Set<string>;
  readonly parent: CommonTables | null;
}

export interface CommonTableEntry {
  readonly name: string;
  readonly id: number;
  readonly columns: readonly DraftColumn[];
  /** Scans of it so far; one that is never read is left out of the plan. */
  scans: number;
  /** It is INSERT, UPDATE or DELETE: run once, read or not. */
  readonly writes: boolean;
  /** False when it writes without RETURNING. */
  readonly readable: boolean;
}

export function findCommonTable(tables: CommonTables | null, name: string): CommonTableEntry | undefined {
  for (let scope = tables; scope; scope = scope.parent) {
    const entry = scope.entries.get(name);
    if (entry) return entry;
  }
  return undefined;
}

/** @throws SqlError 42P01 with a hint for a name that the same WITH defines further on. */
export function refuseLater(tables: CommonTables | null, { name, at }: QualifiedName): void {
  for (let scope = tables; scope; scope = scope.parent) {
    if (!scope.later.has(name)) continue;
    throw new SqlError('undefined_table', `relation "${name}" does not exist`, {
      position: at,
      detail: `There is a WITH item named "${name}", but it cannot be referenced from this part of the query.`,
      hint: 'Use WITH RECURSIVE, or re-order the WITH items to remove forward references.',
    });
  }
}
