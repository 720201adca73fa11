/**
 * Tables of documents as relations: `tables`, one row a table; `cells`, one row a cell with text; `_lines`, the names of
 * rows and columns, once each; and the view `cell_paths`, which shows each cell with its names. Rows and columns are
 * 1-based. A cell's amount is `number * scale`.
 */

type Columns = Readonly<Record<string, string>>;

export const TABLE_COLUMNS: Columns = {
  table_id: 'text NOT NULL',
  doc_id: 'text NOT NULL',
  version: 'integer NOT NULL',
  /** Place among the document's tables. */
  ordinal: 'integer NOT NULL',
  /** Titles above it, as chunks have them. */
  heading: 'text',
  caption: 'text',
  unit: 'text',
  scale: 'numeric',
  currency: 'text',
  period: 'text',
  scope: 'text',
  header_rows: 'integer NOT NULL',
  row_count: 'integer NOT NULL',
  column_count: 'integer NOT NULL',
  page: 'integer',
  box: 'real[]',
};

export const CELL_COLUMNS: Columns = {
  table_id: 'text NOT NULL',
  doc_id: 'text NOT NULL',
  row: 'integer NOT NULL',
  column: 'integer NOT NULL',
  row_end: 'integer NOT NULL',
  column_end: 'integer NOT NULL',
  is_header: 'boolean NOT NULL',
  text: 'text NOT NULL',
  number: 'numeric',
  unit: 'text',
  scale: 'numeric',
  period: 'text',
  /** Calendar year of the period's end, or the fiscal one that it is called by. */
  year: 'integer',
  /** The reason for which a number has no value. */
  doubt: 'text',
  page: 'integer',
  box: 'real[]',
  /** The chunk that shows it, and where in its text, in UTF-16 units. */
  content_id: 'text',
  chunk_start: 'integer',
  chunk_end: 'integer',
  /** Which header it is under: 0 for the one at the top. */
  band: 'integer NOT NULL',
};

export const LINE_COLUMNS: Columns = {
  table_id: 'text NOT NULL',
  doc_id: 'text NOT NULL',
  is_row: 'boolean NOT NULL',
  line: 'integer NOT NULL',
  band: 'integer NOT NULL',
  /** Names from the outermost, ` > ` between them. */
  path: 'text NOT NULL',
};

export const CELL_VIEW = 'cell_paths';

/** The view over a dataset's cells. @param schema as SQL has it. */
export const cellView = (schema: string): string => `CREATE OR REPLACE VIEW ${schema}.${CELL_VIEW} AS
  SELECT c.doc_id, c.table_id, t.ordinal AS table_ordinal, t.heading, t.caption, t.scope, c.row, c."column",
    r.path AS row_path, k.path AS column_path, c.is_header, c.text, c.number, c.unit, c.scale, c.period,
    c.year, c.doubt, c.page, c.box, c.content_id, c.chunk_start, c.chunk_end
  FROM ${schema}.cells c
    JOIN ${schema}.tables t ON t.table_id = c.table_id
    LEFT JOIN ${schema}._lines r ON r.table_id = c.table_id AND r.is_row AND r.line = c.row
    LEFT JOIN ${schema}._lines k ON k.table_id = c.table_id AND NOT k.is_row AND k.line = c."column"
      AND k.band = c.band`;
