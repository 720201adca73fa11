/**
 * Posting lists of a keyword segment as the kernels read them (AssemblyScript): nothing is decoded, as rows,
 * frequencies and positions of a block are numbers of one width. `../../keywords/writer.ts` describes the layout.
 */

/** A list in a search; `../../keywords/scan.ts` writes the first five fields and 0 in the others. */
@unmanaged
export class Term {
  weight: f64;
  /** At least the saturation of every row of the list. */
  saturation: f64;
  blocks: usize; // the first block's entry
  blockCount: u32;
  count: u32;
  /** The block that is open; `blockCount` after the last one. */
  block: u32;
  size: u32;
  /** Rows before this place in the block lie before `row`. */
  at: u32;
  /** The list's next row is this one or a later one. */
  row: u32;
  /** Base that the block's rows count from, and the last of them. */
  base: u32;
  end: u32;
  /** Bytes of a number, as a power of two. */
  rowWidth: u32;
  frequencyWidth: u32;
  lengthWidth: u32;
  positionWidth: u32;
  /** Where the numbers of the block begin. */
  rows: usize;
  frequencies: usize;
  lengths: usize;
  positions: usize;
  /** Occurrences in the rows before the place `counted`. */
  counted: u32;
  occurrences: u32;
  /** A block to go back to. */
  marked: u32;
}

export const TERM_BYTES: usize = 96;
/** After the last row. */
export const END: u32 = 0xffffffff;

const BLOCK_ROWS: u32 = 128;
const IMPACTS: usize = 3;
/** Offsets in a block's entry, in bytes. */
const POSTINGS: usize = 4;
const POSITIONS: usize = 8;
const WIDTHS: usize = 12;
const IMPACT: usize = 16;
const ENTRY_BYTES: usize = IMPACT + IMPACTS * 8;

let postings: usize = 0;
let positions: usize = 0;
let base: f64 = 0;
let slope: f64 = 0;

/** Sets the memory that all lists of a search share. @param normBase, normSlope of BM25's denominator. */
export function usePostings(postingsAt: usize, positionsAt: usize, normBase: f64, normSlope: f64): void {
  postings = postingsAt;
  positions = positionsAt;
  base = normBase;
  slope = normSlope;
}

/** Opens a list at its first block. */
export function openTerm(term: Term): void {
  openBlock(term, 0);
  // An entry behind those of several blocks is about all of them.
  const last = term.blockCount > 1 ? term.blockCount : 0;
  term.saturation = entrySaturation(entryOf(term, last));
}

@inline
export function saturationOf(frequency: u32, length: u32): f64 {
  const f = <f64>frequency;
  return f / (f + base + slope * <f64>length);
}

@inline
function entryOf(term: Term, block: u32): usize {
  return term.blocks + <usize>block * ENTRY_BYTES;
}

/** At least the saturation of every row that the entry is about. */
function entrySaturation(entry: usize): f64 {
  let largest: f64 = 0;
  for (let i: usize = 0; i < IMPACTS; i++) {
    const impact = entry + (i << 3);
    const frequency = load<u32>(impact, IMPACT);
    if (frequency == 0) break;
    largest = max(largest, saturationOf(frequency, load<u32>(impact, IMPACT + 4)));
  }
  return largest;
}

@inline
export function blockSaturation(term: Term): f64 {
  return entrySaturation(entryOf(term, term.block));
}

export function openBlock(term: Term, block: u32): void {
  term.block = block;
  term.at = 0;
  if (block >= term.blockCount) {
    term.size = 0;
    term.row = END;
    term.end = END;
    return;
  }
  const entry = entryOf(term, block);
  term.base = block == 0 ? 0 : load<u32>(entry - ENTRY_BYTES) + 1;
  term.row = term.base;
  term.end = load<u32>(entry);
  term.size = min(BLOCK_ROWS, term.count - block * BLOCK_ROWS);
  const widths = load<u32>(entry, WIDTHS);
  term.rowWidth = widths & 255;
  term.frequencyWidth = (widths >> 8) & 255;
  term.lengthWidth = (widths >> 16) & 255;
  term.positionWidth = widths >> 24;
  term.rows = postings + <usize>load<u32>(entry, POSTINGS);
  term.frequencies = behind(term.rows, term.size, term.rowWidth);
  term.lengths = behind(term.frequencies, term.size, term.frequencyWidth);
  term.positions = positions + <usize>load<u32>(entry, POSITIONS);
  term.counted = 0;
  term.occurrences = 0;
}

/** Where the next run of numbers begins. */
@inline
function behind(numbers: usize, count: u32, width: u32): usize {
  return numbers + (((<usize>count << width) + 3) & ~3);
}

/** The first block from the open one on whose last row is at or after `row`; gallops. */
function blockFor(term: Term, row: u32): u32 {
  let low = term.block;
  let step: u32 = 1;
  while (low + step < term.blockCount && load<u32>(entryOf(term, low + step)) < row) {
    low += step;
    step <<= 1;
  }
  let high = min(low + step, term.blockCount);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (load<u32>(entryOf(term, middle)) < row) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Opens the block where `row` may be, without looking at rows. */
@inline
export function approach(term: Term, row: u32): void {
  if (term.row >= row) return;
  if (term.end < row) openBlock(term, blockFor(term, row));
  term.row = max(term.row, row);
}

/** @returns the first row at or after `row`, which is the list's row then; END after the last one. */
export function seek(term: Term, row: u32): u32 {
  approach(term, row);
  if (term.size == 0) return END;
  const at = placeOf(term, term.row);
  term.at = at;
  term.row = rowAt(term, at);
  return term.row;
}

/** The block that is open will be wanted again. */
@inline
export function markBlock(term: Term): void {
  term.marked = term.block;
}

/** The list stands before the first row of the marked block. */
export function reopenMarked(term: Term): void {
  openBlock(term, term.marked);
}

/** Leaves out the candidates (u32, ascending) that the list has not. @returns how many are left. */
export function keepCommon(term: Term, candidates: usize, count: u32): u32 {
  const end = candidates + (<usize>count << 2);
  let kept = candidates;
  let from = candidates;
  while (from < end) {
    approach(term, load<u32>(from));
    if (term.size == 0) break;
    const last = term.end;
    const base = term.base;
    const rows = term.rows;
    if (term.rowWidth == 1 && term.size == BLOCK_ROWS) {
      for (; from < end && load<u32>(from) <= last; from += 4) {
        const wanted = load<u32>(from) - base;
        const at = placeInFull(rows, wanted);
        store<u32>(kept, wanted + base);
        kept += usize(<u32>load<u16>(rows + (<usize>at << 1)) == wanted) << 2;
      }
    } else {
      for (; from < end && load<u32>(from) <= last; from += 4) {
        const row = load<u32>(from);
        term.at = placeOf(term, row);
        store<u32>(kept, row);
        kept += usize(rowAt(term, term.at) == row) << 2;
      }
    }
  }
  return <u32>(kept - candidates) >> 2;
}

/** The first place from `at` on whose row is at or after `row`; there is one in the block. */
export function placeOf(term: Term, row: u32): u32 {
  const wanted = row - min(row, term.base);
  if (term.rowWidth == 0) return placeOfByte(term, wanted);
  return term.rowWidth == 1 ? placeOfShort(term, wanted) : placeOfWord(term, wanted);
}

function placeOfByte(term: Term, wanted: u32): u32 {
  const all = i8x16.splat(<i8>wanted);
  let rows = term.rows + term.at;
  let less = <u32>i8x16.bitmask(i8x16.lt_u(v128.load(rows), all));
  while (less == 0xffff) less = i8x16.bitmask(i8x16.lt_u(v128.load((rows += 16)), all));
  return <u32>(rows - term.rows) + ctz(~less);
}

function placeOfShort(term: Term, wanted: u32): u32 {
  if (term.size == BLOCK_ROWS) return placeInFull(term.rows, wanted);
  const all = i16x8.splat(<i16>wanted);
  let rows = term.rows + (<usize>term.at << 1);
  let less = <u32>i16x8.bitmask(i16x8.lt_u(v128.load(rows), all));
  while (less == 0xff) less = i16x8.bitmask(i16x8.lt_u(v128.load((rows += 16)), all));
  return (<u32>(rows - term.rows) >> 1) + ctz(~less);
}

/** As `placeOfShort` without branches, which would be mispredicted: the quarter of the block by three rows, then all of its 32. */
@inline
function placeInFull(rows: usize, wanted: u32): u32 {
  const all = i16x8.splat(<i16>wanted);
  const quarter = <u32>(<u32>load<u16>(rows, 62) < wanted) + <u32>(<u32>load<u16>(rows, 126) < wanted) +
    <u32>(<u32>load<u16>(rows, 190) < wanted);
  const at = rows + (quarter << 6);
  const low = i8x16.narrow_i16x8_s(
    i16x8.lt_u(v128.load(at), all), i16x8.lt_u(v128.load(at, 16), all),
  );
  const high = i8x16.narrow_i16x8_s(
    i16x8.lt_u(v128.load(at, 32), all), i16x8.lt_u(v128.load(at, 48), all),
  );
  return (quarter << 5) + ctz(~(<u32>i8x16.bitmask(low) | (<u32>i8x16.bitmask(high) << 16)));
}

function placeOfWord(term: Term, wanted: u32): u32 {
  const all = i32x4.splat(<i32>wanted);
  let at = term.at;
  let rows = term.rows + (<usize>at << 2);
  for (; at + 16 < term.size && load<u32>(rows, 60) < wanted; at += 16) rows += 64;
  let less = <u32>i32x4.bitmask(i32x4.lt_u(v128.load(rows), all));
  while (less == 0xf) less = i32x4.bitmask(i32x4.lt_u(v128.load((rows += 16)), all));
  return (<u32>(rows - term.rows) >> 2) + ctz(~less);
}

@inline
function numberAt(numbers: usize, width: u32, at: usize): u32 {
  if (width == 0) return load<u8>(numbers + at);
  if (width == 1) return load<u16>(numbers + (at << 1));
  return load<u32>(numbers + (at << 2));
}

@inline
export function rowAt(term: Term, at: u32): u32 {
  return term.base + numberAt(term.rows, term.rowWidth, at);
}

@inline
export function frequencyAt(term: Term, at: u32): u32 {
  return numberAt(term.frequencies, term.frequencyWidth, at);
}

/** Terms in the row at `at`. */
@inline
export function lengthAt(term: Term, at: u32): u32 {
  return numberAt(term.lengths, term.lengthWidth, at);
}

/** Score by this term of the row at `at`, of `length` terms. */
@inline
export function scoreAt(term: Term, at: u32, length: u32): f64 {
  return term.weight * saturationOf(frequencyAt(term, at), length);
}

/** Four numbers, some of them beyond the last one. */
@inline
function quadAt(numbers: usize, width: u32, at: usize): v128 {
  if (width == 0) {
    return f32x4.convert_i32x4_u(
      i32x4.extend_low_i16x8_u(i16x8.extend_low_i8x16_u(v128.load32_zero(numbers + at))),
    );
  }
  if (width == 1) return f32x4.convert_i32x4_u(v128.load16x4_u(numbers + (at << 1)));
  return f32x4.convert_i32x4_u(v128.load(numbers + (at << 2)));
}

/**
 * Adds about what the rows at places from `at` to `end` score, in f32, to the slot of each.
 * @param slots where the slot of the block's base would be.
 */
export function addScores(term: Term, at: u32, end: u32, slots: usize): void {
  if (term.rowWidth == 0) addNumbers<u8>(term, at, end, slots);
  else if (term.rowWidth == 1) addNumbers<u16>(term, at, end, slots);
  else addNumbers<u32>(term, at, end, slots);
}

/** @typeParam Row as wide as the block's rows. */
function addNumbers<Row>(term: Term, from: u32, end: u32, slots: usize): void {
  // The compiler reads memory anew after every store: what stays is read beforehand.
  const frequencies = term.frequencies;
  const frequencyWidth = term.frequencyWidth;
  const lengths = term.lengths;
  const lengthWidth = term.lengthWidth;
  const weights = f32x4.splat(<f32>term.weight);
  const bases = f32x4.splat(<f32>base);
  const slopes = f32x4.splat(<f32>slope);
  let rows = term.rows + <usize>from * sizeof<Row>();
  let at = from;
  for (; at + 4 <= end; at += 4) {
    const f = quadAt(frequencies, frequencyWidth, at);
    const norm = f32x4.add(bases, f32x4.mul(slopes, quadAt(lengths, lengthWidth, at)));
    const scores = f32x4.div(f32x4.mul(weights, f), f32x4.add(f, norm));
    addTo(slots + (<usize>load<Row>(rows) << 2), f32x4.extract_lane(scores, 0));
    addTo(slots + (<usize>load<Row>(rows, sizeof<Row>()) << 2), f32x4.extract_lane(scores, 1));
    addTo(slots + (<usize>load<Row>(rows, 2 * sizeof<Row>()) << 2), f32x4.extract_lane(scores, 2));
    addTo(slots + (<usize>load<Row>(rows, 3 * sizeof<Row>()) << 2), f32x4.extract_lane(scores, 3));
    rows += 4 * sizeof<Row>();
  }
  for (; at < end; at++) {
    addTo(slots + (<usize>load<Row>(rows) << 2), <f32>scoreAt(term, at, lengthAt(term, at)));
    rows += sizeof<Row>();
  }
}

@inline
function addTo(slot: usize, score: f32): void {
  store<f32>(slot, load<f32>(slot) + score);
}

// The bar of a row that scores as much: frequency × barFrequency >= length × barLength + barNorm.
let barFrequency: f32 = 0;
let barLength: f32 = 0;
let barNorm: f32 = 0;

/** Sets the bar of `worthyFrom` to a score by this term. @returns whether a row can reach it. */
export function setBar(term: Term, needed: f64): bool {
  const least = max(0, needed);
  // Room for rounding in f32.
  barFrequency = <f32>((term.weight - least) * 1.000002);
  barLength = <f32>(least * slope);
  barNorm = <f32>(least * base);
  return term.weight > least;
}

/** 16 places from `from` on, as bits, whose rows reach the bar. */
export function worthyFrom(term: Term, from: u32): u32 {
  const frequencies = term.frequencies;
  const frequencyWidth = term.frequencyWidth;
  const lengths = term.lengths;
  const lengthWidth = term.lengthWidth;
  let bits: u32 = 0;
  for (let i: u32 = 0; i < 16; i += 4) {
    const f = f32x4.mul(quadAt(frequencies, frequencyWidth, from + i), f32x4.splat(barFrequency));
    const length = f32x4.mul(quadAt(lengths, lengthWidth, from + i), f32x4.splat(barLength));
    bits |= i32x4.bitmask(f32x4.ge(f, f32x4.add(length, f32x4.splat(barNorm)))) << i;
  }
  const count = term.size - from;
  return count < 16 ? bits & ((1 << count) - 1) : bits;
}

/** Blocks looked at for a bound over a range; of a longer one the bound of the whole list is taken. */
const RANGE_BLOCKS_MAX: u32 = 4;

/** At least the saturation of every row of the list in `from..to`. */
export function saturationBetween(term: Term, from: u32, to: u32): f64 {
  if (term.row > to) return 0;
  let block = from > term.end ? blockFor(term, from) : term.block;
  const end = min(term.blockCount, block + RANGE_BLOCKS_MAX);
  let largest: f64 = 0;
  for (; block < end; block++) {
    const entry = entryOf(term, block);
    largest = max(largest, entrySaturation(entry));
    if (load<u32>(entry) >= to) return largest;
  }
  return block == term.blockCount ? largest : term.saturation;
}

/** Number of the first of the positions of the row at `at` in the block. */
export function firstPosition(term: Term): u32 {
  const at = term.at;
  const frequencies = term.frequencies;
  let sum = term.occurrences;
  let from = term.counted;
  if (from > at) {
    sum = 0;
    from = 0;
  }
  if (term.frequencyWidth == 0) {
    let sums = i16x8.splat(0);
    for (; from + 16 <= at; from += 16) {
      sums = i16x8.add(sums, i16x8.extadd_pairwise_i8x16_u(v128.load(frequencies + from)));
    }
    const quarters = i32x4.extadd_pairwise_i16x8_u(sums);
    sum += i32x4.extract_lane(quarters, 0) + i32x4.extract_lane(quarters, 1) +
      i32x4.extract_lane(quarters, 2) + i32x4.extract_lane(quarters, 3);
  }
  for (; from < at; from++) sum += frequencyAt(term, from);
  term.counted = at;
  term.occurrences = sum;
  return sum;
}

@inline
export function positionAt(term: Term, at: u32): u32 {
  return numberAt(term.positions, term.positionWidth, at);
}
