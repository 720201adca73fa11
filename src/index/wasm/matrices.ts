/**
 * MaxSim kernels (AssemblyScript): for every row of a query the largest dot product with a row of a stored
 * matrix, summed. Nothing here allocates; `../matrices/memory.ts` lays the memory out.
 *
 * `ranges` holds, for each of `count` matrices, its first entry and the one after its last, u32 each;
 * none is empty. All kernels add to the f64 at `out`, so that a long query can come in pieces.
 */
import { dotFloats } from './vectors';

/** @param stride bytes of an entry's and of a query row's floats, a multiple of 16 */
export function maxSim(
  floats: usize, stride: usize, ranges: usize, count: u32, query: usize, queryRows: u32, out: usize,
): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const first = floats + <usize>load<u32>(ranges + (i << 3)) * stride;
    const end = floats + <usize>load<u32>(ranges + (i << 3), 4) * stride;
    let sum: f64 = 0;
    for (let q: usize = 0; q < <usize>queryRows; q++) {
      const row = query + q * stride;
      let best = -Infinity;
      for (let entry = first; entry < end; entry += stride) best = max(best, dotFloats(entry, row, stride));
      sum += best;
    }
    store<f64>(out + (i << 3), load<f64>(out + (i << 3)) + sum);
  }
}

/** Bytes of an entry's record after its codes, as `quantise` in `vectors.ts` writes them. */
const TRAILER_BYTES: usize = 16;
/** Entries that are rated before the best of them are scored. */
const RATED: usize = 256;

// Fields of a job, in bytes; `../matrices/memory.ts` writes them.
const FLOATS: usize = 0;
const FLOAT_STRIDE: usize = 4;
const RECORDS: usize = 8;
const STRIDE: usize = 12; // bytes of an entry's codes, a multiple of 32; a query row's take twice as many
const RANGES: usize = 16;
const QUERY: usize = 20; // floats
const QUERY_CODES: usize = 24; // int16; up to three more rows are read, whatever they hold
const QUERY_ROWS: usize = 28;
const SCALES: usize = 32; // of each row of the query: its scale, and how far a rating may be wrong, f64
const RATINGS: usize = 36; // room for 4 × RATED f32, then 4 f64
const OUT: usize = 40;

@inline
function pointer(job: usize, field: usize): usize {
  return <usize>load<u32>(job + field);
}

/**
 * The same sums as `maxSim`, bit for bit: entries are rated by int8 codes, and of those alone that may have
 * the largest product, by what quantising can hide, it is computed.
 */
export function maxSimByCodes(job: usize, count: u32): void {
  const ranges = pointer(job, RANGES);
  const rows = pointer(job, QUERY_ROWS);
  for (let i: usize = 0; i < <usize>count; i++) {
    const first: usize = load<u32>(ranges + (i << 3));
    const end: usize = load<u32>(ranges + (i << 3), 4);
    let sum: f64 = 0;
    for (let q: usize = 0; q < rows; q += 4) sum = addFour(job, q, first, end, sum);
    const out = pointer(job, OUT) + (i << 3);
    store<f64>(out, load<f64>(out) + sum);
  }
}

/** Adds the largest products of up to four rows of the query from `q` on with entries [first, end). */
function addFour(job: usize, q: usize, first: usize, end: usize, sum: f64): f64 {
  const lanes = min<usize>(4, pointer(job, QUERY_ROWS) - q);
  const best = pointer(job, RATINGS) + 16 * RATED;
  for (let lane: usize = 0; lane < lanes; lane++) store<f64>(best + (lane << 3), -Infinity);
  for (let from = first; from < end; from += RATED) {
    const to = min(end, from + RATED);
    const most = best + 32;
    rate(job, q, from, to, most);
    for (let lane: usize = 0; lane < lanes; lane++) {
      const at = best + (lane << 3);
      store<f64>(at, largest(job, q + lane, lane, from, to, load<f32>(most + (lane << 2)), load<f64>(at)));
    }
  }
  for (let lane: usize = 0; lane < lanes; lane++) sum += load<f64>(best + (lane << 3));
  return sum;
}

/** Rates entries [from, to) by four rows of the query, but for the rows' scales; the largest to `most`. */
@inline
function rate(job: usize, q: usize, from: usize, to: usize, most: usize): void {
  const stride = pointer(job, STRIDE);
  const query = pointer(job, QUERY_CODES) + q * stride * 2;
  const recordBytes = stride + TRAILER_BYTES;
  const end = pointer(job, RECORDS) + to * recordBytes;
  let out = pointer(job, RATINGS);
  let best = f32x4.splat(-Infinity);
  for (let record = pointer(job, RECORDS) + from * recordBytes; record < end; record += recordBytes) {
    const products = f32x4.convert_i32x4_s(dotFour(record, query, stride));
    const ratings = f32x4.mul(products, v128.load32_splat(record + stride));
    v128.store(out, ratings);
    best = f32x4.max(best, ratings);
    out += 16;
  }
  v128.store(most, best);
}

/**
 * The largest of `best` and the products of a row of the query with entries [from, to).
 *
 * @param lane of the row's ratings, of which `most` is the largest
 */
function largest(job: usize, row: usize, lane: usize, from: usize, to: usize, most: f32, best: f64): f64 {
  const floatStride = pointer(job, FLOAT_STRIDE);
  const query = pointer(job, QUERY) + row * floatStride;
  const scale = load<f64>(pointer(job, SCALES) + (row << 4));
  const bound = load<f64>(pointer(job, SCALES) + (row << 4), 8);
  const least = <f64>most * scale - 2 * bound;
  let rating = pointer(job, RATINGS) + (lane << 2);
  let floats = pointer(job, FLOATS) + from * floatStride;
  for (let entry = from; entry < to; entry++) {
    const rated = <f64>load<f32>(rating) * scale;
    // Said so that what is not a number counts as near.
    if (!(rated < least) && !(rated + bound < best)) best = max(best, dotFloats(floats, query, floatStride));
    rating += 16;
    floats += floatStride;
  }
  return best;
}

/** Products of an entry's codes with four rows of the query: the codes are widened once for all. */
@inline
function dotFour(codes: usize, query: usize, stride: usize): v128 {
  let a = i32x4.splat(0);
  let b = a;
  let c = a;
  let d = a;
  const row = stride * 2;
  const end = codes + stride;
  while (codes < end) {
    const x = v128.load(codes);
    const low = i16x8.extend_low_i8x16_s(x);
    const high = i16x8.extend_high_i8x16_s(x);
    a = addProducts(a, low, high, query);
    b = addProducts(b, low, high, query + row);
    c = addProducts(c, low, high, query + 2 * row);
    d = addProducts(d, low, high, query + 3 * row);
    codes += 16;
    query += 32;
  }
  // Halves of a and b, of c and d side by side, then neighbours.
  const ab = i32x4.add(v128.shuffle<u32>(a, b, 0, 1, 4, 5), v128.shuffle<u32>(a, b, 2, 3, 6, 7));
  const cd = i32x4.add(v128.shuffle<u32>(c, d, 0, 1, 4, 5), v128.shuffle<u32>(c, d, 2, 3, 6, 7));
  return i32x4.add(v128.shuffle<u32>(ab, cd, 0, 2, 4, 6), v128.shuffle<u32>(ab, cd, 1, 3, 5, 7));
}

@inline
function addProducts(sum: v128, low: v128, high: v128, query: usize): v128 {
  sum = i32x4.add(sum, i32x4.dot_i16x8_s(low, v128.load(query)));
  return i32x4.add(sum, i32x4.dot_i16x8_s(high, v128.load(query, 16)));
}
