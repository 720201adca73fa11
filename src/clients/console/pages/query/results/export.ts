/**
 * Everything that a statement gives, as a file. One thing to know: it is run again, in a transaction that only reads, so that
 * nothing is written twice; the rows of what cannot be run again are those that are held. The file grows in pieces that the
 * browser may put on its disk.
 */
import { type Column, StatementError } from '../../../server/messages.ts';
import { request } from '../../../server/request.ts';
import { messagesOf } from '../../../server/statement.ts';
import type { StatementResult } from '../run.ts';
import { asJsonLines, csvHead, csvRows } from './written.ts';

export type Format = 'csv' | 'jsonl';

export interface Exported {
  readonly statement: string;
  readonly params: readonly unknown[];
  readonly format: Format;
  readonly signal: AbortSignal;
  /** Told of the bytes that there are, and of rows where they are counted. */
  readonly onProgress: (progress: Progress) => void;
}

export interface Progress {
  readonly bytes: number;
  /** Null: they come uncounted. */
  readonly rows: number | null;
}

const ONLY_READS = { default_transaction_read_only: 'on' };
const TYPES = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;
/** COPY takes one query, with nothing behind it, that writes nothing. */
const NOT_COPIED = /^(?:42601|0A000)$/;
const WOULD_WRITE = '25006';

/** A file that is being written. */
class Pieces {
  readonly #all: Blob[] = [];
  #some: BlobPart[] = [];
  #someBytes = 0;
  bytes = 0;

  add(piece: string | Uint8Array<ArrayBuffer>): void {
    const size = piece.length;
    this.#some.push(piece);
    this.#someBytes += size;
    this.bytes += size;
    if (this.#someBytes >= PIECE_BYTES) this.#close();
  }

  file(type: string): Blob {
    this.#close();
    return new Blob(this.#all, { type });
  }

  #close(): void {
    this.#all.push(new Blob(this.#some));
    this.#some = [];
    this.#someBytes = 0;
  }
}

const PIECE_BYTES = 4 * 1024 * 1024;

/** @returns null where it would write. @throws StatementError; the signal's reason. */
export async function exportAll(exported: Exported): Promise<Blob | null> {
  try {
    return await written(exported);
  } catch (error) {
    if (error instanceof StatementError && error.fault.sqlstate === WOULD_WRITE) return null;
    throw error;
  }
}

async function written(exported: Exported): Promise<Blob> {
  const { format, params } = exported;
  if (format === 'jsonl' || params.length > 0) return byRows(exported);
  try {
    return await byCopy(exported);
  } catch (error) {
    if (error instanceof StatementError && NOT_COPIED.test(error.fault.sqlstate)) return byRows(exported);
    throw error;
  }
}

async function byCopy({ statement, signal, onProgress }: Exported): Promise<Blob> {
  const query = statement.replace(/;\s*$/, '');
  const json = { statement: `COPY (${query}\n) TO STDOUT (FORMAT csv, HEADER)`, settings: ONLY_READS };
  const response = await request('sql', { method: 'POST', json, accept: 'text/csv', signal });
  const pieces = new Pieces();
  const reader = response.body?.getReader();
  for (;;) {
    const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
    if (done) break;
    pieces.add(value);
    onProgress({ bytes: pieces.bytes, rows: null });
  }
  return pieces.file(TYPES.csv);
}

async function byRows({ statement, params, format, signal, onProgress }: Exported): Promise<Blob> {
  const pieces = new Pieces();
  let columns: readonly Column[] = [];
  let count = 0;
  const options = { signal, settings: ONLY_READS, ...(params.length > 0 && { params }) };
  for await (const message of messagesOf(statement, options)) {
    if (message.error !== undefined) throw new StatementError(message.error);
    if (message.columns !== undefined) {
      columns = message.columns;
      if (format === 'csv') pieces.add(csvHead(columns));
    }
    if (message.rows === undefined) continue;
    pieces.add(format === 'csv' ? csvRows(message.rows) : asJsonLines(columns, message.rows));
    count += message.rows.length;
    onProgress({ bytes: pieces.bytes, rows: count });
  }
  return pieces.file(TYPES[format]);
}

/** The rows that are held. */
export function heldFile({ columns, rows }: StatementResult, format: Format): Blob {
  const of = columns ?? [];
  const parts = format === 'csv' ? [csvHead(of), csvRows(rows)] : [asJsonLines(of, rows)];
  return new Blob(parts, { type: TYPES[format] });
}
