/**
 * Services of datasets for functions (`functions/server/datasets.ts`). Uploads, deletions and changes of metadata are
 * asked for here, within the caller's transaction, and done by ingestion after its commit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SqlError } from '../../errors.ts';
import type { AskRequest, AskRow, SessionServices } from '../../functions/services.ts';
import { FAILED_HANDLE_DAYS_KEPT, HANDLE_DAYS_KEPT } from '../../limits.ts';
import { keptRows } from '../answers/kept-rows.ts';
import { senderOf } from '../outside/sender.ts';
import { reverify } from '../answers/reverify.ts';
import { researchServices } from '../research/services.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Statement } from '../running/statement.ts';
import type { SessionState } from '../session-state.ts';
import type { Row } from '../server-session.ts';
import { askerQuery } from './asker-query.ts';
import { auditExport } from '../audit/exports.ts';
import { exportDocument } from './export.ts';
import { mayBeForgotten } from './handle.ts';
import { text } from './parameters.ts';
import { DatasetRequest } from './request.ts';
import { dropTerms, putTerms } from './terms/store-terms.ts';
import { dropSubjects, putSubjects } from './subjects/store-subjects.ts';
import { checkDatasets, searchDatasets } from './search.ts';

type Services = SessionServices['datasets'];

const POLL_MS_MIN = 10;
const POLL_MS_MAX = 250;

export function datasetServices(statement: Statement): Services {
  const { session } = statement;
  const request = (): DatasetRequest => new DatasetRequest(statement);
  const exported = (dataset: string, docId: string): Promise<void> =>
    auditExport(statement, [`document ${dataset}/${docId}`]);
  return {
    upload: ({ data, ...upload }) => request().upload({ ...upload, size: data.byteLength }, [data]),
    lastHandle: () => session.lastHandle,
    deleteDocument: (dataset, docId) => request().ask({ dataset, docId, action: 'delete' }),
    updateMetadata: (dataset, docId, metadata) =>
      request().ask({ dataset, docId, action: 'update metadata', metadata }),
    async isDone(handle) {
      const [row] = await rowsOf(statement, HANDLE_STATE, { parameters: [text(handle)] });
      return isDone(session, handle, row);
    },
    waitFor: (handle, seconds) => waitFor(statement, handle, seconds),
    metadata: (dataset, ids, fields) => request().metadata(dataset, ids, fields),
    async file(dataset, docId) {
      await exported(dataset, docId);
      return request().file(dataset, docId);
    },
    async export(dataset, docId, format) {
      await exported(dataset, docId);
      return exportDocument(request(), { dataset, docId, format });
    },
    putTerms: async (dataset, terms) => putTerms(request().queryOf(dataset), dataset, terms),
    dropTerms: async (dataset, ids) => dropTerms(request().queryOf(dataset), dataset, ids),
    putSubjects: async (dataset, subjects) => putSubjects(request().queryOf(dataset), dataset, subjects),
    dropSubjects: async (dataset, docId, names) =>
      dropSubjects(request().queryOf(dataset), { dataset, docId }, names),
    search: (wanted) => searchDatasets(statement, wanted),
    ask: (asked) => ask(statement, asked),
    async reverify(answerId) {
      statement.sources.answers = true;
      return reverify(statement, answerId);
    },
    lastAnswer: () => session.lastAnswer,
    page: (page) => request().page(page),
    content: (dataset, contentId, version) => request().content(dataset, contentId, version),
  };
}

/** @throws SqlError 0A000 for research with a thread, 25006; and as `asker.answer`. */
function ask(statement: Statement, request: AskRequest): AsyncIterable<AskRow> {
  const { session, signal } = statement;
  if (request.mode === 'research') {
    session.allow('kept', 'research');
    if (request.thread !== null) {
      throw new SqlError('feature_not_supported', 'research follows no thread');
    }
    return researchServices(statement).rows(request);
  }
  const query = askerQuery(statement);
  return keptRows(statement, request, (threaded) => {
    checkDatasets(session, threaded);
    const asked = threaded.datasets.map(({ dataset }) => dataset);
    const before = threaded.former.flatMap(({ documents }) => documents.map(({ dataset }) => dataset));
    const sender = senderOf(statement, [...new Set([...asked, ...before])]);
    return session.environment.asker.answer(threaded, query, signal, sender);
  });
}

/** Others' handles are not there. */
const HANDLE_STATE = 'SELECT state, reason, doc_id FROM quern.handles WHERE handle = $1';

/** @throws SqlError 22023, 55000. */
function isDone({ environment }: SessionState, handle: string, row: Row | undefined): boolean {
  if (row === undefined) {
    const isOld = mayBeForgotten(handle, environment.clockMicros());
    const message = isOld ? `handle "${handle}" has expired` : `handle "${handle}" does not exist`;
    throw new SqlError('invalid_parameter_value', message, {
      routine: isOld ? 'handle_expired' : 'handle_not_found',
      hint: isOld
        ? `Handles are kept for ${HANDLE_DAYS_KEPT} days after they are done, failed ones for ` +
          `${FAILED_HANDLE_DAYS_KEPT}; the status of a document stands in its dataset's documents.`
        : 'Handles go with their dataset; quern.handles lists those there are.',
    });
  }
  if (row.state === 'ready') return true;
  if (row.state !== 'error') return false;
  throw new SqlError(
    'object_not_in_prerequisite_state',
    `document "${String(row.doc_id)}" could not be ingested: ${String(row.reason)}`,
    { routine: 'ingestion_failed' },
  );
}

/** Asked by the caller each time, of what is committed, whatever this transaction sees. */
async function waitFor(statement: Statement, handle: string, seconds: number): Promise<void> {
  if (!(seconds >= 0)) {
    const message = `a timeout is a number of seconds, 0 or more, not ${seconds}`;
    throw new SqlError('invalid_parameter_value', message);
  }
  const { session, signal } = statement;
  const { environment } = session;
  const end = environment.nowMs() + seconds * 1000;
  const isCommitted = await isCommittedHandle(statement, handle);
  for (let pause = POLL_MS_MIN; ; pause = Math.min(2 * pause, POLL_MS_MAX)) {
    const [row] = await rowsOf(statement, HANDLE_STATE, { parameters: [text(handle)], newest: true });
    if (row !== undefined && !isCommitted) {
      throw new SqlError(
        'object_not_in_prerequisite_state',
        'ingestion begins when this transaction commits',
        {
          hint: 'Wait for the handle after COMMIT.',
        },
      );
    }
    if (isDone(session, handle, row)) return;
    const left = end - environment.nowMs();
    if (left <= 0) {
      throw new SqlError('query_canceled', `handle "${handle}" was not done after ${seconds} seconds`, {
        hint: 'Ingestion goes on; quern.handles shows how far it is.',
        routine: 'handle_timeout',
      });
    }
    await sleep(Math.min(pause, left), undefined, { signal });
  }
}

/** False: the transaction of the statement has asked for it, or nobody has. */
async function isCommittedHandle({ session, signal }: Statement, handle: string): Promise<boolean> {
  await using own = session.directory.openOwn(session.settings, session.key);
  return (await own.transaction((query) => query(HANDLE_STATE, text(handle)), signal)).length > 0;
}
