/**
 * Requests of one function or COPY to a dataset, within its caller's transaction: ingestion is asked for by rows of
 * `quern.handles`, and told of them when the transaction commits.
 */
import { createHash } from 'node:crypto';
import { findNamespace } from '../../catalog/lookup.ts';
import { SqlError } from '../../errors.ts';
import type { PageOf, Upload } from '../../functions/services.ts';
import { MESSAGE_BYTES_MAX } from '../../limits.ts';
import { formatJsonb, jsonOf } from '../../types/json/json.ts';
import { OID } from '../../types/oids.ts';
import { PRIVILEGE, type Privileges } from '../../catalog/access/privileges.ts';
import { refuseUpload } from '../outside/of-key.ts';
import { requireDataset } from '../rights/of-session.ts';
import { rowOwner } from '../rights/own-rows.ts';
import { ownerParameters } from '../whose.ts';
import { rowsOf } from '../running/internal-statement.ts';
import { refuseDataset } from '../scope/key-limits.ts';
import type { Statement } from '../running/statement.ts';
import type { Parameter, Query, Row } from '../server-session.ts';
import { limitOf } from '../settings/settings.ts';
import { unknownDataset } from './definitions.ts';
import { timedUuid } from '../../functions/text/uuid.ts';
import type { PageRequest } from './draw-page.ts';
import { mediaTypeOf } from './media-type.ts';
import { keepPassword, passwordOf, SETTLED, withoutPassword } from './file-password.ts';
import { readMetadata } from './metadata.ts';
import { integer, text, texts } from './parameters.ts';
import { datasetSchema, FILE_BLOCK_BYTES, INGEST_CHANNEL } from './relations.ts';

interface Asked {
  readonly dataset: string;
  readonly docId: string;
  readonly action: 'upsert' | 'delete' | 'update metadata';
  readonly metadata?: string | null;
  readonly name?: string;
}

const ACTION_PRIVILEGES: Readonly<Record<Asked['action'], Privileges>> = {
  // A file may take the place of another.
  upsert: PRIVILEGE.insert | PRIVILEGE.update,
  delete: PRIVILEGE.delete,
  'update metadata': PRIVILEGE.update,
};

export class DatasetRequest {
  readonly #statement: Statement;

  constructor(statement: Statement) {
    this.#statement = statement;
  }

  query(sql: string, ...parameters: readonly Parameter[]): Promise<readonly Row[]> {
    return rowsOf(this.#statement, sql, { parameters, asServer: true });
  }

  /** Statements as the server's own, which change what belongs to a dataset that is there. @throws SqlError 42501, 42704. */
  queryOf(dataset: string): Query {
    this.#schema(dataset, PRIVILEGE.update);
    return this.query.bind(this);
  }

  #limit(name: `quern.max_${string}`): number {
    return limitOf(this.#statement.session.settings, name);
  }

  /** @param privileges wanted on its documents. @returns the dataset's schema as SQL has it. @throws SqlError 42501. */
  #schema(dataset: string, privileges: Privileges = PRIVILEGE.select): string {
    requireDataset(this.#statement.session, dataset, privileges);
    refuseDataset(this.#statement.session, dataset);
    const known = findNamespace(this.#statement.session.catalog(), dataset);
    if (known?.dataset === undefined) throw unknownDataset(this.#statement.session.catalog(), dataset);
    return datasetSchema(dataset);
  }

  /**
   * @param about.size as its client has told it, so that too many are refused before they are sent; null: it has not.
   * @param data the file in pieces of any size. @returns a handle. @throws SqlError 22023, 54000.
   */
  async upload(
    { dataset, docId, name, metadata, size: told }: Omit<Upload, 'data'> & { readonly size: number | null },
    data: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<string> {
    const schema = this.#schema(dataset, ACTION_PRIVILEGES.upsert);
    refuseUpload(this.#statement.session, dataset);
    checkLength('file name', name, this.#limit('quern.max_file_name_bytes'));
    const sizeMax = this.#limit('quern.max_file_bytes');
    if (told !== null && told > sizeMax) throw tooLarge(sizeMax);
    const { handle, shown } = await this.#ask({ dataset, docId, action: 'upsert', metadata, name });
    const { size, sha256 } = await this.#storeFile(schema, handle, data);
    if (told !== null && size !== told) throw otherSize(size, told);
    const bytes: Parameter = [OID.int8, BigInt(size)];
    const mark = 'UPDATE quern.handles SET sha256 = $2, size = $3 WHERE handle = $1';
    await this.query(mark, text(handle), text(sha256), bytes);
    await this.query(
      `INSERT INTO ${schema}.documents
         (_id, doc_id, name, size, status, version, metadata, created_at, updated_at)
       VALUES ($1, $1, $2, $3, 'queued', 0, $4, now(), now())
       ON CONFLICT (_id) DO UPDATE SET status = 'queued', status_reason = NULL, updated_at = now()`,
      text(docId),
      text(name),
      bytes,
      [OID.jsonb, shown ?? '{}'],
    );
    return handle;
  }

  async #storeFile(
    schema: string,
    file: string,
    data: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  ): Promise<{ readonly size: number; readonly sha256: string }> {
    const hash = createHash('sha256');
    const sql = `INSERT INTO ${schema}._files (file, block, data) VALUES ($1, $2, $3)`;
    const sizeMax = this.#limit('quern.max_file_bytes');
    let size = 0;
    let block = 0;
    for await (const bytes of blocksOf(data)) {
      size += bytes.byteLength;
      if (size > sizeMax) throw tooLarge(sizeMax);
      hash.update(bytes);
      await this.query(sql, text(file), integer(block++), [OID.bytea, bytes]);
    }
    return { size, sha256: hash.digest('hex') };
  }

  /** Writes down what ingestion has to do. @returns a handle. */
  async ask(asked: Asked): Promise<string> {
    return (await this.#ask(asked)).handle;
  }

  /** @returns also what is shown of the metadata. */
  async #ask({ dataset, docId, action, metadata = null, name }: Asked) {
    this.#schema(dataset, ACTION_PRIVILEGES[action]);
    if (metadata !== null) {
      const limits = {
        bytesMax: this.#limit('quern.max_metadata_bytes'),
        fieldsMax: this.#limit('quern.max_metadata_fields'),
      };
      readMetadata(metadata, limits);
    }
    const { metadata: shown, password } =
      metadata === null ? { metadata, password: undefined } : withoutPassword(metadata);
    checkLength('document id', docId, this.#limit('quern.max_doc_id_bytes'));
    const { environment } = this.#statement.session;
    const handle = timedUuid(environment.clockMicros(), environment.randomBytes(16));
    await this.query(
      `INSERT INTO quern.handles
         (handle, dataset, doc_id, action, name, metadata, state, attempts, chunks_pending,
          created_at, updated_at, role, key)
       VALUES ($1, $2, $3, $4, $5, $6, 'queued', 0, $7, now(), now(), $8, $9)`,
      text(handle),
      text(dataset),
      text(docId),
      text(action),
      text(name ?? null),
      [OID.jsonb, shown],
      integer(action === 'upsert' ? 0 : null),
      ...ownerParameters(rowOwner(this.#statement.session)),
    );
    await keepPassword(this.query.bind(this), environment.seal, { dataset, docId, handle, password });
    this.#statement.session.notifications.notify(INGEST_CHANNEL, dataset);
    this.#statement.session.lastHandle = handle;
    return { handle, shown };
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

  /** The file's blocks, in order. @throws SqlError 22023; 40001 when it is replaced meanwhile. */
  async *blocks(dataset: string, docId: string): AsyncGenerator<Uint8Array> {
    const { schema, file, size } = await this.document(dataset, docId);
    const sql = `SELECT data FROM ${schema}._files WHERE file = $1 AND block = $2`;
    for (let block = 0, sent = 0; sent < size; block++) {
      const [row] = await this.query(sql, text(file), integer(block));
      if (row === undefined) {
        throw new SqlError('serialization_failure', `document "${docId}" was replaced while it was read`);
      }
      const bytes = row.data as Uint8Array;
      sent += bytes.byteLength;
      yield bytes;
    }
  }

  async file(dataset: string, docId: string): Promise<Uint8Array> {
    const { size } = await this.document(dataset, docId);
    if (size > MESSAGE_BYTES_MAX) {
      throw new SqlError('program_limit_exceeded', `file of ${size} bytes is too large for one value`, {
        hint: `COPY quern.download TO STDOUT WITH (dataset '…', doc_id '…') streams it.`,
      });
    }
    return Buffer.concat(await Array.fromAsync(this.blocks(dataset, docId)));
  }

  /** The version that answers now. @throws SqlError 22023 where there is none. */
  async document(dataset: string, docId: string) {
    const schema = this.#schema(dataset);
    const sql = `SELECT file, size, version FROM ${schema}.documents WHERE _id = $1`;
    const [row] = await this.query(sql, text(docId));
    if (row === undefined || row.file === null) throw unknownDocument(dataset, docId);
    return { schema, file: String(row.file), size: Number(row.size), version: Number(row.version) };
  }

  async content(dataset: string, contentId: string, version: number | null): Promise<string> {
    const sql = `SELECT content_id, doc_id, doc_name, doc_type, kind, heading, text,
        doc_pages, boxes, version, ordinal, metadata
      FROM ${this.#schema(dataset)}.chunks WHERE content_id = $1`;
    const [row] = await this.query(`SELECT to_jsonb(c) AS content FROM (${sql}) c`, text(contentId));
    if (row === undefined) {
      throw new SqlError('invalid_parameter_value', `dataset "${dataset}" has no content "${contentId}"`, {
        routine: 'content_not_found',
      });
    }
    const content = JSON.parse(String(row.content)) as Content;
    const current = content.version;
    if (version === null || version === current) {
      const picture = content.kind === 'image' ? await this.#picture(dataset, content) : {};
      return formatJsonb(jsonOf({ ...content, doc_type: mediaTypeOf(content.doc_type), ...picture }));
    }
    throw new SqlError(
      'invalid_parameter_value',
      `version ${version} of "${contentId}" is not there: the document's version is ${current}`,
      { routine: 'content_replaced' },
    );
  }

  /** PNG. @throws SqlError 0A000, 22023, 54000, 55000. */
  async page({ dataset, docId, page, dpi }: PageOf): Promise<Uint8Array> {
    if (dpi < PAGE_DPI_MIN || dpi > PAGE_DPI_MAX) {
      const range = `${PAGE_DPI_MIN} to ${PAGE_DPI_MAX}`;
      throw new SqlError('invalid_parameter_value', `a page is drawn at ${range} dots an inch, not ${dpi}`);
    }
    return this.#draw(dataset, docId, { page, dpi, area: null });
  }

  async #draw(
    dataset: string,
    docId: string,
    wanted: Pick<PageRequest, 'page' | 'dpi' | 'area'>,
  ): Promise<Uint8Array> {
    const { drawPage, seal } = this.#statement.session.environment;
    if (drawPage === undefined) throw new SqlError('feature_not_supported', 'this server draws no pages');
    const { schema } = await this.document(dataset, docId);
    const [row] = await this.query(`SELECT name FROM ${schema}.documents WHERE _id = $1`, text(docId));
    const file = {
      bytes: await this.file(dataset, docId),
      name: String(row?.name),
      password: await passwordOf(this.query.bind(this), seal, { dataset, docId, handle: SETTLED }),
    };
    return drawPage({ ...file, ...wanted }, this.#statement.signal);
  }

  /** Picture of an image: `mime_type`, and `data` in base64. */
  async #picture(dataset: string, content: Content): Promise<object> {
    const { doc_id, ordinal, boxes } = content;
    const { schema, file } = await this.document(dataset, doc_id);
    const sql = `SELECT mime_type, data FROM ${schema}._pictures WHERE file = $1 AND ordinal = $2`;
    const [row] = await this.query(sql, text(file), integer(ordinal));
    if (row !== undefined) return pictureOf(String(row.mime_type), row.data as Uint8Array);
    const [place] = boxes ?? [];
    if (place === undefined) return {};
    const [page, , , ...area] = place;
    return pictureOf('image/png', await this.#draw(dataset, doc_id, { page, dpi: IMAGE_DPI, area }));
  }
}

const PAGE_DPI_MIN = 10;
const PAGE_DPI_MAX = 600;
const IMAGE_DPI = 150;

const pictureOf = (mimeType: string, data: Uint8Array): object => ({
  mime_type: mimeType,
  data: Buffer.from(data).toString('base64'),
});

/** A row of `chunks`, as far as it is looked into. */
interface Content {
  readonly doc_id: string;
  readonly doc_type: string | null;
  readonly kind: string;
  readonly ordinal: number;
  readonly version: number;
  /** Page, start, end, left, top, right, bottom of each run; an image's own place is the first. */
  readonly boxes: readonly [number, number, number, number, number, number, number][] | null;
}

/** @throws SqlError 22023. */
function checkLength(what: string, value: string, bytesMax: number): void {
  const bytes = Buffer.byteLength(value);
  if (bytes > 0 && bytes <= bytesMax) return;
  const message =
    bytes === 0 ? `a ${what} may not be empty` : `a ${what} has at most ${bytesMax} bytes, not ${bytes}`;
  throw new SqlError('invalid_parameter_value', message);
}

const tooLarge = (bytesMax: number): SqlError =>
  new SqlError('program_limit_exceeded', `a file has at most ${bytesMax} bytes`);

const otherSize = (size: number, told: number): SqlError =>
  new SqlError('invalid_parameter_value', `the file has ${size} bytes, and not the ${told} that were told`);

const unknownDocument = (dataset: string, docId: string): SqlError =>
  new SqlError('invalid_parameter_value', `dataset "${dataset}" has no document "${docId}"`, {
    routine: 'document_not_found',
  });

/** Pieces of any size as blocks of FILE_BLOCK_BYTES, the last one shorter. */
async function* blocksOf(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let open = new Uint8Array(FILE_BLOCK_BYTES);
  let filled = 0;
  for await (const piece of pieces) {
    for (let at = 0; at < piece.byteLength; ) {
      const part = piece.subarray(at, at + FILE_BLOCK_BYTES - filled);
      open.set(part, filled);
      filled += part.byteLength;
      at += part.byteLength;
      if (filled < FILE_BLOCK_BYTES) continue;
      yield open;
      open = new Uint8Array(FILE_BLOCK_BYTES);
      filled = 0;
    }
  }
  if (filled > 0) yield open.subarray(0, filled);
}
