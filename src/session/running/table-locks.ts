/**
 * The relations a statement locks before it runs, as PostgreSQL does: readers keep DROP and ALTER away,
 * writers besides those who want a relation for themselves.
 */
import type { TableLockMode } from '../../catalog/lock-modes.ts';
import { planChildren, subqueryPlans } from '../../plan/walk.ts';
import type { Plan } from '../../plan/plan.ts';
import type { BoundStatement, CatalogEdit } from '../../plan/statement.ts';
import type { TransactionBlock } from '../transaction/transaction-block.ts';

export interface TableLock {
  readonly relation: number;
  readonly mode: TableLockMode;
}

/** One lock a relation. @param plan the statement's, when it is one. */
export function tableLocks(bound: BoundStatement, plan: Plan | null): readonly TableLock[] {
  const modes = new Map<number, TableLockMode>();
  switch (bound.kind) {
    case 'plan':
      if (plan !== null) collect(plan, modes);
      break;
    case 'truncate':
      for (const relation of bound.relations) modes.set(relation, 'access exclusive');
      for (const { relation } of bound.partitions ?? []) modes.set(relation, 'access exclusive');
      break;
    case 'drop partition':
      modes.set(bound.relation, 'row exclusive');
      break;
    case 'catalog':
      for (const edit of bound.edits) collectEdit(edit, modes);
  }
  return [...modes].map(([relation, mode]) => ({ relation, mode }));
}

function collectEdit(edit: CatalogEdit, modes: Map<number, TableLockMode>): void {
  if (!('relation' in edit) || typeof edit.relation !== 'number') return;
  const isIndex = edit.edit === 'add index' && !edit.index.primary;
  if (!isIndex) modes.set(edit.relation, 'access exclusive');
  else if (!modes.has(edit.relation)) modes.set(edit.relation, 'share');
}

const WRITES: ReadonlySet<Plan['kind']> = new Set(['insert', 'update', 'delete', 'merge']);

/** Each goes further than the one before. */
const PLAN_MODES: readonly TableLockMode[] = ['access share', 'row share', 'row exclusive'];

function collect(plan: Plan, modes: Map<number, TableLockMode>): void {
  const add = (relation: number, mode: TableLockMode): void => {
    const known = modes.get(relation);
    if (known !== undefined && PLAN_MODES.indexOf(known) >= PLAN_MODES.indexOf(mode)) return;
    modes.set(relation, mode);
  };
  if (plan.kind === 'scan') add(plan.relation, 'access share');
  if (WRITES.has(plan.kind) && 'relation' in plan) add(plan.relation, 'row exclusive');
  if (plan.kind === 'lock rows') {
    for (const { relation, lock } of plan.rows) if (lock !== null) add(relation, 'row share');
  }
  for (const inner of subqueryPlans(plan)) collect(inner, modes);
  for (const child of planChildren(plan)) collect(child, modes);
}

/**
 * Takes the locks of a statement; null: had them at once. A transaction of one statement that only reads
 * need not keep its own: its snapshot does not change, whatever is done to the relation meanwhile.
 */
export function lockTables(
  block: TransactionBlock,
  { locks }: { readonly locks: readonly TableLock[] },
  signal: AbortSignal,
): Promise<void> | null {
  if (locks.length === 0) return null;
  const transaction = block.require();
  for (let i = 0; i < locks.length; i++) {
    const { relation, mode } = locks[i] as TableLock;
    const passes = mode === 'access share' && !block.inBlock;
    const waiting = transaction.lockTable(relation, { mode, wait: 'block', signal, passes });
    if (waiting === null) continue;
    return waiting.then(() => lockTables(block, { locks: locks.slice(i + 1) }, signal) ?? undefined);
  }
  return null;
}
