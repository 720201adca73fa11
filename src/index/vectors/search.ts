/**
 * The nearest rows of one part. One thing to know: a scan is proven exact. Candidates by codes are scored
 * exactly, best first, until the k-th exact score beats every other candidate by more than quantising can
 * be wrong; when the candidates do not suffice for that, more are taken, in the end all rows. A graph is
 * asked where it is cheaper than a scan, and its candidates are scored in the same way.
 */
import { TIES_MAX } from '../../limits.ts';
import { type Task, wait } from '../../task.ts';
import { nextBit } from '../../types/column/bitset.ts';
import type { Hits } from '../structure.ts';
import { takeTurn } from '../../time-slice.ts';
import { cutAtTies, TopRows } from '../top-rows.ts';
import type { VectorGraph } from './graph.ts';
import { type Rated, SCORE_ROWS_MAX, VectorJob } from './job.ts';
import type { VectorMemory } from './memory.ts';
import { errorBound, toValue, type VectorQuery } from './query.ts';

/** Codes scanned, and floats scored, between two turns of the event loop: about 1 ms each. */
const SCAN_BYTES_PER_TURN = 16 * 1024 * 1024;
const SCORE_BYTES_PER_TURN = 8 * 1024 * 1024;
/** Scoring 256 rows costs 20 µs; with 32, two of three scans of clustered vectors had to be done again. */
const CANDIDATES_MIN = 256;
/** With more than this share of the rows as candidates, all are. */
const CANDIDATES_SHARE_MAX = 1 / 4;
/** Codes that do not prove the answer with so many candidates are of no use. */
const CANDIDATES_MAX = 65_536;
const PLACES_MAX = 2 ** 20;
/** Candidates scored at a time, after the first `count`: a row read from disk costs as much as 20 comparisons. */
const REFINE_ROWS = 4;
/**
 * A search of a graph gives up for a scan where that is cheaper by now. Measured on 50,000 × 384, clustered: a
 * comparison in the graph goes to another place in memory and costs as much as ten of a scan, and what a scan
 * costs besides, candidates scored exactly above all, as much as 4,500. Rows that a filter keeps lie apart, too,
 * and where they are far from the query a search takes long ways among them: it may compare every fourth.
 */
const GRAPH_COMPARISON_COST = 10;
const SCAN_COMPARISONS = 4_500;
const COMPARED_SHARE_MAX = 1 / 4;

/** Part that is searched. */
export interface SearchedPart {
  readonly memory: VectorMemory;
  /** Null when there is none for all rows below `end`. */
  readonly graph: VectorGraph | null;
  /** Rows at or above are not looked at. */
  readonly end: number;
  /** Rows below `end` that are in the mask, more than 0. */
  readonly wanted: number;
}

export interface Search {
  readonly query: VectorQuery;
  /** 1..wanted. */
  readonly count: number;
  readonly mask: Uint32Array | null;
  readonly signal: AbortSignal;
}

/** The best `count` rows, and those that tie with the last of them. */
export function* findNearest(part: SearchedPart, search: Search): Task<Hits> {
  const near = yield* searchGraph(part, search);
  if (near !== null) return near;
  for (let capacity = 4 * search.count + CANDIDATES_MIN; capacity <= CANDIDATES_MAX; capacity *= 8) {
    const all = capacity > part.wanted * CANDIDATES_SHARE_MAX;
    // With room for one more than there are, nothing is left out, and that is a proof.
    const hits = yield* scanCodes(part, search, all ? part.wanted + 1 : capacity);
    if (hits !== null) return hits;
  }
  return yield* scanFloats(part, search);
}

/** Null when there is no graph that helps, or it did not give as many rows as there are. */
function* searchGraph({ memory, graph, end, wanted }: SearchedPart, search: Search): Task<Hits | null> {
  const { query, count, mask } = search;
  if (graph === null || graph.measure !== query.measure) return null;
  const comparedMax = Math.floor(
    Math.min(COMPARED_SHARE_MAX * wanted, SCAN_COMPARISONS + wanted / GRAPH_COMPARISON_COST),
  );
  const words = mask === null ? null : maskWords(mask, end);
  for (let ef = Math.max(query.ef > 0 ? query.ef : graph.ef, count); ; ef *= 2) {
    // A filter lengthens the way less than it thins out the rows: those near each other tend to share it.
    const expected = (graph.comparedUsually * ef) / graph.ef / Math.sqrt(wanted / end);
    if (expected > comparedMax) return null;
    const { entries, compared } = graph.search(query, { ef, mask: words, comparedMax });
    if (compared >= comparedMax) return null;
    const rows = graph.rowsOf(entries);
    if (rows.length < count && entries.length === ef) continue;
    if (rows.length < count) return null;
    using job = new VectorJob(memory, query, 0, null);
    const goodness = new Float64Array(rows.length);
    job.approximate(rows, goodness);
    const bound = usualError(errorBound(query, memory), memory.dimension);
    const { best } = yield* refine(memory, job, { rows, goodness }, search, bound);
    const hits = hitsOf(query, best, count, mask === null ? 'graph' : 'filtered graph');
    return { ...hits, compared, rescored: best.rows.length };
  }
}

/** Null when `capacity` candidates do not prove the answer. */
function* scanCodes(
  { memory, end, wanted }: SearchedPart,
  search: Search,
  capacity: number,
): Task<Hits | null> {
  const { query, count, mask, signal } = search;
  using job = new VectorJob(memory, query, capacity, mask === null ? null : maskWords(mask, end));
  const rowsPerTurn = Math.max(1024, Math.floor(SCAN_BYTES_PER_TURN / memory.stride));
  let left = rowsPerTurn;
  for (const chunk of memory.chunks) {
    const chunkEnd = Math.min(end, chunk.rowBase + chunk.rows);
    for (let row = chunk.rowBase; row < chunkEnd; ) {
      if (left <= 0) {
        yield* wait(takeTurn(signal));
        left = rowsPerTurn;
      }
      const stop = Math.min(chunkEnd, row + left);
      job.scan(chunk, row, stop);
      left -= stop - row;
      row = stop;
    }
  }
  const candidates = job.candidates();
  const bound = errorBound(query, memory);
  const { best, threshold } = yield* refine(memory, job, candidates, search, bound);
  const proven = candidates.cutoff === -Infinity || threshold > candidates.cutoff + bound;
  if (!proven) return null;
  return { ...hitsOf(query, best, count, 'int8 scan'), compared: wanted, rescored: best.rows.length };
}

/**
 * How far quantising is off as good as never: its errors fall one way and the other, so that of many numbers
 * they make up for each other (six standard deviations of a sum whose largest value is `bound`). Enough for
 * what a graph found, which is no proof anyway.
 */
function usualError(bound: number, dimension: number): number {
  return bound * Math.min(1, 6 / Math.sqrt(dimension));
}

/**
 * Scores candidates exactly, best by codes first, until no other can be among the best `count`.
 *
 * @param bound how far goodness by codes may be from the exact.
 */
function* refine(
  memory: VectorMemory,
  job: VectorJob,
  { rows, goodness }: Rated,
  { count, signal }: Search,
  bound: number,
): Task<{ best: Rated; threshold: number }> {
  const order = bestFirst(goodness, leastUseful(goodness, count, bound));
  const scored = { rows: new Uint32Array(order.length), goodness: new Float64Array(order.length) };
  const top = new TopRows(count);
  const rowsPerTurn = rowsPerScoringTurn(memory);
  let done = 0;
  for (let turn = rowsPerTurn; done < order.length; ) {
    if (done >= turn) {
      yield* wait(takeTurn(signal));
      turn = done + rowsPerTurn;
    }
    const next = order[done] as number;
    if (top.full && top.threshold > (goodness[next] as number) + bound) break;
    const size = Math.min(Math.max(REFINE_ROWS, count - done), rowsPerTurn);
    const some = order.slice(done, done + size);
    for (let i = 0; i < some.length; i++) some[i] = rows[some[i] as number] as number;
    some.sort();
    scored.rows.set(some, done);
    job.score(some, scored.goodness.subarray(done));
    for (let i = done; i < done + some.length; i++) {
      const exact = scored.goodness[i] as number;
      if (!Number.isNaN(exact)) top.push(scored.rows[i] as number, exact);
    }
    done += some.length;
  }
  const best = { rows: scored.rows.subarray(0, done), goodness: scored.goodness.subarray(0, done) };
  return { best, threshold: top.threshold };
}

function rowsPerScoringTurn(memory: VectorMemory): number {
  return Math.max(64, Math.floor(SCORE_BYTES_PER_TURN / memory.floatStride));
}

/** Least goodness by codes of a candidate among the best `count`: so many are better even when codes err most. */
function leastUseful(goodness: Float64Array, count: number, bound: number): number {
  const top = new TopRows(count);
  for (let i = 0; i < goodness.length; i++) top.push(i, goodness[i] as number);
  return top.threshold - 2 * bound;
}

/**
 * Places by descending float32 of their goodness, as far as it is at least `least`; fewer than PLACES_MAX.
 * Numbers sort quicker than comparators do.
 */
function bestFirst(goodness: Float64Array, least: number): Uint32Array {
  const bits = new Int32Array(new Float32Array(goodness).buffer);
  let keys = new Float64Array(bits.length);
  let count = 0;
  for (let i = 0; i < bits.length; i++) {
    if ((goodness[i] as number) < least) continue;
    const sign = bits[i] as number;
    // Integers in the order of the floats, the best lowest.
    keys[count++] = -(sign < 0 ? sign ^ 0x7fff_ffff : sign) * PLACES_MAX + i;
  }
  keys = keys.subarray(0, count).sort();
  const places = new Uint32Array(keys.length);
  for (let i = 0; i < places.length; i++) {
    const key = keys[i] as number;
    places[i] = key - Math.floor(key / PLACES_MAX) * PLACES_MAX;
  }
  return places;
}

/** All rows by exact scores. */
function* scanFloats({ memory, end, wanted }: SearchedPart, search: Search): Task<Hits> {
  const { query, count, mask, signal } = search;
  using job = new VectorJob(memory, query, 0, null, true);
  const top = new TopRows(count + TIES_MAX);
  const rowsPerTurn = rowsPerScoringTurn(memory);
  const rows = new Uint32Array(Math.min(SCORE_ROWS_MAX, rowsPerTurn));
  const scores = new Float64Array(rows.length);
  let left = rowsPerTurn;
  for (let row = 0; row < end; ) {
    let length = 0;
    for (; length < rows.length; row++) {
      row = mask === null ? row : nextBit(mask, row, end);
      if (row >= end) break;
      rows[length++] = row;
    }
    job.score(rows.subarray(0, length), scores);
    for (let i = 0; i < length; i++) {
      const score = scores[i] as number;
      if (!Number.isNaN(score)) top.push(rows[i] as number, score);
    }
    left -= length;
    if (left <= 0) {
      yield* wait(takeTurn(signal));
      left = rowsPerTurn;
    }
  }
  const hits = top.hits('exact scan', (goodness) => toValue(query, goodness));
  return cutAtTies({ ...hits, compared: wanted, rescored: wanted }, count);
}

function hitsOf(query: VectorQuery, { rows, goodness }: Rated, count: number, strategy: string): Hits {
  const top = new TopRows(Math.min(rows.length, count + TIES_MAX));
  for (let i = 0; i < rows.length; i++) {
    if (!Number.isNaN(goodness[i])) top.push(rows[i] as number, goodness[i] as number);
  }
  return cutAtTies(
    top.hits(strategy, (value) => toValue(query, value)),
    count,
  );
}

/** The words that cover rows [0, end), zeros where the mask is shorter. */
function maskWords(mask: Uint32Array, end: number): Uint32Array {
  const words = new Uint32Array(Math.ceil(end / 32));
  words.set(mask.subarray(0, words.length));
  return words;
}
