/**
 * Vector kernels (AssemblyScript). One thing to know: nothing here allocates; JavaScript lays the memory out
 * (`../vectors/memory.ts`) and hands in the address of a job, so that several instances can share a memory.
 *
 * A stored vector is int8 codes with a scale: x ≈ scale × codes. A query is int16 with a scale: widening the
 * codes to int16 for the multiply costs the same whatever the query's range is, so the query keeps 16 bits
 * and the stored side alone makes the error. (The relaxed int8 dot product would take 7-bit queries only.)
 *
 * Rows of a chunk own runs of entries: those of row r are starts[r] .. starts[r + 1]; several when a text has
 * passages, none when the value is NULL.
 */

import { goodnessOf, rowKey, selectLargest } from './vectors/select';
import { warm } from './vectors/warm';

// Job fields, in bytes; `../vectors/job.ts` writes them.
const STARTS: usize = 0;
const RECORDS: usize = 4; // an entry's codes, then its scale, sum of codes and norm
const GATHERED: usize = 8; // 1: FLOATS has those of the scored rows only, in their order
const FLOATS: usize = 16;
const STRIDE: usize = 20; // bytes of one entry's codes, a multiple of 32
const FLOAT_STRIDE: usize = 24; // bytes of one entry's floats, a multiple of 16
const MEASURE: usize = 28;
const ROW_BASE: usize = 32; // the part's row that is row 0 of this chunk
const MASK: usize = 36; // address of the part's bitset, 0: every row
const QUERY_CODES: usize = 40;
const QUERY_FLOATS: usize = 44;
const QUERY_SCALE: usize = 48; // f32
const KEYS: usize = 52; // room for 2 KEPT
const KEPT: usize = 56; // the best so many rows are kept, and perhaps more
const KEY_COUNT: usize = 60;
const QUERY_NORM: usize = 64; // f64
const CUTOFF: usize = 72; // f32, goodness of rows left out at most

// Trailer after the codes of a record.
const SCALE: usize = 0; // f32
const SUM: usize = 4; // i32, of the codes
const NORM: usize = 8; // f64
const TRAILER_BYTES: usize = 16;

/** Rows of a filtered scan whose records are asked for before they are rated. */
const ROWS_AT_ONCE: u32 = 8;

const COSINE: u32 = 0;
const DOT_PRODUCT: u32 = 1;
const SQUARED_L2: u32 = 2;
const L1: u32 = 3;

@inline
function pointer(job: usize, field: usize): usize {
  return <usize>load<u32>(job + field);
}

/** Σ codes × query, exact: the caller keeps the query small enough for 32 bits. */
@inline
function dotCodes(codes: usize, query: usize, stride: usize): i32 {
  let sum0 = i32x4.splat(0);
  let sum1 = sum0;
  let sum2 = sum0;
  let sum3 = sum0;
  const end = codes + stride;
  while (codes < end) {
    const x = v128.load(codes);
    const y = v128.load(codes, 16);
    sum0 = i32x4.add(sum0, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(x), v128.load(query)));
    sum1 = i32x4.add(sum1, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(x), v128.load(query, 16)));
    sum2 = i32x4.add(sum2, i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(y), v128.load(query, 32)));
    sum3 = i32x4.add(sum3, i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(y), v128.load(query, 48)));
    codes += 32;
    query += 64;
  }
  sum0 = i32x4.add(sum0, sum1);
  sum1 = i32x4.add(sum2, sum3);
  return addLanes(i32x4.add(sum0, sum1));
}

@inline
function addLanes(sum: v128): i32 {
  return i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3);
}

/** Manhattan distance of an entry's codes from the query's floats, both padded with zeros. */
function l1Codes(record: usize, stride: usize, query: usize): f32 {
  const scale = f32x4.splat(load<f32>(record + stride, SCALE));
  let sum0 = f32x4.splat(0);
  let sum1 = sum0;
  const end = record + stride;
  while (record < end) {
    const codes = v128.load(record);
    const low = i16x8.extend_low_i8x16_s(codes);
    const high = i16x8.extend_high_i8x16_s(codes);
    sum0 = f32x4.add(sum0, difference(i32x4.extend_low_i16x8_s(low), scale, v128.load(query)));
    sum1 = f32x4.add(sum1, difference(i32x4.extend_high_i16x8_s(low), scale, v128.load(query, 16)));
    sum0 = f32x4.add(sum0, difference(i32x4.extend_low_i16x8_s(high), scale, v128.load(query, 32)));
    sum1 = f32x4.add(sum1, difference(i32x4.extend_high_i16x8_s(high), scale, v128.load(query, 48)));
    record += 16;
    query += 64;
  }
  sum0 = f32x4.add(sum0, sum1);
  return f32x4.extract_lane(sum0, 0) + f32x4.extract_lane(sum0, 1) + f32x4.extract_lane(sum0, 2) +
    f32x4.extract_lane(sum0, 3);
}

@inline
function difference(codes: v128, scale: v128, query: v128): v128 {
  return f32x4.abs(f32x4.sub(query, f32x4.mul(f32x4.convert_i32x4_s(codes), scale)));
}

/**
 * Approximate goodness of an entry (larger is better); NaN for the cosine of a zero vector, and short of the
 * query's square for squared distances.
 *
 * @param query codes, but floats for Manhattan distances
 */
@inline
function approximate(record: usize, measure: u32, stride: usize, query: usize, scale: f64): f64 {
  if (measure == L1) return -<f64>l1Codes(record, stride, query);
  const norm = load<f64>(record + stride, NORM);
  const dot = <f64>dotCodes(record, query, stride) * scale * <f64>load<f32>(record + stride, SCALE);
  if (measure == COSINE) return dot / norm;
  if (measure == SQUARED_L2) return 2.0 * dot - norm * norm;
  return dot;
}

/**
 * Scans rows [from, to) of the job's chunk and keeps at least the best KEPT rows, as keys, in no order. Rows
 * must come in ascending order over all calls.
 */
export function scan(job: usize, from: u32, to: u32): void {
  const starts: usize = pointer(job, STARTS);
  const records: usize = pointer(job, RECORDS);
  const stride: usize = pointer(job, STRIDE);
  const measure = load<u32>(job, MEASURE);
  const mask: usize = pointer(job, MASK);
  const base = load<u32>(job, ROW_BASE);
  const query: usize = pointer(job, measure == L1 ? QUERY_FLOATS : QUERY_CODES);
  const scale = <f64>load<f32>(job, QUERY_SCALE);
  const recordBytes = stride + TRAILER_BYTES;
  let cutoff = <f64>load<f32>(job, CUTOFF);
  for (let row = nextRow(mask, base, from, to); row < to; ) {
    // Rows that a filter keeps lie apart: several are asked for at once, so that what they wait for overlaps.
    let ahead = mask == 0 ? to : row;
    for (let i: u32 = 0; i < ROWS_AT_ONCE && ahead < to; i++) {
      warm(records + <usize>load<u32>(starts + (<usize>ahead << 2)) * recordBytes, recordBytes);
      ahead = nextRow(mask, base, ahead + 1, to);
    }
    for (; row < ahead; row = nextRow(mask, base, row + 1, to)) {
      let entry: usize = load<u32>(starts + (<usize>row << 2));
      const end: usize = load<u32>(starts + (<usize>row << 2), 4);
      let best = -Infinity;
      for (; entry < end; entry++) {
        const goodness = approximate(records + entry * recordBytes, measure, stride, query, scale);
        if (goodness > best) best = goodness;
      }
      if (best > cutoff) cutoff = keep(job, <f32>best, base + row);
    }
  }
}

/** The first row from `row` on that is in the part's bitset, `to` when there is none; no bitset: all are. */
@inline
function nextRow(mask: usize, base: u32, row: u32, to: u32): u32 {
  if (mask == 0) return row;
  while (row < to) {
    const at = base + row;
    const rest = load<u32>(mask + (<usize>(at >> 5) << 2)) >> (at & 31);
    if (rest != 0) return min(to, row + ctz(rest));
    row += 32 - (at & 31);
  }
  return to;
}

/**
 * Keeps a row that is better than what was left out so far: rows come ascending, so that among equals the earlier
 * stays. When there is no more room, the best KEPT stay. @returns what was left out is not better than this.
 */
function keep(job: usize, goodness: f32, row: u32): f32 {
  const keys: usize = pointer(job, KEYS);
  const wanted = load<u32>(job, KEPT);
  const count = load<u32>(job, KEY_COUNT);
  store<u64>(keys + (<usize>count << 3), rowKey(goodness, row));
  if (count + 1 < 2 * wanted) {
    store<u32>(job, count + 1, KEY_COUNT);
    return load<f32>(job, CUTOFF);
  }
  selectLargest(keys, count + 1, wanted);
  const cutoff = goodnessOf(load<u64>(keys + (<usize>(wanted - 1) << 3)));
  store<u32>(job, wanted, KEY_COUNT);
  store<f32>(job, cutoff, CUTOFF);
  return cutoff;
}

/** Dot product of float32 vectors summed in float64; `bytes` is a multiple of 16. */
export function dotFloats(a: usize, b: usize, bytes: usize): f64 {
  let sum0 = f64x2.splat(0);
  let sum1 = sum0;
  const end = a + bytes;
  while (a < end) {
    const x = v128.load(a);
    const y = v128.load(b);
    sum0 = f64x2.add(sum0, f64x2.mul(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y)));
    sum1 = f64x2.add(sum1, f64x2.mul(promoteHigh(x), promoteHigh(y)));
    a += 16;
    b += 16;
  }
  sum0 = f64x2.add(sum0, sum1);
  return f64x2.extract_lane(sum0, 0) + f64x2.extract_lane(sum0, 1);
}

/** Squared Euclidean distance of float32 vectors summed in float64. */
function squaredL2Floats(a: usize, b: usize, bytes: usize): f64 {
  let sum0 = f64x2.splat(0);
  let sum1 = sum0;
  const end = a + bytes;
  while (a < end) {
    const x = v128.load(a);
    const y = v128.load(b);
    const low = f64x2.sub(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y));
    const high = f64x2.sub(promoteHigh(x), promoteHigh(y));
    sum0 = f64x2.add(sum0, f64x2.mul(low, low));
    sum1 = f64x2.add(sum1, f64x2.mul(high, high));
    a += 16;
    b += 16;
  }
  sum0 = f64x2.add(sum0, sum1);
  return f64x2.extract_lane(sum0, 0) + f64x2.extract_lane(sum0, 1);
}

/** Manhattan distance of float32 vectors summed in float64. */
function l1Floats(a: usize, b: usize, bytes: usize): f64 {
  let sum0 = f64x2.splat(0);
  let sum1 = sum0;
  const end = a + bytes;
  while (a < end) {
    const x = v128.load(a);
    const y = v128.load(b);
    sum0 = f64x2.add(sum0, f64x2.abs(f64x2.sub(f64x2.promote_low_f32x4(x), f64x2.promote_low_f32x4(y))));
    sum1 = f64x2.add(sum1, f64x2.abs(f64x2.sub(promoteHigh(x), promoteHigh(y))));
    a += 16;
    b += 16;
  }
  sum0 = f64x2.add(sum0, sum1);
  return f64x2.extract_lane(sum0, 0) + f64x2.extract_lane(sum0, 1);
}

@inline
function promoteHigh(x: v128): v128 {
  return f64x2.promote_low_f32x4(v128.shuffle<u32>(x, x, 2, 3, 2, 3));
}

function exact(job: usize, entry: usize, floats: usize, measure: u32): f64 {
  const bytes: usize = pointer(job, FLOAT_STRIDE);
  const query: usize = pointer(job, QUERY_FLOATS);
  if (measure == COSINE) {
    const stride: usize = pointer(job, STRIDE);
    const trailer = pointer(job, RECORDS) + entry * (stride + TRAILER_BYTES) + stride;
    const norms = load<f64>(trailer, NORM) * load<f64>(job, QUERY_NORM);
    return max(-1.0, min(1.0, dotFloats(floats, query, bytes) / norms));
  }
  if (measure == DOT_PRODUCT) return dotFloats(floats, query, bytes);
  if (measure == SQUARED_L2) return -squaredL2Floats(floats, query, bytes);
  return -l1Floats(floats, query, bytes);
}

/** Approximate goodness of `count` rows of the job's chunk, numbers in the part at `rows`, as f64 to `out`. */
export function approximateRows(job: usize, rows: usize, count: u32, out: usize): void {
  const starts: usize = pointer(job, STARTS);
  const records: usize = pointer(job, RECORDS);
  const stride: usize = pointer(job, STRIDE);
  const measure = load<u32>(job, MEASURE);
  const base = load<u32>(job, ROW_BASE);
  const query: usize = pointer(job, measure == L1 ? QUERY_FLOATS : QUERY_CODES);
  const scale = <f64>load<f32>(job, QUERY_SCALE);
  for (let i: u32 = 0; i < count; i++) {
    const row: usize = load<u32>(rows + (<usize>i << 2)) - base;
    const end: usize = load<u32>(starts + (row << 2), 4);
    let best = -Infinity;
    for (let entry: usize = load<u32>(starts + (row << 2)); entry < end; entry++) {
      const goodness = approximate(records + entry * (stride + TRAILER_BYTES), measure, stride, query, scale);
      if (goodness > best) best = goodness;
    }
    store<f64>(out + (<usize>i << 3), best);
  }
}

/**
 * Exact goodness (larger is better; distances are negated) of `count` rows of the job's chunk, numbers in
 * the part at `rows`, as f64 to `out`: that of a row's best entry, NaN where it has none.
 */
export function score(job: usize, rows: usize, count: u32, out: usize): void {
  const starts: usize = pointer(job, STARTS);
  const measure = load<u32>(job, MEASURE);
  const base = load<u32>(job, ROW_BASE);
  const floats: usize = pointer(job, FLOATS);
  const bytes: usize = pointer(job, FLOAT_STRIDE);
  const gathered = load<u32>(job, GATHERED) != 0;
  let next = floats;
  for (let i: u32 = 0; i < count; i++) {
    const row: usize = load<u32>(rows + (<usize>i << 2)) - base;
    const end: usize = load<u32>(starts + (row << 2), 4);
    let best: f64 = NaN;
    for (let entry: usize = load<u32>(starts + (row << 2)); entry < end; entry++) {
      const goodness = exact(job, entry, gathered ? next : floats + entry * bytes, measure);
      next += bytes;
      if (!(goodness <= best) && goodness == goodness) best = goodness;
    }
    store<f64>(out + (<usize>i << 3), best);
  }
}

/**
 * Quantises `dimension` floats to a record of `stride` int8 codes and what follows them; floats and codes
 * are padded with zeros. @returns the norm of the error.
 */
export function quantise(floats: usize, record: usize, dimension: u32, stride: u32): f64 {
  let largest: f32 = 0;
  let squares: f64 = 0;
  let whole = true;
  for (let i: usize = 0; i < <usize>dimension; i++) {
    const x = load<f32>(floats + (i << 2));
    largest = max(largest, abs(x));
    squares += <f64>x * <f64>x;
    whole = whole && nearest(x) == x;
  }
  // Small whole numbers are their own codes.
  const scale: f32 = whole && largest <= 127 ? 1 : largest / 127;
  const inverse: f64 = scale > 0 ? 1 / <f64>scale : 0;
  let errors: f64 = 0;
  let sum: i32 = 0;
  for (let i: usize = 0; i < <usize>dimension; i++) {
    const x = <f64>load<f32>(floats + (i << 2));
    const code = max(-127.0, min(127.0, nearest(x * inverse)));
    store<i8>(record + i, <i8>code);
    sum += <i32>code;
    const error = x - code * <f64>scale;
    errors += error * error;
  }
  const trailer = record + <usize>stride;
  store<f32>(trailer, scale, SCALE);
  store<i32>(trailer, sum, SUM);
  store<f64>(trailer, sqrt(squares), NORM);
  return sqrt(errors);
}
