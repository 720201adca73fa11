/**
 * First pass of a MaxSim search (AssemblyScript): estimates by signs. Nothing here allocates;
 * `../matrices/memory.ts` lays the memory out, `../matrices/signs.ts` says what signs are.
 *
 * An entry is bits with a scale. A table says for each byte of bits, and each of its 256 patterns, what it
 * adds to the products with sixteen rows of a query: one load and one addition do for 128 products (tables
 * as in André, Kermarrec, Le Scouarnec 2015: Cache locality is not enough; here a lane is a row of the query,
 * so that maxima are found lane by lane). Tables for half a byte fit the first cache, and took twice as long.
 */

/** A byte's part of the table: 256 patterns of sixteen lanes. */
const BYTE_TABLE: usize = 4096;

// Fields of the job of `estimateMaxSim`, in bytes; `../matrices/memory.ts` writes them.
const BITS: usize = 0;
const WORDS: usize = 4; // of 32 bits, that an entry has
const SCALES: usize = 8; // i16 of each entry
const FACTOR: usize = 12; // of sums, so that they just fit 16 bits
const RANGES: usize = 16;
const TABLE: usize = 20;
const WEIGHTS: usize = 24; // f32 of each lane
const OUT: usize = 28;

@inline
function pointer(job: usize, field: usize): usize {
  return <usize>load<u32>(job + field);
}

/**
 * Fills the table of sixteen rows of a query.
 *
 * @param weights i16 of each lane, for each bit: what it adds, or takes away when it is not set, times 256
 */
export function fillSignTable(weights: usize, words: usize, table: usize): void {
  const end = weights + words * 32 * 32;
  for (; weights < end; weights += 8 * 32) {
    let low = i16x8.splat(0);
    let high = low;
    for (let bit: usize = 0; bit < 8; bit++) {
      low = i16x8.sub(low, v128.load(weights + bit * 32));
      high = i16x8.sub(high, v128.load(weights + bit * 32, 16));
    }
    storeLanes(table, low, high);
    // Patterns in Gray's order: each differs from the one before it in one bit.
    for (let i: usize = 1; i < 256; i++) {
      const pattern = i ^ (i >> 1);
      const bit = ctz(i);
      const weight = weights + bit * 32;
      const twiceLow = i16x8.shl(v128.load(weight), 1);
      const twiceHigh = i16x8.shl(v128.load(weight, 16), 1);
      const set = ((pattern >> bit) & 1) != 0;
      low = set ? i16x8.add(low, twiceLow) : i16x8.sub(low, twiceLow);
      high = set ? i16x8.add(high, twiceHigh) : i16x8.sub(high, twiceHigh);
      storeLanes(table + (pattern << 4), low, high);
    }
    table += BYTE_TABLE;
  }
}

@inline
function storeLanes(at: usize, low: v128, high: v128): void {
  const half = i16x8.splat(128);
  const first = i16x8.shr_s(i16x8.add(low, half), 8);
  v128.store(at, i8x16.narrow_i16x8_s(first, i16x8.shr_s(i16x8.add(high, half), 8)));
}

/** Adds to the f64 of each of `count` matrices the lanes' largest products, each times its weight. */
export function estimateMaxSim(job: usize, count: u32): void {
  const words = pointer(job, WORDS);
  const factor = i16x8.splat(<i16>load<u32>(job, FACTOR));
  const table = pointer(job, TABLE);
  for (let i: usize = 0; i < <usize>count; i++) {
    const range = pointer(job, RANGES) + (i << 3);
    let bits = pointer(job, BITS) + <usize>load<u32>(range) * (words << 2);
    let scale = pointer(job, SCALES) + (<usize>load<u32>(range) << 1);
    const end = pointer(job, SCALES) + (<usize>load<u32>(range, 4) << 1);
    let bestLow = i16x8.splat(i16.MIN_VALUE);
    let bestHigh = bestLow;
    for (; scale < end; scale += 2) {
      let low = i16x8.splat(0);
      let high = low;
      let tables = table;
      for (let word: usize = 0; word < words; word++) {
        const sums = sumsOfWord(bits, tables);
        low = i16x8.add(low, i16x8.extend_low_i8x16_s(sums));
        high = i16x8.add(high, i16x8.extend_high_i8x16_s(sums));
        bits += 4;
        tables += 4 * BYTE_TABLE;
      }
      const by = v128.load16_splat(scale);
      bestLow = i16x8.max_s(bestLow, i16x8.relaxed_q15mulr_s(i16x8.mul(low, factor), by));
      bestHigh = i16x8.max_s(bestHigh, i16x8.relaxed_q15mulr_s(i16x8.mul(high, factor), by));
    }
    const out = pointer(job, OUT) + (i << 3);
    store<f64>(out, load<f64>(out) + weighted(bestLow, bestHigh, pointer(job, WEIGHTS)));
  }
}

/** Sum that four bytes of bits add to each lane; 8 bits hold it by the tables' making. */
@inline
function sumsOfWord(bits: usize, tables: usize): v128 {
  const first = v128.load(tables + (<usize>load<u8>(bits) << 4));
  const second = v128.load(tables + (<usize>load<u8>(bits, 1) << 4), BYTE_TABLE);
  const third = v128.load(tables + (<usize>load<u8>(bits, 2) << 4), 2 * BYTE_TABLE);
  const fourth = v128.load(tables + (<usize>load<u8>(bits, 3) << 4), 3 * BYTE_TABLE);
  return i8x16.add(i8x16.add(first, second), i8x16.add(third, fourth));
}

@inline
function weighted(low: v128, high: v128, weights: usize): f64 {
  const a = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(low)), v128.load(weights));
  const b = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(low)), v128.load(weights, 16));
  const c = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(high)), v128.load(weights, 32));
  const d = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(high)), v128.load(weights, 48));
  return addLanes(f32x4.add(f32x4.add(a, b), f32x4.add(c, d)));
}

@inline
function addLanes(sum: v128): f64 {
  return <f64>f32x4.extract_lane(sum, 0) + <f64>f32x4.extract_lane(sum, 1) +
    <f64>f32x4.extract_lane(sum, 2) + <f64>f32x4.extract_lane(sum, 3);
}

/**
 * Signs of a vector, as `../matrices/signs.ts` describes them.
 *
 * @param model f32 of `width`: the mean, then each plane's weights
 * @param rest f32 of `width`: what the signs leave of the vector, less the mean
 * @param width the dimension, padded with zeros to a multiple of four
 * @param bits zeros
 * @returns the scale that makes the vector's product with its own signs right; without planes, its length
 */
export function encodeSigns(
  floats: usize, model: usize, rest: usize, width: usize, planes: usize, bits: usize,
): f64 {
  const bytes = width << 2;
  let squares: f64 = 0;
  let product: f64 = 0;
  let weights: f64 = 0;
  for (let at: usize = 0; at < bytes; at += 4) {
    const x = load<f32>(floats + at) - load<f32>(model + at);
    const weight = planes > 0 ? load<f32>(model + bytes + at) : 0;
    store<f32>(rest + at, x);
    squares += <f64>x * <f64>x;
    product += <f64>abs(x) * <f64>weight;
    weights += <f64>weight * <f64>weight;
  }
  if (planes == 0) return sqrt(squares);
  if (!(product > 0)) return 0;
  const scale = product / weights;
  for (let plane: usize = 0; plane < planes; plane++) {
    encodePlane(model + (plane + 1) * bytes, rest, <f32>scale, plane * width, width, bits);
  }
  product = 0;
  for (let at: usize = 0; at < bytes; at += 4) {
    const x = load<f32>(floats + at) - load<f32>(model + at);
    product += <f64>x * (<f64>x - <f64>load<f32>(rest + at));
  }
  return product > 0 ? (squares / product) * scale : 0;
}

/** Bits of one plane, `first` and those after it, and what they leave. */
@inline
function encodePlane(weights: usize, rest: usize, scale: f32, first: usize, width: usize, bits: usize): void {
  for (let i: usize = 0; i < width; i += 4) {
    const at = i << 2;
    const x = v128.load(rest + at);
    const size = f32x4.mul(v128.load(weights + at), f32x4.splat(scale));
    const negative = f32x4.lt(x, f32x4.splat(0));
    v128.store(rest + at, f32x4.sub(x, v128.bitselect(f32x4.neg(size), size, negative)));
    const word = bits + ((first + i) >> 5 << 2);
    const pattern = <u32>(i32x4.bitmask(negative) ^ 15);
    store<u32>(word, load<u32>(word) | (pattern << <u32>((first + i) & 31)));
  }
}
