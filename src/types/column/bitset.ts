/**
 * Sets of row positions as bits: bit `i & 31` of word `i >> 5`. Sets that a snapshot holds are never written
 * to; a change makes a copy (at 1,000,000 rows that is 125 kB).
 */

export function emptyBits(count: number): Uint32Array {
  return new Uint32Array((count + 31) >>> 5);
}

/** Bits 0..count-1 set. */
export function fullBits(count: number): Uint32Array {
  const bits = emptyBits(count).fill(0xffffffff);
  const rest = count & 31;
  if (rest !== 0) bits[bits.length - 1] = (1 << rest) - 1;
  return bits;
}

export function hasBit(bits: Uint32Array, at: number): boolean {
  return ((bits[at >>> 5] as number) & (1 << (at & 31))) !== 0;
}

export function setBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
}

export function clearBit(bits: Uint32Array, at: number): void {
  bits[at >>> 5] = (bits[at >>> 5] as number) & ~(1 << (at & 31));
}

/** Clears bits [from, to). */
export function clearBits(bits: Uint32Array, from: number, to: number): void {
  for (let at = from; at < to; ) {
    if ((at & 31) === 0 && to - at >= 32) {
      bits.fill(0, at >>> 5, to >>> 5);
      at = to - (to & 31);
    } else clearBit(bits, at++);
  }
}

/** Bits set among rows [0, limit); null stands for all rows. */
export function countBits(bits: Uint32Array | null, limit: number): number {
  if (bits === null) return limit;
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

/** Both sets of `count` rows; null stands for all rows. */
export function intersectBits(
  a: Uint32Array | null,
  b: Uint32Array | null,
  count: number,
): Uint32Array | null {
  if (a === null || b === null) return a ?? b;
  const both = emptyBits(count);
  for (let i = 0; i < both.length; i++) both[i] = (a[i] as number) & (b[i] as number);
  return both;
}

/** `visible` for a run that grew from `before` to `after` rows, the new ones visible. */
export function growVisible(visible: Uint32Array | null, before: number, after: number): Uint32Array | null {
  if (visible === null) return null;
  const grown = fullBits(after);
  grown.set(visible.subarray(0, before >>> 5));
  for (let i = before & ~31; i < before; i++) if (!hasBit(visible, i)) clearBit(grown, i);
  return grown;
}

/** A copy of `visible` without the given positions. */
export function hideBits(
  visible: Uint32Array | null,
  count: number,
  positions: readonly number[],
): Uint32Array | null {
  if (positions.length === 0) return visible;
  const copy = visible === null ? fullBits(count) : visible.slice();
  for (const position of positions) clearBit(copy, position);
  return copy;
}

/** Positions 0..count-1 that are set, ascending. */
export function bitPositions(bits: Uint32Array | null, count: number): Uint32Array {
  const positions = new Uint32Array(countBits(bits, count));
  let n = 0;
  for (let i = 0; i < count; i++) if (bits === null || hasBit(bits, i)) positions[n++] = i;
  return positions;
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
