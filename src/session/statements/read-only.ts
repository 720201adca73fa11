/** What a read-only transaction refuses, in PostgreSQL's words. */
import { SqlError } from '../../errors.ts';
import type { Plan } from '../../plan/plan.ts';
import type { BoundStatement } from '../../plan/statement.ts';
import { planChildren } from '../../plan/walk.ts';

/** @throws SqlError 25006 for a statement that writes, or locks rows. */
export function refuseWrites(bound: BoundStatement): void {
  const what = writingTag(bound);
  if (what === null) return;
  throw new SqlError('read_only_sql_transaction', `cannot execute ${what} in a read-only transaction`);
}

function writingTag(bound: BoundStatement): string | null {
  switch (bound.kind) {
    case 'plan':
      return bound.writes ? bound.tag : lockingTag(bound.plan);
    case 'catalog':
      return bound.tag;
    case 'truncate':
      return 'TRUNCATE TABLE';
    case 'drop partition':
      return 'DELETE';
  }
}

function lockingTag(plan: Plan): string | null {
  if (plan.kind === 'lock rows') {
    const mode = plan.rows.find(({ lock }) => lock !== null)?.lock?.mode ?? 'update';
    return `SELECT FOR ${mode.toUpperCase()}`;
  }
  for (const child of planChildren(plan)) {
    const tag = lockingTag(child);
    if (tag !== null) return tag;
  }
  return null;
}
