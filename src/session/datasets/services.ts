/**
 * Services of datasets for functions (`functions/server/datasets.ts`). Uploads, deletions and changes of metadata are
 * asked for here, within the caller's transaction, and done by ingestion after its commit.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { SqlError } from '../../errors.ts';
import type { SessionServices } from '../../functions/services.ts';
import { FAILED_HANDLE_DAYS_KEPT, HANDLE_DAYS_KEPT } from '../../limits.ts';
import { keptRows } from '../answers/kept-rows.ts';
import { reverify } from '../answers/reverify.ts';
import { researchServices } from '../research/services.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Runner } from '../running/runner.ts';
import type { Query, Row } from '../server-session.ts';
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

export function datasetServices(runner: Runner): Services {
  return {
    upload: ({ data, ...upload }, signal) => new DatasetRequest(runner, signal).upload(upload, [data]),
    lastHandle: () => runner.lastHandle,
    deleteDocument: (dataset, docId, signal) =>
      new DatasetRequest(runner, signal).ask({ dataset, docId, action: 'delete' }),
    updateMetadata: (dataset, docId, metadata, signal) =>
      new DatasetRequest(runner, signal).ask({ dataset, docId, action: 'update metadata', metadata }),
    async isDone(handle, signal) {
      const [row] = await new DatasetRequest(runner, signal).query(HANDLE_STATE, text(handle));
      return isDone(runner, handle, row);
    },
    waitFor: (handle, seconds, signal) => waitFor(runner, handle, { seconds, signal }),
    metadata: (dataset, ids, fields, signal) =>
      new DatasetRequest(runner, signal).metadata(dataset, ids, fields),
    file: (dataset, docId, signal) => new DatasetRequest(runner, signal).file(dataset, docId),
    export: (dataset, docId, format, signal) =>
      exportDocument(new DatasetRequest(runner, signal), { dataset, docId, format }),
    putTerms: (dataset, terms, signal) => {
      const request = new DatasetRequest(runner, signal);
      return putTerms(request.queryOf(dataset), dataset, terms);
    },
    dropTerms: (dataset, ids, signal) => {
      const request = new DatasetRequest(runner, signal);
      return dropTerms(request.queryOf(dataset), dataset, ids);
    },
    putSubjects: (dataset, subjects, signal) => {
      const request = new DatasetRequest(runner, signal);
      return putSubjects(request.queryOf(dataset), dataset, subjects);
    },
    dropSubjects: (dataset, docId, names, signal) => {
      const request = new DatasetRequest(runner, signal);
      return dropSubjects(request.queryOf(dataset), { dataset, docId }, names);
    },
    search: (request, signal) => searchDatasets(runner, request, signal),
    ask: (request, signal) => {
      if (request.mode === 'research') {
        runner.allow('server', 'research');
        if (request.thread !== null)
          throw new SqlError('feature_not_supported', 'research follows no thread');
        return researchServices(runner).rows(request, signal);
      }
      const query: Query = (sql, ...parameters) => rowsOf(runner, sql, { parameters, signal });
      return keptRows(runner, request, (threaded) => {
        checkDatasets(runner, threaded);
        return runner.environment.asker.answer(threaded, query, signal);
      });
    },
    reverify: (answerId, signal) => reverify(runner, answerId, signal),
    lastAnswer: () => runner.lastAnswer,
    page: (page, signal) => new DatasetRequest(runner, signal).page(page),
    content: (dataset, contentId, version, signal) =>
      new DatasetRequest(runner, signal).content(dataset, contentId, version),
  };
}

const HANDLE_STATE = 'SELECT state, reason, doc_id FROM quern.handles WHERE handle = $1';

/** @throws SqlError 22023, 55000. */
function isDone({ environment }: Runner, handle: string, row: Row | undefined): boolean {
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

/** Asked of what is committed, whatever this transaction sees. */
async function waitFor(
  runner: Runner,
  handle: string,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<void> {
  if (!(seconds >= 0)) {
    const message = `a timeout is a number of seconds, 0 or more, not ${seconds}`;
    throw new SqlError('invalid_parameter_value', message);
  }
  const { environment } = runner;
  await using session = runner.directory.openOwn(runner.settings);
  const end = environment.nowMs() + seconds * 1000;
  const [own] = await rowsOf(runner, HANDLE_STATE, { parameters: [text(handle)], signal });
  for (let pause = POLL_MS_MIN; ; pause = Math.min(2 * pause, POLL_MS_MAX)) {
    const [row] = await session.transaction((query) => query(HANDLE_STATE, text(handle)), signal);
    if (row === undefined && own !== undefined) {
      throw new SqlError(
        'object_not_in_prerequisite_state',
        'ingestion begins when this transaction commits',
        {
          hint: 'Wait for the handle after COMMIT.',
        },
      );
    }
    if (isDone(runner, handle, row)) return;
    const left = end - environment.nowMs();
    if (left <= 0) {
      throw new SqlError('query_canceled', `handle "${handle}" was not done after ${seconds} seconds`, {
        hint: 'Ingestion goes on; quern.ingest_queue shows how far it is.',
        routine: 'handle_timeout',
      });
    }
    await sleep(Math.min(pause, left), undefined, { signal });
  }
}
