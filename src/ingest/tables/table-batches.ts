/**
 * Records in batches of a statement's size, each as bytes: a document may have millions of cells, which the server
 * neither takes from the parser nor holds as objects.
 */
import { type CellColumns, type LineColumns, noCells, noLines, type TableRecord } from './records.ts';

export interface TableBatch {
  readonly tables: readonly TableRecord[];
  readonly cells: CellColumns;
  readonly lines: LineColumns;
}

const ROWS_A_BATCH = 2_000;

/** Collects records, and gives each batch away as it is full. */
export class BatchWriter {
  readonly #give: (batch: Uint8Array) => void;
  #tables: TableRecord[] = [];
  #cells = noCells();
  #lines = noLines();

  constructor(give: (batch: Uint8Array) => void) {
    this.#give = give;
  }

  /** To be filled, a row at a time, `filled` told after each. */
  get cells(): CellColumns {
    return this.#cells;
  }

  get lines(): LineColumns {
    return this.#lines;
  }

  table(record: TableRecord): void {
    this.#tables.push(record);
    this.filled();
  }

  filled(): void {
    const count = this.#tables.length + this.#cells.row.length + this.#lines.line.length;
    if (count >= ROWS_A_BATCH) this.end();
  }

  end(): void {
    const batch: TableBatch = { tables: this.#tables, cells: this.#cells, lines: this.#lines };
    if (batch.tables.length + batch.cells.row.length + batch.lines.line.length === 0) return;
    this.#give(Buffer.from(JSON.stringify(batch)));
    this.#tables = [];
    this.#cells = noCells();
    this.#lines = noLines();
  }
}

export const readBatch = (bytes: Uint8Array): TableBatch =>
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()) as TableBatch;
