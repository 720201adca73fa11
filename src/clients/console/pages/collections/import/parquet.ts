/** Parquet, a group of rows at a time; only the pages that are wanted are read of the file. */
import { parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { WORDS } from '../../../words.ts';
import { jsonOf, PARSERS, takeColumns } from './parquet-values.ts';
import type { SourceRecord } from './source.ts';

const { import: words } = WORDS.collections;

const ROWS_A_READ = 10_000;

/** Told by the reader in its own words. */
const PACKED = /unsupported compression codec: (\w+)/;

/** @throws Error in words that say what to do. */
async function readRows(...options: Parameters<typeof parquetReadObjects>) {
  try {
    return await parquetReadObjects(...options);
  } catch (error) {
    const codec = error instanceof Error ? PACKED.exec(error.message)?.[1] : undefined;
    throw codec === undefined ? error : new Error(words.packed(codec));
  }
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
  const converters = takeColumns(metadata.schema as Parameters<typeof takeColumns>[0]);
  const rowCount = Number(metadata.num_rows);
  for (let start = 0; start < rowCount; start += ROWS_A_READ) {
    const rowEnd = Math.min(rowCount, start + ROWS_A_READ);
    const range = { rowStart: start, rowEnd };
    const rows = await readRows({ file: buffer, metadata, ...range, parsers: PARSERS, utf8: false });
    for (const [i, row] of rows.entries()) {
      yield {
        line: start + i + 1,
        values: new Map(
          Object.entries(row).map(([name, value]) => {
            const convert = value == null ? undefined : converters.get(name);
            return [name, convert === undefined ? jsonOf(value) : convert(value)];
          }),
        ),
      };
    }
    onRead(Math.round((file.size * rowEnd) / rowCount));
  }
}
