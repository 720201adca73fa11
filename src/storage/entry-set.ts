/**
 * Set of the entries that must be stored, with their versions, as one number: the sum modulo 2^128 of a pseudorandom function
 * of the marks (`seal.ts`) of all entries of a set. Adding, replacing and removing one costs one addition.
 *
 * This is MSet-Add-Hash of Clarke, Devadas, van Dijk, Gassend and Suh, "Incremental Multiset Hash Functions
 * and Their Application to Memory Integrity Checking" (ASIACRYPT 2003). With AES under a secret key as the
 * function, sums that are kept inside sealed records only, and no mark twice, two different sets have one
 * sum with a probability of 2^-128; sums that can be seen would need to be much longer. A mark stands for
 * its value since nobody without the key can seal another one with it.
 */
import { type Cipheriv, createCipheriv, type KeyObject } from 'node:crypto';
import { MARK_BYTES } from './seal.ts';

const SUM_BITS = 128;

/** The pseudorandom function. */
export class EntryCipher {
  readonly #cipher: Cipheriv;

  constructor(key: KeyObject) {
    this.#cipher = createCipheriv('aes-256-ecb', key, null).setAutoPadding(false);
  }

  /** Terms that sealed values add to the sum of their set. */
  terms(sealed: readonly Uint8Array[]): bigint[] {
    const [only] = sealed;
    if (only === undefined) return [];
    let marks = only.subarray(0, MARK_BYTES);
    if (sealed.length > 1 || marks.length < MARK_BYTES) {
      marks = new Uint8Array(MARK_BYTES * sealed.length);
      for (const [i, value] of sealed.entries()) marks.set(value.subarray(0, MARK_BYTES), MARK_BYTES * i);
    }
    const { buffer, byteOffset } = this.#cipher.update(marks);
    const view = new DataView(buffer, byteOffset);
    return sealed.map((_, i) => {
      const at = MARK_BYTES * i;
      return (view.getBigUint64(at) << 64n) | view.getBigUint64(at + 8);
    });
  }
}

/** Terms of entries to be put, by number; null: to be removed. */
export type EntryChanges = ReadonlyMap<number, bigint | null>;

export class EntrySet {
  readonly #terms = new Map<number, bigint>();
  #sum = 0n;
  /** Null: it has changed since it was asked for. */
  #mark: string | null = null;

  /** Count and sum as text: what a record that stands above keeps of the set. */
  get mark(): string {
    this.#mark ??= textOf(this.#terms.size, this.#sum);
    return this.#mark;
  }

  /** The mark once `changes` are made. */
  markWith(changes: EntryChanges): string {
    let count = this.#terms.size;
    let sum = this.#sum;
    for (const [number, term] of changes) {
      const old = this.#terms.get(number);
      sum += (term ?? 0n) - (old ?? 0n);
      count += Number(term !== null) - Number(old !== undefined);
    }
    return textOf(count, BigInt.asUintN(SUM_BITS, sum));
  }

  apply(changes: EntryChanges): void {
    this.#mark = null;
    for (const [number, term] of changes) {
      this.#sum = BigInt.asUintN(SUM_BITS, this.#sum + (term ?? 0n) - (this.#terms.get(number) ?? 0n));
      if (term === null) this.#terms.delete(number);
      else this.#terms.set(number, term);
    }
  }

  /** Null: not in the set. */
  term(number: number): bigint | null {
    return this.#terms.get(number) ?? null;
  }
}

const textOf = (count: number, sum: bigint): string => `${count}:${sum.toString(16)}`;

/** The mark of a set without entries. */
export const EMPTY_SET = textOf(0, 0n);
