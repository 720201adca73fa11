/**
 * Codes for text columns of few distinct values: made when a segment's column is brought into memory, so
 * that grouping, DISTINCT and copying look at two bytes a row instead of the texts.
 */
import { TextVector, type TextDictionary } from '../../../types/column/vector.ts';
import type { StoredColumn } from './column.ts';

/** Smaller segments are not worth it. */
const ROWS_MIN = 2_048;
const WORDS_MAX = 4_096;
const SLOTS = 4 * WORDS_MAX;
/** Among the first ROWS_MIN rows; more distinct values say that the column has too many. */
const EARLY_WORDS_MAX = ROWS_MIN / 4;
const ROWS_PER_TURN = 16_384;

/** @returns null when the column has too many distinct values. @param pause gives others a turn. */
export async function textDictionary(
  column: StoredColumn,
  pause: () => Promise<void>,
): Promise<TextDictionary | null> {
  const { rowCount, offsets } = column;
  if (rowCount < ROWS_MIN || offsets === null) return null;
  const builder = new DictionaryBuilder(column.values, offsets, rowCount);
  for (let row = 0; row < rowCount; ) {
    const end = row === 0 ? ROWS_MIN : Math.min(rowCount, row + ROWS_PER_TURN);
    const words = builder.add(row, end);
    if (words > WORDS_MAX || (row === 0 && words > EARLY_WORDS_MAX)) return null;
    row = end;
    await pause();
  }
  return builder.result();
}

class DictionaryBuilder {
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #codes: Uint16Array;
  /** Code + 1 by hash, open addressing; 0: free. */
  readonly #slots = new Uint16Array(SLOTS);
  /** Row at which each word was first seen. */
  readonly #firstRows: number[] = [];

  constructor(bytes: Uint8Array, offsets: Uint32Array, rowCount: number) {
    this.#bytes = bytes;
    this.#offsets = offsets;
    this.#codes = new Uint16Array(rowCount);
  }

  /** @returns words so far; stops early when they are too many. */
  add(start: number, end: number): number {
    const [bytes, offsets, codes, slots] = [this.#bytes, this.#offsets, this.#codes, this.#slots];
    for (let row = start; row < end; row++) {
      const from = offsets[row] as number;
      const to = offsets[row + 1] as number;
      let hash = to - from;
      for (let at = from; at < to; at++) hash = (Math.imul(hash, 31) + (bytes[at] as number)) | 0;
      let slot = (Math.imul(hash, 0x9e3779b1) >>> 16) & (SLOTS - 1);
      let code = (slots[slot] as number) - 1;
      while (code >= 0 && !this.#same(this.#firstRows[code] as number, from, to)) {
        slot = (slot + 1) & (SLOTS - 1);
        code = (slots[slot] as number) - 1;
      }
      if (code < 0) {
        code = this.#firstRows.length;
        if (code >= WORDS_MAX) return WORDS_MAX + 1;
        this.#firstRows.push(row);
        slots[slot] = code + 1;
      }
      codes[row] = code;
    }
    return this.#firstRows.length;
  }

  result(): TextDictionary {
    const words = TextVector.fromBytes(this.#bytes, this.#offsets).take(this.#firstRows);
    return { codes: this.#codes, words };
  }

  #same(row: number, from: number, to: number): boolean {
    const bytes = this.#bytes;
    let other = this.#offsets[row] as number;
    if ((this.#offsets[row + 1] as number) - other !== to - from) return false;
    for (let at = from; at < to; at++) if (bytes[at] !== bytes[other++]) return false;
    return true;
  }
}
