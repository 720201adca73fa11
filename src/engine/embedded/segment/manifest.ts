/** What is stored of a segment: its manifest, and the blocks of its sections. */
import { AssertionError } from '../../../assert.ts';
import { BLOCK_BYTES } from '../../../limits.ts';
import type { Operation } from '../../../storage/store.ts';
import type { MergeResult, SegmentContent } from '../merge/job.ts';
import { numberKey, type Records } from '../commit/records.ts';
import type { SectionRecord } from './section-reader.ts';

/** What is stored of a segment besides its blocks. */
export interface Manifest extends SegmentContent {
  readonly segment: number;
  readonly rowCount: number;
  readonly firstRow: number;
  readonly lastRow: number;
  /** By number: `rows`, `column/3/values`, `structure/16390/vectors/graph` … */
  readonly sections: readonly SectionRecord[];
}

/** Bytes of sections by name. */
export type Sections = ReadonlyMap<string, Uint8Array>;

/** @param wide sections that are written beside those of the result, and numbered after them. */
export function manifestOf(segment: number, result: MergeResult, wide: readonly SectionRecord[]): Manifest {
  const rows = result.sections.get('rows');
  if (rows === undefined) throw new AssertionError('a merge gives row numbers');
  const numbers = new Float64Array(rows.buffer, rows.byteOffset, result.rowCount);
  return {
    segment,
    rowCount: result.rowCount,
    firstRow: numbers[0] as number,
    lastRow: numbers[result.rowCount - 1] as number,
    sections: [
      ...[...result.sections].map(([name, bytes]) => ({ name, size: bytes.length })),
      ...wide.map(({ name, size, block = BLOCK_BYTES }) => ({ name, size, block })),
    ],
    columns: result.columns,
    keys: result.keys,
    structures: result.structures,
    indexes: result.indexes,
  };
}

export const blockCount = ({ sections }: Manifest): number =>
  sections.reduce((sum, { size, block = BLOCK_BYTES }) => sum + Math.ceil(size / block), 0);

/** The blocks of sections that are in memory, ready to be stored. */
export function* blockOperations(
  records: Records,
  manifest: Manifest,
  sections: Sections,
): Generator<Operation> {
  for (const [number, { name }] of manifest.sections.entries()) {
    const bytes = sections.get(name) ?? new Uint8Array(0);
    for (let block = 0; block * BLOCK_BYTES < bytes.length; block++) {
      const plain = bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES);
      yield records.put('blocks', numberKey(manifest.segment, number, block), plain);
    }
  }
}
