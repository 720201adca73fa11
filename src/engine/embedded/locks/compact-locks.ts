/**
 * Row locks of a transaction that has many of them: a bit each, in place of an object and a name, for as long as
 * nobody else asks for the row.
 */
import { clearBit, hasBit } from '../../../types/column/bitset.ts';

const PAGE_ROWS = 1024;

/** One transaction's hold on a row. */
interface Held<Holder> {
  readonly holder: Holder;
  /** Bit set of modes. */
  readonly bits: number;
}

/** @template Holder who has locks, told apart by identity. */
export class CompactLocks<Holder> {
  /** By slot and holder; rows by mode. */
  readonly #slots = new Map<number, Map<Holder, Map<number, RowBits>>>();

  /** Locks there are. */
  get size(): number {
    let size = 0;
    for (const holders of this.#slots.values()) {
      for (const modes of holders.values()) for (const rows of modes.values()) size += rows.size;
    }
    return size;
  }

  /** False where the holder has it already. @param mode a mode's number. */
  add(holder: Holder, { slot, row }: RowName, mode: number): boolean {
    const holders = this.#slots.get(slot) ?? new Map<Holder, Map<number, RowBits>>();
    this.#slots.set(slot, holders);
    const modes = holders.get(holder) ?? new Map<number, RowBits>();
    holders.set(holder, modes);
    const rows = modes.get(mode) ?? new RowBits();
    modes.set(mode, rows);
    return rows.add(row);
  }

  /** False where it is not here. */
  remove(holder: Holder, { slot, row }: RowName, mode: number): boolean {
    const holders = this.#slots.get(slot);
    const modes = holders?.get(holder);
    const rows = modes?.get(mode);
    if (rows?.remove(row) !== true) return false;
    if (rows.size === 0) modes?.delete(mode);
    if (modes?.size === 0) holders?.delete(holder);
    if (holders?.size === 0) this.#slots.delete(slot);
    return true;
  }

  has({ slot, row }: RowName): boolean {
    for (const modes of this.#slots.get(slot)?.values() ?? []) {
      for (const rows of modes.values()) if (rows.has(row)) return true;
    }
    return false;
  }

  /** True when a transaction other than that has the row here. */
  isOfAnother(holder: Holder, { slot, row }: RowName): boolean {
    for (const [other, modes] of this.#slots.get(slot) ?? []) {
      if (other === holder) continue;
      for (const rows of modes.values()) if (rows.has(row)) return true;
    }
    return false;
  }

  /** Takes out the holds on a row; it is not here afterwards. */
  take(name: RowName): readonly Held<Holder>[] {
    const taken: Held<Holder>[] = [];
    for (const [holder, modes] of this.#slots.get(name.slot) ?? []) {
      let bits = 0;
      for (const mode of [...modes.keys()]) if (this.remove(holder, name, mode)) bits |= 1 << mode;
      if (bits !== 0) taken.push({ holder, bits });
    }
    return taken;
  }

  *all(): Generator<RowName & { readonly holder: Holder; readonly mode: number }> {
    for (const [slot, holders] of this.#slots) {
      for (const [holder, modes] of holders) {
        for (const [mode, rows] of modes) for (const row of rows.all()) yield { slot, row, holder, mode };
      }
    }
  }
}

export interface RowName {
  readonly slot: number;
  readonly row: number;
}

/** Row numbers by page. */
class RowBits {
  size = 0;
  readonly #pages = new Map<number, Uint32Array>();

  has(row: number): boolean {
    const bits = this.#pages.get(Math.floor(row / PAGE_ROWS));
    return bits !== undefined && hasBit(bits, row % PAGE_ROWS);
  }

  add(row: number): boolean {
    const page = Math.floor(row / PAGE_ROWS);
    const at = row % PAGE_ROWS;
    let bits = this.#pages.get(page);
    if (bits === undefined) {
      bits = new Uint32Array(PAGE_ROWS / 32);
      this.#pages.set(page, bits);
    } else if (hasBit(bits, at)) return false;
    bits[at >>> 5] = (bits[at >>> 5] as number) | (1 << (at & 31));
    this.size++;
    return true;
  }

  remove(row: number): boolean {
    const bits = this.#pages.get(Math.floor(row / PAGE_ROWS));
    if (bits === undefined || !hasBit(bits, row % PAGE_ROWS)) return false;
    clearBit(bits, row % PAGE_ROWS);
    this.size--;
    return true;
  }

  *all(): Generator<number> {
    for (const [page, bits] of this.#pages) {
      for (let at = 0; at < PAGE_ROWS; at++) if (hasBit(bits, at)) yield page * PAGE_ROWS + at;
    }
  }
}
