/**
 * Records in batches of a statement's size, each as packed bytes: a document may have millions of cells, which the
 * server neither takes from the parser nor holds as objects.
 */
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { type CellColumns, type LineColumns, noCells, noLines, type TableRecord } from './records.ts';

export interface TableBatch {
  readonly tables: readonly TableRecord[];
  readonly cells: CellColumns;
  readonly lines: LineColumns;
}

const ROWS_A_BATCH = 2_000;
/** Texts that take so many characters end a batch early. */
const TEXTS_A_BATCH = 4_000_000;
const BATCH_BYTES_MAX = 256 * 1024 * 1024;
const QUICK = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Collects records, and gives each batch away as it is full. */
export class BatchWriter {
  readonly #give: (batch: Uint8Array) => void;
  #tables: TableRecord[] = [];
  #cells = noCells();
  #lines = noLines();
  #characters = 0;

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
    this.filled(0);
  }

  /** @param characters of the row's text. */
  filled(characters: number): void {
    this.#characters += characters;
    const count = this.#tables.length + this.#cells.row.length + this.#lines.line.length;
    if (count >= ROWS_A_BATCH || this.#characters >= TEXTS_A_BATCH) this.end();
  }

  end(): void {
    const batch: TableBatch = { tables: this.#tables, cells: this.#cells, lines: this.#lines };
    if (batch.tables.length + batch.cells.row.length + batch.lines.line.length === 0) return;
    this.#give(zstdCompressSync(Buffer.from(JSON.stringify(batch)), QUICK));
    this.#characters = 0;
    this.#tables = [];
    this.#cells = noCells();
    this.#lines = noLines();
  }
}

export const readBatch = (bytes: Uint8Array): TableBatch =>
  JSON.parse(zstdDecompressSync(bytes, { maxOutputLength: BATCH_BYTES_MAX }).toString()) as TableBatch;
