/**
 * The graph kernels (AssemblyScript): HNSW (Malkov, Yashunin 2018) over the int8 codes of one segment. One
 * thing to know: several threads insert into one graph, each with an instance and a job of its own; lists
 * are changed under a lock and read without one, as what a reader may meet half written is still a list of
 * entries.
 *
 * A query, and an entry that is being inserted, has 7-bit codes shifted to 1 .. 127: the relaxed dot product
 * takes four products an instruction in that form, and Σ x·(y + 64) − 64·Σ x takes the shift out again.
 * What that loses, rescoring repairs: a search returns more entries than are wanted.
 *
 * Keys of the heaps: goodness as an integer of the same order in the high half, the entry in the low half.
 */

import { ordered } from './vectors/select';
import { warm } from './vectors/warm';

/** A work order; `../graph-job.ts` writes it, field by field. */
@unmanaged
class Job {
  links: usize; // lists of level 0: a count and 2M entries, u32 each
  levels: usize; // u8 an entry
  upper: usize; // u32 an entry: number of its list of level 1 in the pool
  pool: usize; // lists of levels above 0, level by level: a count and M entries
  top: usize; // entry point and level shared by all threads
  connections: u32; // M
  records: usize;
  stride: usize;
  measure: u32;
  rows: usize; // u32 an entry: its row; 0: the entry's own number
  mask: usize; // bitset of rows; 0: every row
  visited: usize;
  visitedBytes: usize;
  candidates: usize;
  candidatesMax: u32;
  results: usize;
  ef: u32; // results a search keeps in view
  query: usize; // 7-bit codes
  queryScale: f32;
  compared: u32; // out: entries compared with the query
  comparedMax: u32; // the search ends there
  sorted: usize;
  chosen: usize; // 7-bit codes of neighbours chosen so far, 2M + 1
  chosenKeys: usize;
  locks: usize; // i32 each
  lockMask: u32;
  queryNorm: f64;
  batch: usize; // entries whose turn it is, u32 each
}

const TOP_ENTRY: usize = 0; // i32, -1: the graph is empty
const TOP_LEVEL: usize = 4;
const TOP_LOCK: usize = 8;

const COSINE: u32 = 0;
const SQUARED_L2: u32 = 2;

// Trailer after a record's codes; `vectors.ts` writes it.
const SCALE: usize = 0;
const SUM: usize = 4;
const NORM: usize = 8;
const TRAILER_BYTES: usize = 16;

let job: Job = changetype<Job>(0);
// Fields of the job that are read most often.
let records: usize = 0;
let stride: usize = 0;
let recordBytes: usize = 0;
let measure: u32 = 0;
let visited: usize = 0;
let candidates: usize = 0;
let candidateCount: u32 = 0;
let results: usize = 0;
let resultCount: u32 = 0;
let query: usize = 0;
let queryScale: f32 = 0;
let queryNorm: f32 = 0;
let compared: u32 = 0;

function use(address: usize): void {
  job = changetype<Job>(address);
  records = job.records;
  stride = job.stride;
  recordBytes = stride + TRAILER_BYTES;
  measure = job.measure;
  visited = job.visited;
  candidates = job.candidates;
  results = job.results;
  query = job.query;
  queryScale = job.queryScale;
  queryNorm = <f32>job.queryNorm;
  compared = 0;
}

// Goodness.

@inline
function record(entry: u32): usize {
  return records + <usize>entry * recordBytes;
}

/** Σ x × y of int8 codes and 7-bit codes, exact: pairs of products stay within 16 bits. */
@inline
function dot7(x: usize, y: usize): i32 {
  let sum0 = i32x4.splat(0);
  let sum1 = sum0;
  const end = x + stride;
  while (x < end) {
    sum0 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(x), v128.load(y), sum0);
    sum1 = i32x4.relaxed_dot_i8x16_i7x16_add_s(v128.load(x, 16), v128.load(y, 16), sum1);
    x += 32;
    y += 32;
  }
  sum0 = i32x4.add(sum0, sum1);
  return i32x4.extract_lane(sum0, 0) + i32x4.extract_lane(sum0, 1) + i32x4.extract_lane(sum0, 2) +
    i32x4.extract_lane(sum0, 3);
}

/** Goodness (larger is better) of an entry beside 7-bit codes with their scale and norm. */
@inline
function goodness(entry: u32, codes: usize, scale: f32, norm: f32): f32 {
  const x = record(entry);
  const trailer = x + stride;
  const dot = <f32>(dot7(x, codes) - (load<i32>(trailer, SUM) << 6)) * scale * load<f32>(trailer, SCALE);
  const length = <f32>load<f64>(trailer, NORM);
  if (measure == COSINE) return dot / (length * norm);
  if (measure == SQUARED_L2) return dot + dot - length * length - norm * norm;
  return dot;
}

@inline
function toQuery(entry: u32): f32 {
  compared++;
  return goodness(entry, query, queryScale, queryNorm);
}

/** 7-bit codes of an entry into `codes`; their scale is twice the entry's. */
function halve(entry: u32, codes: usize): void {
  const x = record(entry);
  const middle = i8x16.splat(64);
  const largest = i8x16.splat(127);
  for (let i: usize = 0; i < stride; i += 16) {
    const half = i8x16.add(i8x16.shr_s(v128.load(x + i), 1), middle);
    v128.store(codes + i, i8x16.min_s(half, largest));
  }
}

@inline
function scaleOf(entry: u32): f32 {
  return load<f32>(record(entry) + stride, SCALE) * 2;
}

@inline
function normOf(entry: u32): f32 {
  return <f32>load<f64>(record(entry) + stride, NORM);
}

/** Goodness and entry as a key. */
@inline
function key(good: f32, entry: u32): u64 {
  return (<u64>ordered(good) << 32) | <u64>entry;
}

@inline
function slot(heap: usize, at: u32): usize {
  return heap + (<usize>at << 3);
}

// Candidates: the best at the root.

function pushCandidate(x: u64): void {
  if (candidateCount == job.candidatesMax) return;
  let at = candidateCount++;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const y = load<u64>(slot(candidates, parent));
    if (y >= x) break;
    store<u64>(slot(candidates, at), y);
    at = parent;
  }
  store<u64>(slot(candidates, at), x);
}

function popCandidate(): u64 {
  const best = load<u64>(candidates);
  const x = load<u64>(slot(candidates, --candidateCount));
  let at: u32 = 0;
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= candidateCount) break;
    let y = load<u64>(slot(candidates, child));
    if (child + 1 < candidateCount) {
      const z = load<u64>(slot(candidates, child + 1));
      if (z > y) {
        y = z;
        child++;
      }
    }
    if (x >= y) break;
    store<u64>(slot(candidates, at), y);
    at = child;
  }
  store<u64>(slot(candidates, at), x);
  return best;
}

// Results: the worst at the root.

function siftResult(x: u64): void {
  let at: u32 = 0;
  for (;;) {
    let child: u32 = 2 * at + 1;
    if (child >= resultCount) break;
    let y = load<u64>(slot(results, child));
    if (child + 1 < resultCount) {
      const z = load<u64>(slot(results, child + 1));
      if (z < y) {
        y = z;
        child++;
      }
    }
    if (x <= y) break;
    store<u64>(slot(results, at), y);
    at = child;
  }
  store<u64>(slot(results, at), x);
}

function pushResult(x: u64, most: u32): void {
  if (resultCount == most) {
    siftResult(x);
    return;
  }
  let at = resultCount++;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const y = load<u64>(slot(results, parent));
    if (y <= x) break;
    store<u64>(slot(results, at), y);
    at = parent;
  }
  store<u64>(slot(results, at), x);
}

/** Empties the results into `sorted`, best first. @returns how many. */
function sortResults(): u32 {
  const count = resultCount;
  for (let i = count; i > 0; i--) {
    store<u64>(slot(job.sorted, i - 1), load<u64>(results));
    const x = load<u64>(slot(results, --resultCount));
    if (resultCount > 0) siftResult(x);
  }
  return count;
}

// The graph.

@inline
function list(entry: u32, level: u32): usize {
  if (level == 0) return job.links + <usize>entry * ((<usize>job.connections << 3) + 4);
  const number = load<u32>(job.upper + (<usize>entry << 2)) + level - 1;
  return job.pool + <usize>number * ((<usize>job.connections << 2) + 4);
}

/** True when the entry was met before in this search; from now on it was. */
@inline
function met(entry: u32): bool {
  const byte = visited + (entry >> 3);
  const bits = load<u8>(byte);
  const bit: u8 = <u8>1 << <u8>(entry & 7);
  if ((bits & bit) != 0) return true;
  store<u8>(byte, bits | bit);
  return false;
}

@inline
function wanted(entry: u32): bool {
  if (job.mask == 0) return true;
  const row = job.rows == 0 ? entry : load<u32>(job.rows + (<usize>entry << 2));
  return ((load<u32>(job.mask + (<usize>(row >> 5) << 2)) >> (row & 31)) & 1) != 0;
}

/** Goes to the entry nearest the query, level by level from `from` down to above `to`. */
function descend(start: u32, from: u32, to: u32): u32 {
  let nearest = start;
  let best = toQuery(start);
  for (let level = from; level > to; level--) {
    for (let moved = true; moved; ) {
      moved = false;
      const at = list(nearest, level);
      const count = load<u32>(at);
      for (let i: u32 = 1; i <= count; i++) {
        const entry = load<u32>(at + (<usize>i << 2));
        const good = toQuery(entry);
        if (good > best) {
          best = good;
          nearest = entry;
          moved = true;
        }
      }
    }
  }
  return nearest;
}

/** Best-first search of one level: fills the results with the best `most` entries that are wanted. */
function searchLevel(start: u32, level: u32, most: u32): void {
  memory.fill(visited, 0, job.visitedBytes);
  candidateCount = 0;
  resultCount = 0;
  met(start);
  const first = key(toQuery(start), start);
  pushCandidate(first);
  if (wanted(start)) pushResult(first, most);
  while (candidateCount > 0 && compared < job.comparedMax) {
    const best = popCandidate();
    if (resultCount == most && best < load<u64>(results)) break;
    const at = list(<u32>best, level);
    const count = load<u32>(at);
    let fresh: u32 = 0;
    for (let i: u32 = 1; i <= count; i++) {
      const entry = load<u32>(at + (<usize>i << 2));
      if (met(entry)) continue;
      store<u32>(job.batch + (<usize>fresh << 2), entry);
      fresh++;
    }
    // All at once, so that what they wait for memory overlaps: half the time of asking for one ahead.
    for (let i: u32 = 0; i < fresh; i++) warm(record(load<u32>(job.batch + (<usize>i << 2))), recordBytes);
    for (let i: u32 = 0; i < fresh; i++) {
      const entry = load<u32>(job.batch + (<usize>i << 2));
      const x = key(toQuery(entry), entry);
      if (resultCount == most && x < load<u64>(results)) continue;
      pushCandidate(x);
      if (wanted(entry)) pushResult(x, most);
    }
  }
}

/**
 * The best entries for the job's query among those wanted: at most RESULTS_MAX keys, best first, in SORTED.
 * @returns how many; COMPARED tells whether the search ended at COMPARED_MAX.
 */
export function searchGraph(address: usize): u32 {
  use(address);
  const top: usize = job.top;
  const start = load<i32>(top, TOP_ENTRY);
  if (start < 0) return 0;
  const nearest = descend(<u32>start, load<u32>(top, TOP_LEVEL), 0);
  searchLevel(nearest, 0, job.ef);
  const count = sortResults();
  job.compared = compared;
  return count;
}

/**
 * Chooses at most `most` neighbours among `count` keys at `sorted`, best first: one is taken when it is
 * nearer to the query, which is entry `self`, than to every neighbour taken before (the heuristic of the
 * paper). Nearer, not as near: else equal vectors would link to nothing but each other, and searches that
 * come upon them would not get away. Keys go to `chosenKeys`. @returns how many.
 */
function choose(count: u32, most: u32, self: u32): u32 {
  let taken: u32 = 0;
  for (let i: u32 = 0; i < count && taken < most; i++) {
    const x = load<u64>(slot(job.sorted, i));
    const entry = <u32>x;
    let good = entry != self;
    for (let j: u32 = 0; good && j < taken; j++) {
      const other = <u32>load<u64>(slot(job.chosenKeys, j));
      const between = goodness(entry, job.chosen + <usize>j * stride, scaleOf(other), normOf(other));
      good = key(between, entry) < x;
    }
    if (!good) continue;
    halve(entry, job.chosen + <usize>taken * stride);
    store<u64>(slot(job.chosenKeys, taken++), x);
  }
  return taken;
}

@inline
function acquire(lock: usize): void {
  while (atomic.cmpxchg<i32>(lock, 0, 1) != 0) {
    while (atomic.load<i32>(lock) != 0) {}
  }
}

@inline
function release(lock: usize): void {
  atomic.store<i32>(lock, 0);
}

@inline
function lockOf(entry: u32): usize {
  return job.locks + (<usize>(entry & job.lockMask) << 2);
}

/** Makes `entry` the query. */
function ask(entry: u32): void {
  halve(entry, query);
  queryScale = scaleOf(entry);
  queryNorm = normOf(entry);
}

/** Adds `entry` to the list of `neighbour`; a full list is chosen anew. */
function linkBack(neighbour: u32, entry: u32, level: u32): void {
  const most = level == 0 ? job.connections << 1 : job.connections;
  const at = list(neighbour, level);
  const lock = lockOf(neighbour);
  acquire(lock);
  const count = load<u32>(at);
  if (holds(at, count, entry)) {
    release(lock);
    return;
  }
  if (count < most) {
    store<u32>(at + (<usize>(count + 1) << 2), entry);
    store<u32>(at, count + 1);
  } else {
    for (let i: u32 = 1; i <= count; i++) warm(record(load<u32>(at + (<usize>i << 2))), recordBytes);
    ask(neighbour);
    resultCount = 0;
    pushResult(key(toQuery(entry), entry), most + 1);
    for (let i: u32 = 1; i <= count; i++) {
      const other = load<u32>(at + (<usize>i << 2));
      pushResult(key(toQuery(other), other), most + 1);
    }
    storeList(at, choose(sortResults(), most, neighbour));
  }
  release(lock);
}

@inline
function holds(at: usize, count: u32, entry: u32): bool {
  for (let i: u32 = 1; i <= count; i++) if (load<u32>(at + (<usize>i << 2)) == entry) return true;
  return false;
}

/** Chosen keys as a list. */
function storeList(at: usize, count: u32): void {
  for (let i: u32 = 0; i < count; i++) {
    store<u32>(at + (<usize>(i + 1) << 2), <u32>load<u64>(slot(job.chosenKeys, i)));
  }
  store<u32>(at, count);
}

/**
 * Inserts an entry, whose level and room for lists are set, into the graph. Its own lists are written before
 * any other entry points to it, so that whoever finds it can go on from it.
 */
export function insertEntry(address: usize, entry: u32): void {
  use(address);
  const top: usize = job.top;
  const level = <u32>load<u8>(job.levels + entry);
  acquire(top + TOP_LOCK);
  const start = atomic.load<i32>(top + TOP_ENTRY);
  const highest = <u32>atomic.load<i32>(top + TOP_LEVEL);
  const rises = start < 0 || level > highest;
  if (!rises) release(top + TOP_LOCK);
  for (let l: u32 = 0; l <= level; l++) store<u32>(list(entry, l), 0);
  if (start >= 0) connect(entry, level, <u32>start, highest);
  if (!rises) return;
  atomic.store<i32>(top + TOP_LEVEL, level);
  atomic.store<i32>(top + TOP_ENTRY, entry);
  release(top + TOP_LOCK);
}

/** Chooses anew the neighbours of an entry of the graph that lost some of them. */
export function repairEntry(address: usize, entry: u32): void {
  use(address);
  const top: usize = job.top;
  const start = load<i32>(top, TOP_ENTRY);
  connect(entry, <u32>load<u8>(job.levels + entry), <u32>start, load<u32>(top, TOP_LEVEL));
}

function connect(entry: u32, level: u32, start: u32, highest: u32): void {
  ask(entry);
  const from = min(level, highest);
  let nearest = descend(start, highest, from);
  for (let l = <i32>from; l >= 0; l--) {
    searchLevel(nearest, l, job.ef);
    const count = sortResults();
    nearest = <u32>load<u64>(job.sorted);
    storeList(list(entry, l), choose(count, job.connections, entry));
  }
  for (let l: u32 = 0; l <= from; l++) {
    const at = list(entry, l);
    const count = load<u32>(at);
    for (let i: u32 = 1; i <= count; i++) linkBack(load<u32>(at + (<usize>i << 2)), entry, l);
  }
}
