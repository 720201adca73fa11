/**
 * Cells of the chunks that a search has found, from the relations of their datasets: by statements whose text is the
 * same for every question, with ids as parameters. A document without cells of the present kind has none here.
 */
import { integer, integers, texts } from '../../session/datasets/parameters.ts';
import { CELLS_AS, datasetSchema } from '../../session/datasets/relations.ts';
import type { Query, Row as StoredRow } from '../../session/server-session.ts';
import { chunkKey, type Passage } from '../passage.ts';
import { type ChunkCells, columnKey, type PlacedCell, type TableNames } from './row.ts';

/** More are no evidence that anybody could check: chunks hold hundreds. */
const CELLS_COUNT_MAX = 50_000;

/** By chunk; a chunk of a document that has no cells yet is absent. */
export class CellsOfChunks {
  readonly #known = new Map<string, ChunkCells>();

  /** Undefined: its document has no cells yet. */
  of(passage: Pick<Passage, 'dataset' | 'contentId'>): ChunkCells | undefined {
    return this.#known.get(chunkKey(passage));
  }

  add(passage: Pick<Passage, 'dataset' | 'contentId'>, cells: ChunkCells): void {
    this.#known.set(chunkKey(passage), cells);
  }
}

export async function storedCells(query: Query, passages: readonly Passage[]): Promise<CellsOfChunks> {
  const found = new CellsOfChunks();
  for (const [dataset, own] of Map.groupBy(passages, (passage) => passage.dataset)) {
    const schema = datasetSchema(dataset);
    const ready = await documentsWithCells(query, schema, own);
    const chunks = own.filter(({ docId }) => ready.has(docId));
    if (chunks.length === 0) continue;
    const cells = await cellsOf(query, schema, chunks);
    const tables = await namesOf(query, schema, [...cells.values()].flat());
    for (const chunk of chunks) found.add(chunk, { cells: cells.get(chunk.contentId) ?? [], tables });
  }
  return found;
}

async function documentsWithCells(
  query: Query,
  schema: string,
  passages: readonly Passage[],
): Promise<ReadonlySet<string>> {
  const ids = [...new Set(passages.map(({ docId }) => docId))];
  const sql = `SELECT doc_id FROM ${schema}.documents WHERE doc_id = ANY($1) AND cells_as = $2`;
  const rows = await query(sql, texts(ids), integer(CELLS_AS));
  return new Set(rows.map(({ doc_id }) => String(doc_id)));
}

async function cellsOf(
  query: Query,
  schema: string,
  passages: readonly Passage[],
): Promise<ReadonlyMap<string, readonly PlacedCell[]>> {
  const ids = [...new Set(passages.map(({ contentId }) => contentId))];
  const rows = await query(
    `SELECT content_id, table_id, row, "column", column_end, band, is_header, text, unit, period,
       number::text AS number, scale::text AS scale, year, doubt, chunk_start, chunk_end
     FROM ${schema}.cells WHERE content_id = ANY($1) LIMIT ${CELLS_COUNT_MAX}`,
    texts(ids),
  );
  const cells = rows.map((row) => ({ chunk: String(row.content_id), cell: cellOf(row) }));
  cells.sort(({ cell: a }, { cell: b }) => a.start - b.start);
  const byChunk = Map.groupBy(cells, ({ chunk }) => chunk);
  return new Map([...byChunk].map(([chunk, own]) => [chunk, own.map(({ cell }) => cell)]));
}

function cellOf(row: StoredRow): PlacedCell {
  const string = (name: string): string | null => (row[name] == null ? null : String(row[name]));
  const scale = string('scale');
  return {
    table: String(row.table_id),
    row: Number(row.row),
    column: Number(row.column),
    columnEnd: Number(row.column_end),
    band: Number(row.band),
    isHeader: row.is_header === true,
    text: String(row.text),
    number: string('number'),
    unit: string('unit'),
    power: scale === null ? null : powerOf(scale),
    period: string('period'),
    year: row.year == null ? null : Number(row.year),
    doubt: string('doubt'),
    start: Number(row.chunk_start),
    end: Number(row.chunk_end),
  };
}

/** Power of ten: 6 of `1000000`, -2 of `0.01`. */
const powerOf = (scale: string): number => {
  const point = scale.indexOf('.');
  return point < 0 ? scale.length - 1 : point - scale.length + 1;
};

/** Scopes of the tables, and the names of these of their rows and columns that chunks show. */
async function namesOf(
  query: Query,
  schema: string,
  cells: readonly PlacedCell[],
): Promise<ReadonlyMap<string, TableNames>> {
  const each = <T>(of: (cell: PlacedCell) => T): T[] => [...new Set(cells.map(of))];
  const ids = each(({ table }) => table);
  if (ids.length === 0) return new Map();
  const rows = await query(
    `SELECT table_id, scope AS name, NULL::boolean AS is_row, 0 AS line, 0 AS band
     FROM ${schema}.tables WHERE table_id = ANY($1)
     UNION ALL
     SELECT table_id, path, is_row, line, band FROM ${schema}._lines
     WHERE table_id = ANY($1) AND line = ANY(CASE WHEN is_row THEN $2::int[] ELSE $3::int[] END)`,
    texts(ids),
    integers(each(({ row }) => row)),
    integers(each(({ column }) => column)),
  );
  return new Map(
    [...Map.groupBy(rows, ({ table_id }) => String(table_id))].map(([id, own]) => [id, names(own)]),
  );
}

function names(rows: readonly StoredRow[]): TableNames {
  const path = ({ name }: StoredRow): readonly string[] => String(name).split(' > ');
  const scope = rows.find(({ is_row }) => is_row === null)?.name ?? null;
  return {
    scope: scope === null ? null : String(scope),
    rows: new Map(rows.filter(({ is_row }) => is_row === true).map((row) => [Number(row.line), path(row)])),
    columns: new Map(
      rows
        .filter(({ is_row }) => is_row === false)
        .map((row) => [columnKey(Number(row.band), Number(row.line)), path(row)]),
    ),
  };
}
