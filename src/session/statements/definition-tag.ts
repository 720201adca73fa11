/** The command tag of a statement that is no plan. */
import type { Part, Snapshot } from '../../engine/engine.ts';
import type { BoundStatement } from '../../plan/statement.ts';

export function definitionTag(bound: Exclude<BoundStatement, { kind: 'plan' }>, snapshot: Snapshot): string {
  switch (bound.kind) {
    case 'catalog':
      return bound.tag;
    case 'truncate':
      return 'TRUNCATE TABLE';
    case 'drop partition':
      return `DELETE ${visibleRowCount(snapshot.parts(bound.relation, bound.partition))}`;
  }
}

function visibleRowCount(parts: readonly Part[]): number {
  let count = 0;
  for (const { rowCount, visible } of parts) {
    for (let row = 0; row < rowCount; row++) {
      if (visible === null || ((visible[row >>> 5] as number) & (1 << (row & 31))) !== 0) count++;
    }
  }
  return count;
}
