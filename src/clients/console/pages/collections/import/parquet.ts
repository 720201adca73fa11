/** Parquet, a group of rows at a time; only the pages that are wanted are read of the file. */
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import type { Json } from '../../../server/messages.ts';
import type { SourceRecord } from './source.ts';

const ROWS_A_READ = 10_000;

/** Values that Parquet has and JSON has not, as text. */
function jsonOf(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array)
    return `\\x${[...value].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
  if (Array.isArray(value) || ArrayBuffer.isView(value))
    return [...(value as readonly unknown[])].map(jsonOf);
  if (typeof value === 'object') {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, jsonOf(one)]));
  }
  return value as Json;
}

export async function* parquetRecords(
  file: File,
  onRead: (bytes: number) => void,
): AsyncGenerator<SourceRecord> {
  const buffer = {
    byteLength: file.size,
    slice: (start: number, end?: number) => file.slice(start, end).arrayBuffer(),
  };
  const metadata = await parquetMetadataAsync(buffer);
  const rowCount = Number(metadata.num_rows);
  for (let start = 0; start < rowCount; start += ROWS_A_READ) {
    const rowEnd = Math.min(rowCount, start + ROWS_A_READ);
    const rows = await parquetReadObjects({ file: buffer, metadata, rowStart: start, rowEnd });
    for (const [i, row] of rows.entries()) {
      yield {
        line: start + i + 1,
        values: new Map(Object.entries(row).map(([name, value]) => [name, jsonOf(value)])),
      };
    }
    onRead(Math.round((file.size * rowEnd) / rowCount));
  }
}
