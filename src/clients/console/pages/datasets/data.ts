/** Statements of the pages of datasets, and the rows that they give. */
import { pathOf, pathPart } from '../../shell/path.ts';
import { quoteName } from '../../server/names.ts';
import { run } from '../../server/statement.ts';
import { useRows } from '../../server/use-rows.ts';

export interface DatasetRow {
  readonly name: string;
  readonly description: string;
  /** bigint comes as text. */
  readonly documents: string;
  readonly chunks: string;
  readonly bytes: string;
  readonly created_at: string;
  /** Null: never written to, or it is not told. */
  readonly changed_at: string | null;
  readonly embedding_model: string | null;
  readonly domains: readonly string[];
  readonly outside: boolean;
  readonly queued: string;
  readonly failed: string;
}

/** Condition of jobs in `quern.handles`, of which everybody reads their own: the queue itself is superusers'. */
export const UNDER_WAY = `state IN ('queued', 'parsing', 'embedding')`;

export const DATASETS = `SELECT d.name, d.description, d.document_count AS documents, d.chunk_count AS chunks,
    d.bytes, d.created_at, d.changed_at, d.embedding_model, d.domains, d.outside,
    coalesce(q.jobs, 0) AS queued, coalesce(f.jobs, 0) AS failed
  FROM quern.datasets d
    LEFT JOIN (SELECT dataset, count(*) AS jobs FROM quern.handles WHERE ${UNDER_WAY} GROUP BY dataset) q
      ON q.dataset = d.name
    LEFT JOIN (SELECT dataset, count(*) AS jobs FROM quern.ingest_failures GROUP BY dataset) f
      ON f.dataset = d.name`;

export const useDatasets = () => useRows<DatasetRow>(`${DATASETS} ORDER BY d.name`);

export interface DocumentRow {
  readonly doc_id: string;
  readonly name: string;
  readonly status: string;
  readonly status_reason: string | null;
  readonly pages: number | null;
  readonly size: string;
  readonly version: number;
  readonly mime_type: string | null;
  readonly updated_at: string;
  readonly problems: readonly string[] | null;
  readonly title: string | null;
}

const DOCUMENT_COLUMNS =
  'doc_id, name, status, status_reason, pages, size, version, mime_type, updated_at, problems, title';

export const documentsOf = (dataset: string): string =>
  `SELECT ${DOCUMENT_COLUMNS} FROM ${quoteName(dataset)}.documents
   WHERE $1 = '' OR strpos(lower(doc_id || ' ' || name || ' ' || coalesce(title, '')), lower($1)) > 0 ORDER BY doc_id`;

export const documentOf = (dataset: string): string =>
  `SELECT ${DOCUMENT_COLUMNS}, languages, metadata, properties, sha256, created_at
   FROM ${quoteName(dataset)}.documents WHERE doc_id = $1`;

export const deleteDocuments = (dataset: string, ids: readonly string[]): Promise<unknown> =>
  run('SELECT quern.delete_document($1, id) FROM unnest($2::text[]) AS id', { params: [dataset, ids] });

export const updateMetadata = (dataset: string, docId: string, metadata: object): Promise<unknown> =>
  run('SELECT quern.update_metadata($1, $2, $3::jsonb)', {
    params: [dataset, docId, JSON.stringify(metadata)],
  });

/** Kinds whose pages can be drawn; others have a text view. */
export const isDrawn = (mimeType: string | null): boolean =>
  mimeType === 'application/pdf' || (mimeType?.startsWith('image/') ?? false);

export const datasetPath = (dataset: string, side = ''): string =>
  `${pathOf('datasets', dataset)}${side === '' ? '' : `/${side}`}`;

export const documentPath = (dataset: string, docId: string): string =>
  datasetPath(dataset, `documents/${pathPart(docId)}`);
