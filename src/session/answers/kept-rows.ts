/**
 * Rows of an answer on their way to the asker. When the last one has passed, the answer is kept, in a transaction of the
 * server's own: it stays whatever becomes of the asker's, and one that was broken off leaves nothing. Of a session that
 * only reads nothing is kept.
 */
import { isSuperuser } from '../../catalog/access/roles.ts';
import type { AskRequest, AskRow } from '../../functions/services.ts';
import { type AnswerEvent, answerEvent, answerOf, auditAnswer } from '../audit/answers.ts';
import { actorOf } from '../audit/actor.ts';
import { timedUuid } from '../../functions/text/uuid.ts';
import type { ThreadedRequest } from '../datasets/asker.ts';
import { shownRole } from '../identity.ts';
import { rowOwner } from '../rights/own-rows.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import type { Query } from '../server-session.ts';
import { type FactRow, type FinalRow, keepAnswer, type WholeAnswer } from './keep.ts';
import { type Thread, threadOf } from './threads.ts';

/** An answer is kept though its asker has gone. */
const NEVER = new AbortController().signal;

/** @param answer begins to answer. @throws SqlError 22023 for a thread, and what `answer` throws. */
export async function* keptRows(
  statement: Statement,
  request: AskRequest,
  answer: (request: ThreadedRequest) => AsyncIterable<AskRow>,
): AsyncGenerator<AskRow> {
  const { session } = statement;
  const { environment } = session;
  const owner = rowOwner(session);
  const askedBy = shownRole(session.catalog(), session.identity.current);
  const askedMicros = environment.clockMicros();
  session.lastAnswer = null;
  if (!isSuperuser(session.catalog(), session.identity.session)) session.directory.audit.requireWritten();
  const thread = await threadOfRequest(statement, request);
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
    const told = answerEvent(environment, { request: asked, ...record, final });
    if (final === null || !mayKeep(session)) await auditAnswer(session, told);
    else {
      const answerId = timedUuid(askedMicros, environment.randomBytes(16));
      await keep(session, {
        answerId,
        request: asked,
        thread: thread?.name ?? answerId,
        follows: thread?.former.at(-1)?.answerId ?? null,
        origins: thread?.origins ?? [],
        ...{ askedBy, owner },
        askedMicros,
        finishedMicros: environment.clockMicros(),
        ...record,
        final,
        told,
      });
    }
  }
}

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

/** By the asker's own statements, of answers that the asker may see now. */
async function threadOfRequest(statement: Statement, { thread }: AskRequest): Promise<Thread | null> {
  if (thread === null) return null;
  // What is committed, whatever the asker's transaction sees; their documents are told to the sender (`services.ts`).
  const query: Query = (sql, ...parameters) =>
    rowsOf(statement, sql, { parameters, newest: true, isToldApart: true });
  return await threadOf(query, thread, rowOwner(statement.session));
}

/** Keeps the answer; what cannot be kept is told to the log: the asker has the answer. */
async function keep(
  session: SessionState,
  answer: WholeAnswer & { readonly told: AnswerEvent },
): Promise<void> {
  const { directory, environment } = session;
  const { event, apart } = answerOf(answer.told, answer.answerId);
  try {
    await directory.keeping.transaction(async (query) => {
      await keepAnswer(query, answer);
      await directory.audit.within(query, actorOf(session), [event], apart);
    }, NEVER);
    directory.audit.committed();
    session.lastAnswer = answer.answerId;
    directory.answers.kept();
  } catch (error) {
    environment.log('an answer was not kept', { message: String(error) });
  }
}
