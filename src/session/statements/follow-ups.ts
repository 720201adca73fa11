/**
 * Work of ALTER TABLE on rows that are there, after the catalog has changed: it fills new columns, and looks
 * whether the rows keep a new constraint. Each is a statement of SQL that runs within the same transaction.
 */
import type { Transaction } from '../../engine/engine.ts';
import { applyEdit } from '../../catalog/edit/edit.ts';
import { present } from '../../assert.ts';
import { SqlError } from '../../errors.ts';
import type { FollowUp } from '../../plan/statement.ts';
import { type ParsedStatement, parseStatements } from '../../sql/parse/parse.ts';
import type { Datum } from '../../types/datum.ts';
import type { Running } from '../running/running.ts';

export interface FollowUpHost {
  readonly transaction: Transaction;
  readonly signal: AbortSignal;
  /** Starts a statement on the catalog as it is now. */
  start(parsed: ParsedStatement): Running | Promise<Running>;
}

/** @throws SqlError of the follow-up whose query finds a row. */
export async function runFollowUps(followUps: readonly FollowUp[], host: FollowUpHost): Promise<void> {
  for (const followUp of followUps) {
    if (followUp.kind === 'edits') {
      await host.transaction.changeCatalog(
        (catalog) => followUp.edits.reduce(applyEdit, catalog),
        host.signal,
      );
      continue;
    }
    const running = await host.start(present(parseStatements(followUp.sql)[0], 'statement'));
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
