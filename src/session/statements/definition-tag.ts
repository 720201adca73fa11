/** The command tag of a statement that is no plan. */
import { countBits } from '../../types/column/bitset.ts';
import type { Part, Snapshot } from '../../engine/engine.ts';
import type { BoundStatement } from '../../plan/statement.ts';

export function definitionTag(bound: Exclude<BoundStatement, { kind: 'plan' }>, snapshot: Snapshot): string {
  switch (bound.kind) {
    case 'catalog':
      return bound.tag;
    case 'truncate':
      return 'TRUNCATE TABLE';
    case 'drop partition':
      if (bound.absent !== null) return 'ALTER TABLE';
      return `DELETE ${visibleRowCount(snapshot.parts(bound.relation, bound.partition))}`;
  }
}

function visibleRowCount(parts: readonly Part[]): number {
  return parts.reduce((sum, { rowCount, visible }) => sum + countBits(visible, rowCount), 0);
}
