/**
 * Bit vector kernels (AssemblyScript): Hamming and Jaccard distances by counting bits sixteen bytes at a
 * time. Nothing here allocates; `../bits.ts` lays the memory out.
 */

@inline
function addBits(sum: v128, bits: v128): v128 {
  const pairs = i16x8.extadd_pairwise_i8x16_u(i8x16.popcnt(bits));
  return i32x4.add(sum, i32x4.extadd_pairwise_i16x8_u(pairs));
}

@inline
function total(sum: v128): f64 {
  return <f64>(
    i32x4.extract_lane(sum, 0) + i32x4.extract_lane(sum, 1) + i32x4.extract_lane(sum, 2) +
    i32x4.extract_lane(sum, 3)
  );
}

/**
 * Bits in which each row differs from the query, as f64 to `out`.
 *
 * @param stride bytes of a vector, a multiple of 16 @param rows `count` row numbers, u32 each
 */
export function hamming(data: usize, stride: usize, query: usize, rows: usize, count: u32, out: usize): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const row = data + <usize>load<u32>(rows + (i << 2)) * stride;
    let sum = i32x4.splat(0);
    for (let at: usize = 0; at < stride; at += 16) {
      sum = addBits(sum, v128.xor(v128.load(row + at), v128.load(query + at)));
    }
    store<f64>(out + (i << 3), total(sum));
  }
}

/** One less the share of common bits among those that either has; 1 where none is common. */
export function jaccard(data: usize, stride: usize, query: usize, rows: usize, count: u32, out: usize): void {
  for (let i: usize = 0; i < <usize>count; i++) {
    const row = data + <usize>load<u32>(rows + (i << 2)) * stride;
    let both = i32x4.splat(0);
    let either = both;
    for (let at: usize = 0; at < stride; at += 16) {
      const x = v128.load(row + at);
      const y = v128.load(query + at);
      both = addBits(both, v128.and(x, y));
      either = addBits(either, v128.or(x, y));
    }
    const common = total(both);
    store<f64>(out + (i << 3), common == 0 ? 1 : 1 - common / total(either));
  }
}
