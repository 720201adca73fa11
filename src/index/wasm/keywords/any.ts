/**
 * The best rows that hold any of the terms (AssemblyScript): `../../disjunction.ts` says how, but that terms
 * which are not essential are added up as well where that is quicker.
 */
import {
  addScores, approach, END, lengthAt, openBlock, openTerm, placeOf, rowAt, saturationBetween, scoreAt, seek,
  setBar, Term, worthyFrom,
} from './postings';
import {
  BOUND_SLACK, enter, isWanted, job, keyOf, lengthOf, limit, ordered, sortTerms, stepCost, termAt, termCount,
  top, use,
} from './search';
import { thresholdOf } from './top-rows';

/** Scores of a window are sums in f32. */
const WINDOW_SLACK: f64 = 1 + 1e-5;

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
  for (let left = rows; left > 0; left -= stepCost()) {
    const from = firstRow(job.firstEssential);
    if (from >= limit) return true;
    const to = windowEnd(from);
    const first = firstOfWindow(from, to);
    if (first == termCount - 1) left -= scanOne(first, from, to);
    else if (first < termCount) left -= areFew(first) ? scanFew(first, from, to) : scanMany(first, from, to);
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
    store<f64>(job.windowSums + (<usize>i << 3), sum);
    if (first == termCount && sum >= threshold) first = i;
  }
  return first < termCount ? widen(first) : first;
}

/** Postings that are added up in the time that one is looked for in a list. */
const SEEK_COST: u32 = 20;
/** Rows of a window that are swept in the time that a posting is added up. */
const SWEPT_ROWS: u32 = 10;
/** With more rows between two postings, going from one to the next is quicker than sweeping. */
const SPARSE_ROWS: u32 = 300;

/** Terms that are not essential are added up as well where that is quicker than asking them row by row. */
function widen(essential: u32): u32 {
  let first = essential;
  let postings = postingsFrom(first);
  for (; first > 0; first--) {
    const count = ordered(first - 1).count;
    const swept = first == termCount - 1 || postings < limit / SPARSE_ROWS ? limit / SWEPT_ROWS : 0;
    if ((count + swept) / SEEK_COST > postings) break;
    postings += count;
  }
  return first;
}

function postingsFrom(first: u32): u32 {
  let postings: u32 = 0;
  for (let i = first; i < termCount; i++) postings += ordered(i).count;
  return postings;
}

function areFew(first: u32): bool {
  return postingsFrom(first) < limit / SPARSE_ROWS;
}

@inline
function windowSum(terms: u32): f64 {
  return terms > 0 ? load<f64>(job.windowSums + (<usize>(terms - 1) << 3)) : 0;
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

/** Several rare essential terms: row by row. @returns what it cost, in postings. */
function scanFew(first: u32, from: u32, to: u32): i32 {
  let read: i32 = 0;
  let row = nextRow(first, from);
  for (; row <= to; row = nextRow(first, row + 1)) {
    read += 8 * (termCount - first);
    if (!isWanted(row)) continue;
    const length = lengthOf(row);
    let known: f64 = 0;
    for (let i = first; i < termCount; i++) {
      const term = ordered(i);
      if (term.row == row) known += scoreAt(term, term.at, length);
    }
    if (mayEnter(row, length, known, first)) enter(row, length);
  }
  return read;
}

/** The first row from `from` on that one of the terms has; all of them stand there or behind it. */
function nextRow(first: u32, from: u32): u32 {
  let row = END;
  for (let i = first; i < termCount; i++) row = min(row, seek(ordered(i), from));
  return row;
}

/** Several essential terms: their scores are added up over the window. @returns what it cost, in postings. */
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
  return read + ((to - from) >> 3);
}

/** The least score of a window's row that is looked at; rows without any score have 0. */
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
