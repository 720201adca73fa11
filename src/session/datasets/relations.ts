/**
 * The relations behind datasets, as SQL. A dataset is a schema: `documents` and `chunks`, `tables` and `cells`
 * (`table-relations.ts`), `subjects`, which everybody reads, `_files`, the uploaded bytes in blocks, `_pictures`, what is kept of
 * images within files, and `_passwords`, sealed. What is asked of ingestion stands in `quern.handles`, for all datasets.
 */
import { AUDIT_RELATIONS } from '../audit/relations.ts';
import { OUTSIDE_RELATIONS } from '../outside/log.ts';
import { REQUEST_RELATIONS } from '../requests/relations.ts';
import { ANSWER_RELATIONS } from '../answers/relations.ts';
import { RESEARCH_RELATIONS } from '../research/relations.ts';
import { EVALUATION_RELATIONS } from '../evaluation/relations.ts';
import { SAVED_QUERY_RELATIONS } from '../saved-queries/relations.ts';
import { queueRelations, TABLES_UNDER_WAY } from './queue-relations.ts';
import { SUBJECT_COLUMNS, subjectIndexes } from './subjects/relations.ts';
import { TERM_RELATIONS } from './terms/relations.ts';
import { CELL_COLUMNS, LINE_COLUMNS, TABLE_COLUMNS } from './table-relations.ts';
import { quoteIdentifier, quoteLiteral } from '../../types/text/quote.ts';

/** A file is kept in rows of so many bytes. */
export const FILE_BLOCK_BYTES = 256 * 1024;

/** Told when a transaction commits that asks something of ingestion. */
export const INGEST_CHANNEL = 'quern.ingest';

/**
 * Version of what is indexed of a file: it is raised when files give other chunks or names than before, and documents
 * of a lower one are made anew at the next start (`ingest/upgrade.ts`).
 */
export const INDEXED_AS = 2;

/**
 * Version of what is read of a file's tables: it is raised when cells come to say more or something else, and tables of
 * a lower one are read again at the next start, while chunks and versions stay.
 */
export const CELLS_AS = 2;

/** Version of what is read of whom a document is of: it is raised when names are found by other rules, as `CELLS_AS`. */
export const SUBJECTS_AS = 1;

/** Columns of `documents` that are not metadata, with their types. A new one is null in datasets that are there. */
export const DOCUMENT_COLUMNS: Readonly<Record<string, string>> = {
  _id: 'text',
  /** Names that a query may call it by, as `ranking/naming.ts` reads them. */
  search_names: "text INDEX keyword_index(language => 'simple', stop_words => 'english')",
  doc_id: 'text NOT NULL',
  name: 'text NOT NULL',
  mime_type: 'text',
  size: 'bigint NOT NULL',
  status: 'text NOT NULL',
  status_reason: 'text',
  pages: 'integer',
  version: 'integer NOT NULL',
  title: 'text',
  languages: 'text[]',
  sha256: 'text',
  metadata: 'jsonb NOT NULL',
  properties: 'jsonb',
  problems: 'text[]',
  file: 'text',
  created_at: 'timestamptz NOT NULL',
  updated_at: 'timestamptz NOT NULL',
  /** `INDEXED_AS` of its version; null: of before there was one. */
  indexed_as: 'integer',
  /** `CELLS_AS` of its tables and cells; null: there are none yet. */
  cells_as: 'integer',
  /** `SUBJECTS_AS` of its subjects; null: they are not found yet. */
  subjects_as: 'integer',
};

const chunkColumns = (model: string | null): Readonly<Record<string, string>> => ({
  _id: 'text',
  content_id: "text NOT NULL INDEX keyword_index(type => 'exact')",
  doc_id: 'text NOT NULL',
  doc_name: 'text NOT NULL',
  doc_type: 'text',
  version: 'integer NOT NULL',
  ordinal: 'integer NOT NULL',
  kind: 'text NOT NULL',
  heading: 'text',
  text: 'text NOT NULL',
  passage: `text NOT NULL INDEX semantic_index(${model === null ? '' : `model => ${quoteLiteral(model)}`})`,
  doc_pages: 'integer[] NOT NULL',
  boxes: 'jsonb',
  metadata: 'jsonb NOT NULL',
});

/** Relations whose columns may become more, with these. */
export const GROWING_RELATIONS = {
  documents: DOCUMENT_COLUMNS,
  chunks: chunkColumns(null),
  tables: TABLE_COLUMNS,
  cells: CELL_COLUMNS,
  _lines: LINE_COLUMNS,
  subjects: SUBJECT_COLUMNS,
} as const;

/** The names of a dataset's relations. */
export const DATASET_RELATIONS = [
  'documents',
  'chunks',
  'tables',
  'cells',
  '_lines',
  'subjects',
  '_files',
  '_pictures',
  '_passwords',
] as const;

/** Relations that a dataset lacks. @param schema as SQL has it. @param model null for the server's default. */
export function datasetRelations(schema: string, model: string | null): readonly string[] {
  const columns = (of: Readonly<Record<string, string>>): string =>
    Object.entries(of)
      .map(([name, type]) => `${quoteIdentifier(name)} ${type}`)
      .join(', ');
  return [
    `CREATE TABLE IF NOT EXISTS ${schema}.documents (${columns(DOCUMENT_COLUMNS)})`,
    `CREATE TABLE IF NOT EXISTS ${schema}.chunks (${columns(chunkColumns(model))})`,
    `CREATE INDEX IF NOT EXISTS chunks_doc_id ON ${schema}.chunks (doc_id, ordinal)`,
    `CREATE TABLE IF NOT EXISTS ${schema}.tables (${columns(TABLE_COLUMNS)})`,
    `CREATE TABLE IF NOT EXISTS ${schema}.cells (${columns(CELL_COLUMNS)})`,
    `CREATE INDEX IF NOT EXISTS cells_doc_id ON ${schema}.cells (doc_id)`,
    `CREATE INDEX IF NOT EXISTS cells_content_id ON ${schema}.cells (content_id)`,
    `CREATE TABLE IF NOT EXISTS ${schema}._lines (${columns(LINE_COLUMNS)})`,
    `CREATE TABLE IF NOT EXISTS ${schema}.subjects (${columns(SUBJECT_COLUMNS)})`,
    ...subjectIndexes(schema),
    `CREATE INDEX IF NOT EXISTS _lines_table_id ON ${schema}._lines (table_id)`,
    `CREATE TABLE IF NOT EXISTS ${schema}._files (
      file text NOT NULL,
      block integer NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (file, block)
    )`,
    `CREATE TABLE IF NOT EXISTS ${schema}._pictures (
      file text NOT NULL,
      ordinal integer NOT NULL,
      mime_type text NOT NULL,
      data bytea NOT NULL,
      PRIMARY KEY (file, ordinal)
    )`,
    `CREATE TABLE IF NOT EXISTS ${schema}._passwords (
      doc_id text NOT NULL,
      handle text NOT NULL,
      sealed bytea,
      PRIMARY KEY (doc_id, handle)
    )`,
  ];
}

export const datasetSchema = (name: string): string => quoteIdentifier(name);

/** Condition of a handle that has not come to its end. */
export const UNFINISHED = "state IN ('queued', 'parsing', 'embedding')";

/**
 * Relations that all datasets share, made by `ingest/server-relations.ts`. `chunks_pending` of a handle: null when
 * nothing of it waits to be embedded, 0 while its chunks are not known.
 */
export const SERVER_RELATIONS: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS quern.inference_log (
    id bigserial PRIMARY KEY,
    at timestamptz NOT NULL,
    purpose text NOT NULL,
    model text NOT NULL,
    outcome text NOT NULL,
    reason text,
    prompt_tokens integer NOT NULL,
    completion_tokens integer NOT NULL,
    ms integer NOT NULL,
    facts_written integer NOT NULL,
    facts_placed integer NOT NULL
  )`,
  'CREATE INDEX IF NOT EXISTS inference_log_at ON quern.inference_log (at)',
  `CREATE TABLE IF NOT EXISTS quern.handles (
    handle text PRIMARY KEY,
    seq bigserial NOT NULL,
    dataset text NOT NULL,
    doc_id text NOT NULL,
    action text NOT NULL,
    name text,
    mime_type text,
    size bigint,
    sha256 text,
    metadata jsonb,
    state text NOT NULL,
    reason text,
    version integer,
    attempts integer NOT NULL,
    not_before timestamptz,
    pages integer,
    pages_done integer,
    chunks_pending integer,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
  )`,
  'ALTER TABLE quern.handles ADD COLUMN IF NOT EXISTS chunks_pending integer',
  'ALTER TABLE quern.handles ADD COLUMN IF NOT EXISTS role oid',
  'ALTER TABLE quern.handles ADD COLUMN IF NOT EXISTS key text',
  'CREATE INDEX IF NOT EXISTS handles_pending ON quern.handles (dataset, chunks_pending)',
  'CREATE INDEX IF NOT EXISTS handles_state ON quern.handles (state, seq)',
  'CREATE INDEX IF NOT EXISTS handles_document ON quern.handles (dataset, doc_id)',
  ...queueRelations(UNFINISHED),
  `CREATE OR REPLACE VIEW quern.ingest_failures WITH (security_invoker = true) AS
    SELECT dataset, doc_id, handle, action, name, reason, attempts, created_at, updated_at
    FROM quern.handles WHERE state = 'error'`,
  `CREATE OR REPLACE VIEW quern.pending WITH (security_invoker = true) AS
    SELECT h.dataset AS schema, 'chunks' AS relation, i.columns[1] AS "column", i.index,
      i.options->>'model' AS model, h.doc_id, h.state, nullif(h.chunks_pending, 0) AS rows,
      h.created_at AS since,
      CASE h.state WHEN 'queued' THEN coalesce('it is tried again later: ' || h.reason, 'it waits for its turn')
        WHEN 'parsing' THEN 'the file is being read'
        WHEN 'embedding' THEN 'words find it until it is embedded'
        ELSE 'words find it; embedding failed: ' || h.reason END AS reason
    FROM quern.handles h LEFT JOIN quern.indexes i
      ON i.schema = h.dataset AND i.relation = 'chunks' AND i.kind = 'semantic' AND i.is_valid
    WHERE h.chunks_pending >= 0
    UNION ALL
    SELECT i.schema, i.relation, i.columns[1], i.index, i.options->>'model', NULL, 'embedding',
      (p.tuples_total - p.tuples_done)::integer, NULL,
      'the index is being built; until then it answers nothing, and another on the column goes on answering'
    FROM quern.indexes i
      JOIN pg_catalog.pg_namespace n ON n.nspname = i.schema
      JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = i.index
      LEFT JOIN pg_catalog.pg_stat_progress_create_index p ON p.index_relid = c.oid
    WHERE i.kind = 'semantic' AND i.state = 'building' AND NOT i.is_valid
    UNION ALL
    ${TABLES_UNDER_WAY}`,
  ...TERM_RELATIONS,
  ...OUTSIDE_RELATIONS,
  ...REQUEST_RELATIONS,
  ...AUDIT_RELATIONS,
  ...ANSWER_RELATIONS,
  ...RESEARCH_RELATIONS,
  ...EVALUATION_RELATIONS,
  ...SAVED_QUERY_RELATIONS,
];
