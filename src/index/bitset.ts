/**
 * Bitsets of rows: bit r & 31 of word r >> 5 is row r.
 */

/** Bits set among rows [0, limit). */
export function countBits(bits: Uint32Array, limit: number): number {
  let count = 0;
  const whole = Math.min(limit >>> 5, bits.length);
  for (let word = 0; word < whole; word++) count += countOnes(bits[word] as number);
  const rest = limit & 31;
  if (rest > 0 && whole < bits.length) count += countOnes((bits[whole] as number) & ((1 << rest) - 1));
  return count;
}

function countOnes(word: number): number {
  let x = word - ((word >>> 1) & 0x55555555);
  x = (x & 0x33333333) + ((x >>> 2) & 0x33333333);
  return Math.imul((x + (x >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

export function hasBit(bits: Uint32Array, row: number): boolean {
  return (((bits[row >>> 5] ?? 0) >>> (row & 31)) & 1) === 1;
}

/** First row at or after `row` whose bit is set, or `limit`. */
export function nextBit(bits: Uint32Array, row: number, limit: number): number {
  let at = row;
  while (at < limit) {
    const word = (bits[at >>> 5] ?? 0) >>> (at & 31);
    if (word !== 0) return Math.min(limit, at + 31 - Math.clz32(word & -word));
    at = ((at >>> 5) + 1) << 5;
  }
  return limit;
}
