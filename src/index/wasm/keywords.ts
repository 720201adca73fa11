/**
 * Keyword search over one segment (AssemblyScript): what `../disjunction.ts` and `../conjunction.ts` do, on
 * posting lists that lie in this memory. Weights are positive, and a phrase has no slop.
 */
import {
  addScores, approach, blockSaturation, END, firstPosition, frequencyAt, lengthAt, openBlock, openTerm,
  placeOf, positionAt, rowAt, saturationBetween, saturationOf, scoreAt, seek, setBar, Term, TERM_BYTES,
  usePostings, worthyFrom,
} from './keywords/postings';
import { pushRow, sortTop, thresholdOf, Top } from './keywords/top-rows';

/** A work order; `../keywords-scan.ts` writes it, field by field. */
@unmanaged
class Job {
  base: f64; // of BM25's denominator, as `slope`
  slope: f64;
  phraseWeight: f64;
  postings: usize;
  positions: usize;
  lengths: usize; // u32 a row
  terms: usize; // in the query's order
  termCount: u32;
  order: usize; // numbers of the terms (u32): by ascending bound (any), or by ascending count (all)
  sums: usize; // f64: sums of bounds up to and with each term of `order`, over all rows
  windowSums: usize; // the same in the window
  scores: usize; // f32 a row of the window; all zero between two windows
  windowRows: u32;
  mask: usize; // bitset of rows; 0: every row
  limit: u32;
  places: usize; // of a phrase: number of the term, and offset, u32 each; 0: no phrase
  placeCount: u32;
  cursors: usize; // u32 a place: how far its positions were read
  firstEssential: u32; // terms of `order` before it cannot lift a row over the threshold together
}

/** The heap follows the job. */
const JOB_BYTES: usize = 88;
/** Bounds are summed in another order than scores: room for rounding. */
const BOUND_SLACK: f64 = 1 + 1e-9;
/** Scores of a window are sums in f32. */
const WINDOW_SLACK: f64 = 1 + 1e-5;
/** What a window or a block costs beside its rows, in rows. */
const WINDOW_COST: i32 = 32;

let job: Job = changetype<Job>(0);
let top: Top = changetype<Top>(0);
let terms: usize = 0;
let termCount: u32 = 0;
let order: usize = 0;
let lengths: usize = 0;
let mask: usize = 0;
let limit: u32 = 0;
let windowSums: usize = 0;

function use(address: usize): void {
  job = changetype<Job>(address);
  top = changetype<Top>(address + JOB_BYTES);
  terms = job.terms;
  termCount = job.termCount;
  order = job.order;
  lengths = job.lengths;
  mask = job.mask;
  limit = job.limit;
  windowSums = job.windowSums;
  usePostings(job.postings, job.positions, job.base, job.slope);
}

@inline
function termAt(i: u32): Term {
  return changetype<Term>(terms + <usize>i * TERM_BYTES);
}

@inline
function ordered(i: u32): Term {
  return termAt(load<u32>(order + (<usize>i << 2)));
}

@inline
function lengthOf(row: u32): u32 {
  return load<u32>(lengths + (<usize>row << 2));
}

@inline
function isWanted(row: u32): bool {
  return mask == 0 || ((load<u32>(mask + (<usize>(row >>> 5) << 2)) >>> (row & 31)) & 1) != 0;
}

/** What all terms give a row, summed in the query's order: every way of scoring gives the same bits. */
function enter(row: u32, length: u32): void {
  let score: f64 = 0;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = termAt(i);
    if (seek(term, row) == row) score += scoreAt(term, term.at, length);
  }
  pushRow(top, row, score);
}

/** Sorts the terms' numbers, which are few. @param byCount else by bound. */
function sortTerms(byCount: bool): void {
  for (let i: u32 = 0; i < termCount; i++) {
    const own = keyOf(termAt(i), byCount);
    let at = i;
    for (; at > 0 && keyOf(ordered(at - 1), byCount) > own; at--) {
      store<u32>(order + (<usize>at << 2), load<u32>(order + (<usize>(at - 1) << 2)));
    }
    store<u32>(order + (<usize>at << 2), i);
  }
}

@inline
function keyOf(term: Term, byCount: bool): f64 {
  return byCount ? <f64>term.count : term.weight * term.saturation;
}

// Any of the terms.

/** Makes a job ready for `searchAny`. */
export function beginAny(address: usize): void {
  use(address);
  for (let i: u32 = 0; i < termCount; i++) openTerm(termAt(i));
  sortTerms(false);
  let sum: f64 = 0;
  for (let i: u32 = 0; i < termCount; i++) {
    sum += keyOf(ordered(i), false) * BOUND_SLACK;
    store<f64>(job.sums + (<usize>i << 3), sum);
  }
  job.firstEssential = 0;
}

/** Looks at about `rows` rows. @returns whether that was all. */
export function searchAny(address: usize, rows: i32): bool {
  use(address);
  for (let left = rows; left > 0; left -= WINDOW_COST) {
    const from = firstRow(job.firstEssential);
    if (from >= limit) return true;
    const to = windowEnd(from);
    const first = firstOfWindow(from, to);
    if (first == termCount - 1) left -= scanOne(first, from, to);
    else if (first < termCount) left -= scanMany(first, from, to);
    for (let i = job.firstEssential; i < termCount; i++) approach(ordered(i), to + 1);
    const threshold = thresholdOf(top);
    while (job.firstEssential < termCount && sumAt(job.firstEssential) < threshold) job.firstEssential++;
    if (job.firstEssential == termCount) return true;
  }
  return false;
}

@inline
function sumAt(i: u32): f64 {
  return load<f64>(job.sums + (<usize>i << 3));
}

function firstRow(essential: u32): u32 {
  let row = END;
  for (let i = essential; i < termCount; i++) row = min(row, ordered(i).row);
  return row;
}

/** No essential list leaves its block in the window. */
function windowEnd(from: u32): u32 {
  let to = limit - 1;
  if (termCount > 1) to = min(to, from + job.windowRows - 1);
  for (let i = job.firstEssential; i < termCount; i++) to = min(to, ordered(i).end);
  return to;
}

/** The first term that is essential in the window; the number of terms when nothing there can enter. */
function firstOfWindow(from: u32, to: u32): u32 {
  const threshold = thresholdOf(top);
  let sum: f64 = 0;
  let first = termCount;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = ordered(i);
    sum += term.weight * saturationBetween(term, from, to) * BOUND_SLACK;
    store<f64>(windowSums + (<usize>i << 3), sum);
    if (first == termCount && sum >= threshold) first = i;
  }
  return first < termCount ? widen(first) : first;
}

/** Postings that are added up in the time that one is looked for in a list. */
const SEEK_COST: u32 = 20;
/** Rows of a window that are swept in the time that a posting is added up. */
const SWEPT_ROWS: u32 = 10;

/** Terms that are not essential are added up as well where that is quicker than asking them row by row. */
function widen(essential: u32): u32 {
  let postings: u32 = 0;
  for (let i = essential; i < termCount; i++) postings += ordered(i).count;
  let first = essential;
  for (; first > 0; first--) {
    const count = ordered(first - 1).count;
    const swept = first == termCount - 1 ? limit / SWEPT_ROWS : 0;
    if ((count + swept) / SEEK_COST > postings) break;
    postings += count;
  }
  return first;
}

@inline
function windowSum(terms: u32): f64 {
  return terms > 0 ? load<f64>(windowSums + (<usize>(terms - 1) << 3)) : 0;
}

/** One essential term: its rows are the candidates. @returns how many it had. */
function scanOne(essential: u32, from: u32, to: u32): i32 {
  const term = ordered(essential);
  if (term.row > to) return 0;
  const rest = windowSum(essential);
  const began = placeOf(term, from);
  const size = endOf(term, to);
  if (!setBar(term, (thresholdOf(top) - rest) / BOUND_SLACK)) return 0;
  for (let chunk = began; chunk < size; chunk += 16) {
    for (let bits = worthyFrom(term, chunk); bits != 0; bits &= bits - 1) {
      const at = chunk + <u32>ctz(bits);
      if (at >= size) break;
      const row = rowAt(term, at);
      const length = lengthAt(term, at);
      if (!isWanted(row) || !mayEnter(row, length, scoreAt(term, at, length), essential)) continue;
      enter(row, length);
      setBar(term, (thresholdOf(top) - rest) / BOUND_SLACK);
    }
  }
  return size - began;
}

/** The first place in the block whose row is after `to`. */
@inline
function endOf(term: Term, to: u32): u32 {
  return term.end <= to ? term.size : placeOf(term, to + 1);
}

/** Several essential terms: their scores are added up over the window. @returns postings read. */
function scanMany(first: u32, from: u32, to: u32): i32 {
  let read: i32 = 0;
  for (let i = first; i < termCount; i++) read += addUp(ordered(i), from, to);
  const scores = job.scores;
  const end = scores + (<usize>((to - from + 8) >> 3) << 5);
  const zero = f32x4.splat(0);
  let needed = leastScore(first);
  for (let slot = scores; slot < end; slot += 32) {
    const low = f32x4.ge(v128.load(slot), needed);
    const high = f32x4.ge(v128.load(slot, 16), needed);
    if (v128.any_true(v128.or(low, high))) {
      enterSlots(slot, i32x4.bitmask(low) | (i32x4.bitmask(high) << 4), from, first);
      needed = leastScore(first);
    }
    v128.store(slot, zero);
    v128.store(slot, zero, 16);
  }
  return read;
}

/** What a row of the window must have to be looked at; rows without any score have 0. */
@inline
function leastScore(first: u32): v128 {
  return f32x4.splat(max(f32.MIN_VALUE, <f32>((thresholdOf(top) - windowSum(first)) / WINDOW_SLACK)));
}

/** @param bits of the eight slots' that count. */
function enterSlots(slot: usize, bits: u32, from: u32, first: u32): void {
  for (; bits != 0; bits &= bits - 1) {
    const i = <usize>ctz(bits);
    const row = from + <u32>((slot - job.scores) >> 2) + <u32>i;
    if (!isWanted(row)) continue;
    const length = lengthOf(row);
    if (mayEnter(row, length, <f64>load<f32>(slot + (i << 2)) * WINDOW_SLACK, first)) enter(row, length);
  }
}

/** The list stands where it did afterwards, for rows that are looked at again. @returns postings read. */
function addUp(term: Term, from: u32, to: u32): i32 {
  approach(term, from);
  const block = term.block;
  const row = term.row;
  let read: i32 = 0;
  while (term.row <= to) {
    const began = placeOf(term, max(from, term.row));
    const end = endOf(term, to);
    addScores(term, began, end, job.scores + (<usize>(term.base - from) << 2));
    read += end - began;
    if (term.end >= to) break;
    openBlock(term, term.block + 1);
  }
  if (term.block != block) {
    openBlock(term, block);
    term.row = row;
  }
  return read;
}

/** Adds the terms before `first`, the strongest first, as long as the row may still beat the threshold. */
function mayEnter(row: u32, length: u32, score: f64, first: u32): bool {
  const threshold = thresholdOf(top);
  let known = score;
  for (let i = first; i > 0; i--) {
    if (known * BOUND_SLACK + windowSum(i) < threshold) return false;
    const term = ordered(i - 1);
    if (seek(term, row) == row) known += scoreAt(term, term.at, length);
  }
  return known * BOUND_SLACK >= threshold;
}

// All terms, or a phrase of them.

/** Makes a job ready for `searchAll`. */
export function beginAll(address: usize): void {
  use(address);
  for (let i: u32 = 0; i < termCount; i++) openTerm(termAt(i));
  sortTerms(true);
}

/** Looks at about `rows` rows. @returns whether that was all. */
export function searchAll(address: usize, rows: i32): bool {
  use(address);
  const lead = ordered(0);
  for (let left = rows; left > 0; left -= WINDOW_COST) {
    if (lead.row >= limit) return true;
    const to = min(lead.end, limit - 1);
    const bound = boundBetween(lead.row, to);
    if (bound >= thresholdOf(top)) left -= scanBlock(lead, to, bound);
    // Nothing matches before a row that another list has gone on to.
    let next = to + 1;
    for (let i: u32 = 1; i < termCount; i++) next = max(next, ordered(i).row);
    approach(lead, next);
  }
  return false;
}

/** At least the score of every row that matches. */
function boundBetween(from: u32, to: u32): f64 {
  let sum: f64 = 0;
  let least: f64 = 1;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = ordered(i);
    const largest = saturationBetween(term, from, to);
    if (largest == 0) return -Infinity;
    sum += term.weight * largest;
    least = min(least, largest);
  }
  return (job.places == 0 ? sum : job.phraseWeight * least) * BOUND_SLACK;
}

/** @param bound of the block's scores. @returns rows looked at. */
function scanBlock(lead: Term, to: u32, bound: f64): i32 {
  /** What the other terms give at most. */
  const rest = job.places == 0 ? bound - lead.weight * blockSaturation(lead) : 0;
  const share = job.places == 0 ? 1 : lead.weight / job.phraseWeight;
  const began = placeOf(lead, lead.row);
  const size = endOf(lead, to);
  let next = lead.row;
  if (!setBar(lead, neededOf(rest, share))) return 0;
  for (let chunk = began; chunk < size; chunk += 16) {
    if (rowAt(lead, min(chunk + 15, size - 1)) < next) continue;
    for (let bits = worthyFrom(lead, chunk); bits != 0; bits &= bits - 1) {
      const at = chunk + <u32>ctz(bits);
      if (at >= size) break;
      const row = rowAt(lead, at);
      if (row < next || !isWanted(row)) continue;
      next = meet(row);
      if (next != row) continue;
      lead.at = at;
      lead.row = row;
      if (job.places == 0) enter(row, lengthAt(lead, at));
      else enterPhrase(row, lengthAt(lead, at));
      setBar(lead, neededOf(rest, share));
    }
  }
  return size - began;
}

/** What a row must score by its lead alone. */
@inline
function neededOf(rest: f64, share: f64): f64 {
  return ((thresholdOf(top) / BOUND_SLACK - rest) / BOUND_SLACK) * share;
}

/** `row` when all other lists have it, else a later row before which they cannot meet. */
@inline
function meet(row: u32): u32 {
  for (let i: u32 = 1; i < termCount; i++) {
    const found = seek(ordered(i), row);
    if (found != row) return found;
  }
  return row;
}

/** All lists stand on the row. */
function enterPhrase(row: u32, length: u32): void {
  let most: u32 = 0xffffffff;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = termAt(i);
    most = min(most, frequencyAt(term, term.at));
  }
  const phraseWeight = job.phraseWeight;
  if (phraseWeight * saturationOf(most, length) < thresholdOf(top)) return;
  const frequency = phraseFrequency();
  if (frequency > 0) pushRow(top, row, phraseWeight * saturationOf(frequency, length));
}

@inline
function placeTerm(place: u32): Term {
  return termAt(load<u32>(job.places + (<usize>place << 3)));
}

@inline
function placeOffset(place: u32): i32 {
  return load<i32>(job.places + (<usize>place << 3), 4);
}

/** How often every term stands at its place. */
function phraseFrequency(): u32 {
  const placeCount = job.placeCount;
  const cursors = job.cursors;
  for (let place: u32 = 0; place < placeCount; place++) {
    store<u32>(cursors + (<usize>place << 2), firstPosition(placeTerm(place)));
  }
  const lead = placeTerm(0);
  const first = load<u32>(cursors);
  const end = first + frequencyAt(lead, lead.at);
  let frequency: u32 = 0;
  for (let i = first; i < end; i++) {
    const start = <i32>positionAt(lead, i) - placeOffset(0);
    let together = true;
    for (let place: u32 = 1; together && place < placeCount; place++) {
      together = stands(place, start + placeOffset(place));
    }
    if (together) frequency++;
  }
  return frequency;
}

/** Whether the place's term stands at `position`; calls for one place and row come with ascending ones. */
function stands(place: u32, position: i32): bool {
  const term = placeTerm(place);
  const cursor = job.cursors + (<usize>place << 2);
  const end = term.occurrences + frequencyAt(term, term.at);
  let at = load<u32>(cursor);
  while (at < end && <i32>positionAt(term, at) < position) at++;
  store<u32>(cursor, at);
  return at < end && <i32>positionAt(term, at) == position;
}

/** The best rows of a search that is done, in order. */
export function endKeywords(address: usize): void {
  sortTop(changetype<Top>(address + JOB_BYTES));
}
