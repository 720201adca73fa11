/** Stored form of a segment: its manifest, and the blocks of its sections. */
import { STRUCTURE_METHODS } from '../../../index/registry.ts';
import type { StructureKind } from '../../../index/structure.ts';
import { BLOCK_BYTES } from '../../../limits.ts';
import type { Operation } from '../../../storage/store.ts';
import type { MergeResult, SegmentContent } from '../merge/job.ts';
import { numberKey, type Records } from '../commit/records.ts';
import type { StructurePlan } from '../head/source.ts';
import type { SectionRecord } from './section-reader.ts';

/** Stored description of a segment besides its blocks. */
export interface Manifest extends SegmentContent {
  readonly segment: number;
  readonly rowCount: number;
  readonly firstRow: number;
  readonly lastRow: number;
  /**
   * By number: `rows`, `column/3/values`, `structure/16390/vectors/graph` … Without `rows` the numbers of the rows
   * follow each other from the first one on.
   */
  readonly sections: readonly SectionRecord[];
}

/** Stored form of a structure; undefined also where it is in a format that is read no more. */
export function storedStructure(
  { structures }: Pick<Manifest, 'structures'>,
  index: number,
  kind: StructureKind,
): Manifest['structures'][number] | undefined {
  const { format: wanted = 1 } = STRUCTURE_METHODS[kind];
  return structures.find(
    (stored) => stored.index === index && stored.kind === kind && (stored.format ?? 1) === wanted,
  );
}

/** True when a structure is to be made of the columns: its index is younger than the segment, or its format older. */
export function lacksStructure(manifest: Manifest, { index, kind, embedded }: StructurePlan): boolean {
  if (embedded || storedStructure(manifest, index.oid, kind) !== undefined) return false;
  const isOlder = manifest.structures.some((stored) => stored.index === index.oid && stored.kind === kind);
  return isOlder || !manifest.indexes?.includes(index.oid);
}

/** Bytes of sections by name. */
export type Sections = ReadonlyMap<string, Uint8Array>;

/** The result for rows that get their lasting numbers later: each one more than the number before. */
export function withoutNumbers(result: MergeResult): MergeResult {
  const sections = new Map(result.sections);
  sections.delete('rows');
  return { ...result, sections };
}

/** The same segment, its rows numbered from `firstRow` on. */
export function numberedFrom(manifest: Manifest, firstRow: number): Manifest {
  return { ...manifest, firstRow, lastRow: firstRow + manifest.rowCount - 1 };
}

/** @param wide sections that are written beside those of the result, and numbered after them. */
export function manifestOf(segment: number, result: MergeResult, wide: readonly SectionRecord[]): Manifest {
  const rows = result.sections.get('rows');
  const numbers = rows && new Float64Array(rows.buffer, rows.byteOffset, result.rowCount);
  return {
    segment,
    rowCount: result.rowCount,
    firstRow: numbers?.[0] ?? 0,
    lastRow: numbers?.[result.rowCount - 1] ?? result.rowCount - 1,
    sections: [
      ...[...result.sections].map(([name, { length: size }]) => {
        const packed = result.packed.get(name);
        if (packed === undefined) return { name, size };
        const { as } = packed;
        return { name, size, packed: packed.bytes.length, ...(as !== null && { packedAs: as }) };
      }),
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
  { sections, packed }: Pick<MergeResult, 'sections' | 'packed'>,
): Generator<Operation> {
  for (const [number, { name }] of manifest.sections.entries()) {
    const bytes = sections.get(name) ?? new Uint8Array(0);
    const smaller = packed.get(name);
    for (let block = 0; block * BLOCK_BYTES < bytes.length; block++) {
      const plain =
        smaller === undefined
          ? bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES)
          : smaller.bytes.subarray(smaller.ends[block - 1] ?? 0, smaller.ends[block]);
      yield records.put('blocks', numberKey(manifest.segment, number, block), plain);
    }
  }
}
