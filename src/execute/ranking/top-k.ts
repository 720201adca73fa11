/**
 * The best rows of a scan by the threshold algorithm (Fagin, Lotem and Naor, "Optimal Aggregation Algorithms for
 * Middleware", 2003): every part gives the best rows of each arm that the first sort key reads, all of them get
 * their exact keys, and the last key wanted must beat what a row that nobody has looked at could have at most.
 * Where it does not, the part is searched deeper, and read through when that does not pay. Ties come by primary key.
 */
import { present } from '../../assert.ts';
import type { Candidates, Part } from '../../engine/engine.ts';
import { BATCH_ROWS_MAX, CANDIDATES_MAX } from '../../limits.ts';
import type { RankedScan, Scan } from '../../physical/physical.ts';
import type { SortKey } from '../../plan/plan.ts';
import type { Task } from '../../task.ts';
import { armColumn, prepareArms } from '../arms/arms.ts';
import { BestRows, type RankedSource } from './best-rows.ts';
import { GUARDS } from '../guards.ts';
import { armBounds, columnBounds } from './column-bounds.ts';
import { ALWAYS_NULL, ANYTHING, type Interval, isEmpty, point } from './interval.ts';
import { limitBounds } from '../rows/limit.ts';
import { eligibleRows, searchArm } from './part-search.ts';
import { PlainRows, plainRanking } from './plain-ranking.ts';
import { type Bounds, scoreBounds } from './score-bounds.ts';
import { checkPartition, partsOf, scanPart, scanRows } from '../scan/part-rows.ts';
import { ScanRows, type ScanSource } from '../scan/scan-rows.ts';
import type { Steps } from '../plan-rows.ts';
import type { Run } from '../state.ts';

/** True when the scan gives its best rows only; one that is pinned to a row gives that, whatever its rank. */
export const isRanked = (plan: Scan, { pins }: Run): plan is RankedScan =>
  plan.request.kind === 'best rows' && (plan.mark === undefined || pins?.has(plan.mark) !== true);

/** The rows of a scan that is ranked. */
export function* runTopK(plan: RankedScan, run: Run): Steps {
  checkPartition(plan, run);
  const wanted = yield* rowsWanted(plan, run);
  using best = yield* bestOf(plan, wanted, run);
  for (let start = 0; ; start += BATCH_ROWS_MAX) {
    const batch = yield* best.batch(start);
    if (batch.length > 0) yield batch;
    if (batch.length < BATCH_ROWS_MAX) return;
  }
}

function* rowsWanted({ topK }: RankedScan, run: Run): Task<number> {
  const { count, offset } = yield* limitBounds(present(topK, 'topK'), run);
  return count + offset;
}

/** The best rows by the keys of the scan's `topK`. */
function* bestOf(plan: RankedScan, wanted: number, run: Run): Task<BestRows | PlainRows> {
  if (wanted === 0) return new BestRows({ plan, arms: [], run }, wanted);
  const { score, implied } = plan.request;
  if (score === null || implied === null) {
    const source = { plan, arms: yield* prepareArms(plan, run), run };
    const plain = yield* plainRanking(source, wanted, null);
    return plain === null ? yield* bestRows(source, wanted) : new PlainRows(source, plain);
  }
  const arms = yield* prepareArms(plan, run, implied.arms);
  const source = { plan, arms, run, implied: implied.arms };
  // Where the score has no query, its predicate has none either.
  if (arms[score] === null) return new BestRows(source, wanted);
  const matching = { ...source, plan: implied.rest };
  const plain = yield* plainRanking(source, wanted, matching);
  if (plain !== null) return new PlainRows(source, plain);
  const ranking = yield* rankingOf(source, wanted);
  return yield* searchParts(source, present(ranking, 'ranking'), matching);
}

/**
 * The same of a scan whose arms are prepared.
 *
 * @param matching as `searchParts` takes it; the source itself where rows that no arm gives are not wanted.
 */
export function* bestRows(
  source: RankedSource,
  wanted: number,
  matching: ScanSource | null = null,
): Task<BestRows> {
  const ranking = wanted < CANDIDATES_MAX ? yield* rankingOf(source, wanted) : null;
  if (ranking === null) return yield* scoreAll(source, wanted);
  return yield* searchParts(source, ranking, matching);
}

function* scoreAll(source: RankedSource, wanted: number): Task<BestRows> {
  const best = new BestRows(source, wanted);
  yield* scanRows(source, (rows) => best.add(rows));
  return best;
}

/** How the first sort key is bounded, and the arms that give candidates for it. */
interface Ranking {
  readonly wanted: number;
  readonly key: SortKey;
  readonly bounds: Bounds;
  /** Output positions that the key reads. */
  readonly columns: readonly number[];
  /** Positions among the scan's arms. */
  readonly arms: readonly number[];
}

/** Null where only looking at every row can tell. */
function* rankingOf(source: RankedSource, wanted: number): Task<Ranking | null> {
  const { first: key, columns, arms: candidates } = source.plan.request;
  const arms = candidates.filter((arm) => (source.arms[arm] ?? null) !== null);
  if (key === null || arms.length === 0) return null;
  return { wanted, key, bounds: yield* scoreBounds(key.expression, source.run), columns, arms };
}

/** State of the search in one part. */
interface PartSearch {
  readonly part: Part;
  readonly mask: Uint32Array | null;
  /** Rows that pass the filter. */
  readonly eligible: number;
  readonly seen: Set<number>;
  /** Candidates asked for, of each arm. */
  asked: number;
  /** Bounds of the first key of the rows not seen. */
  unseen: Interval;
  /** Asking for more candidates would tell no more. */
  stuck: boolean;
  /** Rows that the arm does not give do not pass the filter. */
  readonly onlyCandidates: boolean;
}

const NOTHING: Interval = { ...ALWAYS_NULL, nullable: false };

/**
 * @param matching where rows that no arm gives are not wanted: the source without the predicates that only
 *        candidates meet; null where such rows are wanted.
 */
function* searchParts(source: RankedSource, ranking: Ranking, matching: ScanSource | null): Task<BestRows> {
  const best = new BestRows(source, ranking.wanted);
  const asked = isPlain(ranking) ? ranking.wanted + 1 : Math.max(GUARDS.firstCandidates, 2 * ranking.wanted);
  const searches: PartSearch[] = [];
  for (const part of partsOf(source)) {
    searches.push(yield* startSearch(matching ?? source, part, { asked, onlyCandidates: matching !== null }));
  }
  let readThrough = 0;
  for (let open = searches; open.length > 0; ) {
    for (const search of open) {
      if (paysOff(ranking, search)) yield* lookDeeper(source, ranking, search, best);
      else readThrough += yield* readAll(source, search, best);
    }
    const last = yield* best.lastKey();
    open = searches.filter((search) => couldBeat(search.unseen, last, ranking.key));
    for (const search of open) search.asked *= GUARDS.deeper;
  }
  const node = source.run.context.statistics?.get(source.plan);
  if (node !== undefined) node.readThrough = (node.readThrough ?? 0) + readThrough;
  return best;
}

/** The key is one arm's score: no row between the candidates needs a look. */
const isPlain = ({ arms, columns }: Ranking): boolean => arms.length === 1 && columns.length === 1;

function paysOff(ranking: Ranking, { asked, eligible, stuck, onlyCandidates }: PartSearch): boolean {
  if (onlyCandidates) return true;
  if (stuck || asked > GUARDS.deeper * CANDIDATES_MAX) return false;
  return isPlain(ranking) || asked * GUARDS.readThrough <= eligible;
}

/** @param last the key of the last row wanted; undefined while there are fewer. */
function couldBeat(unseen: Interval, last: number | null | undefined, { descending }: SortKey): boolean {
  const isLast = last === undefined || last === null;
  if (unseen.nullable && isLast) return true;
  if (isEmpty(unseen)) return false;
  if (isLast || Number.isNaN(last)) return true;
  return descending ? unseen.high >= last : unseen.low <= last;
}

/** Adds every row of the part that was not a candidate. @returns how many. */
function* readAll(source: ScanSource, search: PartSearch, best: BestRows): Task<number> {
  let count = 0;
  yield* scanPart(source, search.part, null, function* (rows): Task<void> {
    const places: number[] = [];
    for (const [place, row] of rows.rows.entries()) if (!search.seen.has(row)) places.push(place);
    rows.keep(Uint32Array.from(places));
    yield* best.add(rows);
    count += places.length;
  });
  search.unseen = NOTHING;
  return count;
}

function* startSearch(
  source: ScanSource,
  part: Part,
  options: Pick<PartSearch, 'asked' | 'onlyCandidates'>,
): Task<PartSearch> {
  const rows = yield* eligibleRows(source, part);
  return { part, seen: new Set<number>(), ...rows, ...options, unseen: ANYTHING, stuck: false };
}

/** Adds the part's next candidates to the best rows and bounds what is left. */
function* lookDeeper(source: ScanSource, ranking: Ranking, search: PartSearch, best: BestRows): Task<void> {
  const { part, seen, eligible } = search;
  const scores = new Map<number, Interval>();
  for (const arm of ranking.arms) scores.set(arm, yield* addCandidates(source, arm, search, best));
  const ended = search.onlyCandidates && [...scores.values()].every(isEmpty);
  if (seen.size >= eligible || ended) {
    search.unseen = NOTHING;
    return;
  }
  const columns = yield* columnBounds(source, ranking.columns, part);
  const bound = (arms: (arm: number) => Interval | undefined): Interval =>
    ranking.bounds((position) => arms(position - source.plan.columns.length) ?? columns(position));
  search.unseen = bound((arm) => scores.get(arm));
  const before = bound(() => undefined);
  const { high, low } = search.unseen;
  const told = ranking.key.descending ? high < before.high : low > before.low;
  const exhausted = [...scores.values()].every((score) => score.low >= score.high);
  search.stuck = !told || exhausted;
}

/** Adds the rows not seen of the part's best by the arm. @returns the arm's bounds for all others. */
function* addCandidates(
  source: ScanSource,
  index: number,
  search: PartSearch,
  best: BestRows,
): Task<Interval> {
  const { plan, arms } = source;
  const { part, mask, eligible, asked, seen } = search;
  const arm = present(plan.arms[index], 'arm');
  if (eligible === 0) return NOTHING;
  const found = yield* searchArm(source, index, { part, mask, count: asked });
  const { rows, scores } = unseen(found, seen);
  for (const row of rows) seen.add(row);
  const added = new ScanRows(source, part, rows);
  added.preset(plan.columns.length + index, armColumn(arm, scores));
  yield* best.add(added);
  const last = found.scores[found.scores.length - 1];
  if (found.rows.length < asked || last === undefined) {
    if (search.onlyCandidates) return NOTHING;
    return arm.kind === 'keyword' ? point(0) : ALWAYS_NULL;
  }
  const bounds = armBounds(source, arm);
  return arms[index]?.higherIsBetter === true ? { ...bounds, high: last } : { ...bounds, low: last };
}

/** The candidates that are not in `seen`, by row. */
function unseen(found: Candidates, seen: ReadonlySet<number>): Pick<Candidates, 'rows' | 'scores'> {
  const { length } = found.rows;
  // Numbers sort quicker than comparators do.
  const places = new Float64Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) {
    const row = found.rows[i] as number;
    if (!seen.has(row)) places[count++] = row * length + i;
  }
  places.subarray(0, count).sort();
  const rows = new Uint32Array(count);
  const scores = new Float64Array(count);
  for (let at = 0; at < count; at++) {
    const i = (places[at] as number) % length;
    rows[at] = found.rows[i] as number;
    scores[at] = found.scores[i] as number;
  }
  return { rows, scores };
}
