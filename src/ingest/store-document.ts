/**
 * A parsed file becomes a version of its document: the new chunks are stored and embedded beside the old ones, and
 * one commit replaces these. Readers see the old version until then. Chunks of a document's first version are stored
 * first and embedded after: words find them meanwhile.
 */
import { forgetPassword, settlePassword } from '../session/datasets/file-password.ts';
import { mergedMetadata, type Metadata } from '../session/datasets/metadata.ts';
import { namesOfDocument, stemOf } from '../session/datasets/ranking/naming.ts';
import { integer, json, text, texts } from '../session/datasets/parameters.ts';
import {
  CELLS_AS,
  datasetSchema,
  DOCUMENT_COLUMNS,
  INDEXED_AS,
  SUBJECTS_AS,
} from '../session/datasets/relations.ts';
import { deleteSubjects, storeSubjects } from '../session/datasets/subjects/store-subjects.ts';
import type { Parameter, Query } from '../session/server-session.ts';
import { OID } from '../types/oids.ts';
import { quoteIdentifier } from '../types/text/quote.ts';
import type { Chunk } from './chunk/chunk.ts';
import type { ParsedFile } from './parse/parsed-file.ts';
import type { Job } from './queue.ts';
import { domainsSpoken } from '../language/domains/spoken.ts';
import { type Subject, subjectsOf } from './subjects/subjects-of.ts';
import { deleteTables, markCells, storeTables } from './tables/store-tables.ts';

/** Stored, or embedded, by one statement. */
export const CHUNKS_A_STATEMENT = 64;

/** Facts of the version that answers now. */
export interface StoredDocument {
  readonly version: number;
  readonly name: string;
  readonly title: string | null;
  readonly sha256: string | null;
  readonly file: string | null;
  readonly metadata: Metadata;
  readonly indexedAs: number | null;
  readonly cellsAs: number | null;
}

/** Which document. */
type Place = Pick<Job, 'dataset' | 'docId'>;

const schemaOf = ({ dataset }: Pick<Job, 'dataset'>): string => datasetSchema(dataset);

export async function storedDocument(query: Query, job: Place): Promise<StoredDocument | null> {
  const sql = `SELECT version, name, title, sha256, file, metadata, indexed_as, cells_as
    FROM ${schemaOf(job)}.documents WHERE _id = $1`;
  const [row] = await query(sql, text(job.docId));
  if (row === undefined) return null;
  return {
    version: Number(row.version),
    name: String(row.name),
    title: row.title as string | null,
    sha256: row.sha256 as string | null,
    file: row.file as string | null,
    metadata: JSON.parse(String(row.metadata)) as Metadata,
    indexedAs: row.indexed_as === null ? null : Number(row.indexed_as),
    cellsAs: row.cells_as === null ? null : Number(row.cells_as),
  };
}

/** The file that a job reads: the one that came with it, or the one that is there. */
const fileOf = (job: Job, old: StoredDocument | null): string =>
  job.action === 'rebuild' || job.action === 'read tables' ? (old?.file ?? '') : job.handle;

export async function fileBytes(query: Query, job: Job, old: StoredDocument | null): Promise<Uint8Array> {
  const bytes = Buffer.alloc(job.size);
  const sql = `SELECT data FROM ${schemaOf(job)}._files WHERE file = $1 AND block = $2`;
  let length = 0;
  for (let block = 0; length < bytes.length; block++) {
    const [row] = await query(sql, text(fileOf(job, old)), integer(block));
    if (row === undefined) throw new Error(`block ${block} of the file is missing`);
    bytes.set(row.data as Uint8Array, length);
    length += (row.data as Uint8Array).byteLength;
  }
  return bytes;
}

export interface NewVersion {
  readonly job: Job;
  readonly parsed: ParsedFile;
  readonly old: StoredDocument | null;
  readonly status: 'ready' | 'embedding';
}

/** @returns the new version's number. */
export async function storeVersion(query: Query, { job, parsed, old, status }: NewVersion): Promise<number> {
  const version = (old?.version ?? 0) + 1;
  const metadata = job.metadata === null ? (old?.metadata ?? {}) : (JSON.parse(job.metadata) as Metadata);
  const schema = schemaOf(job);
  const file = fileOf(job, old);
  if (old?.file === file) await forgetPictures(query, schema, file);
  else await forgetBytes(query, schema, old?.file ?? null);
  for (let start = 0; start < parsed.chunks.length; start += CHUNKS_A_STATEMENT) {
    const chunks = parsed.chunks.slice(start, start + CHUNKS_A_STATEMENT);
    await insertChunks(query, { job, file, parsed, version, metadata, chunks, start });
  }
  await query(`DELETE FROM ${schema}.chunks WHERE doc_id = $1 AND version < $2`, text(job.docId), [
    OID.int4,
    version,
  ]);
  await storeTables(query, { job, version, batches: parsed.tables, chunks: byOrdinal(parsed.chunks) });
  await storeSubjects(query, job, parsed.subjects);
  await writeDocument(query, { job, old: old?.metadata ?? {}, metadata }, [
    ['name', text(job.name)],
    ['search_names', text(namesOfDocument({ name: job.name, title: parsed.title, metadata }))],
    ['mime_type', text(parsed.mimeType)],
    ['size', [OID.int8, BigInt(job.size)]],
    ['status', text(status)],
    ['status_reason', text(null)],
    ['pages', integer(parsed.pageCount === 0 ? null : parsed.pageCount)],
    ['version', integer(version)],
    ['title', text(parsed.title)],
    ['languages', texts(parsed.languages)],
    ['sha256', text(job.sha256)],
    ['properties', json(propertiesOf(parsed))],
    ['problems', texts(parsed.problems)],
    ['file', text(file)],
    ['indexed_as', integer(INDEXED_AS)],
    ['cells_as', integer(CELLS_AS)],
    ['subjects_as', integer(SUBJECTS_AS)],
  ]);
  await settlePassword(query, job);
  return version;
}

const byOrdinal = (chunks: readonly Chunk[]): ReadonlyMap<number, Chunk> =>
  new Map(chunks.map((chunk, index) => [index + 1, chunk]));

/**
 * Tables of a version that is there. Cells point into its chunks, and nowhere where another Quern has cut a chunk in
 * another way.
 */
export async function addTables(
  query: Query,
  { job, parsed, version }: Pick<NewVersion, 'job' | 'parsed'> & { readonly version: number },
): Promise<void> {
  const sql = `SELECT ordinal, text FROM ${schemaOf(job)}.chunks WHERE doc_id = $1`;
  const stored = new Map((await query(sql, text(job.docId))).map((row) => [Number(row.ordinal), row.text]));
  const same = [...byOrdinal(parsed.chunks)].filter(([ordinal, chunk]) => stored.get(ordinal) === chunk.text);
  await storeTables(query, { job, version, batches: parsed.tables, chunks: new Map(same) });
  await markCells(query, job);
  await putFoundSubjects(query, job, parsed.subjects);
}

/** Whom a document that is there is of, found in its chunks. @returns the domains that these speak of. */
export async function addSubjects(query: Query, job: Place): Promise<readonly string[]> {
  const [document] = await query(
    `SELECT title, properties->'margins' AS margins FROM ${schemaOf(job)}.documents WHERE _id = $1`,
    text(job.docId),
  );
  if (document === undefined) return [];
  const rows = await query(
    `SELECT text FROM ${schemaOf(job)}.chunks WHERE doc_id = $1 ORDER BY ordinal LIMIT ${CHUNKS_READ_MAX}`,
    text(job.docId),
  );
  const found = rows.map((row) => String(row.text));
  const margins = JSON.parse(String(document.margins ?? '[]')) as readonly string[];
  const subjects = subjectsOf({ title: document.title as string | null, margins, texts: found });
  await putFoundSubjects(query, job, subjects);
  return domainsSpoken(found);
}

const CHUNKS_READ_MAX = 200;

async function putFoundSubjects(query: Query, job: Place, subjects: readonly Subject[]): Promise<void> {
  await storeSubjects(query, job, subjects);
  const sql = `UPDATE ${schemaOf(job)}.documents SET subjects_as = $2 WHERE _id = $1`;
  await query(sql, text(job.docId), integer(SUBJECTS_AS));
}

interface ChunkBatch {
  readonly job: Job;
  readonly file: string;
  readonly parsed: ParsedFile;
  readonly version: number;
  readonly metadata: Metadata;
  readonly chunks: readonly Chunk[];
  /** Number of the first one. */
  readonly start: number;
}

async function insertChunks(
  query: Query,
  { job, file, parsed, version, metadata, chunks, start }: ChunkBatch,
): Promise<void> {
  const rows = chunks.map((chunk, i) => ({ chunk, ordinal: start + i + 1 }));
  const contentIds = rows.map(({ chunk, ordinal }) => `doc#${job.docId}#${chunk.kind}#${ordinal}`);
  await query(
    `INSERT INTO ${schemaOf(job)}.chunks (_id, content_id, doc_id, doc_name, doc_type, version, metadata,
       ordinal, kind, heading, text, passage, doc_pages, boxes)
     SELECT c.content_id || '@' || $4, c.content_id, $1, $2, $3, $4, $5,
       c.ordinal::integer, c.kind, c.heading, c.text, c.passage, c.pages::integer[], c.boxes::jsonb
     FROM unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
         $13::text[])
       AS c(content_id, ordinal, kind, heading, text, passage, pages, boxes)`,
    text(job.docId),
    text(job.name),
    text(parsed.mimeType),
    integer(version),
    json(metadata),
    texts(contentIds),
    texts(rows.map(({ ordinal }) => String(ordinal))),
    texts(chunks.map(({ kind }) => kind)),
    texts(chunks.map(({ headings }) => (headings.length === 0 ? null : headings.join(' > ')))),
    texts(chunks.map((chunk) => chunk.text)),
    texts(chunks.map((chunk) => passageOf(job, chunk))),
    texts(chunks.map(({ pages }) => `{${pages.join(',')}}`)),
    texts(chunks.map((chunk) => boxesOf(chunk))),
  );
  for (const { chunk, ordinal } of rows) {
    if (chunk.picture === null) continue;
    await query(
      `INSERT INTO ${schemaOf(job)}._pictures (file, ordinal, mime_type, data) VALUES ($1, $2, $3, $4)`,
      text(file),
      integer(ordinal),
      text(chunk.picture.mimeType),
      [OID.bytea, chunk.picture.bytes],
    );
  }
}

/** Titles right above a passage that are searched with it: those further up are the same for many. */
const HEADINGS_COUNT = 2;

/** Indexed text: the chunk with what it does not say of itself. */
function passageOf({ name }: Job, { headings, indexed }: Chunk): string {
  const above = headings.slice(-HEADINGS_COUNT).join(' > ');
  return [stemOf(name), above, indexed].filter((part) => part !== '').join('\n');
}

/** Runs as `[page, start, end, left, top, right, bottom]`, places in tenths of a point at best. */
function boxesOf({ runs }: Chunk): string | null {
  if (runs.length === 0) return null;
  const round = (value: number): number => Math.round(10 * value) / 10;
  return JSON.stringify(runs.map(({ page, start, end, box }) => [page, start, end, ...box.map(round)]));
}

/** The file's own properties, what its pages repeat at their edges, what it calls them. */
function propertiesOf({ properties, margins, pageLabels }: ParsedFile): Record<string, unknown> {
  return {
    ...properties,
    ...(margins.length > 0 && { margins }),
    ...(pageLabels.length > 0 && { page_labels: pageLabels }),
  };
}

interface DocumentMetadata {
  readonly job: Place;
  readonly old: Metadata;
  readonly metadata: Metadata;
}

/** Writes columns of the document's row, and its metadata as columns of their own. */
async function writeDocument(
  query: Query,
  { job, old, metadata }: DocumentMetadata,
  columns: readonly (readonly [name: string, value: Parameter])[],
): Promise<void> {
  const gone = Object.keys(old).filter((name) => !(name in metadata));
  const own = [...Object.entries(metadata), ...gone.map((name) => [name, null] as const)]
    .filter(([name]) => !Object.hasOwn(DOCUMENT_COLUMNS, name))
    .map(([name, value]) => [name, columnValue(value)] as const);
  const all = [...columns, ['metadata', json(metadata)] as const, ...own];
  const sets = all.map(([name], i) => `${quoteIdentifier(name)} = $${i + 2}`);
  await query(
    `UPDATE ${schemaOf(job)}.documents SET ${sets.join(', ')}, updated_at = clock_timestamp() WHERE _id = $1`,
    text(job.docId),
    ...all.map(([, value]) => value),
  );
}

/** A metadata value by its class. */
function columnValue(value: Metadata[string] | undefined): Parameter {
  if (typeof value === 'number') {
    return Number.isSafeInteger(value) ? [OID.int8, BigInt(value)] : [OID.float8, value];
  }
  if (typeof value === 'boolean') return [OID.bool, value];
  if (typeof value === 'string') return [OID.text, value];
  if (value === null || value === undefined) return [OID.text, null];
  return value.every((item) => typeof item === 'string') ? texts(value as readonly string[]) : json(value);
}

/** @returns false when there is no such document. */
export async function changeMetadata(query: Query, job: Job): Promise<boolean> {
  const old = await storedDocument(query, job);
  if (old === null) return false;
  const metadata = mergedMetadata(old.metadata, JSON.parse(job.metadata ?? '{}') as Metadata);
  await putMetadata(query, { job, old, metadata }, []);
  await settlePassword(query, job);
  return true;
}

/** A field of a document that is there goes from everything that tells of it. */
export async function dropMetadata(query: Query, of: Place, field: string): Promise<void> {
  const old = await storedDocument(query, of);
  if (old === null) return;
  const { [field]: _, ...metadata } = old.metadata;
  await putMetadata(query, { job: of, old, metadata }, []);
}

/** The same file again: only its metadata may be new. */
export async function keepVersion(query: Query, job: Job, old: StoredDocument): Promise<void> {
  const metadata = job.metadata === null ? old.metadata : (JSON.parse(job.metadata) as Metadata);
  await query(`DELETE FROM ${schemaOf(job)}._files WHERE file = $1`, text(job.handle));
  await putMetadata(query, { job, old, metadata }, []);
  await settlePassword(query, job);
}

async function putMetadata(
  query: Query,
  { job, old, metadata }: Omit<DocumentMetadata, 'old'> & { readonly old: StoredDocument },
  columns: readonly (readonly [name: string, value: Parameter])[],
): Promise<void> {
  const names = namesOfDocument({ ...old, metadata });
  await writeDocument(query, { job, old: old.metadata, metadata }, [
    ...columns,
    ['search_names', text(names)],
  ]);
  if (JSON.stringify(old.metadata) === JSON.stringify(metadata)) return;
  const sql = `UPDATE ${schemaOf(job)}.chunks SET metadata = $2 WHERE doc_id = $1`;
  await query(sql, text(job.docId), json(metadata));
}

export async function deleteDocument(query: Query, job: Job): Promise<void> {
  const old = await storedDocument(query, job);
  const schema = schemaOf(job);
  await query(`DELETE FROM ${schema}.chunks WHERE doc_id = $1`, text(job.docId));
  await deleteTables(query, job);
  await deleteSubjects(query, job);
  await forgetBytes(query, schema, old?.file ?? null);
  await forgetPassword(query, job, 'of the document');
  await query(`DELETE FROM ${schema}.documents WHERE _id = $1`, text(job.docId));
}

export async function markStatus(
  query: Query,
  job: Job,
  status: 'parsing' | 'embedding' | 'ready' | 'error',
  reason: string | null,
): Promise<void> {
  const sql = `UPDATE ${schemaOf(job)}.documents SET status = $2, status_reason = $3 WHERE _id = $1`;
  await query(sql, text(job.docId), text(status), text(reason));
}

/** A version's file, and what was kept of the images in it. */
async function forgetBytes(query: Query, schema: string, file: string | null): Promise<void> {
  await query(`DELETE FROM ${schema}._files WHERE file = $1`, text(file));
  await forgetPictures(query, schema, file);
}

async function forgetPictures(query: Query, schema: string, file: string | null): Promise<void> {
  await query(`DELETE FROM ${schema}._pictures WHERE file = $1`, text(file));
}

/** The bytes of an upload that failed, where no version was made of them. */
export async function forgetFile(query: Query, job: Job): Promise<void> {
  const stored = await storedDocument(query, job);
  if (stored?.file !== job.handle) await forgetBytes(query, schemaOf(job), job.handle);
}

/** Ordinals of the document's chunks that are found by words only. */
export async function chunksToEmbed(query: Query, job: Job): Promise<readonly number[]> {
  const rows = await query(
    `SELECT ordinal FROM ${schemaOf(job)}.chunks
     WHERE doc_id = $1 AND embedding(passage) IS NULL ORDER BY ordinal`,
    text(job.docId),
  );
  return rows.map(({ ordinal }) => Number(ordinal));
}

/** @param ordinals a few of them. */
export async function embedChunks(query: Query, job: Job, ordinals: readonly number[]): Promise<void> {
  await query(
    `UPDATE ${schemaOf(job)}.chunks SET passage = passage WHERE doc_id = $1 AND ordinal = ANY($2::integer[])`,
    text(job.docId),
    texts(ordinals.map(String)),
  );
}
