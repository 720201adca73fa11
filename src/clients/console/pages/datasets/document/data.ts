/** Statements of the page of a document: its contents and tables, page by page. */
import type { Box } from '../../../sources/page-image.tsx';
import { quoteName } from '../../../server/names.ts';
import { useRows } from '../../../server/use-rows.ts';

export interface Chunk {
  readonly content_id: string;
  readonly ordinal: number;
  readonly kind: string;
  readonly heading: string | null;
  readonly text: string;
  readonly doc_pages: readonly number[];
  /** Page, start and end in the text, left, top, right, bottom. */
  readonly boxes: readonly (readonly [number, number, number, number, number, number, number])[] | null;
}

const CHUNK_COLUMNS = 'content_id, ordinal, kind, heading, text, doc_pages, boxes';

/** @param page null: of a document without pages. */
export function useChunks(dataset: string, docId: string, page: number | null, count: number) {
  const where = page === null ? 'ordinal <= $2' : '$2 = ANY(doc_pages)';
  const statement = `SELECT ${CHUNK_COLUMNS} FROM ${quoteName(dataset)}.chunks
    WHERE doc_id = $1 AND ${where} ORDER BY ordinal`;
  return useRows<Chunk>(statement, [docId, page ?? count]);
}

export interface TableRow {
  readonly table_id: string;
  readonly ordinal: number;
  readonly heading: string | null;
  readonly caption: string | null;
  readonly unit: string | null;
  readonly scale: string | null;
  readonly period: string | null;
  readonly scope: string | null;
  readonly row_count: number;
  readonly column_count: number;
  readonly page: number | null;
  readonly box: Box | null;
}

export function useTables(dataset: string, docId: string, page: number | null) {
  const where = page === null ? '$2::int IS NULL' : 'page = $2';
  const statement = `SELECT table_id, ordinal, heading, caption, unit, scale, period, scope, row_count,
      column_count, page, box
    FROM ${quoteName(dataset)}.tables WHERE doc_id = $1 AND ${where} ORDER BY ordinal`;
  return useRows<TableRow>(statement, [docId, page]);
}

export interface CellRow {
  readonly row: number;
  readonly column: number;
  readonly row_end: number;
  readonly column_end: number;
  readonly is_header: boolean;
  readonly text: string;
  readonly number: string | null;
  readonly unit: string | null;
  readonly scale: string | null;
  readonly period: string | null;
  readonly doubt: string | null;
  readonly page: number | null;
  readonly box: Box | null;
}

/** A page shows so many; the rest is in the relation. */
const CELLS_MAX = 4000;

export function useCells(dataset: string, tableId: string | null) {
  const statement = `SELECT c.row, c.column, c.row_end, c.column_end, c.is_header, c.text, c.number, c.unit,
      c.scale, c.period, c.doubt, c.page, c.box
    FROM ${quoteName(dataset)}.cells c WHERE c.table_id = $1 ORDER BY c.row, c.column LIMIT ${CELLS_MAX}`;
  return useRows<CellRow>(tableId === null ? null : statement, [tableId]);
}
