/**
 * The wide sections of a merged segment: values of vectors and matrices, and floats of passages. They are
 * never in memory as a whole: their bytes go from the parts of the merge to blocks of the new segment, a few
 * rows at a time. What lies beside them (offsets, nulls, codes) the merge worker makes.
 */
import type { Relation } from '../../../catalog/model.ts';
import { FLOATS_SECTION } from '../../../index/structure.ts';
import { PAGED_BLOCK_BYTES } from '../../../limits.ts';
import type { Operation } from '../../../storage/store.ts';
import { hasBit } from '../../../types/column/bitset.ts';
import { isPaged, valueBytesOf } from './column.ts';
import type { MergeResult } from '../merge/job.ts';
import { numberKey, type Records } from '../commit/records.ts';
import type { SectionRecord } from './section-reader.ts';
import { Segment } from './segment.ts';
import { columnSection, structureSection } from './names.ts';
import { type Run, type StructurePlan, structurePlans } from '../head/source.ts';

/** Rows copied at a time. */
const COPY_ROWS = 64;

/** Bytes of rows [start, end) of one part, one after another. */
type RowBytes = (start: number, end: number) => Uint8Array;

export interface WideSection extends SectionRecord {
  /** Bytes by run of the merge; null where its rows have none. */
  readonly rows: readonly (RowBytes | null)[];
}

export async function wideSections(
  relation: Relation,
  runs: readonly Run[],
  result: MergeResult,
): Promise<readonly WideSection[]> {
  const sections: WideSection[] = [];
  for (const { attribute, type } of result.columns) {
    if (!isPaged(type)) continue;
    const name = columnSection(attribute, 'values');
    const size = lastWord(result.sections.get(columnSection(attribute, 'offsets')));
    const rows = runs.map(({ source }) => columnBytes(() => source.column(attribute), type));
    sections.push({ name, size, block: PAGED_BLOCK_BYTES, rows });
  }
  for (const plan of structurePlans(relation)) {
    const { index, kind } = plan;
    const made = result.structures.find((s) => s.index === index.oid && s.kind === kind);
    if (!plan.embedded || made === undefined) continue;
    const entryBytes = 4 * made.dimension;
    const size = lastWord(result.sections.get(structureSection(index.oid, kind, 'starts'))) * entryBytes;
    const rows = [];
    for (const run of runs) rows.push(await floatBytes(relation, run, plan, entryBytes));
    sections.push({
      name: structureSection(index.oid, kind, FLOATS_SECTION),
      size,
      block: PAGED_BLOCK_BYTES,
      rows,
    });
  }
  return sections;
}

/** Offsets end with the size of all; no offsets: nothing. */
function lastWord(bytes: Uint8Array | undefined): number {
  if (bytes === undefined || bytes.length === 0) return 0;
  return new DataView(bytes.buffer, bytes.byteOffset).getUint32(bytes.length - 4, true);
}

function columnBytes(find: () => ReturnType<Run['source']['column']>, type: number): RowBytes | null {
  return find()?.type === type
    ? (start, end) => {
        const column = find();
        return column === null ? new Uint8Array(0) : valueBytesOf(column, start, end, true);
      }
    : null;
}

/** Floats of passages: of a segment from its own section, of a head from its structure. */
async function floatBytes(
  relation: Relation,
  { source }: Run,
  plan: StructurePlan,
  entryBytes: number,
): Promise<RowBytes | null> {
  if (source instanceof Segment) {
    const floats = source.floats(plan);
    if (floats === null) return null;
    const stored = await source.sections.load(structureSection(plan.index.oid, plan.kind, 'starts'));
    const starts = new Uint32Array(stored.buffer);
    return (start, end) => {
      const from = (starts[start] as number) * entryBytes;
      const bytes = new Uint8Array((starts[end] as number) * entryBytes - from);
      floats.read(from, bytes, true);
      return bytes;
    };
  }
  const structure = source.structure(relation, plan.index, plan.kind);
  if (structure === null) return null;
  return (start, end) => {
    const rows: Uint8Array[] = [];
    for (let row = start; row < end; row++) {
      const floats = structure.rowFloats?.(row).floats;
      if (floats !== undefined)
        rows.push(new Uint8Array(floats.buffer, floats.byteOffset, floats.byteLength));
    }
    return Buffer.concat(rows);
  };
}

/** The blocks of a wide section, ready to be stored. @param number the section's in its segment. */
export function* wideBlocks(
  records: Records,
  { segment, number }: { segment: number; number: number },
  section: WideSection,
  runs: readonly Run[],
): Generator<Operation> {
  const block = new Uint8Array(PAGED_BLOCK_BYTES);
  let filled = 0;
  let count = 0;
  const seal = (): Operation => {
    const plain = block.subarray(0, filled);
    filled = 0;
    return records.put('blocks', numberKey(segment, number, count++), plain);
  };
  for (const [i, run] of runs.entries()) {
    const rows = section.rows[i];
    if (rows === null || rows === undefined) continue;
    for (const [start, end] of keptRuns(run)) {
      const bytes = rows(start, end);
      for (let at = 0; at < bytes.length; ) {
        const piece = bytes.subarray(at, at + block.length - filled);
        block.set(piece, filled);
        filled += piece.length;
        at += piece.length;
        if (filled === block.length) yield seal();
      }
    }
  }
  if (filled > 0) yield seal();
}

/** Visible rows of a run as [start, end), at most COPY_ROWS each. */
function* keptRuns({ rowCount, visible }: Run): Generator<readonly [number, number]> {
  for (let start = 0; start < rowCount; ) {
    if (visible !== null && !hasBit(visible, start)) {
      start++;
      continue;
    }
    let end = start + 1;
    while (end < rowCount && end - start < COPY_ROWS && (visible === null || hasBit(visible, end))) end++;
    yield [start, end];
    start = end;
  }
}
