/** One dataset: files in, documents' states and metadata out. */
import type { WaitConfig } from './config.ts';
import {
  CollectionNotFoundError,
  DatasetNotFoundError,
  DocumentValidationError,
  InvalidArgumentError,
  WaitTimeoutError,
} from './errors.ts';
import { entriesOf, type Options, optionsOf } from './options.ts';
import { compileCondition, LiteralSql } from './query/compile.ts';
import { Expression } from './query/expression.ts';
import { rowsOf } from './rows.ts';
import type { Connection } from './wire/connection.ts';
import { parameterOf } from './wire/encode.ts';
import { checkName, identifier, textLiteral } from './wire/names.ts';

export type MetadataValue = string | number | boolean | readonly (string | number | boolean)[];
export type Metadata = Readonly<Record<string, MetadataValue>>;

/** A file on this machine, its bytes, or these as they come. */
export type FileInput =
  | { readonly path: string; readonly fileName?: string | undefined }
  | { readonly stream: AsyncIterable<Uint8Array>; readonly fileName: string }
  | {
      readonly data: Uint8Array | ArrayBuffer | Blob;
      readonly fileName: string;
      /** The server tells the kind by content and name. */
      readonly mimeType?: string | undefined;
    };

export interface ListEntry {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly mimeType: string | null;
  readonly status: 'pending' | 'ready' | 'error';
  readonly statusReason: string | null;
  readonly metadata: Metadata;
}

interface ListOptions {
  /** Names of metadata to give; left out, all. */
  readonly fields?: readonly string[] | undefined;
  readonly filter?: Expression | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Columns of `documents` that metadata may be called by too: then the metadata's come first. */
const OWN_COLUMNS =
  'doc_id name mime_type size status status_reason pages version title languages sha256 metadata properties problems created_at updated_at'.split(
    ' ',
  );
const METADATA_FIRST: ReadonlyMap<string, string> = new Map(
  OWN_COLUMNS.map((name) => [name, `coalesce(metadata['${name}'], to_jsonb(${identifier(name)}))`]),
);

export class DatasetClient {
  readonly name: string;
  readonly #connection: Connection;

  /** @internal */
  constructor(connection: Connection, name: string) {
    this.#connection = connection;
    this.name = checkName('dataset', name);
  }

  /** @returns a handle, at once; the document is read afterwards. */
  async upsertFile(docId: string, file: FileInput, metadata?: Metadata | null): Promise<string> {
    checkId(docId);
    const { name, bytes } = await opened(file);
    const options = [
      'FORMAT raw',
      `dataset ${textLiteral(this.name)}`,
      `doc_id ${textLiteral(docId)}`,
      `name ${textLiteral(name)}`,
      ...(metadata === undefined || metadata === null
        ? []
        : [`metadata ${textLiteral(metadataJson(metadata))}`]),
    ];
    const copy = `COPY quern.upload FROM STDIN WITH (${options.join(', ')})`;
    const last = { sql: 'SELECT quern.last_handle()', params: [] };
    const { values } = await this.#connection.copyIn(copy, bytes, last);
    return String(values[0]?.[0]);
  }

  /** @returns a handle, also for a document that is not there. */
  async delete(docId: string): Promise<string> {
    checkId(docId);
    return await this.#handle('SELECT quern.delete_document($1::text, $2::text)', [this.name, docId]);
  }

  /** Puts these over the metadata that there are; null takes a field away. @returns a handle. */
  async updateMetadata(
    docId: string,
    metadata: Readonly<Record<string, MetadataValue | null>>,
  ): Promise<string> {
    checkId(docId);
    const sql = 'SELECT quern.update_metadata($1::text, $2::text, $3::jsonb)';
    return await this.#handle(sql, [this.name, docId, metadataJson(metadata)]);
  }

  /** Metadata by document id; absent ids are left out. */
  async getMetadata(
    ids: readonly string[],
    options?: readonly string[] | Options<{ readonly fields: readonly string[] }>,
  ): Promise<Record<string, Metadata>> {
    type Named = Options<{ readonly fields: readonly string[] }>;
    const fields: unknown = Array.isArray(options)
      ? options
      : optionsOf('getMetadata', options as Named, ['fields']).fields;
    const params = [this.name, textsParameter('ids', ids), textsParameter('fields', fields ?? null)];
    const call = 'quern.get_metadata($1::text, $2::text[], $3::text[])';
    const { values } = await this.#connection.run({ sql: `SELECT ${call}`, params });
    return (values[0]?.[0] ?? {}) as Record<string, Metadata>;
  }

  /** True when it is done. @throws IngestionError where the document could not be read. */
  async checkHandle(handle: string): Promise<boolean> {
    const sql = 'SELECT quern.check_handle($1::text)';
    const { values } = await this.#connection.run({ sql, params: [handle] });
    return values[0]?.[0] === true;
  }

  /** Ends when it is done. @throws IngestionError with the reason, WaitTimeoutError. */
  async waitForHandle(handle: string, config?: Options<WaitConfig>): Promise<void> {
    const { frequencySecs = 5, timeoutSecs = 300 } = optionsOf<WaitConfig>('waitForHandle', config, [
      'frequencySecs',
      'timeoutSecs',
    ]);
    if (!(frequencySecs > 0) || !(timeoutSecs >= 0)) {
      throw new InvalidArgumentError('frequencySecs is above 0, timeoutSecs at least 0');
    }
    const ends = performance.now() + timeoutSecs * 1000;
    for (;;) {
      const left = (ends - performance.now()) / 1000;
      if (await this.#waited(handle, Math.max(0, Math.min(frequencySecs, left)))) return;
      if (left <= frequencySecs) {
        throw new WaitTimeoutError(`handle ${handle} is not done after ${timeoutSecs} seconds`, {
          kind: 'handle_timeout',
        });
      }
    }
  }

  async #waited(handle: string, seconds: number): Promise<boolean> {
    try {
      const sql = 'SELECT quern.wait_for_handle($1::text, $2::float8)';
      await this.#connection.run({ sql, params: [handle, String(seconds)] });
      return true;
    } catch (error) {
      if (error instanceof WaitTimeoutError) return false;
      throw error;
    }
  }

  /** The documents, by id. */
  async *list(options?: Options<ListOptions>): AsyncGenerator<ListEntry> {
    const names = ['fields', 'filter', 'signal'] as const;
    const { fields, filter, signal } = optionsOf<ListOptions>('list', options, names);
    if (filter !== undefined && !(filter instanceof Expression)) {
      throw new InvalidArgumentError('the filter of a list is an expression');
    }
    const { text, params } =
      filter === undefined
        ? { text: 'true', params: [] }
        : compileCondition(filter.node, undefined, METADATA_FIRST);
    const sql = `SELECT doc_id, name, size, mime_type, status, status_reason, metadata FROM ${identifier(this.name)}.documents WHERE ${text} ORDER BY doc_id`;
    const { values } = await this.#connection.run({ sql, params }, { signal }).catch((error: unknown) => {
      throw error instanceof CollectionNotFoundError ? absent(this.name) : error;
    });
    for (const [id, name, size, mimeType, status, statusReason, metadata] of values) {
      yield {
        id: String(id),
        name: String(name),
        size: Number(size),
        mimeType: mimeType as string | null,
        status: status === 'ready' || status === 'error' ? status : 'pending',
        statusReason: statusReason as string | null,
        metadata: chosen((metadata ?? {}) as Metadata, fields),
      };
    }
  }

  /** A file as it came. */
  async getFile(docId: string): Promise<Uint8Array> {
    const sql = 'SELECT quern.get_file($1::text, $2::text) AS file';
    const [row] = rowsOf(await this.#connection.run({ sql, params: [this.name, docId] }));
    return row?.file as Uint8Array;
  }

  async #handle(sql: string, params: readonly string[]): Promise<string> {
    const { values } = await this.#connection.run({ sql, params }, { repeatable: false });
    return String(values[0]?.[0]);
  }
}

/** The named fields of metadata. */
export const chosen = (metadata: Metadata, fields: readonly string[] | undefined): Metadata =>
  fields === undefined
    ? metadata
    : Object.fromEntries(Object.entries(metadata).filter(([name]) => fields.includes(name)));

/** A filter of `search` and `ask` as the text that the server takes. */
export const filterText = (filter: Expression): string =>
  compileCondition(filter.node, new LiteralSql()).text;

export const absent = (name: string): DatasetNotFoundError =>
  new DatasetNotFoundError(`dataset ${JSON.stringify(name)} does not exist`, {
    sqlstate: '42704',
    kind: 'dataset_not_found',
  });

/** Texts as the server takes an array; null where all are meant. */
function textsParameter(what: string, given: unknown): string | null {
  if (given === null) return null;
  if (Array.isArray(given) && given.every((one) => typeof one === 'string')) return parameterOf(given).text;
  throw new InvalidArgumentError(`${what} are an array of strings`);
}

function checkId(docId: string): void {
  if (typeof docId === 'string' && docId !== '') return;
  throw new InvalidArgumentError('a document id is a string that is not empty');
}

const isPlain = (value: unknown): boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

function* metadataFaults(name: string, value: unknown): Generator<string> {
  if (name === '' || name.startsWith('_') || name.includes('.')) {
    yield `${JSON.stringify(name)} is no name for metadata: it is empty, begins with "_" or contains a "."`;
  }
  if (value !== null && !(Array.isArray(value) ? value.every(isPlain) : isPlain(value))) {
    yield `metadata ${JSON.stringify(name)}: values are strings, numbers, booleans and lists of these`;
  }
}

function metadataJson(metadata: Readonly<Record<string, MetadataValue | null>>): string {
  const entries = entriesOf<MetadataValue | null>('metadata', metadata);
  const faults = entries.flatMap(([field, value]) =>
    [...metadataFaults(field, value)].map((message) => ({ kind: 'invalid_metadata', field, message })),
  );
  if (faults.length === 0) return JSON.stringify(Object.fromEntries(entries));
  const message = faults.map((one) => one.message).join('; ');
  throw new DocumentValidationError(message, { kind: 'document_validation', errors: faults });
}

interface OpenFile {
  readonly name: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** All that a file may be given as. */
interface GivenFile {
  readonly path: string;
  readonly stream: AsyncIterable<Uint8Array>;
  readonly data: Uint8Array | ArrayBuffer | Blob;
  readonly fileName: string;
  readonly mimeType: string;
}

async function opened(given: FileInput): Promise<OpenFile> {
  const names = ['path', 'stream', 'data', 'fileName', 'mimeType'] as const;
  const file = optionsOf<GivenFile>('a file', given as Options<GivenFile>, names);
  const { path, stream, data, fileName } = file;
  if ([path, stream, data].filter((one) => one !== undefined).length !== 1) {
    throw new InvalidArgumentError('a file is one of { path }, { data, fileName } and { stream, fileName }');
  }
  if (path !== undefined) return await openedPath(path, fileName);
  if (typeof fileName !== 'string' || fileName === '') {
    throw new InvalidArgumentError('bytes of a file come with its fileName');
  }
  return { name: fileName, bytes: stream ?? pieces(data as GivenFile['data']) };
}

const PIECE_BYTES = 1 << 20;

async function* pieces(data: Uint8Array | ArrayBuffer | Blob): AsyncGenerator<Uint8Array> {
  const whole =
    data instanceof Uint8Array
      ? data
      : new Uint8Array(data instanceof ArrayBuffer ? data : await data.arrayBuffer());
  for (let at = 0; at < whole.length; at += PIECE_BYTES) yield whole.subarray(at, at + PIECE_BYTES);
}

async function openedPath(path: string, fileName: string | undefined): Promise<OpenFile> {
  const { createReadStream } = await import('node:fs');
  const { stat } = await import('node:fs/promises');
  const { basename } = await import('node:path');
  const about = await stat(path).catch((cause: unknown) => {
    throw new InvalidArgumentError(`there is no file ${JSON.stringify(path)}`, { cause });
  });
  if (!about.isFile()) throw new InvalidArgumentError(`${JSON.stringify(path)} is a folder, not a file`);
  // One that grows ends where it ended; what says that it is empty may be of the system, and is not.
  const end = about.size > 0 ? { end: about.size - 1 } : {};
  const bytes = createReadStream(path, { highWaterMark: PIECE_BYTES, ...end });
  return { name: fileName ?? basename(path), bytes };
}
