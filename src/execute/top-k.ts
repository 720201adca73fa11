/**
 * The best rows of a scan. When the first sort key rises or falls with one arm, the arm's index gives
 * candidates from every part, enough of them that no row left out could come before or tie with the last
 * one wanted. Any other ranking scores every row that passes the filter. Ties come by primary key.
 */
import { present } from '../assert.ts';
import type { Part, PreparedArm } from '../engine/engine.ts';
import { CANDIDATES_MAX } from '../limits.ts';
import type { SortKey } from '../plan/plan.ts';
import { countBits } from '../types/bitset.ts';
import type { Batch } from '../types/vector.ts';
import { armColumn } from './arms.ts';
import { BestRows } from './best-rows.ts';
import { limitBounds } from './limit.ts';
import { type ArmOrder, rankingArm } from './ranking-arm.ts';
import { partsOf, scanPart, scanRows } from './scan.ts';
import { ScanRows, type ScanSource } from './scan-rows.ts';

export async function* runTopK(source: ScanSource): AsyncGenerator<Batch> {
  const topK = present(source.plan.topK, 'topK');
  const { count, offset } = await limitBounds(topK, source.run);
  const wanted = count + offset;
  if (wanted === 0) return;
  if (wanted === Number.POSITIVE_INFINITY) {
    for await (const rows of scanRows(source)) yield await rows.all();
    return;
  }
  const order = usableArm(source, topK.keys, wanted);
  const best = order === null ? null : await searchParts(source, order, wanted);
  yield* (best ?? (await scoreAll(source, wanted))).batches();
}

/** The arm that orders by the first key, when its index looks for the right end. */
function usableArm(source: ScanSource, keys: readonly SortKey[], wanted: number): ArmOrder | null {
  const [first] = keys;
  if (first === undefined || first.nullsFirst || wanted >= CANDIDATES_MAX) return null;
  const order = rankingArm(source.plan, first.expression);
  if (order === null) return null;
  const prepared = source.arms[order.arm];
  if (prepared === null || prepared === undefined) return null;
  return prepared.higherIsBetter === (order.rising === first.descending) ? order : null;
}

async function scoreAll(source: ScanSource, wanted: number): Promise<BestRows> {
  const best = new BestRows(source, wanted);
  for await (const rows of scanRows(source)) await best.add(rows);
  return best;
}

/** A part's rows that may be asked for, and how many of them have been. */
interface PartSearch {
  readonly part: Part;
  readonly mask: Uint32Array | null;
  /** Rows that pass the filter. */
  readonly eligible: number;
  asked: number;
  found: number;
}

/** Null when the index cannot give as many rows as qualify (NULL scores, rows that do not match). */
async function searchParts(source: ScanSource, order: ArmOrder, wanted: number): Promise<BestRows | null> {
  const searches: PartSearch[] = [];
  for (const part of partsOf(source)) searches.push(await startSearch(source, part, wanted + 1));
  while (true) {
    const best = new BestRows(source, wanted);
    const bounds: number[] = [];
    for (const search of searches) {
      const rows = await candidates(source, order, search);
      const worst = await best.add(rows.rows, rows.worst);
      if (search.found === search.asked && search.found < search.eligible) bounds.push(worst);
    }
    const found = searches.reduce((sum, search) => sum + search.found, 0);
    const eligible = searches.reduce((sum, search) => sum + search.eligible, 0);
    if (found < Math.min(wanted, eligible) && bounds.length === 0) return null;
    if (found >= wanted && !(await best.anyTiesWith(bounds))) return best;
    if (bounds.length === 0) return best;
    for (const search of searches) {
      if (search.found === search.asked) search.asked = Math.max(search.asked * 2, 64);
    }
    if (searches.some((search) => search.asked > 4 * CANDIDATES_MAX)) return null;
  }
}

async function startSearch(source: ScanSource, part: Part, asked: number): Promise<PartSearch> {
  if (source.plan.filter === null) {
    return { part, mask: null, eligible: countVisible(part), asked, found: 0 };
  }
  const mask = new Uint32Array((part.rowCount + 31) >> 5);
  let eligible = 0;
  for await (const { rows } of scanPart(source, part)) {
    eligible += rows.length;
    for (const row of rows) mask[row >> 5] = (mask[row >> 5] as number) | (1 << (row & 31));
  }
  return { part, mask, eligible, asked, found: 0 };
}

function countVisible({ rowCount, visible }: Part): number {
  return visible === null ? rowCount : countBits(visible, rowCount);
}

/** The part's best rows by the arm, ascending, and the place of the worst of them. */
async function candidates(
  source: ScanSource,
  order: ArmOrder,
  search: PartSearch,
): Promise<{ rows: ScanRows; worst: number }> {
  const { plan, run } = source;
  const { part, mask, eligible } = search;
  const prepared = source.arms[order.arm] as PreparedArm;
  const empty = { rows: new ScanRows(source, part, new Uint32Array(0)), worst: -1 };
  if (eligible === 0) return empty;
  const before = run.context.now();
  const found = await prepared.search(part, search.asked, mask, run.context.signal);
  recordSearch(source, order.arm, found.strategy, {
    candidates: found.rows.length,
    ms: run.context.now() - before,
  });
  search.found = found.rows.length;
  if (search.found === 0) return empty;
  const places = Uint32Array.from(found.rows.keys()).sort(
    (a, b) => (found.rows[a] as number) - (found.rows[b] as number),
  );
  const rows = new ScanRows(
    source,
    part,
    places.map((place) => found.rows[place] as number),
  );
  const scores = Float64Array.from(places, (place) => found.scores[place] as number);
  const arm = present(plan.arms[order.arm], 'arm');
  rows.preset(plan.columns.length + order.arm, armColumn(arm, scores));
  return { rows, worst: places.indexOf(found.rows.length - 1) };
}

function recordSearch(
  source: ScanSource,
  index: number,
  strategy: string,
  { candidates, ms }: { candidates: number; ms: number },
): void {
  const node = source.run.context.statistics?.get(source.plan);
  if (node === undefined) return;
  const known = node.arms[index];
  if (known !== undefined) {
    known.candidates += candidates;
    known.ms += ms;
    return;
  }
  while (node.arms.length < index) node.arms.push({ strategy: 'exact', candidates: 0, ms: 0 });
  node.arms[index] = { strategy, candidates, ms };
}
