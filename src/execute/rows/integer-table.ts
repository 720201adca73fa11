/** Numbers for distinct 32-bit keys: open addressing, key and number side by side in one typed array. */

const FREE = -1;

export class IntegerTable {
  /** Key and number by slot; the number is FREE where there is no key. */
  #slots = filled(1024);
  #shift = 22;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The key's number, or -1. */
  find(key: number): number {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = Math.imul(key, 0x9e3779b1) >>> this.#shift;
    while (true) {
      const number = slots[2 * slot + 1] as number;
      if (number === FREE || slots[2 * slot] === key) return number;
      slot = (slot + 1) & mask;
    }
  }

  /** Gives a key that is not there its number. */
  add(key: number, number: number): void {
    if (4 * (this.#size + 1) > this.#slots.length) this.#grow();
    this.#put(key, number);
    this.#size++;
  }

  #put(key: number, number: number): void {
    const slots = this.#slots;
    const mask = slots.length / 2 - 1;
    let slot = Math.imul(key, 0x9e3779b1) >>> this.#shift;
    while (slots[2 * slot + 1] !== FREE) slot = (slot + 1) & mask;
    slots[2 * slot] = key;
    slots[2 * slot + 1] = number;
  }

  #grow(): void {
    const old = this.#slots;
    this.#slots = filled(old.length);
    this.#shift--;
    for (let at = 0; at < old.length; at += 2) {
      if (old[at + 1] !== FREE) this.#put(old[at] as number, old[at + 1] as number);
    }
  }
}

const filled = (slots: number): Int32Array => new Int32Array(2 * slots).fill(FREE);
