/**
 * Rows of an answer on their way to the asker. When the last one has passed, the answer is kept, in a transaction of the
 * server's own: it stays whatever becomes of the asker's, and one that was broken off leaves nothing.
 */
import type { AskRequest, AskRow } from '../../functions/services.ts';
import { timedUuid } from '../../functions/text/uuid.ts';

import { USER } from '../environment.ts';
import type { Runner } from '../running/runner.ts';
import { type FactRow, type FinalRow, keepAnswer } from './keep.ts';

/** An answer is kept though its asker has gone. */
const NEVER = new AbortController().signal;

export async function* keptRows(
  runner: Runner,
  request: AskRequest,
  rows: AsyncIterable<AskRow>,
): AsyncGenerator<AskRow> {
  const { environment } = runner;
  const askedMicros = environment.clockMicros();
  const answerId = timedUuid(askedMicros, environment.randomBytes(16));
  const progress: string[] = [];
  const facts: FactRow[] = [];
  let final: FinalRow | null = null;
  runner.lastAnswer = null;
  try {
    for await (const row of rows) {
      if (row.kind === 'progress') progress.push(row.update);
      else if (row.kind === 'fact') facts.push(row);
      else final = row;
      yield row;
    }
  } finally {
    // Also where the reader wants no more rows: it has them all.
    if (final !== null && runner.settings.get('quern.keep_answers') === 'on') {
      const answer = {
        ...{ answerId, request, thread: answerId, follows: null, askedBy: USER, askedMicros },
        ...{ finishedMicros: environment.clockMicros(), progress, facts, final },
      };
      await keep(runner, answer);
    }
  }
}

/** What cannot be kept is told to the log: the asker has the answer. */
async function keep(runner: Runner, answer: Parameters<typeof keepAnswer>[1]): Promise<void> {
  const { directory, environment } = runner;
  try {
    await using session = directory.openOwn();
    await session.transaction((query) => keepAnswer(query, answer), NEVER);
    runner.lastAnswer = answer.answerId;
  } catch (error) {
    environment.log('an answer was not kept', { message: String(error) });
  }
}
