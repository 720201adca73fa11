/**
 * The best rows that hold all terms, or a phrase of them (AssemblyScript): rows of the rarest term, a batch at a
 * time, are looked for in one list after the other; its blocks that cannot hold a row better than the k-th are
 * passed over.
 */
import {
  approach, blockSaturation, firstPosition, frequencyAt, keepCommon, lengthAt, markBlock, openTerm, placeOf,
  positionAt, reopenMarked, rowAt, saturationBetween, saturationOf, seek, setBar, Term, worthyFrom,
} from './postings';
import {
  BOUND_SLACK, enter, isWanted, job, limit, ordered, sortTerms, stepCost, termAt, termCount, top, use,
} from './search';
import { pushRow, thresholdOf } from './top-rows';

/** Rows of a batch, a multiple of 16; `../../keywords/scan.ts` makes room for them. */
const BATCH_ROWS: u32 = 64;

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
  for (let left = rows; left > 0; left -= stepCost()) {
    if (lead.row >= limit) return true;
    const to = min(lead.end, limit - 1);
    left -= scanBlock(lead, to);
    approach(lead, max(to + 1, reached()));
  }
  return false;
}

/** Nothing matches before this row, as a list has none between. */
function reached(): u32 {
  let row: u32 = 0;
  for (let i: u32 = 1; i < termCount; i++) row = max(row, ordered(i).row);
  return row;
}

/**
 * The most that the other terms give a row that matches in `from..to`; of a phrase, where all count as one, 0.
 * Infinity: every row is wanted, and bounds of blocks lie in memory that nobody else may want. -Infinity: none.
 */
function restBetween(lead: Term, from: u32, to: u32): f64 {
  if (thresholdOf(top) == -Infinity) return Infinity;
  let sum: f64 = 0;
  let least: f64 = 1;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = ordered(i);
    const largest = saturationBetween(term, from, to);
    if (largest == 0) return -Infinity;
    sum += term.weight * largest;
    least = min(least, largest);
  }
  const bound = (job.places == 0 ? sum : job.phraseWeight * least) * BOUND_SLACK;
  if (bound < thresholdOf(top)) return -Infinity;
  return job.places == 0 ? bound - lead.weight * blockSaturation(lead) : 0;
}

/** Cost of scoring a row, in rows. */
const SCORE_COST: u32 = 8;

/** @returns what it cost, in rows. */
function scanBlock(lead: Term, to: u32): i32 {
  let rest = restBetween(lead, lead.row, to);
  if (rest == -Infinity) return 0;
  const began = placeOf(lead, lead.row);
  const end = lead.end <= to ? lead.size : placeOf(lead, to + 1);
  let cost = end - began;
  for (let at = began; at < end; at += BATCH_ROWS) {
    if (rest == Infinity) rest = restBetween(lead, rowAt(lead, at), to);
    if (rest == -Infinity || !setBar(lead, leadScore(lead, rest))) break;
    const count = gather(lead, at, min(at + BATCH_ROWS, end));
    if (count > 0) cost += SCORE_COST * scanBatch(lead, count);
  }
  return cost;
}

/** The least score that a row must have by its lead alone. */
@inline
function leadScore(lead: Term, rest: f64): f64 {
  const needed = (thresholdOf(top) / BOUND_SLACK - rest) / BOUND_SLACK;
  return job.places == 0 ? needed : (needed * lead.weight) / job.phraseWeight;
}

/** Rows at places from `from` to `end` that may match and reach the bar become candidates. @returns how many. */
function gather(lead: Term, from: u32, end: u32): u32 {
  const least = reached();
  let candidates = job.candidates;
  for (let chunk = from; chunk < end; chunk += 16) {
    if (rowAt(lead, min(chunk + 15, end - 1)) < least) continue;
    let bits = worthyFrom(lead, chunk);
    if (chunk + 16 > end) bits &= (1 << (end - chunk)) - 1;
    for (; bits != 0; bits &= bits - 1) {
      const row = rowAt(lead, chunk + <u32>ctz(bits));
      store<u32>(candidates, row);
      candidates += usize(isWanted(row)) << 2;
    }
  }
  return <u32>(candidates - job.candidates) >> 2;
}

/** Scores those of the candidates that all lists have. @returns how many. */
function scanBatch(lead: Term, candidates: u32): u32 {
  let count = candidates;
  let lists: u32 = 1;
  for (; lists < termCount && count > 0; lists++) {
    const term = ordered(lists);
    markBlock(term);
    count = keepCommon(term, job.candidates, count);
  }
  if (count == 0) return 0;
  for (let i: u32 = 1; i < lists; i++) reopenMarked(ordered(i));
  for (let i: u32 = 0; i < count; i++) {
    const row = load<u32>(job.candidates + (<usize>i << 2));
    seek(lead, row);
    const length = lengthAt(lead, lead.at);
    if (job.places == 0) enter(row, length);
    else enterPhrase(row, length);
  }
  return count;
}

function enterPhrase(row: u32, length: u32): void {
  const threshold = thresholdOf(top);
  const weight = job.phraseWeight;
  // A phrase stands no more often than its rarest term.
  if (threshold > -Infinity && weight * saturationOf(leastFrequency(row), length) < threshold) return;
  const frequency = phraseFrequency(row);
  if (frequency > 0) pushRow(top, row, weight * saturationOf(frequency, length));
}

/** The least frequency of the terms in a row that has all. */
function leastFrequency(row: u32): u32 {
  let least: u32 = 0xffffffff;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = termAt(i);
    seek(term, row);
    least = min(least, frequencyAt(term, term.at));
  }
  return least;
}

@inline
function placeTerm(place: u32): Term {
  return termAt(load<u32>(job.places + (<usize>place << 3)));
}

@inline
function placeOffset(place: u32): i32 {
  return load<i32>(job.places + (<usize>place << 3), 4);
}

/** A cursor's place was not looked at in the row. */
const UNREAD: u32 = 0xffffffff;

/** How often every term stands at its place. Most rows have no phrase, and show it in two places. */
function phraseFrequency(row: u32): u32 {
  const count = job.placeCount;
  for (let place: u32 = 1; place < count; place++) store<u32>(job.cursors + (<usize>place << 2), UNREAD);
  const lead = placeTerm(0);
  seek(lead, row);
  const first = firstPosition(lead);
  const end = first + frequencyAt(lead, lead.at);
  let frequency: u32 = 0;
  for (let i = first; i < end; i++) {
    const start = <i32>positionAt(lead, i) - placeOffset(0);
    let together = true;
    for (let place: u32 = 1; together && place < count; place++) {
      together = stands(row, place, start + placeOffset(place));
    }
    if (together) frequency++;
  }
  return frequency;
}

/** True when the place's term stands at `position`; calls for one place and row come with ascending ones. */
function stands(row: u32, place: u32, position: i32): bool {
  const term = placeTerm(place);
  const cursor = job.cursors + (<usize>place << 2);
  let at = load<u32>(cursor);
  if (at == UNREAD) {
    seek(term, row);
    at = firstPosition(term);
  }
  const end = term.occurrences + frequencyAt(term, term.at);
  while (at < end && <i32>positionAt(term, at) < position) at++;
  store<u32>(cursor, at);
  return at < end && <i32>positionAt(term, at) == position;
}
