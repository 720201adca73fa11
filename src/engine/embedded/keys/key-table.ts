/**
 * Which rows have a key: a hash table of key names (`key-names.ts`), with open addressing, as typed arrays.
 * Names are random, so a name's first word is its hash. Of rows with one name the newest is found first, and
 * leads to the older ones.
 */
import { NAME_WORDS } from '../../../storage/seal.ts';

const SLOTS_MIN = 16;
/** Keys a slot. */
const LOAD_MAX = 0.6;
/** There is room for so many times the rows when it is given back. */
const SHRUNK_SHARE = 4;
/** Names placed anew between two turns of the event loop. */
const STEP_ROWS = 8_192;

export class KeyTable {
  #rowCount = 0;
  /** By row; zeros: the row has no key. */
  #names: Uint32Array;
  /** Newest row of the key that lies there, and 1; 0: free. */
  #slots: Int32Array;
  #keyCount = 0;
  /** By row, the next older row of the same key, and 1; 0: none. Null: no two rows share a key. */
  #older: Int32Array | null = null;

  /** @param rows for which there is room from the start. */
  constructor(rows = 0) {
    this.#names = new Uint32Array(NAME_WORDS * Math.max(rows, SLOTS_MIN));
    this.#slots = new Int32Array(slotCount(rows));
  }

  /** Loads the arrays `names` and `slots`. */
  static load(names: Uint32Array, slots: Int32Array): KeyTable {
    const table = new KeyTable();
    table.#names = names;
    table.#slots = slots;
    table.#rowCount = names.length / NAME_WORDS;
    table.#keyCount = table.#rowCount;
    return table;
  }

  get rowCount(): number {
    return this.#rowCount;
  }

  /** No two rows share a key, so that `names` and `slots` are all there is to know. */
  get isUnique(): boolean {
    return this.#older === null;
  }

  get bytes(): number {
    return this.#names.byteLength + this.#slots.byteLength + (this.#older?.byteLength ?? 0);
  }

  /** NAME_WORDS words a row. */
  get names(): Uint32Array {
    return this.#names.subarray(0, NAME_WORDS * this.#rowCount);
  }

  get slots(): Int32Array {
    return this.#slots;
  }

  /** Newest row with the name at `names[at]`; -1: none. */
  newest(names: Uint32Array, at: number): number {
    return (this.#slots[this.#slot(names, at)] as number) - 1;
  }

  /** The next older row of the same key; -1: none. */
  older(row: number): number {
    return this.#older === null ? -1 : (this.#older[row] as number) - 1;
  }

  /** The next row, with the name at `names[at]`; zeros there: without a key. */
  push(names: Uint32Array, at: number): void {
    const row = this.#rowCount;
    if (NAME_WORDS * (row + 1) > this.#names.length) this.#widen(row + 1);
    for (let word = 0; word < NAME_WORDS; word++) {
      this.#names[NAME_WORDS * row + word] = names[at + word] as number;
    }
    this.#rowCount++;
    if (!hasKey(names, at)) return;
    if (this.#keyCount + 1 > LOAD_MAX * this.#slots.length) this.#slots = this.#moreSlots(this.#keyCount + 1);
    this.#place(this.#slots, row);
  }

  /** Makes room for `count` more rows, in steps. Rows that come meanwhile find their place. */
  async reserve(count: number, pause: () => Promise<void>): Promise<void> {
    const rows = this.#rowCount + count;
    if (NAME_WORDS * rows > this.#names.length) this.#widen(rows);
    if (this.#keyCount + count <= LOAD_MAX * this.#slots.length) return;
    const slots = new Int32Array(slotCount(2 * (this.#keyCount + count)));
    for (let row = 0; row < this.#rowCount; row++) {
      this.#move(slots, row);
      if (row % STEP_ROWS === 0) await pause();
    }
    this.#slots = slots;
  }

  /** Rows without a key up to `rowCount`. */
  pad(rowCount: number): void {
    const none = new Uint32Array(NAME_WORDS);
    while (this.#rowCount < rowCount) this.push(none, 0);
  }

  /** Takes back the newest rows. */
  truncate(rowCount: number): void {
    if (this.#rowCount - rowCount > rowCount) this.#keep(rowCount);
    while (this.#rowCount > rowCount) {
      const row = --this.#rowCount;
      if (!hasKey(this.#names, NAME_WORDS * row)) continue;
      const slot = this.#slot(this.#names, NAME_WORDS * row);
      const older = this.#older?.[row] ?? 0;
      this.#slots[slot] = older;
      if (this.#older !== null) this.#older[row] = 0;
      if (older === 0) this.#keyCount--;
    }
    this.#shrink();
  }

  /** Places anew what stays, where that is less than what goes. */
  #keep(rowCount: number): void {
    this.#older?.fill(0, rowCount, this.#rowCount);
    this.#rowCount = rowCount;
    this.#slots = new Int32Array(slotCount(2 * rowCount));
    for (let row = 0; row < rowCount; row++) this.#move(this.#slots, row);
    this.#keyCount = 0;
    for (const slot of this.#slots) if (slot !== 0) this.#keyCount++;
  }

  /** Gives back the memory of many rows that have gone. */
  #shrink(): void {
    if (this.#older !== null || this.#names.length < SHRUNK_SHARE * NAME_WORDS * (this.#rowCount + SLOTS_MIN))
      return;
    const names = sharedWords(NAME_WORDS * (this.#rowCount + SLOTS_MIN));
    names.set(this.names);
    this.#names = names;
    this.#slots = new Int32Array(slotCount(2 * this.#keyCount));
    for (let row = 0; row < this.#rowCount; row++) this.#move(this.#slots, row);
  }

  /** Where the name is, or would be. */
  #slot(names: Uint32Array, at: number, slots = this.#slots): number {
    const mask = slots.length - 1;
    let slot = (names[at] as number) & mask;
    for (;;) {
      const row = slots[slot] as number;
      if (row === 0 || this.#isNamed(row - 1, names, at)) return slot;
      slot = (slot + 1) & mask;
    }
  }

  #isNamed(row: number, names: Uint32Array, at: number): boolean {
    const own = this.#names;
    const from = NAME_WORDS * row;
    return (
      own[from] === names[at] &&
      own[from + 1] === names[at + 1] &&
      own[from + 2] === names[at + 2] &&
      own[from + 3] === names[at + 3]
    );
  }

  #place(slots: Int32Array, row: number): void {
    const slot = this.#slot(this.#names, NAME_WORDS * row, slots);
    const older = slots[slot] as number;
    slots[slot] = row + 1;
    if (older === 0) {
      this.#keyCount++;
      return;
    }
    this.#older ??= new Int32Array(this.#names.length / NAME_WORDS);
    this.#older[row] = older;
  }

  /** Puts a row into other slots. Rows come in order, so that the newest of a key stays. */
  #move(slots: Int32Array, row: number): void {
    if (!hasKey(this.#names, NAME_WORDS * row)) return;
    slots[this.#slot(this.#names, NAME_WORDS * row, slots)] = row + 1;
  }

  #moreSlots(keys: number): Int32Array {
    const slots = new Int32Array(slotCount(2 * keys));
    for (let row = 0; row < this.#rowCount - 1; row++) this.#move(slots, row);
    return slots;
  }

  #widen(rows: number): void {
    const capacity = Math.max(rows, this.#names.length / NAME_WORDS + (this.#names.length >>> 3), SLOTS_MIN);
    const names = sharedWords(NAME_WORDS * capacity);
    names.set(this.names);
    this.#names = names;
    if (this.#older === null) return;
    const older = new Int32Array(capacity);
    older.set(this.#older.subarray(0, this.#rowCount));
    this.#older = older;
  }
}

/** The merge worker reads large tables where they are. */
const sharedWords = (count: number): Uint32Array => new Uint32Array(new SharedArrayBuffer(4 * count));

export function hasKey(names: Uint32Array, at: number): boolean {
  return ((names[at] as number) | (names[at + 1] as number) | (names[at + 2] as number)) !== 0;
}

function slotCount(keys: number): number {
  let count = SLOTS_MIN;
  while (keys > LOAD_MAX * count) count *= 2;
  return count;
}
