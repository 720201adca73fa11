/**
 * Rows of a file, whatever its format: read piece by piece, so that a file of gigabytes needs no memory of
 * gigabytes.
 */
import type { Json } from '../../../server/messages.ts';

export interface SourceRecord {
  /** Where it begins in the file, from 1; of Parquet the number of the row. */
  readonly line: number;
  /** By the file's columns. Texts of CSV are texts, whatever they say. */
  readonly values: ReadonlyMap<string, Json>;
  /** It cannot be read. */
  readonly fault?: string;
}

export interface Source {
  readonly name: string;
  readonly format: Format;
  /** Bytes. */
  readonly size: number;
  /** From the beginning; `onRead` is told how many bytes have been read. */
  records(onRead: (bytes: number) => void): AsyncGenerator<SourceRecord>;
}

export type Format = 'csv' | 'jsonl' | 'parquet';

/** By the name, else by how it begins. */
async function formatOf(file: File): Promise<Format> {
  const name = file.name.toLowerCase();
  if (/\.(?:csv|tsv|txt)$/.test(name)) return 'csv';
  if (/\.(?:jsonl|ndjson|json)$/.test(name)) return 'jsonl';
  if (name.endsWith('.parquet')) return 'parquet';
  const begin = (await file.slice(0, 64).text()).trimStart();
  if (begin.startsWith('PAR1')) return 'parquet';
  return begin.startsWith('{') || begin.startsWith('[') ? 'jsonl' : 'csv';
}

export async function openFile(file: File): Promise<Source> {
  const format = await formatOf(file);
  const { name, size } = file;
  switch (format) {
    case 'csv': {
      const { csvRecords } = await import('./csv.ts');
      return { name, format, size, records: (onRead) => csvRecords(file, onRead) };
    }
    case 'jsonl': {
      const { jsonRecords } = await import('./json-lines.ts');
      return { name, format, size, records: (onRead) => jsonRecords(file, onRead) };
    }
    case 'parquet': {
      const { parquetRecords } = await import('./parquet.ts');
      return { name, format, size, records: (onRead) => parquetRecords(file, onRead) };
    }
  }
}

/** So small that what is read is near what is stored. */
const PIECE_BYTES = 64 * 1024;

/** Text of a file in pieces. @throws TypeError where it is no UTF-8. */
export async function* textOf(file: File, onRead: (bytes: number) => void): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  for (let from = 0; from < file.size; from += PIECE_BYTES) {
    const bytes = await file.slice(from, from + PIECE_BYTES).arrayBuffer();
    onRead(from + bytes.byteLength);
    yield decoder.decode(bytes, { stream: true });
  }
  yield decoder.decode();
}
