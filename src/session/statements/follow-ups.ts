/**
 * Work of ALTER TABLE on rows that are there, after the catalog has changed: it fills new columns, and looks
 * whether the rows keep a new constraint. Each is a statement of SQL that runs within the same transaction.
 */
import type { Catalog } from '../../catalog/model.ts';
import { applyEdit } from '../../catalog/edit/edit.ts';
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { FollowUp } from '../../plan/statement.ts';
import { parseStatements } from '../../sql/parse/parse.ts';
import type { Datum } from '../../types/datum.ts';
import type { Running } from '../running/running.ts';
import type { Statement } from '../running/statement.ts';

/** @throws SqlError of the follow-up whose query finds a row. */
export async function runFollowUps(followUps: readonly FollowUp[], statement: Statement): Promise<void> {
  const { session, signal } = statement;
  for (const followUp of followUps) {
    if (followUp.kind === 'edits') {
      const edited = (catalog: Catalog): Catalog => followUp.edits.reduce(applyEdit, catalog);
      await session.block.require().changeCatalog(edited, signal);
      continue;
    }
    const parsed = present(parseStatements(followUp.sql)[0], 'statement');
    const running = await statement.run(session.plan(parsed, []), { parameters: [], isAllowed: true });
    try {
      const { count, first } = await outcome(running);
      if (followUp.violated === null || count === 0) continue;
      const { condition, message, detailed, ...fields } = followUp.violated;
      throw new SqlError(condition, message, detailed ? { ...fields, detail: String(first) } : fields);
    } finally {
      await running.close();
    }
  }
}

/** How many rows there are, and the first one's first value. */
async function outcome(running: Running): Promise<{ readonly count: number; readonly first: Datum }> {
  let count = 0;
  let first: Datum = null;
  for (;;) {
    const batch = await running.next(0);
    if (batch === null) return { count, first };
    if (count === 0 && batch.length > 0) first = batch.columns[0]?.get(0) ?? null;
    count += batch.length;
  }
}
