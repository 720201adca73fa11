/**
 * The numbers that random() gives after setseed(), as PostgreSQL does: xoroshiro128** seeded by splitmix64
 * (src/common/pg_prng.c of PostgreSQL 18).
 */
const MASK = (1n << 64n) - 1n;
const MANTISSA_BITS = 52;

const wrap = (value: bigint): bigint => value & MASK;
const rotate = (value: bigint, bits: bigint): bigint => wrap((value << bits) | (value >> (64n - bits)));

export class SeededRandom {
  #s0: bigint;
  #s1: bigint;

  /** @param seed from -1 to 1. */
  constructor(seed: number) {
    let state = wrap(BigInt(Math.trunc((2 ** MANTISSA_BITS - 1) * seed)));
    const next = (): bigint => {
      state = wrap(state + 0x9e3779b97f4a7c15n);
      let value = wrap((state ^ (state >> 30n)) * 0xbf58476d1ce4e5b9n);
      value = wrap((value ^ (value >> 27n)) * 0x94d049bb133111ebn);
      return value ^ (value >> 31n);
    };
    this.#s0 = next();
    this.#s1 = next();
  }

  /** From 0 to below 1. */
  random(): number {
    const mixed = this.#s1 ^ this.#s0;
    const value = wrap(rotate(wrap(this.#s0 * 5n), 7n) * 9n);
    this.#s0 = rotate(this.#s0, 24n) ^ mixed ^ wrap(mixed << 16n);
    this.#s1 = rotate(mixed, 37n);
    return Number(value >> BigInt(64 - MANTISSA_BITS)) / 2 ** MANTISSA_BITS;
  }
}
