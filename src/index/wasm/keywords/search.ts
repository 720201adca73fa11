/**
 * Shared parts of the searches for any and for all of the terms (AssemblyScript): the work order, and scoring a row.
 */
import { lengthAt, scoreAt, seek, Term, TERM_BYTES, usePostings } from './postings';
import { pushRow, Top } from './top-rows';

/** A work order; `../../keywords/scan.ts` writes it, field by field. */
@unmanaged
export class Job {
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
  candidates: usize; // u32 a row of a batch
  firstEssential: u32; // terms of `order` before it cannot lift a row over the threshold together
}

/** The heap follows the job. */
export const JOB_BYTES: usize = 96;
/** Bounds are summed in another order than scores: room for rounding. */
export const BOUND_SLACK: f64 = 1 + 1e-9;

export let job: Job = changetype<Job>(0);
export let top: Top = changetype<Top>(0);
let terms: usize = 0;
export let termCount: u32 = 0;
let order: usize = 0;
let lengths: usize = 0;
let mask: usize = 0;
export let limit: u32 = 0;

export function use(address: usize): void {
  job = changetype<Job>(address);
  top = changetype<Top>(address + JOB_BYTES);
  terms = job.terms;
  termCount = job.termCount;
  order = job.order;
  lengths = job.lengths;
  mask = job.mask;
  limit = job.limit;
  usePostings(job.postings, job.positions, job.base, job.slope);
}

/** Cost of a window or a block beside its rows, in rows. */
@inline
export function stepCost(): i32 {
  return 32 + 16 * <i32>termCount;
}

@inline
export function termAt(i: u32): Term {
  return changetype<Term>(terms + <usize>i * TERM_BYTES);
}

@inline
export function ordered(i: u32): Term {
  return termAt(load<u32>(order + (<usize>i << 2)));
}

@inline
export function lengthOf(row: u32): u32 {
  return load<u32>(lengths + (<usize>row << 2));
}

@inline
export function isWanted(row: u32): bool {
  return mask == 0 || ((load<u32>(mask + (<usize>(row >>> 5) << 2)) >>> (row & 31)) & 1) != 0;
}

/** Scores all terms of a row, summed in the query's order: every way of scoring gives the same bits. */
export function enter(row: u32, length: u32): void {
  let score: f64 = 0;
  for (let i: u32 = 0; i < termCount; i++) {
    const term = termAt(i);
    if (seek(term, row) == row) score += scoreAt(term, term.at, length);
  }
  pushRow(top, row, score);
}

/** Sorts the terms' numbers, which are few. @param byCount else by bound. */
export function sortTerms(byCount: bool): void {
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
export function keyOf(term: Term, byCount: bool): f64 {
  return byCount ? <f64>term.count : term.weight * term.saturation;
}
