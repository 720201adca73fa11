/**
 * What functions do with datasets (`functions/server/datasets.ts`). Uploads, deletions and changes of metadata are
 * asked for here, within the caller's transaction, and done by ingestion after its commit.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findNamespace } from '../../catalog/lookup.ts';
import { SqlError } from '../../errors.ts';
import type { SessionServices, Upload } from '../../functions/services.ts';
import { DOC_ID_BYTES_MAX, FILE_BYTES_MAX, FILE_NAME_BYTES_MAX, MESSAGE_BYTES_MAX } from '../../limits.ts';
import { formatJsonb, jsonOf, parseJson } from '../../types/json/json.ts';
import { OID } from '../../types/oids.ts';
import { rowsOf } from '../running/internal-statement.ts';
import type { Runner } from '../running/runner.ts';
import type { Parameter, Row } from '../server-session.ts';
import { unknownDataset } from './definitions.ts';
import { readMetadata } from './metadata.ts';
import { integer, text, texts } from './parameters.ts';
import { datasetSchema, FILE_BLOCK_BYTES, INGEST_CHANNEL } from './relations.ts';
import { searchDatasets } from './search.ts';

type Services = SessionServices['datasets'];

const POLL_MS_MIN = 10;
const POLL_MS_MAX = 250;

export function datasetServices(runner: Runner): Services {
  return {
    upload: (upload, signal) => new Request(runner, signal).upload(upload),
    deleteDocument: (dataset, docId, signal) =>
      new Request(runner, signal).ask({ dataset, docId, action: 'delete' }),
    updateMetadata: (dataset, docId, metadata, signal) => {
      readMetadata(metadata);
      return new Request(runner, signal).ask({ dataset, docId, action: 'update metadata', metadata });
    },
    async isDone(handle, signal) {
      const [row] = await new Request(runner, signal).query(HANDLE_STATE, text(handle));
      return isDone(handle, row);
    },
    waitFor: (handle, seconds, signal) => waitFor(runner, handle, { seconds, signal }),
    metadata: (dataset, ids, fields, signal) => new Request(runner, signal).metadata(dataset, ids, fields),
    file: (dataset, docId, signal) => new Request(runner, signal).file(dataset, docId),
    search: (request, signal) => searchDatasets(runner, request, signal),
    content: (dataset, contentId, version, signal) =>
      new Request(runner, signal).content(dataset, contentId, version),
  };
}

const HANDLE_STATE = 'SELECT state, reason, doc_id FROM quern.handles WHERE handle = $1';

/** @throws SqlError 22023, 55000. */
function isDone(handle: string, row: Row | undefined): boolean {
  if (row === undefined) {
    throw new SqlError('invalid_parameter_value', `handle "${handle}" does not exist`, {
      routine: 'handle_not_found',
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
  const { environment, directory } = runner;
  await using session = directory.openOwn();
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
    if (isDone(handle, row)) return;
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

interface Asked {
  readonly dataset: string;
  readonly docId: string;
  readonly action: 'upsert' | 'delete' | 'update metadata';
  readonly metadata?: string | null;
  readonly name?: string;
  readonly size?: number;
}

/** One function's statements within its caller's transaction. */
class Request {
  readonly #runner: Runner;
  readonly #signal: AbortSignal;

  constructor(runner: Runner, signal: AbortSignal) {
    this.#runner = runner;
    this.#signal = signal;
  }

  query(sql: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return rowsOf(this.#runner, sql, { parameters, signal: this.#signal, asServer: true });
  }

  /** @returns the dataset's schema as SQL has it. */
  #schema(dataset: string): string {
    const known = findNamespace(this.#runner.catalog(), dataset);
    if (known?.dataset === undefined) throw unknownDataset(dataset);
    return datasetSchema(dataset);
  }

  async upload({ dataset, docId, name, data, metadata }: Upload): Promise<string> {
    const schema = this.#schema(dataset);
    if (metadata !== null) readMetadata(metadata);
    const size = data.byteLength;
    checkLength('file name', name, FILE_NAME_BYTES_MAX);
    if (size > FILE_BYTES_MAX) throw tooLarge(size);
    const handle = await this.ask({ dataset, docId, action: 'upsert', metadata, name, size });
    const hash = createHash('sha256');
    for (let start = 0, block = 0; start < size; start += FILE_BLOCK_BYTES, block++) {
      const bytes = data.subarray(start, start + FILE_BLOCK_BYTES);
      hash.update(bytes);
      await this.query(
        `INSERT INTO ${schema}._files (file, block, data) VALUES ($1, $2, $3)`,
        text(handle),
        integer(block),
        [OID.bytea, bytes],
      );
    }
    const mark = 'UPDATE quern.handles SET sha256 = $2 WHERE handle = $1';
    await this.query(mark, text(handle), text(hash.digest('hex')));
    await this.query(
      `INSERT INTO ${schema}.documents
         (_id, doc_id, name, size, status, version, metadata, created_at, updated_at)
       VALUES ($1, $1, $2, $3, 'queued', 0, $4, now(), now())
       ON CONFLICT (_id) DO UPDATE SET status = 'queued', status_reason = NULL, updated_at = now()`,
      text(docId),
      text(name),
      [OID.int8, BigInt(size)],
      [OID.jsonb, metadata ?? '{}'],
    );
    return handle;
  }

  /** Writes down what ingestion has to do. */
  async ask({ dataset, docId, action, metadata, name, size }: Asked): Promise<string> {
    this.#schema(dataset);
    checkLength('document id', docId, DOC_ID_BYTES_MAX);
    const handle = newHandle(this.#runner);
    await this.query(
      `INSERT INTO quern.handles
         (handle, dataset, doc_id, action, name, size, metadata, state, attempts, created_at, updated_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7, 'queued', 0, now(), now())`,
      text(handle),
      text(dataset),
      text(docId),
      text(action),
      text(name ?? null),
      [OID.int8, size === undefined ? null : BigInt(size)],
      [OID.jsonb, metadata ?? null],
    );
    this.#runner.notifications.notify(INGEST_CHANNEL, dataset);
    return handle;
  }

  async metadata(dataset: string, ids: readonly string[], fields: readonly string[] | null): Promise<string> {
    const sql = `SELECT doc_id, metadata FROM ${this.#schema(dataset)}.documents WHERE _id = ANY($1)`;
    const rows = await this.query(sql, texts(ids));
    const entries = rows.map(({ doc_id, metadata }) => {
      const all = JSON.parse(String(metadata)) as Record<string, unknown>;
      const wanted = fields?.flatMap((field) => (field in all ? [[field, all[field]] as const] : []));
      return [String(doc_id), wanted === undefined ? all : Object.fromEntries(wanted)];
    });
    return formatJsonb(jsonOf(Object.fromEntries(entries)));
  }

  async file(dataset: string, docId: string): Promise<Uint8Array> {
    const schema = this.#schema(dataset);
    const [row] = await this.query(`SELECT file, size FROM ${schema}.documents WHERE _id = $1`, text(docId));
    if (row === undefined || row.file === null) throw unknownDocument(dataset, docId);
    if (Number(row.size) > MESSAGE_BYTES_MAX) {
      throw new SqlError(
        'program_limit_exceeded',
        `file of ${String(row.size)} bytes is too large for one value`,
        {
          hint: `COPY quern.download TO STDOUT WITH (dataset '…', doc_id '…') streams it.`,
        },
      );
    }
    const blocks = await this.query(
      `SELECT data FROM ${schema}._files WHERE file = $1 ORDER BY block`,
      text(String(row.file)),
    );
    return Buffer.concat(blocks.map(({ data }) => data as Uint8Array));
  }

  async content(dataset: string, contentId: string, version: number | null): Promise<string> {
    const sql = `SELECT content_id, doc_id, doc_name, doc_type, kind, heading, text,
        doc_pages, boxes, version, metadata
      FROM ${this.#schema(dataset)}.chunks WHERE content_id = $1`;
    const [row] = await this.query(`SELECT to_jsonb(c) AS content FROM (${sql}) c`, text(contentId));
    if (row === undefined) {
      throw new SqlError('invalid_parameter_value', `dataset "${dataset}" has no content "${contentId}"`, {
        routine: 'content_not_found',
      });
    }
    const content = String(row.content);
    const current = Number((JSON.parse(content) as { version: unknown }).version);
    if (version === null || version === current) return formatJsonb(parseJson(content));
    throw new SqlError(
      'invalid_parameter_value',
      `version ${version} of "${contentId}" is not there: the document's version is ${current}`,
      { routine: 'content_replaced' },
    );
  }
}

function newHandle({ environment }: Runner): string {
  const hex = Buffer.from(environment.randomBytes(16)).toString('hex');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** @throws SqlError 22023. */
function checkLength(what: string, value: string, bytesMax: number): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > 0 && bytes <= bytesMax) return;
  const message =
    bytes === 0 ? `a ${what} may not be empty` : `a ${what} has at most ${bytesMax} bytes, not ${bytes}`;
  throw new SqlError('invalid_parameter_value', message);
}

const tooLarge = (size: number): SqlError =>
  new SqlError(
    'program_limit_exceeded',
    `file of ${size} bytes is larger than the maximum of ${FILE_BYTES_MAX}`,
  );

const unknownDocument = (dataset: string, docId: string): SqlError =>
  new SqlError('invalid_parameter_value', `dataset "${dataset}" has no document "${docId}"`, {
    routine: 'document_not_found',
  });
