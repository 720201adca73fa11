/**
 * A growable run of bytes for rows on their way to a socket or to disk: big-endian, as the wire and PostgreSQL's binary
 * formats have it, but for what says otherwise, which is read where it lies.
 * `finish` hands out a view that is valid until the next write after `reset`.
 */
const ENCODER = new TextEncoder();
const MINUS = 45;
const ZERO = 48;
const POINT = 0x2e;
const SHORT_TEXT_MAX = 48;

export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #size = 0;

  /** @param capacity bytes set aside at first. */
  constructor(capacity = 4096) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Bytes of memory it holds. */
  get capacity(): number {
    return this.#bytes.length;
  }

  /** Bytes written so far. */
  get size(): number {
    return this.#size;
  }

  /** Forgets what was written; keeps the memory, which earlier `finish` views share. */
  reset(): void {
    this.#size = 0;
  }

  /** Cuts back to an earlier size: undoes a row that failed half way. */
  truncate(size: number): void {
    this.#size = Math.min(size, this.#size);
  }

  /** Written bytes, as a view into the writer's memory. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Written bytes, as bytes of their own; the writer begins anew with fresh memory. */
  take(): Uint8Array {
    const taken = this.#bytes.subarray(0, this.#size);
    this.#bytes = new Uint8Array(this.#bytes.length);
    this.#view = new DataView(this.#bytes.buffer);
    this.#size = 0;
    return taken;
  }

  #reserve(count: number): void {
    const needed = this.#size + count;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.#bytes.length * 2));
    grown.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  writeByte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#size++] = value;
  }

  writeInt16(value: number): void {
    this.#reserve(2);
    this.#view.setInt16(this.#size, value);
    this.#size += 2;
  }

  writeInt32(value: number): void {
    this.#reserve(4);
    this.#view.setInt32(this.#size, value);
    this.#size += 4;
  }

  writeInt64(value: bigint): void {
    this.#reserve(8);
    this.#view.setBigInt64(this.#size, value);
    this.#size += 8;
  }

  writeFloat32(value: number): void {
    this.#reserve(4);
    this.#view.setFloat32(this.#size, value);
    this.#size += 4;
  }

  writeFloat64(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#size, value);
    this.#size += 8;
  }

  /** Little-endian. */
  writeUint32Le(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#size, value, true);
    this.#size += 4;
  }

  /**
   * Little-endian, the first one at a multiple of 4.
   * @param width bytes of a number, as a power of two: 0, 1 or 2.
   * @returns where it lies.
   */
  writeNumbers(values: ArrayLike<number>, width: number): number {
    const start = (this.#size + 3) & ~3;
    const size = values.length << width;
    this.#reserve(size + 3);
    for (let i = 0; i < values.length; i++) {
      const value = values[i] as number;
      const at = start + (i << width);
      if (width === 0) this.#bytes[at] = value;
      else if (width === 1) this.#view.setUint16(at, value, true);
      else this.#view.setUint32(at, value, true);
    }
    this.#size = start + size;
    return start;
  }

  /** Overwrites an int32 written before: a length known only afterwards. @param at its offset. */
  patchInt32(at: number, value: number): void {
    this.#view.setInt32(at, value);
  }

  /** Copies `source[start .. end)`. Short runs by hand: a call into `set` costs more than 32 moves. */
  writeBytes(source: Uint8Array, start = 0, end: number = source.length): void {
    const count = end - start;
    this.#reserve(count);
    if (count > 32) this.#bytes.set(source.subarray(start, end), this.#size);
    else {
      const bytes = this.#bytes;
      let at = this.#size;
      for (let i = start; i < end; i++) bytes[at++] = source[i] as number;
    }
    this.#size += count;
  }

  /** @param text code units below 128 only. */
  writeAscii(text: string): void {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    let at = this.#size;
    for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
    this.#size = at;
  }

  /** Short ASCII by hand: `encodeInto` costs about 100 ns whatever it encodes. */
  writeUtf8(text: string): void {
    this.#reserve(text.length * 3);
    if (text.length <= SHORT_TEXT_MAX && this.#writeShortAscii(text)) return;
    this.#size += ENCODER.encodeInto(text, this.#bytes.subarray(this.#size)).written;
  }

  /** False, with nothing written, when a character is not ASCII. */
  #writeShortAscii(text: string): boolean {
    const bytes = this.#bytes;
    let at = this.#size;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 127) return false;
      bytes[at++] = unit;
    }
    this.#size = at;
    return true;
  }

  /** UTF-8 and a final zero byte, as the wire protocol's strings. */
  writeCString(text: string): void {
    this.writeUtf8(text);
    this.writeByte(0);
  }

  /** A number given in ten thousandths, without zeros at its end: 12345 is `1.2345`, 15000 is `1.5`. */
  writeDecimal4(units: number): void {
    this.#reserve(24);
    if (units < 0) this.#bytes[this.#size++] = MINUS;
    const size = Math.abs(units);
    const whole = Math.floor(size / 10_000);
    let fraction = size - whole * 10_000;
    this.writeDecimal(whole);
    if (fraction === 0) return;
    this.#bytes[this.#size++] = POINT;
    for (let place = 1_000; fraction > 0; place /= 10) {
      const digit = (fraction / place) | 0;
      this.#bytes[this.#size++] = ZERO + digit;
      fraction -= digit * place;
    }
  }

  /** Decimal digits of an integer below 2^53, without a string in between. */
  writeDecimal(value: number): void {
    this.#reserve(20);
    const bytes = this.#bytes;
    let rest = value;
    if (value < 0) {
      bytes[this.#size++] = MINUS;
      rest = -value;
    }
    const count = digitCount(rest);
    let at = this.#size + count;
    this.#size = at;
    do {
      const quotient = rest <= 0x7fffffff ? (rest / 10) | 0 : Math.floor(rest / 10);
      bytes[--at] = ZERO + (rest - quotient * 10);
      rest = quotient;
    } while (rest > 0);
  }
}

/** @param value integer in 0..2^53. */
export function digitCount(value: number): number {
  if (value < 100_000) return value < 10 ? 1 : value < 100 ? 2 : value < 1000 ? 3 : value < 10_000 ? 4 : 5;
  let count = 6;
  for (let bound = 1_000_000; value >= bound; bound *= 10) count++;
  return count;
}
