/**
 * Which of a transaction's own rows are gone again, and since when: one by one by DELETE and UPDATE, all so far
 * by TRUNCATE, all from one on by ROLLBACK TO. Rows are known by their positions.
 */
import { clearBits, fullBits } from '../../../types/column/bitset.ts';

/** An entry of the map. */
const ENTRY_BYTES = 48;
/** Stands for rows that were rolled back: nobody sees them any more, whatever came before. */
const NEVER_THERE = -1;

export class OwnDeletes {
  readonly #clocks = new Map<number, number>();
  /** By TRUNCATE: rows before `end`; ascending. */
  readonly #emptied: { readonly end: number; readonly clock: number }[] = [];
  /** By ROLLBACK TO: rows [start, end), ascending, none next to another. */
  readonly #withdrawn: { start: number; end: number }[] = [];
  #count = 0;

  /** How many rows are gone. */
  get count(): number {
    return this.#count;
  }

  get bytes(): number {
    return ENTRY_BYTES * this.#clocks.size;
  }

  has(position: number): boolean {
    return this.clock(position) !== Number.POSITIVE_INFINITY;
  }

  /** When a row went; Infinity: it is there. */
  clock(position: number): number {
    if (this.#count === 0) return Number.POSITIVE_INFINITY;
    if (this.#isWithdrawn(position)) return NEVER_THERE;
    const one = this.#clocks.get(position);
    if (one !== undefined) return one;
    return this.#emptied.find(({ end }) => position < end)?.clock ?? Number.POSITIVE_INFINITY;
  }

  add(position: number, clock: number): void {
    this.#clocks.set(position, clock);
    this.#count++;
  }

  remove(position: number): void {
    if (this.#clocks.delete(position)) this.#count--;
  }

  /** All rows before `end` go. @returns takes that back. */
  empty(end: number, clock: number): () => void {
    const added = end - this.#count;
    this.#emptied.push({ end, clock });
    this.#count += added;
    return () => {
      this.#emptied.pop();
      this.#count -= added;
    };
  }

  /** Rows [start, end), all of them there, were never written. */
  withdraw(start: number, end: number): void {
    this.#count += end - start;
    const later = this.#withdrawn.at(-1)?.start === end ? this.#withdrawn.pop() : undefined;
    const earlier = this.#withdrawn.at(-1);
    if (earlier?.end === start) earlier.end = later?.end ?? end;
    else this.#withdrawn.push({ start, end: later?.end ?? end });
  }

  /** Bits of `count` rows from `start` on that are there at `clock`; null: all. */
  visible(start: number, count: number, clock: number): Uint32Array | null {
    if (this.#count === 0) return null;
    let bits: Uint32Array | null = null;
    const hide = (from: number, to: number): void => {
      const [first, end] = [Math.max(from - start, 0), Math.min(to - start, count)];
      if (first >= end) return;
      bits ??= fullBits(count);
      clearBits(bits, first, end);
    };
    for (const { start: from, end } of this.#withdrawn) hide(from, end);
    for (const { end, clock: emptied } of this.#emptied) if (emptied <= clock) hide(0, end);
    if (this.#clocks.size < count) {
      for (const [row, deleted] of this.#clocks) if (deleted <= clock) hide(row, row + 1);
    } else {
      for (let row = start; row < start + count; row++) {
        if ((this.#clocks.get(row) ?? Number.POSITIVE_INFINITY) <= clock) hide(row, row + 1);
      }
    }
    return bits;
  }

  #isWithdrawn(position: number): boolean {
    let low = 0;
    let high = this.#withdrawn.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { start, end } = this.#withdrawn[middle] as { start: number; end: number };
      if (position < start) high = middle - 1;
      else if (position >= end) low = middle + 1;
      else return true;
    }
    return false;
  }
}
