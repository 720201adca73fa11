/** Tables and cells of a document stored, in the transaction of its chunks or beside those that are there. */
import { integer, integers, text, texts } from '../../session/datasets/parameters.ts';
import { CELLS_AS, datasetSchema } from '../../session/datasets/relations.ts';
import type { Query } from '../../session/server-session.ts';
import type { Chunk } from '../chunk/chunk.ts';
import type { Job } from '../queue.ts';
import { readBatch, type TableBatch } from './table-batches.ts';

type OfDocument = Pick<Job, 'dataset' | 'docId'>;

export interface TablesOf {
  readonly job: OfDocument;
  readonly version: number;
  readonly batches: readonly Uint8Array[];
  /** Ordinals of chunks that cells may point into; null for all. */
  readonly chunks: ReadonlyMap<number, Pick<Chunk, 'kind'>>;
}

/** Puts them in the place of those that the document has. */
export async function storeTables(query: Query, { job, version, batches, chunks }: TablesOf): Promise<void> {
  await deleteTables(query, job);
  for (const bytes of batches) {
    const batch = readBatch(bytes);
    if (batch.tables.length > 0) await insertTables(query, { job, version, batch });
    if (batch.cells.row.length > 0) await insertCells(query, { job, batch, chunks });
    if (batch.lines.line.length > 0) await insertLines(query, { job, batch });
  }
}

export async function deleteTables(query: Query, { dataset, docId }: OfDocument): Promise<void> {
  for (const relation of ['cells', '_lines', 'tables']) {
    await query(`DELETE FROM ${datasetSchema(dataset)}.${relation} WHERE doc_id = $1`, text(docId));
  }
}

/** The document's row says that its cells are there. */
export async function markCells(query: Query, { dataset, docId }: OfDocument): Promise<void> {
  const sql = `UPDATE ${datasetSchema(dataset)}.documents SET cells_as = $2 WHERE _id = $1`;
  await query(sql, text(docId), integer(CELLS_AS));
}

/** SQL of a table's id. */
const TABLE_ID = "'doc#' || $1 || '#table#' || v.\"table\"";

interface Inserted {
  readonly job: OfDocument;
  readonly batch: TableBatch;
}

async function insertTables(
  query: Query,
  { job, version, batch: { tables } }: Inserted & { readonly version: number },
): Promise<void> {
  const of = (value: (table: TableBatch['tables'][number]) => string | number | null) =>
    texts(tables.map((table) => value(table)).map((given) => (given === null ? null : String(given))));
  await query(
    `INSERT INTO ${datasetSchema(job.dataset)}.tables (table_id, doc_id, version, ordinal, heading, caption,
       unit, scale, currency, period, scope, header_rows, row_count, column_count, page, box)
     SELECT ${TABLE_ID}, $1, $2, v."table"::integer, v.heading, v.caption, v.unit, v.scale::numeric,
       v.currency, v.period, v.scope, v.header_rows::integer, v.row_count::integer, v.column_count::integer,
       v.page::integer, v.box::real[]
     FROM unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[],
         $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[])
       AS v("table", heading, caption, unit, scale, currency, period, scope, header_rows, row_count,
         column_count, page, box)`,
    text(job.docId),
    integer(version),
    of(({ ordinal }) => ordinal),
    of(({ heading }) => heading),
    of(({ caption }) => caption),
    of(({ unit }) => unit),
    of(({ scale }) => scale),
    of(({ currency }) => currency),
    of(({ period }) => period),
    of(({ scope }) => scope),
    of(({ headerRows }) => headerRows),
    of(({ rowCount }) => rowCount),
    of(({ columnCount }) => columnCount),
    of(({ page }) => page),
    of(({ box }) => (box === null ? null : `{${box.join(',')}}`)),
  );
}

async function insertCells(
  query: Query,
  { job, batch: { cells }, chunks }: Inserted & Pick<TablesOf, 'chunks'>,
): Promise<void> {
  const contentIds = cells.chunk.map((ordinal) => {
    const chunk = ordinal === null ? undefined : chunks.get(ordinal);
    return chunk === undefined ? null : `doc#${job.docId}#${chunk.kind}#${ordinal}`;
  });
  const placed = (offsets: readonly (number | null)[]) =>
    integers(offsets.map((offset, i) => (contentIds[i] === null ? null : offset)));
  await query(
    `INSERT INTO ${datasetSchema(job.dataset)}.cells (table_id, doc_id, row, "column", row_end, column_end,
       is_header, text, number, unit, scale, period, year, doubt, page, box, content_id, chunk_start,
       chunk_end, band)
     SELECT ${TABLE_ID}, $1, v.row, v."column", v.row_end, v.column_end, v.is_header = 1,
       v.text, v.number::numeric, v.unit, v.scale::numeric, v.period, v.year, v.doubt, v.page, v.box::real[],
       v.content_id, v.chunk_start, v.chunk_end, v.band
     FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::integer[], $7::integer[],
         $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::integer[], $14::text[],
         $15::integer[], $16::text[], $17::text[], $18::integer[], $19::integer[], $20::integer[])
       AS v("table", row, "column", row_end, column_end, is_header, text, number, unit, scale, period, year,
         doubt, page, box, content_id, chunk_start, chunk_end, band)`,
    text(job.docId),
    integers(cells.table),
    integers(cells.row),
    integers(cells.column),
    integers(cells.rowEnd),
    integers(cells.columnEnd),
    integers(cells.isHeader.map(Number)),
    texts(cells.text),
    texts(cells.number),
    texts(cells.unit),
    texts(cells.scale),
    texts(cells.period),
    integers(cells.year),
    texts(cells.doubt),
    integers(cells.page),
    texts(cells.box),
    texts(contentIds),
    placed(cells.chunkStart),
    placed(cells.chunkEnd),
    integers(cells.band),
  );
}

async function insertLines(query: Query, { job, batch: { lines } }: Inserted): Promise<void> {
  await query(
    `INSERT INTO ${datasetSchema(job.dataset)}._lines (table_id, doc_id, is_row, line, band, path)
     SELECT ${TABLE_ID}, $1, v.is_row = 1, v.line, v.band, v.path
     FROM unnest($2::integer[], $3::integer[], $4::integer[], $5::integer[], $6::text[])
       AS v("table", is_row, line, band, path)`,
    text(job.docId),
    integers(lines.table),
    integers(lines.isRow.map(Number)),
    integers(lines.line),
    integers(lines.band),
    texts(lines.path),
  );
}
