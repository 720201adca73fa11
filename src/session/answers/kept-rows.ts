/**
 * Rows of an answer on their way to the asker. When the last one has passed, the answer is kept, in a transaction of the
 * server's own: it stays whatever becomes of the asker's, and one that was broken off leaves nothing. Of a session that
 * only reads nothing is kept.
 */
import type { AskRequest, AskRow } from '../../functions/services.ts';
import { timedUuid } from '../../functions/text/uuid.ts';
import type { ThreadedRequest } from '../datasets/asker.ts';
import { shownRole } from '../identity.ts';
import { rowLimits } from '../scope/key-limits.ts';
import type { SessionState } from '../session-state.ts';
import type { Query } from '../server-session.ts';
import { type FactRow, type FinalRow, keepAnswer, type WholeAnswer } from './keep.ts';
import { type Thread, threadOf } from './threads.ts';

/** An answer is kept though its asker has gone. */
const NEVER = new AbortController().signal;

/** @param answer begins to answer. @throws SqlError 22023 for a thread, and what `answer` throws. */
export async function* keptRows(
  session: SessionState,
  request: AskRequest,
  answer: (request: ThreadedRequest) => AsyncIterable<AskRow>,
): AsyncGenerator<AskRow> {
  const { environment } = session;
  const askedMicros = environment.clockMicros();
  session.lastAnswer = null;
  const thread = await threadOfRequest(session, request);
  const asked = wholeRequest(request, thread);
  const record = new Passed();
  try {
    for await (const row of answer({ ...asked, former: thread?.former ?? [] })) {
      record.add(row);
      yield row;
    }
  } finally {
    // Also where the reader wants no more rows: it has them all.
    const { final } = record;
    if (final !== null && mayKeep(session)) {
      const answerId = timedUuid(askedMicros, environment.randomBytes(16));
      await keep(session, {
        answerId,
        request: asked,
        thread: thread?.name ?? answerId,
        follows: thread?.former.at(-1)?.answerId ?? null,
        askedBy: asker(session),
        askedMicros,
        finishedMicros: environment.clockMicros(),
        ...record,
        final,
      });
    }
  }
}

/** A thread is its role's; a key of limited scope has threads of its own. */
export const asker = (session: SessionState): string =>
  rowLimits(session) === null
    ? shownRole(session.catalog(), session.identity.current)
    : `key ${session.key?.held.id}`;

const mayKeep = ({ settings }: SessionState): boolean =>
  settings.isOn('quern.keep_answers') && !settings.isReadOnly;

/** Where no datasets are given, those of the question before with their filters. */
function wholeRequest(request: AskRequest, thread: Thread | null): AskRequest {
  const before = request.datasets.length === 0 ? (thread?.asked ?? null) : null;
  if (before === null) return request;
  return { ...request, datasets: before.datasets, filter: request.filter ?? before.filter };
}

/** Rows that have passed. */
class Passed {
  readonly progress: string[] = [];
  readonly facts: FactRow[] = [];
  understood: string | null = null;
  final: FinalRow | null = null;

  add(row: AskRow): void {
    if (row.kind === 'fact') this.facts.push(row);
    else if (row.kind === 'answer') this.final = row;
    else {
      this.progress.push(row.update);
      this.understood = row.understood ?? this.understood;
    }
  }
}

/** In a session of the server's own, which sees all that is kept. */
async function threadOfRequest(session: SessionState, { thread }: AskRequest): Promise<Thread | null> {
  if (thread === null) return null;
  const { directory, settings } = session;
  const work = (query: Query) => threadOf(query, thread, asker(session));
  if (!settings.isReadOnly) return directory.keeping.transaction(work, NEVER);
  await using own = directory.openOwn(settings, session.key);
  return await own.transaction(work, NEVER);
}

/** Keeps the answer; what cannot be kept is told to the log: the asker has the answer. */
async function keep(session: SessionState, answer: WholeAnswer): Promise<void> {
  const { directory, environment } = session;
  try {
    await directory.keeping.transaction((query) => keepAnswer(query, answer), NEVER);
    session.lastAnswer = answer.answerId;
    directory.answers.kept();
  } catch (error) {
    environment.log('an answer was not kept', { message: String(error) });
  }
}
