/**
 * MaxSim kernels (AssemblyScript): for every row of a query the largest dot product with a row of a stored
 * matrix, summed. Nothing here allocates; `../matrices.ts` lays the memory out.
 *
 * `ranges` holds, for each of `count` matrices, its first entry and the one after its last, u32 each;
 * none is empty. Both kernels add to the f64 at `out`, so that a long query can come in pieces.
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

/** Of an entry's record, after its codes, as `quantise` in `vectors.ts` writes it. */
const TRAILER_BYTES: usize = 16;

/**
 * The same by int8 codes of entries and int16 codes of query rows.
 *
 * @param stride bytes of an entry's codes, a multiple of 32; a query row's take twice as many, and its scale
 *   (f64) stands in `scales`
 */
export function maxSimCodes(
  records: usize, stride: usize, ranges: usize, count: u32, query: usize, scales: usize, queryRows: u32,
  out: usize,
): void {
  const recordBytes = stride + TRAILER_BYTES;
  for (let i: usize = 0; i < <usize>count; i++) {
    const first = records + <usize>load<u32>(ranges + (i << 3)) * recordBytes;
    const end = records + <usize>load<u32>(ranges + (i << 3), 4) * recordBytes;
    let sum: f64 = 0;
    let q: usize = 0;
    for (; q + 1 < <usize>queryRows; q += 2) {
      const row = query + q * stride * 2;
      let best0: f32 = -Infinity;
      let best1: f32 = -Infinity;
      for (let entry = first; entry < end; entry += recordBytes) {
        const scale = load<f32>(entry + stride);
        const both = dotTwo(entry, row, row + stride * 2, stride);
        best0 = max(best0, <f32>i32x4.extract_lane(both, 0) * scale);
        best1 = max(best1, <f32>i32x4.extract_lane(both, 1) * scale);
      }
      sum += <f64>best0 * load<f64>(scales + (q << 3)) + <f64>best1 * load<f64>(scales + (q << 3), 8);
    }
    if (q < <usize>queryRows) {
      const row = query + q * stride * 2;
      let best: f32 = -Infinity;
      for (let entry = first; entry < end; entry += recordBytes) {
        const both = dotTwo(entry, row, row, stride);
        best = max(best, <f32>i32x4.extract_lane(both, 0) * load<f32>(entry + stride));
      }
      sum += <f64>best * load<f64>(scales + (q << 3));
    }
    store<f64>(out + (i << 3), load<f64>(out + (i << 3)) + sum);
  }
}

/** Dot products of codes with two query rows, in lanes 0 and 1: the codes are widened once for both. */
@inline
function dotTwo(codes: usize, a: usize, b: usize, stride: usize): v128 {
  let a0 = i32x4.splat(0);
  let a1 = a0;
  let b0 = a0;
  let b1 = a0;
  const end = codes + stride;
  while (codes < end) {
    const x = v128.load(codes);
    const low = i16x8.extend_low_i8x16_s(x);
    const high = i16x8.extend_high_i8x16_s(x);
    a0 = i32x4.add(a0, i32x4.dot_i16x8_s(low, v128.load(a)));
    a1 = i32x4.add(a1, i32x4.dot_i16x8_s(high, v128.load(a, 16)));
    b0 = i32x4.add(b0, i32x4.dot_i16x8_s(low, v128.load(b)));
    b1 = i32x4.add(b1, i32x4.dot_i16x8_s(high, v128.load(b, 16)));
    codes += 16;
    a += 32;
    b += 32;
  }
  a0 = i32x4.add(a0, a1);
  b0 = i32x4.add(b0, b1);
  // a0 + a2, a1 + a3, b0 + b2, b1 + b3, then neighbours.
  const halves = i32x4.add(v128.shuffle<u32>(a0, b0, 0, 1, 4, 5), v128.shuffle<u32>(a0, b0, 2, 3, 6, 7));
  const even = v128.shuffle<u32>(halves, halves, 0, 2, 0, 2);
  return i32x4.add(even, v128.shuffle<u32>(halves, halves, 1, 3, 1, 3));
}
