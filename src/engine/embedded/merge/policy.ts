/**
 * Which runs of a table are merged next. Tables with vectors are kept in one large segment with a graph and
 * few small ones, as a query asks each of them; others in tiers. One thing to know: runs are in the order of
 * their row numbers, so that only neighbours are merged.
 */
import type { Relation } from '../../../catalog/model.ts';
import { Head } from '../head/head.ts';
import { shownRows } from '../head/hidden-rows.ts';
import { lacksStructure, storedStructure } from '../segment/manifest.ts';
import { Segment } from '../segment/segment.ts';
import { columnSection, structureSection } from '../segment/names.ts';
import type { EngineSettings } from '../settings.ts';
import { type Run, type Source, type StructurePlan, structurePlans } from '../head/source.ts';

/** A segment with fewer visible rows than this share is rewritten without the others. */
const VISIBLE_SHARE_MIN = 0.6;
/**
 * A segment with vectors takes in what follows it when that is this share of its rows: every row is
 * rewritten about ten times until there are a million, and at most five segments are left.
 */
const GROWTH_SHARE = 1 / 4;
/** The same when nobody writes: then the work is free, and still bounded. */
const GROWTH_SHARE_QUIET = 1 / 32;
/** Bytes of a vectors structure for each byte of its column: floats, codes, links. */
const VECTORS_BYTES_SHARE = 1.5;
/** Segments in tiers may take this share of the memory before they are merged: a merge has them twice, and more. */
const MERGED_SHARE = 1 / 8;
const MERGED_BYTES_MIN = 16 * 1024 * 1024;

export interface MergeTable {
  readonly relation: Relation;
  readonly runs: readonly Run[];
  /** Segments whose structures are to be made anew, by REINDEX. */
  readonly renewed: ReadonlySet<Source>;
  /** Nobody writes to it. */
  readonly quiet: boolean;
}

/** Neighbours to be made one segment; null when all is as it should be. */
export function pickRuns(table: MergeTable, settings: EngineSettings): readonly Run[] | null {
  const { relation, runs, renewed, quiet } = table;
  const frozen = runs.find((run) => run.source instanceof Head && run.source.frozen);
  if (frozen !== undefined) return [frozen];
  const segments = runs.filter((run) => run.source instanceof Segment);
  const holed = segments.find((run) => shownRows(run) < VISIBLE_SHARE_MIN * run.rowCount);
  if (holed !== undefined) return [holed];
  const fits = (window: readonly Run[]): boolean => fitsOneSegment(relation, window, settings);
  const incomplete = segments.findIndex(
    ({ source }) => renewed.has(source) || (source instanceof Segment && lacksIndex(relation, source)),
  );
  if (incomplete >= 0) return widest(segments, incomplete, fits);
  if (!structurePlans(relation).some(({ kind }) => kind === 'vectors')) return tier(segments, settings);
  return growth(segments, quiet ? GROWTH_SHARE_QUIET : GROWTH_SHARE, fits);
}

/** True when a structure of the segment can and has to be made of its columns. */
export function lacksIndex(relation: Relation, { manifest }: Segment): boolean {
  return structurePlans(relation).some((plan) => lacksStructure(manifest, plan));
}

/** As many neighbours around one as fit. */
function widest(
  segments: readonly Run[],
  at: number,
  fits: (window: readonly Run[]) => boolean,
): readonly Run[] {
  let [start, end] = [at, at + 1];
  while (start > 0 && fits(segments.slice(start - 1, end))) start--;
  while (end < segments.length && fits(segments.slice(start, end + 1))) end++;
  return segments.slice(start, end);
}

/** The longest tail whose first segment is worth rewriting for the sake of the rest. */
function growth(
  segments: readonly Run[],
  share: number,
  fits: (window: readonly Run[]) => boolean,
): readonly Run[] | null {
  for (let start = 0; start < segments.length - 1; start++) {
    const window = segments.slice(start);
    const [first = 0, ...rest] = window.map(shownRows);
    const added = rest.reduce((sum, rows) => sum + rows, 0);
    if (added >= share * first && fits(window)) return window;
  }
  return null;
}

/** Neighbours of which none has more than half of their rows. */
function tier(
  segments: readonly Run[],
  { mergeCount, segmentRowsMax, memoryBytes }: EngineSettings,
): readonly Run[] | null {
  for (let start = segments.length - mergeCount; start >= 0; start--) {
    const window = segments.slice(start, start + mergeCount);
    const total = window.reduce((sum, run) => sum + run.rowCount, 0);
    const largest = Math.max(...window.map((run) => run.rowCount));
    const bytes = window.reduce((sum, { source }) => sum + memoryBytesOf(source), 0);
    const bytesMax = Math.max(memoryBytes * MERGED_SHARE, MERGED_BYTES_MIN);
    const fits = total <= segmentRowsMax && bytes <= bytesMax;
    if (fits && largest <= total / 2) return window;
  }
  return null;
}

/** All but what stays on disk. */
function memoryBytesOf(source: Source): number {
  const sections = source instanceof Segment ? source.manifest.sections : [];
  return sections.reduce((sum, { size, block }) => sum + (block === undefined ? size : 0), 0);
}

/** True when no column and no structure of the merged segment would be too large. */
function fitsOneSegment(
  relation: Relation,
  window: readonly Run[],
  { segmentRowsMax, segmentBytesMax }: EngineSettings,
): boolean {
  const rows = window.reduce((sum, run) => sum + shownRows(run), 0);
  if (rows > segmentRowsMax) return false;
  const sizes = new Map<string, number>();
  const plans = structurePlans(relation).filter(({ kind }) => kind === 'vectors');
  for (const run of window) {
    if (!(run.source instanceof Segment)) continue;
    for (const [name, size] of sizesOf(run.source, plans)) {
      sizes.set(name, (sizes.get(name) ?? 0) + (size * shownRows(run)) / run.rowCount);
    }
  }
  return Math.max(0, ...sizes.values()) <= segmentBytesMax;
}

/** Bytes of each column section, and of each structure; what a vectors structure will have is estimated. */
function* sizesOf(
  { manifest }: Segment,
  plans: readonly StructurePlan[],
): Generator<readonly [string, number]> {
  const bytes = new Map(manifest.sections.map(({ name, size }) => [name, size]));
  for (const [name, size] of bytes) {
    yield [name.startsWith('structure/') ? name.slice(0, name.lastIndexOf('/')) : name, size];
  }
  for (const { index, kind, attribute } of plans) {
    const prefix = structureSection(index.oid, kind, '').slice(0, -1);
    if (storedStructure(manifest, index.oid, kind) === undefined)
      yield [prefix, VECTORS_BYTES_SHARE * (bytes.get(columnSection(attribute, 'values')) ?? 0)];
  }
}
